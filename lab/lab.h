/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Options, one run of a subcommand, and what all subcommands use. */
#include <stdbool.h>
#include "base/status.h"
#include "backend/backend.h"
#include "cli/command_line.h"
#include "config/environment.h"
#include "config/solver_options.h"
#include "lab/columns.h"
#include "lab/timing.h"

/* One struct and one table of options for all subcommands. */
struct lab_options {
    int backend;  /* enum backend_choice */
    long samples; /* 0: nothing is timed */
    char *json;   /* path or NULL */
    bool help;

    long array_mib; /* MiB of an array for the machine's ceilings; 0: chosen by the machine */

    char *experiments; /* machine, memory, methods: names with commas between them; NULL: all */
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

/* The options of a subcommand; they live until the next call. */
const struct option_list *lab_options_of(const char *subcommand);

/* Reads the arguments after the subcommand's name; as options_parse of src/app/options.h. */
enum status lab_options_parse(const struct option_list *list, struct lab_options *options, int argc,
                              char **argv, char *message, int message_size);

/* Takes the first of the names with commas between them; false after the last. */
enum { NAME_SIZE = 64 };
bool next_name(const char **names, char name[NAME_SIZE]);
/* The number of a user's name among legal(0), legal(1), ..., which ends with NULL and where "" is
 * no name; -1 if it is none of them, and refuses it. `what`: "subcommand". */
int find_name(const char *name, const char *(*legal)(int number, const void *data),
              const void *data, const char *what);

struct lab {
    const char *subcommand;
    struct lab_options options;
    const struct backend *backend;
    struct json *json; /* the report being built */
    struct environment environment;
    char note[256]; /* why the CPU is measured although no one asked for it, or "" */
};

/* A subcommand: what --help says of it, and the work. `run` prints tables, adds to lab->json, and
 * returns STATUS_VALID, or what refuse() or all_right() returned. Of several ranks, all return the
 * same, and rank 0's output is shown. */
struct subcommand {
    const char *name, *usage, *summary;
    bool on_several_ranks; /* else it refuses to */
    enum status (*run)(struct lab *lab);
};
extern const struct subcommand subcommands[]; /* the last has no name */
void subcommand_print_help(const struct subcommand *s);

/* What is answered instead: --help, --version. */
struct request {
    const char *name, *summary;
    void (*answer)(void);
};
extern const struct request requests[]; /* the last has no name */

extern const struct program_text lab_program;

/* Keeps the line that says why the subcommand ends with this status, and returns the status. */
extern char refusal[512]; /* the line, or "" */
enum status refuse(enum status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* STATUS_VALID, or STATUS_INVALID if `wrong` of `what` gave wrong results. */
enum status all_right(int wrong, const char *what);
/* Whether `needed` bytes are available (0: unknown) on the "host" or the "GPU"; else refuses. */
enum status bytes_fit(double needed, double available, const char *where);

/* Prints the experiments of the subcommand, if it has any. */
void experiments_print(const char *subcommand);

enum status experiments_command(struct lab *lab); /* machine, memory, methods */
enum status kernel_command(struct lab *lab);
enum status ladder_command(struct lab *lab);
enum status exchange_command(struct lab *lab);
enum status tune_command(struct lab *lab);

/* Whether results are to be timed. Of wrong ones, which it counts in *wrong, and where nothing is
 * timed, it prints a line of a table that says so. `ran`: what gave them, or NULL. */
bool is_timed(const struct lab *lab, const char *first, int width, long differences,
              const char *ran, int *wrong);

/* Prints what is measured: the first lines of output, when nothing can be refused any more. */
void print_machine(const struct lab *lab);

/* A member "seconds" with median, min, max and samples. */
void spread_add_json(struct json *object, const struct spread *spread);

/* So much in one second; NaN if there is nothing of it. */
double per_second(double quantity, double seconds);
