/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_LAB_H
#define LAB_LAB_H
/* One run of a subcommand. */
#include "backend/backend.h"
#include "cli/columns.h"
#include "cli/command_line.h"
#include "config/environment.h"
#include "lab/options.h"
#include "lab/timing.h"

struct lab {
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

/* Prints the experiments of `memory` or `methods`; nothing for another subcommand. */
void experiments_print(const char *subcommand);

enum status machine_command(struct lab *lab);
enum status memory_command(struct lab *lab);
enum status methods_command(struct lab *lab);
enum status kernel_command(struct lab *lab);
enum status ladder_command(struct lab *lab);
enum status exchange_command(struct lab *lab);
enum status tune_command(struct lab *lab);

/* Prints what is measured: the first lines of output, when nothing can be refused any more. */
void print_machine(const struct lab *lab);

/* A member "seconds" with median, min, max and samples. */
void spread_add_json(struct json *object, const struct spread *spread);

/* So much in one second; NaN if there is nothing of it. */
double per_second(double quantity, double seconds);

#endif
