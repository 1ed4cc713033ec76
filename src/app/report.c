/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report.h"
#include "app/score.h"
#include "config/threshold.h"
#include "config/transport.h"
#include "base/check.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/build_info.h"
#include "cli/command_line.h"
#include "app/rank_report.h"
#include "app/report_tables.h"
#include "comm/comm.h"
#include "config/memory_need.h"
#include "cuda/cuda.h"
#include "cuda/power.h"
#include "cuda/tuning.h"

enum { LINE_WIDTH = 100, LABEL_WIDTH = 14 };

/* "  label  text", wrapped at blanks. */
static void print_labelled(const char *label, const char *text)
{
    print_words(stdout, text, printf("  %s", label), LABEL_WIDTH, LINE_WIDTH);
    printf("\n");
}

static void print_build(const char *mpi)
{
    print_labelled("revision", build_info.revision);
    print_labelled("compiler", build_info.compiler);
    print_labelled("flags", build_info.flags);
    print_labelled("MPI", mpi);
}

void report_version(void)
{
    char mpi[256];
    comm_library(mpi, sizeof mpi);
    printf("hpgmg-gpu %s\n", build_info.version);
    print_build(mpi);
}

/* The word that was chosen. */
static const char *choice_of(const struct options *o, const char *name)
{
    char unused[OPTION_TEXT_SIZE];
    return option_text(option_find(&options_list, name, OPTION_COMMAND_LINE), o, unused);
}

/* What runs, on one line, above the heading that scripts for HPGMG look for. */
static void print_title(const struct options *o, const int n[3], bool on_gpu)
{
    static const char stars[] =
        "********************************************************************************";
    static const char *const words[] = {"equation", "boundary", "coefficients", "problem",
                                        "smoother"};
    static const char *const cycles[] = {"F-cycle", "V-cycles", "W-cycles"};
    const struct cuda_device *gpu = cuda_device();
    printf("hpgmg-gpu %s: %s, order %d", build_info.version, extent_format(n).of, o->solver.order);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        printf(" %s", choice_of(o, words[i]));
    printf(" %s", o->solver.outer == OUTER_IDR ? "idr" : cycles[o->solver.cycle]);
    if (o->solver.rtol > 0.0)
        printf(" to %g", o->solver.rtol);
    if (o->solver.atol > 0.0)
        printf(" to %g absolute", o->solver.atol);
    printf(", %d rank%s, %s\n", comm_size(), comm_size() == 1 ? "" : "s",
           on_gpu && gpu ? gpu->name : "CPU");
    printf("%s\n%-27s%-50s***\n%s\n", stars, "***", "    HPGMG-FV Benchmark", stars);
}

enum { OPTION_COLUMNS = 3, OPTION_WIDTH = 33 };

struct option_line {
    bool on_gpu;
    int count, column;
};

static void print_option(void *data, const char *name, const char *value)
{
    struct option_line *line = data;
    if (!line->on_gpu && option_find(&options_list, name, 0)->only_gpus)
        return;
    const bool begins = line->count++ % OPTION_COLUMNS == 0;
    if (begins && line->count > 1)
        printf("\n");
    else if (!begins)
        printf("%*s", line->column < OPTION_WIDTH ? OPTION_WIDTH - line->column : 1, "");
    line->column = printf("  %-16s %s", name, value);
}

/* The transport between GPUs, and the most neighbours of a rank. */
static void print_messages(const struct run_info *f)
{
    const struct transport_chosen *t = transport_chosen();
    if (!t->name)
        return;
    printf("  messages    %s between GPUs%s", t->name, t->elsewhere ? " of a node" : "");
    if (f->neighbours > 0)
        printf(", up to %d neighbours per rank", f->neighbours);
    if (t->elsewhere)
        printf("; %s between nodes", t->elsewhere);
    if (f->neighbours_elsewhere > 0)
        printf(", up to %d", f->neighbours_elsewhere);
    if (f->neighbours > 0 && isfinite(f->overlap_above))
        printf("; overlapped with computation on levels with at least %.0f cells per GPU",
               f->overlap_above);
    printf("\n");
}

/* All of OpenMP's, and the CPU threads used in hybrid runs. */
static void print_threads(const struct run_info *f)
{
    int most = 0;
    for (int l = 0; l < f->nlevels; l++)
        most = f->levels[l].threads > most ? f->levels[l].threads : most;
    printf("  threads     %d per rank", f->environment.threads);
    if (most > 0 && f->levels[0].threads == 0)
        printf(", %d of them on the CPU's levels", most);
    printf("\n");
}

static void print_configuration(const struct options *options, const struct run_info *f)
{
    const struct environment *e = &f->environment;
    struct option_line line = {.on_gpu = run_info_on_gpu(f)};
    print_heading("Configuration");
    options_visit(options, print_option, &line);
    printf("\n");
    print_heading("Environment");
    print_labelled("version", build_info.version);
    print_build(e->mpi);
    printf("  ranks       %d on %d node%s\n", e->ranks, e->nodes, e->nodes == 1 ? "" : "s");
    print_threads(f);
    printf("  host        %s, %d processors\n", e->host, e->processors);
    print_labelled("CPU", e->cpu);
    if (e->gpus > 0)
        printf("  GPU         %s, %d visible, CUDA %d.%d, driver %d.%d\n", e->gpu, e->gpus,
               e->cuda_runtime / 1000, e->cuda_runtime % 1000 / 10, e->cuda_driver / 1000,
               e->cuda_driver % 1000 / 10);
    print_messages(f);
    print_labelled("date", e->date);
}

static void print_boxes(const struct options *options, const struct run_info *f)
{
    const struct level_info *finest = &f->levels[0];
    printf("  %s cells in %d box%s of %s (at most %ld per rank)\n", extent_format(finest->n).of,
           finest->boxes, finest->boxes == 1 ? "" : "es", extent_format(finest->box_cells).of,
           options->boxes_per_rank);
}

static void print_cycle(void *data, struct program *p)
{
    (void)data;
    program_print(p, stdout);
}

/* The programs of the finest solve, from a solver made for this: the benchmark has not begun. */
static void show_cycle(struct hierarchy *h, const struct options *options)
{
    struct solver *s = solver_create(h, 0, benchmark_solver_choice(options));
    if (comm_rank() == 0) {
        print_heading("Cycle");
        solver_programs(s, print_cycle, NULL);
    }
    solver_destroy(s);
}

/* The trials from which a threshold was chosen. */
static void print_threshold(void *data, const struct threshold *t)
{
    (void)data;
    print_heading("%s", t->title);
    printf("  %-22s %7s %14s\n", "cells, fewer than", "threads", "ms per solve");
    for (int i = 0; i < t->count; i++) {
        const struct threshold_trial *trial = &t->trials[i];
        printf("  %-22ld %7d %14.3f%s\n", trial->below, trial->threads, 1e3 * trial->seconds,
               i == t->best ? "  chosen" : "");
    }
    printf("  (F-cycles on %s cells; %d: no level)\n", extent_format(t->n).of, BELOW_NEVER);
}

void report_hierarchy(struct hierarchy *h, const struct options *options)
{
    struct run_info f;
    if (comm_rank() == 0)
        print_title(options, h->levels[0]->n, h->levels[0]->backend->on_device);
    if (!options->quiet) {
        run_info_gather(&f, h, NULL);
        if (comm_rank() == 0) {
            print_configuration(options, &f);
            threshold_visit(print_threshold, NULL);
            print_heading("Hierarchy");
            print_boxes(options, &f);
            table_hierarchy(&f);
            printf("  built in %.3f seconds\n", h->build_seconds);
        }
    }
    if (options->show_cycle)
        show_cycle(h, options);
    fflush(stdout); /* solving takes time */
}

static void print_field_bytes(const struct run_info *f)
{
    char fields[BYTES_TEXT_SIZE];
    printf("  memory      %.1f bytes per unknown: %s in fields\n", f->field_bytes / f->unknowns,
           table_bytes_text(f->field_bytes, fields));
}

static void print_need(const char *where, struct memory_need n)
{
    char needed[BYTES_TEXT_SIZE], available[BYTES_TEXT_SIZE];
    const bool known = n.available > 0.0;
    printf("  per %-6s  needs %s of %s: %s\n", where, table_bytes_text(n.needed, needed),
           known ? table_bytes_text(n.available, available) : "unknown",
           !known                 ? "unknown"
           : memory_need_fits(&n) ? "fits"
                                  : "does not fit");
}

/* Of rank 0, on stderr, also of a quiet run. */
static void print_warnings(const struct run_info *f)
{
    fflush(stdout);
    for (int w = 0; w < f->nwarnings; w++)
        warn("%s", f->warnings[w]);
}

void report_dry_run(const struct hierarchy_choice *choice, const struct options *options)
{
    struct run_info f;
    run_info_estimate(&f, choice);
    const struct memory_need node = memory_need_of_node(choice), gpu = memory_need_of_gpu(choice);
    if (comm_rank() != 0)
        return;
    print_title(options, f.levels[0].n, choice->backend->on_device);
    print_configuration(options, &f);
    print_heading("Hierarchy (dry run: nothing is allocated or solved)");
    print_boxes(options, &f);
    table_hierarchy(&f);
    print_heading("Memory");
    print_field_bytes(&f);
    print_need("node", node);
    if (choice->backend->on_device)
        print_need("GPU", gpu);
    print_warnings(&f);
}

static void print_time_tables(const struct options *options, const struct benchmark *b)
{
    const int tables = options->breakdown ? b->nsizes : 1;
    for (int s = 0; s < tables; s++) {
        const struct size_record *r = &b->sizes[s];
        if (r->nstages == 0)
            continue;
        print_heading("Time of a solve of size %s by level and stage", r->name);
        table_stages(r, b->copy_bytes_per_second, options->breakdown);
        if (options->breakdown)
            table_movement(r);
    }
    if (b->copy_bytes_per_second > 0.0)
        printf("\n"
               "  Times are the slowest rank's. GB/s: bytes that the stage's kernels must move,\n"
               "  over its time. A copy between arrays larger than the caches runs at %.2f GB/s\n"
               "  on all ranks. 'cached': faster than that, so some of the data are in caches.\n",
               1e-9 * b->copy_bytes_per_second);
    if (b->sizes[0].solve.outer_cycles > 0)
        printf("  Operations of IDR(3) on vectors of the finest level are in no stage.\n");
}

/* On CPUs they follow from --loops. */
static void print_kernels(const struct run_info *f, const struct size_record *r)
{
    if (r->nstages == 0 || !run_info_on_gpu(f))
        return;
    print_heading("Kernels of a solve of size %s", r->name);
    table_kernels(r);
}

/* Which way cycles change between levels on the GPU and on the CPU. */
static void print_hand_over(const struct benchmark *b)
{
    const char *way = b->sizes[0].hand_over;
    if (way)
        printf("  hand-over   %s\n", strcmp(way, "graph") == 0
                                         ? "graph: the recorded cycle waits for the CPU's levels"
                                         : "host: the CPU launches the GPU's part of the cycle");
}

static void print_bottom(const struct benchmark *b)
{
    const double solves = b->bottom.solves > 0 ? (double)b->bottom.solves : 1.0;
    printf("  bottom      %ld solves, %.2f iterations each", b->bottom.solves,
           (double)b->bottom.iterations / solves);
    for (int i = BREAKDOWN_NONE + 1; i < NUM_BREAKDOWNS; i++)
        if (b->bottom.breakdowns[i] > 0)
            printf(", %s %ld times", breakdown_text((enum breakdown)i), b->bottom.breakdowns[i]);
    printf("\n");
}

/* What made A u = f solvable without a Dirichlet wall. */
static void print_rhs_mean(const struct run_info *f, const struct benchmark *b)
{
    if (isnan(f->rhs_mean))
        return;
    printf("  mean of f   %.3e, %.1e of ||f||; subtracted, because without a Dirichlet\n"
           "              wall A u = f has a solution only if the mean is 0\n",
           f->rhs_mean, fabs(f->rhs_mean) / b->sizes[0].rhs_norm);
}

static void print_peaks(const struct run_info *f)
{
    char peak[BYTES_TEXT_SIZE];
    printf("  peak        %s of host memory, copy test included\n",
           table_bytes_text(f->peak_bytes, peak));
    if (f->device_peak_bytes > 0.0)
        printf("  peak        %s of GPU memory, copy test included\n",
               table_bytes_text(f->device_peak_bytes, peak));
}

/* Of the timed solves of size h, where the GPUs' meters are known. */
static void print_meters(const struct size_record *r)
{
    char text[POWER_TEXT_SIZE];
    const struct meters *m = &r->meters;
    if (!(m->slowest > 0.0))
        return;
    printf("  GPU clock   %.0f to %.0f MHz in timed solves of size %s; throttled by: %s\n",
           m->slowest, m->fastest, r->name, power_reasons_text(m->reasons, text));
    if (m->joules > 0.0)
        printf("  energy      %.4g J of all GPUs per solve of size %s, %.3e DOF/J\n", m->joules,
               r->name, r->unknowns / m->joules);
}

/* By the names that Benchpark looks for. */
static void print_sizes(const struct run_info *f)
{
    printf("  n_resources: %d\n", f->environment.ranks);
    printf("  total_problem_size: %.0f\n", f->unknowns);
    printf("  process_problem_size: %.0f\n", f->unknowns / f->environment.ranks);
}

/* HPGMG's lines, byte for byte: scripts read them. As HPGMG's, they have the mean time and its
 * rate, where SCORE has the median's. */
static void print_performance(const struct run_info *f, const struct benchmark *b)
{
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        printf("  h=%0.15e  DOF=%0.15e  time=%0.6f  DOF/s=%0.3e  MPI=%d  OMP=%d\n", r->h,
               r->unknowns, r->mean, r->unknowns / r->mean, f->environment.ranks,
               f->environment.threads);
    }
}

static void print_richardson(const struct benchmark *b)
{
    printf("  h=%0.15e  ||error||=%0.15e\n", b->sizes[0].h, b->richardson_error);
    printf("  order=%0.3f\n", b->richardson_order);
}

static void print_true_errors(const struct benchmark *b)
{
    print_heading("Error against the known solution");
    printf("  size         cells  ||u - exact||  order\n");
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        printf("  %-4s  %12s  %13.6e", r->name, extent_format(r->n).of, r->true_error);
        if (s + 1 < b->nsizes)
            printf("  %5.3f", log2(b->sizes[s + 1].true_error / r->true_error));
        printf("\n");
    }
}

/* What --quiet omits. An INVALID run has no speed. */
static void print_details(const struct run_info *f, const struct options *options,
                          const struct benchmark *b)
{
    print_heading("Residuals");
    table_residuals(b);
    if (!isnan(b->sizes[0].true_error))
        print_true_errors(b);
    print_heading("Checks");
    table_checks(&b->verdict);
    if (b->verdict.valid) {
        print_time_tables(options, b);
        print_kernels(f, &b->sizes[0]);
        print_heading("Solve times");
        table_times(b);
    }
    rank_report_print(&b->ranks);
    if (options->ranks_table)
        rank_report_print_all(&b->ranks);
    print_heading("Run");
    print_hand_over(b);
    print_bottom(b);
    print_rhs_mean(f, b);
    print_field_bytes(f);
    print_peaks(f);
    print_meters(&b->sizes[0]);
    print_sizes(f);
    if (cuda_tuning_source())
        printf("  tuning      %s\n", cuda_tuning_source());
}

static void print_results(const struct run_info *f, const struct options *options,
                          const struct benchmark *b)
{
    char verdict[VERDICT_SIZE];
    if (!options->quiet)
        print_details(f, options, b);
    print_warnings(f);
    if (b->verdict.valid) {
        if (!options->quiet)
            print_heading("Performance Summary");
        print_performance(f, b);
    }
    if (b->has_richardson) {
        if (!options->quiet)
            print_heading("Richardson error analysis");
        print_richardson(b);
    }
    if (!options->quiet)
        printf("\n");
    if (options->checksum)
        printf("checksum: %016" PRIx64 "\n", b->sizes[0].checksum);
    printf("VERDICT: %s\n", verdict_text(&b->verdict, verdict, sizeof verdict));
    score_print(stdout, f, options, b);
    fflush(stdout);
}

void report_results(const struct hierarchy *h, const struct options *options,
                    const struct benchmark *b)
{
    struct run_info f;
    run_info_gather(&f, h, b);
    if (comm_rank() == 0)
        print_results(&f, options, b);
}
