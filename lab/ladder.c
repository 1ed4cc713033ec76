/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab ladder`: one smoothing, rung by rung. Results are bitwise identical. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lab/experiments.h"
#include "lab/limiter.h"
#include "lab/rungs.h"
#include "lab/stage_case.h"
#include "operators/traffic.h"

enum { MAX_RUNGS = 16, RUNG_WIDTH = 10 };

/* What NVIDIA's slides on hybrid multigrid have for a Tesla K40. */
static const double kepler_speed_ups[] = {1.00, 1.44, 1.68};

/* A rung as it is to be measured, on its level. */
struct climb {
    const struct rung *rung;
    struct rung_shape shape;
    struct level *level;
};

/* All rungs do what the solver's stage `smooth` does, the last one as the solver. Rates and bytes
 * are those of a red-black pair. */
struct ladder {
    struct lab *lab;
    struct stage_case c;
    struct stage_reference reference;
    const struct rung *rungs;
    struct climb climbs[MAX_RUNGS]; /* the first rung comes first */
    int count, wrong;
    struct json *in_json;
    bool titled; /* the table has titles */
    struct ceilings ceilings;
    double first_seconds;
};

/* --- which rungs ------------------------------------------------------------------------------ */

static const char *name_of(int number, const void *rungs)
{
    return ((const struct rung *)rungs)[number].name;
}

static enum status add_climb(struct ladder *x, const struct rung *rung,
                             const struct rung_wish *wish)
{
    if (x->count == MAX_RUNGS)
        return refuse(STATUS_USAGE, "--rung: at most %d names", MAX_RUNGS - 1);
    struct climb *climb = &x->climbs[x->count++];
    *climb = (struct climb){.rung = rung, .level = x->c.level};
    if (rung->shape.block[0] == 0 && (wish->block[0] > 0 || wish->registers > 0))
        return refuse(STATUS_USAGE,
                      "--block, --registers: rung %s has blocks and registers of its own",
                      rung->name);
    return rung_choose_shape(rung, x->c.level, wish, &climb->shape);
}

/* The wishes of --block and --registers, which are for rungs of a GPU that --rung names. */
static enum status read_wish(const struct lab *lab, struct rung_wish *wish)
{
    const struct lab_options *o = &lab->options;
    int *block = wish->block;
    char more;
    *wish = (struct rung_wish){.registers = o->registers};
    if (!o->block && o->registers == 0)
        return STATUS_VALID;
    if (o->block && (sscanf(o->block, "%4d,%4d%c", &block[0], &block[1], &more) != 2 ||
                     block[0] < 1 || block[1] < 1 || block[0] * block[1] > 1024))
        return refuse(STATUS_USAGE,
                      "--block: wrong value '%.40s'; legal: X,Y threads along i and j, X*Y <= 1024",
                      o->block);
    if (!lab->backend->on_device)
        return refuse(STATUS_USAGE, "--block, --registers: a CPU's rungs have neither");
    if (!o->rungs)
        return refuse(STATUS_USAGE, "--block, --registers: for which rungs? see --rung");
    return STATUS_VALID;
}

/* The first rung as it is, then those that are named, or all others. */
static enum status choose_climbs(struct ladder *x)
{
    static const struct rung_wish none = {.registers = 0};
    struct rung_wish wish;
    const char *names = x->lab->options.rungs;
    enum status status = read_wish(x->lab, &wish);
    if (status == STATUS_VALID)
        status = add_climb(x, x->rungs, &none);
    for (const struct rung *rung = x->rungs + 1; !names && rung->name && !status; rung++)
        status = add_climb(x, rung, &none);
    const bool changed = wish.block[0] > 0 || wish.registers > 0;
    for (char name[NAME_SIZE]; status == STATUS_VALID && next_name(&names, name);) {
        const int number = find_name(name, name_of, x->rungs, "rung");
        if (number < 0)
            status = STATUS_USAGE;
        else if (number > 0 || changed)
            status = add_climb(x, x->rungs + number, &wish);
    }
    return status;
}

/* --- what a rung gives ------------------------------------------------------------------------ */

static void run_climb(void *data)
{
    const struct climb *climb = data;
    for (int pairs = 0; pairs < RUNG_PAIRS; pairs += climb->rung->pairs)
        climb->rung->run(climb->level, climb->rung, &climb->shape);
}

/* See fault_check(). */
static void spoil(struct level *l)
{
    const struct patch *p = &l->patches[0];
    const long n = l->n[0], at = fault_index(n * n * n);
    if (at >= 0)
        l->backend->memory->upload(level_natural(l, FIELD_U) + p->offset + at % n +
                                       at / n % n * p->sj + at / n / n * p->sk,
                                   &fault_value, 1);
}

/* How many results of one run, of the same random fields every time, are wrong. */
static long differences(struct ladder *x, struct climb *climb)
{
    stage_case_fill(&x->c);
    run_climb(climb);
    climb->level->backend->memory->synchronise();
    spoil(climb->level);
    return stage_differences(&x->reference, &x->c);
}

static bool counts_loads(const struct climb *climb)
{
    return climb->shape.block[0] > 0;
}

/* Of a rung with blocks of the lab's choice: each half-sweep moves each array once, computes all
 * cells, and has no more instructions than these but for addresses. */
static void count_usage(const struct climb *climb, double cells, struct usage *u)
{
    enum { LANES = 32, HALF_SWEEPS = SMOOTHER_SWEEPS, STORED = sizeof(double) };
    const struct rung_counts c = rung_count(&climb->shape);
    u->cache_bytes = HALF_SWEEPS * cells * (c.read_bytes + STORED);
    u->shared_bytes = HALF_SWEEPS * cells * c.shared_bytes;
    u->fp64_instructions *= 2.0; /* half of what is computed is dropped */
    u->instructions = u->fp64_instructions + HALF_SWEEPS * cells * (LANES * c.requests + 1.0) +
                      u->shared_bytes / sizeof(double);
}

static struct usage usage_of(const struct ladder *x, const struct climb *climb)
{
    const double cells = stage_case_cells(&x->c);
    struct usage u = stage_case_usage(&x->c);
    if (climb->rung->run == rung_default) {
        const struct pass pass = rung_pass(climb->level, climb->rung);
        const double swept = cells * RUNG_PAIRS / climb->rung->pairs;
        u.bytes = swept * climb->level->backend->passes->bytes(&pass);
        usage_add_counts(&u, climb->level->backend, &pass, swept);
        return u;
    }
    u.bytes = cells * pass_bytes_one_by_one(&x->c.stage.pass);
    usage_add_counts(&u, climb->level->backend, NULL, cells);
    if (counts_loads(climb))
        count_usage(climb, cells, &u);
    return u;
}

/* --- reports ---------------------------------------------------------------------------------- */

static double number_or_nan(int number)
{
    return number > 0 ? number : NAN;
}

static void report_climb(struct ladder *x, const struct climb *climb, const struct measurement *m)
{
    const struct rung_shape *s = &climb->shape;
    const struct rung_counts c =
        counts_loads(climb) ? rung_count(s) : (struct rung_counts){.sectors = NAN, .lines = NAN};
    const double cells = RUNG_PAIRS * stage_case_cells(&x->c), t = m->seconds.median;
    const struct column columns[] = {
        {"ms", NULL, 10, 4, 1e-3, t},
        {"min", NULL, 10, 4, 1e-3, m->seconds.min},
        {"Gcell/s", "cells_per_second", 8, 2, 1e9, cells / t},
        {"speed-up", "speed_up", 8, 2, 1, x->first_seconds / t},
        {"B/cell", NULL, 8, 1, 1, m->usage.bytes / cells},
        {"L2 B", NULL, 8, 1, 1, m->usage.cache_bytes / cells},
        {"sectors", "sectors_per_request", 8, 1, 1, c.sectors},
        {"lines", "lines_per_request", 8, 1, 1, c.lines},
    };
    struct json *object = json_add_object(x->in_json, NULL);
    JSON_TEXTS(object, {"rung", climb->rung->name}, {"summary", climb->rung->summary});
    struct json *block = json_add_array(object, "block");
    for (int d = 0; d < 2 && counts_loads(climb); d++)
        json_add_number(block, NULL, s->block[d]);
    JSON_NUMBERS(object, {"rows", number_or_nan(s->rows)}, {"planes", number_or_nan(s->planes)},
                 {"register_limit", number_or_nan(s->registers)});
    x->titled = report_row(object, x->titled ? NULL : "rung", climb->rung->name, RUNG_WIDTH,
                           columns, sizeof columns / sizeof columns[0]);
    printf("\n      %s", climb->rung->summary);
    if (memcmp(s->block, climb->rung->shape.block, sizeof s->block) != 0)
        printf("; here %d x %d", s->block[0], s->block[1]);
    printf("\n");
    measurement_report(object, m, cells);
}

/* --- the ladder ------------------------------------------------------------------------------- */

static void climb_one(struct ladder *x, struct climb *climb)
{
    if (!is_timed(x->lab, climb->rung->name, RUNG_WIDTH, differences(x, climb), NULL, &x->wrong))
        return;
    const struct usage usage = usage_of(x, climb);
    const struct measurement m = measure_work(x->lab, run_climb, climb, &x->ceilings, &usage);
    x->first_seconds = climb == x->climbs ? m.seconds.median : x->first_seconds;
    report_climb(x, climb, &m);
}

static enum status climb_all(struct ladder *x)
{
    struct json *json = x->lab->json, *kepler = json_add_array(json, "kepler_speed_ups");
    enum status status = choose_climbs(x);
    if (status == STATUS_VALID)
        status = stage_reference_create(&x->reference, &x->lab->options, &x->c);
    if (status == STATUS_VALID)
        status = ceilings_measure(&x->ceilings, x->lab);
    if (status != STATUS_VALID)
        return status;
    print_machine(x->lab);
    print_heading("six half-sweeps, order %d, %d^3; Gcell/s and B of red and black",
                  x->lab->options.order, x->c.level->n[0]);
    stage_reference_report(&x->reference, json);
    json_add_number(json, "cells", stage_case_cells(&x->c));
    for (unsigned s = 0; s < sizeof kepler_speed_ups / sizeof kepler_speed_ups[0]; s++)
        json_add_number(kepler, NULL, kepler_speed_ups[s]);
    ceilings_report(json, &x->ceilings);
    x->in_json = json_add_array(json, "rungs");
    for (int c = 0; c < x->count; c++)
        climb_one(x, &x->climbs[c]);
    if (x->lab->backend->on_device && !checks_only(&x->lab->options))
        printf("  NVIDIA's slides, Tesla K40: 1.00, 1.44, 1.68\n");
    return all_right(x->wrong, "rungs");
}

enum status ladder_command(struct lab *lab)
{
    struct ladder x = {.lab = lab, .first_seconds = NAN};
    enum status status = fault_check();
    lab->options.sweeps = SMOOTHER_SWEEPS;
    x.rungs = lab->backend->on_device ? gpu_rungs : cpu_rungs;
    if (status == STATUS_VALID)
        status = stage_case_create(&x.c, &lab->options, lab->backend);
    if (status != STATUS_VALID)
        return status;
    level_allocate(x.c.level, FIELD_TMP);
    status = climb_all(&x);
    stage_reference_destroy(&x.reference);
    stage_case_destroy(&x.c);
    return status;
}
