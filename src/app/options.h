/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Every choice of a run. One table row per option (options_table.c) has its name, kind, default,
 * help text and legal values; parsing, --help, input files and the echo in reports follow from it.
 */
#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"
#include "config/solver_options.h"
#include "operators/problem.h"

enum { MAX_SIMULATED_RANKS = 10000000 };

struct options {
    int log2_box_dim;    /* first positional argument */
    long boxes_per_rank; /* second positional argument */
    int domain[3];       /* boxes by direction, or a rule: see struct domain_choice */
    double lengths[3];   /* of the domain; 0: cells are cubes, and the longest side is 1 */

    struct solver_options solver;
    int problem;     /* enum problem_kind */
    long solves;     /* timed, per size; 0: enough to fill min_time, at least 10 */
    double min_time; /* seconds per size; unused if solves > 0 */

    bool benchmark; /* as HPGMG times solves; what it sets is in app/rules.c */
    bool ranks_table;
    bool breakdown, show_cycle, checksum, quiet, dry_run;
    int ranks, ranks_per_node; /* of a simulated job; 0 ranks: none */
    char *json;                /* path or NULL */
    char *timeline;            /* path or NULL */
    char *write_solution;      /* path or NULL */
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

/* At most 57 lines of 79 columns. */
void options_print_help(FILE *out);

/* Calls visit for every option that determines the run, in table order, with its value as an input
 * file would have it. Omits options without effect: max-cycles without a tolerance, and min-time
 * with a fixed number of solves. */
void options_visit(const struct options *options,
                   void (*visit)(void *data, const char *name, const char *value), void *data);
