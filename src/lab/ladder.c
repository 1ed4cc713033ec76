/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab ladder`: one smoothing step, rung by rung. Results are bitwise identical. */
#include <stdio.h>
#include "lab/fields.h"
#include "lab/gpu.h"
#include "lab/lab.h"
#include "operators/passes.h"

enum { SEED_U = 1, SEED_F };

/* A rung and its level: the data of time_work(). */
struct climb {
    const struct rung *rung;
    struct level *level;
};

static void run_climb(void *data)
{
    const struct climb *climb = data;
    climb->rung->run(climb->level);
}

/* The same random fields every time, then the rung. */
static void run_once(const struct climb *climb)
{
    struct level *l = climb->level;
    fill_random(l, FIELD_U, SEED_U);
    fill_random(l, FIELD_F, SEED_F);
    fill_poison(l, FIELD_TMP);
    climb->rung->run(l);
    l->backend->synchronise();
}

static double cells_of_level(const struct level *l)
{
    return (double)l->dim * l->dim * l->dim;
}

static void print_rung(const struct climb *climb, const struct spread *s, double first)
{
    printf("  %-10s %10.4f %10.4f %10.4f %9.2f %9.2f  %s\n", climb->rung->name, 1e3 * s->median,
           1e3 * s->min, 1e3 * s->max, 1e-9 * cells_of_level(climb->level) / s->median,
           first / s->median, climb->rung->summary);
    fflush(stdout);
}

static void add_rung(struct cJSON *rungs, const struct climb *climb, const struct spread *s,
                     double first)
{
    struct cJSON *object = json_append_object(rungs);
    JSON_TEXTS(object, {"rung", climb->rung->name}, {"summary", climb->rung->summary});
    spread_add_json(object, s);
    JSON_NUMBERS(object, {"cells_per_second", cells_of_level(climb->level) / s->median},
                 {"speed_up", first / s->median});
}

/* Compares each rung with the first, whose result is in FIELD_SAVE. Returns how many differ. */
static int climb_all(struct lab *lab, struct level *l, const struct rung *rungs)
{
    struct cJSON *list = json_add_array(lab->json, "rungs");
    double first = 0.0;
    int wrong = 0;
    for (const struct rung *rung = rungs; rung->name; rung++) {
        struct climb climb = {rung, l};
        run_once(&climb);
        if (rung == rungs) { /* a copy: 1·u + 0·u */
            l->backend->passes->combine(l, FIELD_SAVE, 1.0, FIELD_U, 0.0, FIELD_U);
            l->backend->synchronise();
        }
        const long differences = count_differences(l, FIELD_U, l, FIELD_SAVE);
        if (differences > 0) {
            wrong++;
            printf("  %-10s %ld cells differ from the first rung's, not timed\n", rung->name,
                   differences);
            continue;
        }
        const struct spread s =
            time_work(l->backend, TIMED_BY_BACKEND, run_climb, &climb, (int)lab->options.samples);
        first = rung == rungs ? s.median : first;
        print_rung(&climb, &s, first);
        add_rung(list, &climb, &s, first);
    }
    return wrong;
}

enum status ladder_command(struct lab *lab, char *message, int message_size)
{
    struct hierarchy_choice choice;
    enum status status = level_choice(&lab->options, lab->backend, &choice, message, message_size);
    if (status != STATUS_VALID)
        return status;
    struct hierarchy *h = hierarchy_create(&choice);
    struct level *l = h->levels[0];
    level_allocate(l, FIELD_TMP);
    level_allocate(l, FIELD_SAVE);
    print_machine(lab);
    print_heading("red and black, order %d, %d^3", lab->options.order, l->dim);
    printf("  %-10s %10s %10s %10s %9s %9s\n", "rung", "ms", "min", "max", "Gcell/s", "speed-up");
    json_add_number(lab->json, "cells", cells_of_level(l));
    const int wrong = climb_all(lab, l, lab->backend->on_device ? gpu_rungs : cpu_rungs);
    hierarchy_destroy(h);
    if (wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)message_size, "%d rungs gave wrong results", wrong);
    return STATUS_INVALID;
}
