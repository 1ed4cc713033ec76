/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H
/* Every choice of a run. One table row per option (options_table.c) gives its name, kind, default,
 * help text and legal values; parsing, --help, input files and the echo in the report follow from
 * it. */
#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"
#include "cli/operator_options.h"
#include "cli/option.h"
#include "operators/problem.h"
#include "operators/stencil.h"

enum cycle_kind { CYCLE_F, CYCLE_V };
enum solver_kind { SOLVER_MG, SOLVER_MGPCG };
enum bottom_kind { BOTTOM_BICGSTAB, BOTTOM_CG, BOTTOM_SMOOTH, BOTTOM_DIRECT };
enum loops { LOOPS_TILED, LOOPS_PLAIN };
enum transport_kind { TRANSPORT_AUTO, TRANSPORT_PEER, TRANSPORT_CUDA_AWARE, TRANSPORT_STAGED };

/* No level has fewer cells than this. */
enum { CPU_BELOW_NEVER = 1, AGGLOMERATE_NEVER = 1 };
/* No level has enough. */
enum { OVERLAP_NEVER = -1 };

struct options {
    int log2_box_dim;    /* first positional argument */
    long boxes_per_rank; /* second positional argument */

    int order;    /* 2, 4 */
    int equation; /* enum values, stored as int so that one table can point at all of them */
    int boundary;
    int coefficients;
    int problem;
    int smoother;
    int cycle;
    double rtol; /* 0: one F-cycle; never 0 with --cycle v or --solver mgpcg (1e-10 unless given) */
    int max_cycles; /* V-cycles (or CG iterations) at most when a tolerance is asked for */
    int solver;
    int bottom;
    int backend;    /* enum backend_choice */
    long cpu_below; /* levels of fewer cells live on the CPU although there is a GPU; 0: auto */
    long agglomerate_below; /* 2³ boxes of fewer cells are joined, on fewer ranks; 0: auto */
    int transport;          /* enum transport_kind: of messages between GPUs */
    long overlap_above; /* levels of at least so many cells a rank work while halos travel; 0: auto
                         */
    int loops;          /* CPU loops: tiled or plain; same bits */
    long solves;        /* timed solves per size; 0: as many as fill min_time, at least 10 */
    double min_time;    /* seconds per size; without meaning if solves > 0 */

    bool breakdown, show_cycle, checksum, quiet, dry_run;
    char *json;    /* path or NULL */
    char *kernels; /* names with commas between them; NULL: "default", all */
    char *tuning;  /* path, "none", or NULL: this GPU's file if there is one */
    char *input;   /* path or NULL */

    bool help, version, list_kernels; /* asked for: everything else is then unset */
};

/* One row per option; to add one, add a member above and a row (options_table.c). */
extern const struct option_list options_list;

/* Parses the command line and the input file it names (the command line wins). On success returns
 * STATUS_VALID. On an error returns STATUS_USAGE (wrong option, value or file) or
 * STATUS_ENVIRONMENT (--input without the library that it needs) and writes one line without
 * newline into message, naming the option and the nearest valid value. Prints nothing. The paths
 * are allocated with memory_alloc; options_release frees them. */
enum status options_parse(struct options *options, int argc, char **argv, char *message,
                          int message_size);
void options_release(struct options *options);

/* The operator that they choose. */
struct operator_choice options_operator(const struct options *options);

/* Text of --help (fits two screens of 80 columns). */
void options_print_help(FILE *out);

/* Calls visit for every option that shapes the run, with its value as text in input-file syntax, in
 * table order. The report and the JSON echo are made of this; written to a file, it is an input
 * file for the same run. Left out are max-cycles without a tolerance and min-time with a fixed
 * number of solves, which mean nothing. */
void options_visit(const struct options *options,
                   void (*visit)(void *data, const char *name, const char *value), void *data);

#endif
