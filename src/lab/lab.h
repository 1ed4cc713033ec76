/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_LAB_H
#define LAB_LAB_H
/* One run of a subcommand. */
#include "cli/command_line.h"
#include "cli/environment.h"
#include "cli/json.h"
#include "lab/options.h"
#include "lab/timing.h"
#include "level/backend.h"

struct lab {
    struct lab_options options;
    const struct backend *backend;
    struct json *json; /* the report being built */
    struct environment environment;
    char note[256]; /* why the CPU is measured although no one asked for it, or "" */
};

/* A subcommand: its options, what --help says of it, and the work. `run` prints tables, adds to
 * lab->json, and returns STATUS_VALID, STATUS_INVALID if a result was wrong, or another status with
 * one line in message. Of several ranks, all return the same, and rank 0's output is shown. */
struct subcommand {
    const char *name;
    const struct option_list *options;
    const char *usage, *summary;
    bool on_several_ranks; /* else it refuses to */
    enum status (*run)(struct lab *lab, char *message, int message_size);
};

/* Prints the experiments of `memory` or `methods`; nothing for another subcommand. */
void experiments_print(const char *subcommand);

enum status machine_command(struct lab *lab, char *message, int message_size);
enum status memory_command(struct lab *lab, char *message, int message_size);
enum status methods_command(struct lab *lab, char *message, int message_size);
enum status kernel_command(struct lab *lab, char *message, int message_size);
enum status ladder_command(struct lab *lab, char *message, int message_size);
enum status exchange_command(struct lab *lab, char *message, int message_size);
enum status tune_command(struct lab *lab, char *message, int message_size);

/* Prints what is measured: the first lines of output, when nothing can be refused any more. */
void print_machine(const struct lab *lab);

/* A member "seconds" with median, min, max and samples. */
void spread_add_json(struct json *object, const struct spread *spread);

#endif
