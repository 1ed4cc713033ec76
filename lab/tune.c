/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab tune`: tries tile sizes of the k-streaming kernels, and keeps those that are faster
 * than what a kernel chooses. */
#include <stdio.h>
#include <string.h>
#include "cuda/tuning.h"
#include "lab/lab.h"
#include "lab/stage_case.h"

enum { MIN_N = 128, MIN_PLANES = 2 }; /* smaller levels are the tail's */
/* A choice is kept if it is faster than the kernel's own by this share. */
#define GAIN 0.02

/* What is kept. */
struct tunings {
    int count;
    struct cuda_tuning rows[MAX_TUNINGS];
};

/* One stage on one level, and what was found. */
struct search {
    struct lab *lab;
    struct stage_case *c;
    struct stage_sums reference; /* of the baseline's results */
    struct cuda_tuning best;
    double best_seconds, own_seconds; /* own: by the kernel's own choice */
    int tried, wrong;
    struct json *candidates;
};

static bool is_right(struct search *s)
{
    stage_case_run(s->c);
    return stage_sums_equal(stage_case_sums(s->c), s->reference);
}

/* Median seconds with these choices in force; 0 if the results are wrong. */
static double try(struct search *s, const struct cuda_tuning *t, int count)
{
    cuda_tune(t, count);
    s->tried++;
    if (!is_right(s)) {
        s->wrong++;
        return 0.0;
    }
    return time_work(s->c->level->backend, TIMED_BY_BACKEND, stage_case_work, s->c,
                     (int)s->lab->options.samples)
        .median;
}

static void try_candidate(struct search *s, struct cuda_tuning t)
{
    const double seconds = try(s, &t, 1);
    struct json *object = json_add_object(s->candidates, NULL);
    JSON_NUMBERS(object, {"rows", t.rows}, {"planes", t.planes}, {"seconds", seconds});
    if (seconds == 0.0) {
        printf("  WRONG results with %d rows and %d planes\n", t.rows, t.planes);
    } else if (seconds < s->best_seconds) {
        s->best_seconds = seconds;
        s->best = t;
    }
}

/* Powers of two, one and a half times as many, and what the kernel chooses for the tile. */
static void try_all(struct search *s, struct cuda_tuning t)
{
    int rows[MAX_TUNED_ROWS];
    const int count = cuda_tuned_rows(t.order, t.stage, rows);
    for (int r = 0; r < count; r++) {
        t.rows = rows[r];
        t.planes = 0;
        if (r > 0) /* the first is the kernel's own choice */
            try_candidate(s, t);
        for (t.planes = MIN_PLANES; t.planes <= t.n; t.planes *= 2)
            try_candidate(s, t);
        for (t.planes = 3 * MIN_PLANES; t.planes <= t.n; t.planes *= 2)
            try_candidate(s, t);
    }
}

static void report(const struct search *s, const struct cuda_tuning *t, bool kept)
{
    char name[40];
    snprintf(name, sizeof name, "%s, order %d", cuda_tuned_stage_names[t->stage], t->order);
    if (s->own_seconds == 0.0) {
        printf("  %-28s %5d^3 WRONG results by the kernel's own choice\n", name, t->n);
        return;
    }
    printf("  %-28s %5d^3 %10.4f %10.4f %7.2f %5d %7d %6d%s\n", name, t->n, 1e3 * s->own_seconds,
           1e3 * s->best_seconds, s->own_seconds / s->best_seconds, s->best.rows, s->best.planes,
           s->tried, kept ? "  kept" : "");
    fflush(stdout);
}

/* Searches; adds to `found` what is worth it. Returns the number of wrong results. */
static int search_case(struct lab *lab, struct stage_case *c, struct cuda_tuning t,
                       struct tunings *found, struct json *searches)
{
    struct search s = {.lab = lab, .c = c};
    struct json *object = json_add_object(searches, NULL);
    json_add_number(object, "order", t.order);
    json_add_text(object, "stage", cuda_tuned_stage_names[t.stage]);
    json_add_number(object, "n", t.n);
    s.candidates = json_add_array(object, "candidates");
    s.reference = stage_case_baseline_sums(c);
    s.own_seconds = s.best_seconds = try(&s, NULL, 0);
    json_add_number(object, "own_seconds", s.own_seconds);
    if (s.wrong == 0)
        try_all(&s, t);
    const bool kept = s.wrong == 0 && s.best_seconds < (1.0 - GAIN) * s.own_seconds;
    if (kept)
        found->rows[found->count++] = s.best;
    json_add_flag(object, "kept", kept);
    report(&s, &t, kept);
    return s.wrong;
}

/* One kernel on one level. Adds the number of wrong results to *wrong. */
static enum status tune_stage(struct lab *lab, struct cuda_tuning t, struct tunings *found,
                              struct json *searches, int *wrong)
{
    struct lab_options o = lab->options;
    struct stage_case c;
    o.n = t.n;
    o.order = t.order;
    o.stage = (int)t.stage;
    const enum status status = stage_case_create(&c, &o, lab->backend);
    if (status != STATUS_VALID)
        return status;
    *wrong += search_case(lab, &c, t, found, searches);
    stage_case_destroy(&c);
    cuda_tune(NULL, 0);
    return STATUS_VALID;
}

static enum status tune_all(struct lab *lab, struct tunings *found, int *wrong)
{
    struct json *searches = json_add_array(lab->json, "searches");
    int rows[MAX_TUNED_ROWS];
    for (int order = 2; order <= 4; order += 2)
        for (int stage = 0; stage < NUM_TUNED_STAGES; stage++)
            for (int n = MIN_N; n <= lab->options.n; n *= 2) {
                const struct cuda_tuning t = {.order = order,
                                              .stage = (enum cuda_tuned_stage)stage,
                                              .helmholtz =
                                                  lab->options.equation == EQUATION_HELMHOLTZ,
                                              .n = n};
                if (cuda_tuned_rows(order, t.stage, rows) == 0)
                    continue;
                const enum status status = tune_stage(lab, t, found, searches, wrong);
                if (status != STATUS_VALID)
                    return status;
            }
    return STATUS_VALID;
}

/* As rows of src/cuda/tuning.def. */
static void print_rows(const struct lab *lab, const struct tunings *found)
{
    char text[TUNING_TEXT_SIZE];
    for (int i = 0; i < found->count; i++) {
        cuda_tuning_write(&found->rows[i], text);
        printf("ROW(\"%s\", \"%s\")\n", lab->environment.gpu, text);
    }
}

enum status tune_command(struct lab *lab)
{
    struct tunings found = {.count = 0};
    int wrong = 0;
    if (!lab->backend->on_device)
        return refuse(STATUS_ENVIRONMENT, "tune: what is tuned are kernels of a GPU%s",
                      lab->note[0] ? ", and there is none (--backend gpu says why)" : "");
    print_machine(lab);
    printf("  %-28s %7s %10s %10s %7s %5s %7s %6s\n", "stage", "level", "own, ms", "best, ms",
           "faster", "rows", "planes", "tried");
    const enum status status = tune_all(lab, &found, &wrong);
    printf("  %d choices are kept\n", found.count);
    print_rows(lab, &found);
    return status == STATUS_VALID ? all_right(wrong, "choices") : status;
}
