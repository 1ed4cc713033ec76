/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab kernel`: checks and times one stage by each kernel that can do a part of it. */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "lab/lab.h"
#include "lab/measurement.h"
#include "lab/pool.h"
#include "lab/stage_case.h"

/* Up to MAX_N_ON_CPU cells per side results are compared with the CPU's, above with the baseline's.
 */
enum { MAX_N_ON_CPU = 128, MAX_MEASURED = 64, KERNELS_SIZE = 80 };

/* The figures of one list of kernels. */
struct measured {
    const char *list, *kernels; /* as --kernels takes it; those that ran */
    double cells;
    struct measurement m;
};

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

static struct measured measure(struct comparison *x, const char *list, const char *kernels)
{
    struct stage_case *c = &x->c;
    const struct usage usage = stage_case_usage(c);
    return (struct measured){
        .list = list,
        .kernels = kernels,
        .cells = stage_case_cells(c),
        .m = measure_work(c->level->backend, stage_case_work, c, (int)x->lab->options.samples,
                          &x->ceilings, &usage),
    };
}

static void print_columns(void)
{
    printf("  %-22s %10s %10s %10s %8s %8s %7s %9s %7s\n", "kernels", "ms", "min", "max", "B/cell",
           "GB/s", "% copy", "GFLOP/s", "% FP64");
}

static void print_measured(const struct measured *x)
{
    const struct spread *s = &x->m.seconds;
    const struct usage *u = &x->m.usage;
    printf("  %-22s %10.4f %10.4f %10.4f %8.1f %8.1f %7.1f %9.1f %7.1f\n", x->list, 1e3 * s->median,
           1e3 * s->min, 1e3 * s->max, u->bytes / x->cells, 1e-9 * u->bytes / s->median,
           100.0 * x->m.shares.of[RESOURCE_MEMORY], 1e-9 * u->flops / s->median,
           100.0 * x->m.shares.of[RESOURCE_FP64]);
    if (x->kernels[0] && strcmp(x->kernels, x->list) != 0)
        printf("      ran: %s\n", x->kernels);
    measurement_print(&x->m);
}

static void add_measured(struct json *runs, const struct measured *x)
{
    struct json *object = json_add_object(runs, NULL);
    JSON_TEXTS(object, {"list", x->list}, {"kernels", x->kernels});
    measurement_add_json(object, &x->m, x->cells);
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
    char message[256], *kernels = x->kernels[x->count];
    CHECK(x->count < MAX_MEASURED && stage_case_choose(&x->c, list, message, sizeof message));
    stage_case_kernels(&x->c, kernels, KERNELS_SIZE);
    if (has_run(x, kernels))
        return;
    x->count++;
    const long wrong = differences(x);
    if (wrong > 0) {
        printf("  %-22s %ld results differ, not timed\n", list, wrong);
        x->wrong++;
        return;
    }
    if (checks_only(&x->lab->options)) {
        printf("  %-22s right: %s\n", list, kernels);
        return;
    }
    const struct measured m = measure(x, list, kernels);
    print_measured(&m);
    add_measured(x->runs, &m);
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
    char name[48], how[48];
    const struct stage *stage = &x->c.stage;
    struct json *json = x->lab->json;
    const char *reference = x->has_cpu ? "CPU" : stage_case_baseline(&x->c);
    if (x->has_cpu)
        snprintf(how, sizeof how, "bit for bit with the CPU");
    else
        snprintf(how, sizeof how, "by checksums with %s", reference);
    stage_name(stage, name, sizeof name);
    print_heading("%s on %d^3", name, x->c.level->dim);
    printf("  ");
    if (stage->pass.nsweeps > 0)
        printf("%d sweeps; ", stage->pass.nsweeps);
    printf("compared %s", how);
    if (checks_only(&x->lab->options)) {
        printf("\n");
    } else {
        printf("; copy %.1f GB/s, FP64 %.1f GFLOP/s\n", 1e-9 * x->ceilings.copy_bytes_per_second,
               1e-9 * x->ceilings.fp64_flops_per_second);
        print_columns();
    }
    json_add_text(json, "stage", name);
    JSON_NUMBERS(json, {"sweeps", stage->pass.nsweeps}, {"cells", stage_case_cells(&x->c)});
    ceilings_add_json(json, &x->ceilings);
    json_add_text(json, "checked_against", reference);
}

/* STATUS_USAGE if --kernels has an unknown name. */
static enum status check_list(struct comparison *x, char *message, int size)
{
    char reason[256];
    const char *list = x->lab->options.kernels;
    if (!list || stage_case_choose(&x->c, list, reason, sizeof reason))
        return STATUS_VALID;
    snprintf(message, (size_t)size, "--kernels: %s", reason);
    return STATUS_USAGE;
}

static enum status create_reference(struct comparison *x, char *message, int size)
{
    const struct lab_options *o = &x->lab->options;
    if (o->n > MAX_N_ON_CPU) {
        x->sums = stage_case_baseline_sums(&x->c);
        return STATUS_VALID;
    }
    const enum status status = stage_case_create_reference(&x->cpu, o, &x->c, message, size);
    x->has_cpu = status == STATUS_VALID;
    if (x->has_cpu)
        stage_case_run(&x->cpu);
    return status;
}

static enum status compare(struct comparison *x, char *message, int size)
{
    enum status status = check_list(x, message, size);
    if (status == STATUS_VALID)
        status = create_reference(x, message, size);
    if (status != STATUS_VALID)
        return status;
    if (!ceilings_measure(&x->ceilings, x->lab->backend, &x->lab->options, message, size))
        return STATUS_MEMORY;
    print_machine(x->lab);
    report_case(x);
    run_lists(x);
    if (x->wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)size, "%d lists of kernels gave wrong results", x->wrong);
    return STATUS_INVALID;
}

enum status kernel_command(struct lab *lab, char *message, int message_size)
{
    struct comparison x = {.lab = lab};
    enum status status =
        stage_case_create(&x.c, &lab->options, lab->backend, message, message_size);
    if (status != STATUS_VALID)
        return status;
    status = compare(&x, message, message_size);
    if (x.has_cpu)
        stage_case_destroy(&x.cpu);
    stage_case_destroy(&x.c);
    return status;
}
