/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab kernel`: checks and times one stage by each kernel that can do a part of it. */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "lab/limiter.h"
#include "lab/stage_case.h"

enum { MAX_MEASURED = 64, KERNELS_SIZE = 80, LIST_WIDTH = 22 };

/* A stage, its right results, and what has been measured. */
struct comparison {
    struct lab *lab;
    struct stage_case c;
    struct stage_reference reference;
    struct ceilings ceilings;
    struct json *runs;
    bool titled; /* the table has titles */
    int count, wrong;
    char kernels[MAX_MEASURED][KERNELS_SIZE]; /* that ran, of each list */
};

static void report(struct comparison *x, const char *list, const char *kernels,
                   const struct measurement *m)
{
    const struct spread *s = &m->seconds;
    const struct usage *u = &m->usage;
    const double cells = stage_case_cells(&x->c);
    const struct column columns[] = {
        {"ms", NULL, 10, 4, 1e-3, s->median},
        {"min", NULL, 10, 4, 1e-3, s->min},
        {"max", NULL, 10, 4, 1e-3, s->max},
        {"B/cell", NULL, 8, 1, 1, u->bytes / cells},
        {"GB/s", NULL, 8, 1, 1e9, u->bytes / s->median},
        {"% copy", NULL, 7, 1, 0.01, m->shares.of[RESOURCE_MEMORY]},
        {"GFLOP/s", NULL, 9, 1, 1e9, u->flops / s->median},
        {"% FP64", NULL, 7, 1, 0.01, m->shares.of[RESOURCE_FP64]},
    };
    struct json *object = json_add_object(x->runs, NULL);
    JSON_TEXTS(object, {"list", list}, {"kernels", kernels});
    x->titled = report_row(object, x->titled ? NULL : "kernels", list, LIST_WIDTH, columns,
                           sizeof columns / sizeof columns[0]);
    printf("\n");
    if (kernels[0] && strcmp(kernels, list) != 0)
        printf("      ran: %s\n", kernels);
    measurement_report(object, m, cells);
}

/* True if an earlier list has run the same kernels. */
static bool has_run(const struct comparison *x, const char *kernels)
{
    for (int run = 0; run < x->count; run++)
        if (strcmp(x->kernels[run], kernels) == 0)
            return true;
    return false;
}

/* Checks, times and reports the stage by a list of kernels, unless the same ones have run. */
static void run_list(struct comparison *x, const char *list)
{
    char *kernels = x->kernels[x->count];
    CHECK(x->count < MAX_MEASURED && stage_case_choose(&x->c, list) == STATUS_VALID);
    stage_case_kernels(&x->c, kernels, KERNELS_SIZE);
    if (has_run(x, kernels))
        return;
    x->count++;
    stage_case_run(&x->c);
    if (!is_timed(x->lab, list, LIST_WIDTH, stage_differences(&x->reference, &x->c), kernels,
                  &x->wrong))
        return;
    const struct usage usage = stage_case_usage(&x->c);
    const struct measurement m = measure_work(x->lab, stage_case_work, &x->c, &x->ceilings, &usage);
    report(x, list, kernels, &m);
}

/* The list of --kernels; or the default, the baseline, and each kernel with the baseline for the
 * rest. */
static void run_lists(struct comparison *x)
{
    if (x->lab->options.kernels) {
        run_list(x, x->lab->options.kernels);
        return;
    }
    run_list(x, "default");
    run_list(x, stage_case_baseline(&x->c));
    for (int k = 0; stage_case_kernel(&x->c, k); k++)
        run_list(x, stage_case_kernel(&x->c, k));
}

static enum status compare(struct comparison *x)
{
    char name[48];
    const struct stage *stage = &x->c.stage;
    const char *list = x->lab->options.kernels;
    enum status status = list ? stage_case_choose(&x->c, list) : STATUS_VALID;
    if (status == STATUS_VALID)
        status = stage_reference_create(&x->reference, &x->lab->options, &x->c);
    if (status == STATUS_VALID)
        status = ceilings_measure(&x->ceilings, x->lab);
    if (status != STATUS_VALID)
        return status;
    stage_name(stage, name, sizeof name);
    print_machine(x->lab);
    print_heading("%s on %s", name, extent_format(x->c.level->n).of);
    if (stage->pass.nsweeps > 0)
        printf("  %d sweeps\n", stage->pass.nsweeps);
    stage_reference_report(&x->reference, x->lab->json);
    json_add_text(x->lab->json, "stage", name);
    JSON_NUMBERS(x->lab->json, {"sweeps", stage->pass.nsweeps}, {"cells", stage_case_cells(&x->c)});
    ceilings_report(x->lab->json, &x->ceilings);
    x->runs = json_add_array(x->lab->json, "runs");
    run_lists(x);
    return all_right(x->wrong, "lists of kernels");
}

enum status kernel_command(struct lab *lab)
{
    struct comparison x = {.lab = lab};
    enum status status = stage_case_create(&x.c, &lab->options, lab->backend);
    if (status != STATUS_VALID)
        return status;
    status = compare(&x);
    stage_reference_destroy(&x.reference);
    stage_case_destroy(&x.c);
    return status;
}
