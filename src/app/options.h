#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H
/* Every choice of a run. One table row per option (options.c) gives its name, kind, default, help text and legal values;
 * parsing, --help, input files and the echo in the report follow from it. */
#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

enum equation { EQUATION_POISSON, EQUATION_HELMHOLTZ };
enum boundary { BOUNDARY_DIRICHLET, BOUNDARY_PERIODIC };
enum coefficients { COEFFICIENTS_VARIABLE, COEFFICIENTS_CONSTANT };
enum problem_kind { PROBLEM_FV, PROBLEM_SINE, PROBLEM_P4, PROBLEM_P6 };
/* --smoother: enum smoother of operators/stencil.h, in its order */
enum cycle { CYCLE_F, CYCLE_V };
enum solver { SOLVER_MG, SOLVER_MGPCG };
enum bottom { BOTTOM_BICGSTAB, BOTTOM_CG, BOTTOM_SMOOTH, BOTTOM_DIRECT };
enum loops { LOOPS_TILED, LOOPS_PLAIN };

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
    double rtol;    /* 0: not given */
    int max_cycles; /* V-cycles (or CG iterations) at most when a tolerance is asked for */
    int solver;
    int bottom;
    int backend;    /* index into BACKEND names: auto, cpu (gpu joins with the CUDA backend) */
    int loops;      /* CPU loops: tiled or plain; same bits */
    long solves;    /* timed solves per size; 0: as many as fill min_time, at least 10 */
    double min_time; /* seconds per size */

    bool breakdown, show_cycle, checksum, quiet, dry_run;
    char *json;  /* path or NULL */
    char *input; /* path or NULL */

    bool help, version; /* asked for: everything else is then unset */
};

/* Parses the command line and the input file it names (the command line wins). On success returns STATUS_VALID. On an
 * error returns STATUS_USAGE (wrong option, value or file) or STATUS_ENVIRONMENT (--input or --json without the library
 * that it needs) and writes one line without newline into message, naming the option and the nearest valid value. Prints
 * nothing. The paths are allocated with memory_alloc; options_release frees them. */
enum status options_parse(struct options *options, int argc, char **argv, char *message, int message_size);
void options_release(struct options *options);

/* Text of --help (fits two screens of 80 columns). */
void options_print_help(FILE *out);

/* Calls visit for every option that shapes the run, with its value as text in input-file syntax, in table order. The
 * report and the JSON echo are made of this. */
void options_visit(const struct options *options, void (*visit)(void *data, const char *name, const char *value),
                   void *data);

#endif
