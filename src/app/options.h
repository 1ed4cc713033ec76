/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H
/* Every choice of a run. One table row per option (options_table.c) has its name, kind, default,
 * help text and legal values; parsing, --help, input files and the echo in reports follow from it.
 */
#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"
#include "cli/operator_options.h"
#include "cli/option.h"
#include "operators/problem.h"
#include "operators/stencil.h"

enum { MAX_SIMULATED_RANKS = 10000000 };
enum cycle_kind { CYCLE_F, CYCLE_V, CYCLE_W };
enum loops { LOOPS_TILED, LOOPS_PLAIN };
enum fuse { FUSE_ON, FUSE_OFF };
enum transport_kind { TRANSPORT_AUTO, TRANSPORT_PEER, TRANSPORT_CUDA_AWARE, TRANSPORT_STAGED };

/* Values of `never`: no level has fewer cells, and none is large enough. */
enum { CPU_BELOW_NEVER = 1, AGGLOMERATE_NEVER = 1 };
enum { OVERLAP_NEVER = -1 };

struct options {
    int log2_box_dim;    /* first positional argument */
    long boxes_per_rank; /* second positional argument */
    int domain[3];       /* boxes by direction, or a rule: see struct domain_choice */

    int order;       /* 2, 4 */
    int equation;    /* enums are stored as int, so that one table can point at all of them */
    int boundary[6]; /* by side: low i, high i, low j, … */
    int coefficients;
    int problem;
    int smoother;
    int sweeps[2]; /* before and after the coarse correction; 0,0: the smoother's own */
    double weight; /* of the smoother; 0: its own */
    int levels;    /* at most; 0: as many as the size allows */
    int cycle;
    double rtol; /* 0: one F-cycle; with --cycle v or --solver idr 1e-10 unless given */
    double atol;
    int max_cycles; /* the most V-cycles, with a tolerance */
    int solver;
    int bottom;
    int backend;            /* enum backend_choice */
    long cpu_below;         /* levels of fewer cells live on the CPU; 0: auto */
    long agglomerate_below; /* 2×2×2 boxes merge below this number of cells; 0: auto */
    int transport;          /* between GPUs */
    long overlap_above;     /* cells per GPU from which halo exchange overlaps; 0: auto */
    int loops;              /* of the CPU backend */
    int fuse;               /* enum fuse */
    long solves;            /* timed, per size; 0: as many as fill min_time, at least 10 */
    double min_time;        /* seconds per size; unused if solves > 0 */

    bool benchmark; /* as HPGMG times solves; what it sets is in app/score.c */
    bool ranks_table;
    bool breakdown, show_cycle, checksum, quiet, dry_run;
    int ranks, ranks_per_node; /* of a simulated job; 0 ranks: none */
    char *json;                /* path or NULL */
    char *timeline;            /* path or NULL */
    char *write_solution;      /* path or NULL */
    char *kernels;             /* names with commas between them; NULL: all */
    char *input;               /* path or NULL */

    bool help, version, list_kernels; /* requests: all other members are then unset */
};

/* One row per option; to add one, add a member above and a row (options_table.c). */
extern const struct option_list options_list;
extern const struct program_text options_program;

/* Parses the command line and the input file that it names; the command line wins. On an error
 * returns STATUS_USAGE and writes one line without
 * newline into message. Prints nothing. option_release frees the texts. */
enum status options_parse(struct options *options, int argc, char **argv, char *message,
                          int message_size);

/* The same from names and values in turn, up to a NULL, as an input file has them, for callers that
 * have no command line: without sizes, and with the values of `defaults`, which is such a list too,
 * unless given. `refuse` returns why an option is of no use to the caller, or NULL. */
enum status options_from_pairs(struct options *options, const char *const *pairs,
                               const char *const *defaults,
                               const char *(*refuse)(const struct option_row *row), char *message,
                               int message_size);

struct operator_choice options_operator(const struct options *options);

/* True if cycles go on to a tolerance; else there is one. */
bool options_have_tolerance(const struct options *options);

/* At most 57 lines of 79 columns. */
void options_print_help(FILE *out);

/* Calls visit for every option that determines the run, in table order, with its value as an input
 * file would have it. Omits options without effect: max-cycles without a tolerance, and min-time
 * with a fixed number of solves. */
void options_visit(const struct options *options,
                   void (*visit)(void *data, const char *name, const char *value), void *data);

#endif
