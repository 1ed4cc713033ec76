/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H
/* The lab's options: one struct for all subcommands, a table for each. */
#include <stdbool.h>
#include "base/status.h"
#include "cli/operator_options.h"

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
    int order, equation, boundary, coefficients, smoother;
    int stage;     /* kernel: its number in stage_choices */
    int sweeps;    /* kernel: of one pass; 0: the stage's own number, or what the level allows */
    char *kernels; /* kernel: names with commas between them; NULL: each that can, in turn */
    char *tuning;  /* kernel, ladder: path, "none" or NULL */
    char *rungs;   /* ladder: names with commas between them; NULL: all */
    char *block;   /* ladder: "X,Y" threads, of the rungs named; NULL: their own */
    int registers; /* ladder: the most per thread, of the rungs named; 0: as they need */
    char *output;  /* tune: path or NULL */
};

/* Results are checked, and nothing is timed. */
static inline bool checks_only(const struct lab_options *options)
{
    return options->samples == 0;
}

extern const struct choice section_choices[]; /* of --section; numbered by enum section */
extern const struct option_list machine_options, memory_options, methods_options, kernel_options,
    ladder_options, tune_options, exchange_options;

/* Reads the arguments after the subcommand's name; as options_parse of src/app/options.h. */
enum status lab_options_parse(const struct option_list *list, struct lab_options *options, int argc,
                              char **argv, char *message, int message_size);
/* Calls visit for every option of the list that shapes the result, with its value as text. */
void lab_options_visit(const struct option_list *list, const struct lab_options *options,
                       void (*visit)(void *data, const char *name, const char *value), void *data);

#endif
