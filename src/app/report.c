/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/report.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "app/benchmark.h"
#include "config/memory_need.h"
#include "app/ranks.h"
#include "app/report_values.h"
#include "app/score.h"
#include "app/stage_table.h"
#include "app/unused_options.h"
#include "app/verdict.h"
#include "base/check.h"
#include "cli/command_line.h"
#include "comm/comm.h"

void report_version(void)
{
    struct grid g = {0};
    char mpi[256];
    comm_library(mpi, sizeof mpi);
    printf("hpgmg-gpu %s\n", build_info.version);
    grid_print(&g, "revision", build_info.revision);
    grid_print(&g, "compiler", build_info.compiler);
    grid_print(&g, "flags", build_info.flags);
    grid_print(&g, "MPI", mpi);
    grid_end(&g);
}

/* What runs, above the heading that scripts for HPGMG look for. */
static void print_title(const struct record *r)
{
    static const char stars[] =
        "********************************************************************************";
    static const char *const words[] = {"equation", "boundary", "coefficients", "problem",
                                        "smoother"};
    static const char *const cycles[] = {"F-cycle", "V-cycles", "W-cycles"};
    const struct options *o = r->options;
    char text[400] = "", word[OPTION_TEXT_SIZE];
    FILE *title = fmemopen(text, sizeof text - 1, "w");
    CHECK(title);
    fprintf(title, "hpgmg-gpu %s: %s, order %d", build_info.version,
            extent_format(r->levels[0].n).of, o->solver.order);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        fprintf(title, " %s", option_text(option_find(&options_list, words[i], 0), o, word));
    fclose(title);
    print_words(stdout, text, 0, 0, REPORT_WIDTH);
    printf("\n%s", o->solver.outer == OUTER_IDR ? "idr" : cycles[o->solver.cycle]);
    if (o->solver.rtol > 0.0)
        printf(" to %g", o->solver.rtol);
    if (o->solver.atol > 0.0)
        printf(" to %g absolute", o->solver.atol);
    printf(", %d rank%s, %s\n", r->environment.ranks, r->environment.ranks == 1 ? "" : "s",
           record_on_gpu(r) && r->gpu ? r->gpu : "CPU");
    printf("%s\n%-27s%-50s***\n%s\n", stars, "***", "    HPGMG-FV Benchmark", stars);
}

/* The size, and what is not at its default; the title has most of the rest. */
static void print_option(void *data, const char *name, const char *value)
{
    if (!option_is_initial(option_find(&options_list, name, 0), value))
        grid_print(data, name, value);
}

static void print_configuration(const struct record *r)
{
    struct grid g = {0};
    print_heading("Configuration: size, options not at their defaults, environment");
    options_visit(r->options, print_option, &g);
    grid_print_values(&g, &environment_values, r);
    grid_end(&g);
}

static void print_levels(const struct record *r, const char *note)
{
    const struct level_record *finest = &r->levels[0];
    print_heading("Hierarchy: %s cells in %d box%s of %s%s", extent_format(finest->n).of,
                  finest->boxes, finest->boxes == 1 ? "" : "es",
                  extent_format(finest->box_cells).of, note);
    values_print_table(&level_values, r->levels, r->nlevels);
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

void report_hierarchy(const struct record *r, struct hierarchy *h)
{
    if (comm_rank() == 0)
        print_title(r);
    if (comm_rank() == 0 && !r->options->quiet) {
        print_configuration(r);
        print_levels(r, "");
    }
    if (r->options->show_cycle)
        show_cycle(h, r->options);
    fflush(stdout); /* solving takes time */
}

static void print_need(const char *where, struct memory_need n)
{
    char needed[BYTES_TEXT_SIZE], available[BYTES_TEXT_SIZE];
    const bool known = n.available > 0.0;
    printf("  per %-6s  needs %s of %s: %s\n", where, bytes_text(n.needed, needed),
           known ? bytes_text(n.available, available) : "unknown",
           !known                 ? "unknown"
           : memory_need_fits(&n) ? "fits"
                                  : "does not fit");
}

/* On stderr, also of a quiet run. */
static void print_warnings(const struct record *r)
{
    fflush(stdout);
    for (int w = 0; w < r->nwarnings; w++)
        warn("%s", r->warnings[w]);
}

void report_dry_run(const struct hierarchy_choice *choice, const struct options *options)
{
    struct record *r = record_estimate(options, choice);
    const struct memory_need node = memory_need_of_levels(choice, false),
                             gpu = memory_need_of_levels(choice, true);
    struct grid g = {0};
    if (comm_rank() == 0) {
        print_title(r);
        print_configuration(r);
        print_levels(r, " (a dry run)");
        print_heading("Memory");
        grid_print_values(&g, &memory_values, r);
        grid_end(&g);
        print_need("node", node);
        if (choice->placement.backend->on_device)
            print_need("GPU", gpu);
        print_warnings(r);
    }
    record_destroy(r);
}

/* Of cycles to a tolerance; of one F-cycle the checks have them. */
static void print_residuals(const struct record *r)
{
    print_heading("Residuals");
    values_print_table(&residual_values, r->sizes, r->nsizes);
    for (int s = 0; s < r->nsizes; s++) {
        const struct solve_result *solve = &r->sizes[s].solve;
        if (solve->outer_cycles > 0)
            printf("  %s: IDR(3) around the last %d of %d cycles\n", r->sizes[s].name,
                   solve->outer_cycles, solve->cycles);
        if (solve->lacks_room)
            printf("  %s: converges slowly, and memory for the vectors of IDR(3) is lacking\n",
                   r->sizes[s].name);
    }
}

/* Checks of several sizes that passed on the same grounds are one line, with the largest value. */
static void print_checks(const struct verdict *v)
{
    struct check shown[MAX_CHECKS];
    int count = 0;
    for (int c = 0; c < v->nchecks; c++) {
        const struct check *check = &v->checks[c];
        struct check *last = count > 0 ? &shown[count - 1] : NULL;
        if (!last || check->state != CHECK_PASSED || last->state != CHECK_PASSED ||
            strcmp(check->name, last->name) != 0 || strcmp(check->grounds, last->grounds) != 0) {
            shown[count++] = *check;
            continue;
        }
        last->size = strcmp(last->size, "h") == 0    ? "h,2h"
                     : strcmp(last->size, "2h") == 0 ? "2h,4h"
                                                     : "all";
        last->value = fmax(last->value, check->value);
    }
    print_heading("Checks");
    values_print_table(&check_values, shown, count);
}

static void print_outliers(const struct rank_table *t)
{
    char text[OUTLIER_TEXT_SIZE], place[VALUE_TEXT_SIZE];
    for (int i = 0; i < t->noutliers; i++) {
        const int rank = t->outliers[i].rank;
        const int column =
            printf("  %s: %s%s", rank == NO_RANK ? "UNEQUAL" : "OUTLIER",
                   ranks_outlier_text(&t->outliers[i], text), rank == NO_RANK ? "" : ";");
        if (rank != NO_RANK)
            print_words(stdout, rank_place(&t->ranks[rank], place), column, 4, REPORT_WIDTH);
        printf("\n");
    }
    if (t->more_outliers > 0)
        printf("  and %d more outliers (--ranks-table shows all rates)\n", t->more_outliers);
}

static void print_ranks(const struct record *r)
{
    const struct rank_table *t = &r->ranks;
    if (t->ranks && t->count > 1) {
        print_heading("Rates of single ranks");
        values_print_table(&rank_rate_values, t->summaries, t->nsummaries);
        print_outliers(t);
        printf("  measured in %.3f seconds\n", t->seconds);
    }
    if (r->options->ranks_table) {
        print_heading("Table of ranks");
        values_print_table(&rank_values, t->ranks, t->count);
    }
}

/* What made A u = f solvable without a Dirichlet wall. */
static void print_rhs_mean(const struct record *r)
{
    if (!isnan(r->rhs_mean))
        printf("  mean of f   %.3e, %.1e of ||f||; subtracted, because without a Dirichlet\n"
               "              wall A u = f has a solution only if the mean is 0\n",
               r->rhs_mean, fabs(r->rhs_mean) / r->sizes[0].rhs_norm);
}

static void print_run(const struct record *r)
{
    struct grid g = {0};
    print_heading("Run");
    grid_print_values(&g, &hierarchy_values, r);
    grid_print_values(&g, &bottom_values, &r->bottom);
    grid_print_values(&g, &memory_values, r);
    if (r->sizes[0].hand_over)
        grid_print(&g, "hand-over", r->sizes[0].hand_over);
    grid_print_values(&g, &meters_values, &r->sizes[0]);
    grid_end(&g);
    print_rhs_mean(r);
    /* By the names that Benchpark looks for. */
    printf("  n_resources: %d\n", r->environment.ranks);
    printf("  total_problem_size: %.0f\n", r->unknowns);
    printf("  process_problem_size: %.0f\n", r->unknowns / r->environment.ranks);
}

/* What --quiet omits. An INVALID run has no speed. */
static void print_details(const struct record *r)
{
    const bool all = r->options->breakdown;
    if (options_have_tolerance(&r->options->solver))
        print_residuals(r);
    if (!isnan(r->sizes[0].true_error)) {
        print_heading("Error against the known solution");
        values_print_table(&error_values, r->sizes, r->nsizes);
    }
    print_checks(&r->verdict);
    if (r->verdict.valid) {
        print_heading("Solve times");
        values_print_table(&size_values, r->sizes, r->nsizes);
    }
    for (int s = 0; r->verdict.valid && s < (all ? r->nsizes : 1); s++) {
        print_heading("Time of a solve of size %s by level and stage", r->sizes[s].name);
        stage_table_times(r, &r->sizes[s], all);
        if (all)
            stage_table_movement(&r->sizes[s]);
    }
    if (r->verdict.valid && record_on_gpu(r)) { /* on CPUs they follow from --loops */
        print_heading("Kernels of a solve of size %s", r->sizes[0].name);
        stage_table_kernels(&r->sizes[0]);
    }
    print_ranks(r);
    print_run(r);
}

/* HPGMG's lines, byte for byte: scripts read them. As HPGMG's, they have the mean time and its
 * rate, where SCORE has the median's. */
static void print_performance(const struct record *r)
{
    for (int s = 0; s < r->nsizes; s++) {
        const struct size_record *size = &r->sizes[s];
        printf("  h=%0.15e  DOF=%0.15e  time=%0.6f  DOF/s=%0.3e  MPI=%d  OMP=%d\n", size->h,
               size->unknowns, size->mean, size->unknowns / size->mean, r->environment.ranks,
               r->environment.threads);
    }
}

void report_results(const struct record *r)
{
    char verdict[VERDICT_SIZE];
    const bool quiet = r->options->quiet;
    if (comm_rank() != 0)
        return;
    if (!quiet)
        print_details(r);
    print_warnings(r);
    if (r->verdict.valid) {
        if (!quiet)
            print_heading("Performance Summary");
        print_performance(r);
    }
    if (r->has_richardson) {
        if (!quiet)
            print_heading("Richardson error analysis");
        printf("  h=%0.15e  ||error||=%0.15e\n", r->sizes[0].h, r->richardson_error);
        printf("  order=%0.3f\n", r->richardson_order);
    }
    if (!quiet)
        printf("\n");
    if (r->options->checksum)
        printf("checksum: %016" PRIx64 "\n", r->sizes[0].checksum);
    printf("VERDICT: %s\n", verdict_text(&r->verdict, verdict, sizeof verdict));
    score_print(stdout, r);
    fflush(stdout);
}

bool report_write_json(struct output_file *file, const struct record *r)
{
    struct json *root = NULL;
    if (comm_rank() == 0) {
        root = json_object();
        json_add_text(root, "program", "hpgmg-gpu");
        json_add_number(root, "schema", REPORT_SCHEMA);
        values_add_json(root, &record_values, r);
    }
    return json_write_of_rank_0(file, root);
}
