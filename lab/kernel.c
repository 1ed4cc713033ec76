/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab kernel`: checks and times one stage by each kernel that can do a part of it. */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "lab/limiter.h"
#include "lab/stage_case.h"

/* Up to MAX_N_ON_CPU cells per side results are compared with the CPU's, above with the baseline's.
 */
enum { MAX_N_ON_CPU = 128, MAX_MEASURED = 64, KERNELS_SIZE = 80 };

/* A stage, its right results, and what has been measured. */
struct comparison {
    struct lab *lab;
    struct stage_case c;
    /* Either the results of the CPU's plain loops, or checksums of the baseline's. */
    bool has_cpu;
    struct stage_case cpu;
    struct stage_sums sums;
    struct ceilings ceilings;
    struct json *runs;
    int count, wrong;
    char kernels[MAX_MEASURED][KERNELS_SIZE]; /* that ran, of each list */
};

enum { LIST_WIDTH = 22, COLUMNS = 8 };

static void columns_of(struct column columns[COLUMNS], const struct measurement *m, double cells)
{
    const struct spread *s = &m->seconds;
    const struct usage *u = &m->usage;
    const struct column list[COLUMNS] = {
        {"ms", NULL, 10, 4, 1e-3, s->median},
        {"min", NULL, 10, 4, 1e-3, s->min},
        {"max", NULL, 10, 4, 1e-3, s->max},
        {"B/cell", NULL, 8, 1, 1, u->bytes / cells},
        {"GB/s", NULL, 8, 1, 1e9, u->bytes / s->median},
        {"% copy", NULL, 7, 1, 0.01, m->shares.of[RESOURCE_MEMORY]},
        {"GFLOP/s", NULL, 9, 1, 1e9, u->flops / s->median},
        {"% FP64", NULL, 7, 1, 0.01, m->shares.of[RESOURCE_FP64]},
    };
    memcpy(columns, list, sizeof list);
}

static void report(const struct comparison *x, const char *list, const char *kernels,
                   const struct measurement *m)
{
    struct column columns[COLUMNS];
    struct json *object = json_add_object(x->runs, NULL);
    const double cells = stage_case_cells(&x->c);
    columns_of(columns, m, cells);
    columns_print(list, LIST_WIDTH, columns, COLUMNS);
    printf("\n");
    if (kernels[0] && strcmp(kernels, list) != 0)
        printf("      ran: %s\n", kernels);
    measurement_print(m);
    JSON_TEXTS(object, {"list", list}, {"kernels", kernels});
    measurement_add_json(object, m, cells);
}

/* Runs the stage. Returns how many cells differ from the right results; 1 for unequal checksums. */
static long differences(struct comparison *x)
{
    stage_case_run(&x->c);
    if (x->has_cpu)
        return stage_case_differences(&x->c, &x->cpu);
    return !stage_sums_equal(stage_case_sums(&x->c), x->sums);
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
    const long wrong = differences(x);
    x->wrong += wrong > 0;
    if (wrong > 0) {
        printf("  %-*s %ld results differ, not timed\n", LIST_WIDTH, list, wrong);
    } else if (checks_only(&x->lab->options)) {
        printf("  %-*s right: %s\n", LIST_WIDTH, list, kernels);
    } else {
        const struct usage usage = stage_case_usage(&x->c);
        const struct measurement m =
            measure_work(x->lab, stage_case_work, &x->c, &x->ceilings, &usage);
        report(x, list, kernels, &m);
    }
}

/* The list of --kernels; or the default, the baseline, and each kernel with the baseline for the
 * rest. */
static void run_lists(struct comparison *x)
{
    x->runs = json_add_array(x->lab->json, "runs");
    if (x->lab->options.kernels) {
        run_list(x, x->lab->options.kernels);
        return;
    }
    run_list(x, "default");
    run_list(x, stage_case_baseline(&x->c));
    for (int k = 0; stage_case_kernel(&x->c, k); k++)
        run_list(x, stage_case_kernel(&x->c, k));
}

static void report_case(const struct comparison *x)
{
    static const struct measurement none;
    struct column columns[COLUMNS];
    char name[48], how[48];
    const struct stage *stage = &x->c.stage;
    struct json *json = x->lab->json;
    const char *reference = x->has_cpu ? "CPU" : stage_case_baseline(&x->c);
    if (x->has_cpu)
        snprintf(how, sizeof how, "bit for bit with the CPU");
    else
        snprintf(how, sizeof how, "by checksums with %s", reference);
    stage_name(stage, name, sizeof name);
    print_heading("%s on %s", name, extent_format(x->c.level->n).of);
    printf("  ");
    if (stage->pass.nsweeps > 0)
        printf("%d sweeps; ", stage->pass.nsweeps);
    printf("compared %s", how);
    if (checks_only(&x->lab->options)) {
        printf("\n");
    } else {
        printf("; copy %.1f GB/s, FP64 %.1f GFLOP/s\n", 1e-9 * x->ceilings.copy_bytes_per_second,
               1e-9 * x->ceilings.fp64_flops_per_second);
        columns_of(columns, &none, 1.0);
        columns_print_titles("kernels", LIST_WIDTH, columns, COLUMNS);
        printf("\n");
    }
    json_add_text(json, "stage", name);
    JSON_NUMBERS(json, {"sweeps", stage->pass.nsweeps}, {"cells", stage_case_cells(&x->c)});
    ceilings_add_json(json, &x->ceilings);
    json_add_text(json, "checked_against", reference);
}

static enum status create_reference(struct comparison *x)
{
    const struct lab_options *o = &x->lab->options;
    if (o->n > MAX_N_ON_CPU) {
        x->sums = stage_case_baseline_sums(&x->c);
        return STATUS_VALID;
    }
    const enum status status = stage_case_create_reference(&x->cpu, o, &x->c);
    x->has_cpu = status == STATUS_VALID;
    if (x->has_cpu)
        stage_case_run(&x->cpu);
    return status;
}

static enum status compare(struct comparison *x)
{
    const char *list = x->lab->options.kernels;
    enum status status = list ? stage_case_choose(&x->c, list) : STATUS_VALID;
    if (status == STATUS_VALID)
        status = create_reference(x);
    if (status == STATUS_VALID)
        status = ceilings_measure(&x->ceilings, x->lab);
    if (status != STATUS_VALID)
        return status;
    print_machine(x->lab);
    report_case(x);
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
    if (x.has_cpu)
        stage_case_destroy(&x.cpu);
    stage_case_destroy(&x.c);
    return status;
}
