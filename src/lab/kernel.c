/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab kernel`: the variants of one stage, checked, timed and explained. */
#include "lab/kernel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "lab/gpu.h"
#include "lab/lab.h"
#include "lab/operations.h"
#include "lab/pool.h"
#include "lab/stage_case.h"
#include "operators/backend_cpu.h"

/* Up to this size the CPU does the stage too, to compare with; above, the baseline variant. */
enum { MAX_N_ON_CPU = 128, MAX_KERNELS = 8 };

/* What bounds a kernel, if it reaches this share of a ceiling. */
#define BANDWIDTH_SHARE 0.70
#define COMPUTE_SHARE 0.60

/* What one variant gave. Shares are of the machine's ceilings. */
struct measured {
    const struct variant *variant;
    struct spread seconds;
    double cells, bytes, flops;
    double copy_share, fp64_share;
    int nkernels;
    struct gpu_kernel kernels[MAX_KERNELS];
};

/* A variant at work on a case, as the watch sees it. */
struct job {
    struct stage_case *c;
    const struct variant *variant;
};

static void run_job(void *data)
{
    const struct job *job = data;
    job->variant->run(job->c);
}

static struct measured measure(struct stage_case *c, const struct variant *v,
                               const struct ceilings *ceilings, int samples)
{
    struct job job = {c, v};
    struct measured m = {.variant = v, .cells = stage_case_cells(c)};
    const struct operations of_cell = c->stage->kind == STAGE_PASS
                                          ? operations_of_pass(&c->stage->pass)
                                          : operations_of_restriction();
    m.seconds = time_work(c->level->backend, WATCH_BACKEND, run_job, &job, samples);
    m.bytes = stage_case_bytes(c, v);
    m.flops = of_cell.flops * m.cells;
    m.copy_share = m.bytes / m.seconds.median / ceilings->copy_bytes_per_second;
    /* The peak is of instructions that are two operations each. */
    m.fp64_share =
        of_cell.instructions * m.cells / m.seconds.median / (0.5 * ceilings->fp64_flops_per_second);
    if (c->level->backend->on_device)
        m.nkernels = gpu_kernels_of(run_job, &job, m.kernels, MAX_KERNELS);
    return m;
}

static const char *limiter_of(const struct measured *m)
{
    if (m->copy_share >= BANDWIDTH_SHARE)
        return "bandwidth";
    return m->fp64_share >= COMPUTE_SHARE ? "compute" : "latency";
}

static void print_kernels(const struct measured *m)
{
    for (int i = 0; i < m->nkernels; i++) {
        const struct gpu_kernel *k = &m->kernels[i];
        printf("      %s: %d x %ld blocks of %d threads, %d registers, %d bytes shared, %d local, "
               "occupancy %.0f %%\n",
               k->name, k->launches, k->blocks, k->threads, k->registers, k->shared_bytes,
               k->local_bytes, 100.0 * k->occupancy);
    }
}

static void print_columns(void)
{
    printf("  %-12s %10s %10s %10s %8s %8s %7s %9s %7s\n", "variant", "ms", "min", "max", "B/cell",
           "GB/s", "% copy", "GFLOP/s", "% FP64");
}

static void print_measured(const struct measured *m)
{
    const struct spread *s = &m->seconds;
    printf("  %-12s %10.4f %10.4f %10.4f %8.1f %8.1f %7.1f %9.1f %7.1f\n", m->variant->name,
           1e3 * s->median, 1e3 * s->min, 1e3 * s->max, m->bytes / m->cells,
           1e-9 * m->bytes / s->median, 100.0 * m->copy_share, 1e-9 * m->flops / s->median,
           100.0 * m->fp64_share);
    printf("      limited by %s: %.0f %% of the copy rate, %.0f %% of FP64 issue\n", limiter_of(m),
           100.0 * m->copy_share, 100.0 * m->fp64_share);
    print_kernels(m);
    fflush(stdout);
}

static void add_kernels(struct cJSON *object, const struct measured *m)
{
    struct cJSON *kernels = json_add_array(object, "kernels");
    for (int i = 0; i < m->nkernels; i++) {
        const struct gpu_kernel *k = &m->kernels[i];
        struct cJSON *kernel = json_append_object(kernels);
        json_add_text(kernel, "name", k->name);
        json_add_number(kernel, "launches", k->launches);
        json_add_number(kernel, "blocks", (double)k->blocks);
        json_add_number(kernel, "threads", k->threads);
        json_add_number(kernel, "registers", k->registers);
        json_add_number(kernel, "shared_bytes", k->shared_bytes);
        json_add_number(kernel, "local_bytes", k->local_bytes);
        json_add_number(kernel, "occupancy", k->occupancy);
    }
}

static void add_measured(struct cJSON *variants, const struct measured *m)
{
    struct cJSON *object = json_append_object(variants);
    json_add_text(object, "variant", m->variant->name);
    spread_add_json(object, &m->seconds);
    json_add_number(object, "bytes", m->bytes);
    json_add_number(object, "bytes_per_cell", m->bytes / m->cells);
    json_add_number(object, "bytes_per_second", m->bytes / m->seconds.median);
    json_add_number(object, "fraction_of_copy", m->copy_share);
    json_add_number(object, "flops", m->flops);
    json_add_number(object, "flops_per_second", m->flops / m->seconds.median);
    json_add_number(object, "fraction_of_fp64", m->fp64_share);
    json_add_text(object, "limiter", limiter_of(m));
    add_kernels(object, m);
}

/* What is known to be right: the results of the CPU's simple loops, cell by cell, or for large
 * sizes checksums of the baseline's. */
struct reference {
    bool on_cpu;
    struct stage_case cpu;
    struct stage_sums sums;
};

static enum status create_reference(struct reference *r, const struct lab *lab,
                                    struct stage_case *c, char *message, int size)
{
    r->on_cpu = lab->options.n <= MAX_N_ON_CPU;
    if (!r->on_cpu) {
        stage_case_run(c, &variant_baseline);
        r->sums = stage_case_sums(c);
        return STATUS_VALID;
    }
    const enum status status =
        stage_case_create(&r->cpu, &lab->options, &backend_cpu_plain, message, size);
    if (status == STATUS_VALID)
        stage_case_run(&r->cpu, &variant_default);
    return status;
}

static void destroy_reference(struct reference *r)
{
    if (r->on_cpu)
        stage_case_destroy(&r->cpu);
}

/* Cells, or for large sizes fields, that differ. */
static long differences_from(const struct reference *r, const struct stage_case *c)
{
    if (r->on_cpu)
        return stage_case_differences(c, &r->cpu);
    const struct stage_sums s = stage_case_sums(c);
    return (s.u != r->sums.u) + (s.coarse_f != r->sums.coarse_f) + (s.norm != r->sums.norm);
}

/* Checks, times and reports one variant. False if it gave other bits. */
static bool run_variant(struct lab *lab, struct stage_case *c, const struct variant *v,
                        const struct reference *reference, const struct ceilings *ceilings,
                        struct cJSON *variants)
{
    stage_case_run(c, v);
    const long differences = differences_from(reference, c);
    if (differences > 0) {
        printf("  %-12s %ld results differ, not timed\n", v->name, differences);
        return false;
    }
    const struct measured m = measure(c, v, ceilings, (int)lab->options.samples);
    print_measured(&m);
    add_measured(variants, &m);
    return true;
}

/* The chosen variants that can do the case. Returns how many gave other bits. */
static int run_variants(struct lab *lab, struct stage_case *c, const struct reference *reference,
                        const struct ceilings *ceilings)
{
    struct cJSON *variants = json_add_array(lab->json, "variants");
    const int chosen = lab->options.variant;
    int wrong = 0;
    for (int v = 0; all_variants[v]; v++)
        if ((chosen < 0 || chosen == v) && variant_fits(all_variants[v], c))
            wrong += !run_variant(lab, c, all_variants[v], reference, ceilings, variants);
    return wrong;
}

static void report_case(struct lab *lab, const struct stage_case *c,
                        const struct ceilings *ceilings)
{
    char title[80], name[48];
    const char *reference = lab->options.n <= MAX_N_ON_CPU ? "the CPU" : "the baseline";
    stage_name(c->stage, name, sizeof name);
    snprintf(title, sizeof title, "%s on %d^3", name, c->level->dim);
    print_heading(title);
    if (c->stage->pass.nsweeps > 0)
        printf("  %d sweeps; ", c->stage->pass.nsweeps);
    else
        printf("  ");
    printf("the same bits as %s; copy %.1f GB/s, FP64 %.1f GFLOP/s\n", reference,
           1e-9 * ceilings->copy_bytes_per_second, 1e-9 * ceilings->fp64_flops_per_second);
    print_columns();
    json_add_text(lab->json, "stage", name);
    json_add_number(lab->json, "sweeps", c->stage->pass.nsweeps);
    json_add_number(lab->json, "cells", stage_case_cells(c));
    json_add_number(lab->json, "copy_bytes_per_second", ceilings->copy_bytes_per_second);
    json_add_number(lab->json, "fp64_flops_per_second", ceilings->fp64_flops_per_second);
    json_add_text(lab->json, "checked_against", reference + 4);
}

/* Whether anybody can do the case. */
static bool some_variant_fits(const struct lab *lab, const struct stage_case *c)
{
    for (int v = 0; all_variants[v]; v++)
        if ((lab->options.variant < 0 || lab->options.variant == v) &&
            variant_fits(all_variants[v], c))
            return true;
    return false;
}

static enum status report_all(struct lab *lab, struct stage_case *c,
                              const struct reference *reference, char *message, int message_size)
{
    struct ceilings ceilings;
    if (!ceilings_measure(&ceilings, lab->backend, lab->options.array_mib, message, message_size))
        return STATUS_MEMORY;
    print_machine(lab);
    report_case(lab, c, &ceilings);
    const int wrong = run_variants(lab, c, reference, &ceilings);
    if (wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)message_size, "%d variants gave wrong results", wrong);
    return STATUS_INVALID;
}

enum status kernel_command(struct lab *lab, char *message, int message_size)
{
    struct stage_case c;
    struct reference reference;
    enum status status = stage_case_create(&c, &lab->options, lab->backend, message, message_size);
    if (status != STATUS_VALID)
        return status;
    if (some_variant_fits(lab, &c)) {
        status = create_reference(&reference, lab, &c, message, message_size);
    } else {
        status = STATUS_USAGE;
        snprintf(message, (size_t)message_size, "--variant: '%s' cannot do this stage here",
                 all_variants[lab->options.variant]->name);
    }
    if (status == STATUS_VALID) {
        status = report_all(lab, &c, &reference, message, message_size);
        destroy_reference(&reference);
    }
    stage_case_destroy(&c);
    return status;
}
