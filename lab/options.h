/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H
/* The lab's options: one struct and one table for all subcommands. */
#include <stdbool.h>
#include "base/status.h"
#include "config/solver_options.h"

struct lab_options {
    int backend;  /* enum backend_choice */
    long samples; /* 0: nothing is timed */
    char *json;   /* path or NULL */
    bool help;

    int section;    /* machine: enum section */
    long array_mib; /* MiB of an array for the machine's ceilings; 0: chosen by the machine */

    char *experiments; /* memory, methods: names with commas between them; NULL: all */
    long points;       /* memory: of the field of points; 0: 10 and 100 million */
    bool managed;      /* memory: measure managed memory too */

    int n; /* kernel, ladder, exchange: cells per side of the level; tune: of the largest */
    int order, equation, coefficients, smoother;
    int boundary[6]; /* by side: low i, high i, low j, … */
    int stage;       /* kernel: its number in stage_choices */
    int sweeps;      /* kernel: of one pass; 0: the stage's own number, or what the level allows */
    char *kernels;   /* kernel: names with commas between them; NULL: each that can, in turn */
    char *rungs;     /* ladder: names with commas between them; NULL: all */
    char *block;     /* ladder: "X,Y" threads, of the rungs named; NULL: their own */
    int registers;   /* ladder: the most per thread, of the rungs named; 0: as they need */
};

/* Results are checked, and nothing is timed. */
static inline bool checks_only(const struct lab_options *options)
{
    return options->samples == 0;
}

extern const struct choice section_choices[]; /* of --section; numbered by enum section */

/* The options of a subcommand; they live until the next call. */
const struct option_list *lab_options_of(const char *subcommand);

/* Reads the arguments after the subcommand's name; as options_parse of src/app/options.h. */
enum status lab_options_parse(const struct option_list *list, struct lab_options *options, int argc,
                              char **argv, char *message, int message_size);

/* Takes the first of the names with commas between them; false after the last. */
enum { NAME_SIZE = 64 };
bool next_name(const char **names, char name[NAME_SIZE]);
/* The number from 0 of a name that a user gave among legal(0), legal(1), ... up to NULL, of which
 * "" is no name; -1 if it is none of them, and refuses it. `what`: "subcommand". */
int find_name(const char *name, const char *(*legal)(int number, const void *data),
              const void *data, const char *what);

#endif
