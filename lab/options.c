/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/options.h"
#include <stdio.h>
#include <string.h>
#include "lab/fields.h"
#include "lab/lab.h"
#include "lab/stage_case.h"

#define AT(member) .offset = offsetof(struct lab_options, member)
#define SHAPES .uses = OPTION_COMMAND_LINE | OPTION_SHAPES
#define CHOICE(member, list, first)                                                                \
    .kind = OPTION_CHOICE, AT(member), SHAPES, .choices = (list), .initial = (first)
#define NUMBER(type, member, first) .kind = (type), AT(member), SHAPES, .initial = (first)
#define PATH(member) .kind = OPTION_PATH, AT(member), .unset = "", .argument = "FILE"
#define SAMPLES(least)                                                                             \
    .name = "samples", NUMBER(OPTION_LONG, samples, "10"), .minimum = (least), .maximum = 10000,   \
    .argument = "N"
#define SAMPLES_HELP "samples per figure: their median, minimum and maximum"

static const struct choice register_choices[] = {{"auto", 0},  {"32", 32},   {"64", 64},
                                                 {"128", 128}, {"255", 255}, {NULL, 0}};

/* One or two lines per row, not one per member. The order is that of --help. */
/* clang-format off */
static const struct {
    const char *subcommands; /* that have the option */
    struct option_row row;
} table[] = {
    {"kernel ladder exchange", {.name = "n", .kind = OPTION_INT, AT(n), .uses = OPTION_POSITIONAL | OPTION_SHAPES,
     .minimum = 4, .maximum = 1024, .argument = "N",
     .help = "cells per side of the level, 4 to 1024: an odd number\nup to 11 times a power of two, at least 4"}},
    {"memory methods", {.name = "experiments", .kind = OPTION_NAMES, AT(experiments), .unset = "all",
     .uses = OPTION_POSITIONAL | OPTION_REPEATED | OPTION_SHAPES, .argument = "EXPERIMENT",
     .help = "experiments of the list below; none: all of them"}},
    {"tune", {.name = "largest", NUMBER(OPTION_INT, n, "512"), .minimum = 128, .maximum = 1024, .argument = "N",
     .help = "levels of 128, 256, ... cells per side up to N"}},
    {"machine", {.name = "section", CHOICE(section, section_choices, "all"), .help = "which experiments"}},
    {"kernel", {.name = "stage", CHOICE(stage, stage_choices, "smooth"), .help = "as the report of hpgmg-gpu names it"}},
    {"kernel", {.name = "kernels", .kind = OPTION_NAMES, AT(kernels), .unset = "all", SHAPES, .argument = "LIST",
     .help = "kernels to run it, as for hpgmg-gpu --kernels; a CPU has\ntiled and plain; all: the default, then each by itself"}},
    {"kernel", {.name = "sweeps", NUMBER(OPTION_INT, sweeps, "auto"), .unset = "auto", .minimum = 1,
     .maximum = SMOOTHER_SWEEPS, .argument = "N",
     .help = "sweeps of a stage that smooths; auto: 2 (stage sweep:\n1), or as many as the ghosts allow"}},
    {"kernel ladder exchange", {.name = "order", CHOICE(order, order_choices, "2"), .help = "order of the operator: fv2 or fv4"}},
    {"kernel tune", {.name = "equation", CHOICE(equation, equation_choices, "poisson"),
     .help = "-div(beta grad u) = f, or + alpha u"}},
    {"kernel exchange", {.name = "boundary", .kind = OPTION_SIDES, AT(boundary), SHAPES,
     .choices = boundary_choices, .initial = "dirichlet", .help = "on all sides, or i,j,k, or low/high,..."}},
    {"kernel", {.name = "coefficients", CHOICE(coefficients, coefficient_choices, "variable"),
     .help = "stored alpha and beta, or alpha = beta = 1"}},
    {"kernel", {.name = "smoother", CHOICE(smoother, smoother_choices, "gsrb"), .help = "relaxation of a sweep"}},
    {"ladder", {.name = "rung", .kind = OPTION_NAMES, AT(rungs), .unset = "all", SHAPES, .argument = "NAMES",
     .help = "rungs to measure beside the first, names with commas;\nall: every one"}},
    {"ladder", {.name = "block", .kind = OPTION_NAMES, AT(block), .unset = "auto", SHAPES, .argument = "X,Y",
     .help = "threads of a block along i and j, of the rungs named by\n--rung; auto: their own (GPU)"}},
    {"ladder", {.name = "registers", CHOICE(registers, register_choices, "auto"),
     .help = "the most registers per thread, of the rungs named by\n--rung (GPU)"}},
    {"machine memory methods kernel ladder", {.name = "array-mib", NUMBER(OPTION_LONG, array_mib, "auto"),
     .unset = "auto", .minimum = 1, .maximum = 65536, .argument = "MIB",
     .help = "size of one array; auto: several times the last-level\ncache, as far as memory allows"}},
    {"memory", {.name = "points", NUMBER(OPTION_LONG, points, "auto"), .unset = "auto", .minimum = 64,
     .maximum = 1e10, .argument = "N", .help = "points of experiment points; auto: 10 and 100 million"}},
    {"memory", {.name = "managed", .kind = OPTION_FLAG, AT(managed), .initial = "false", SHAPES,
     .help = "experiment host: managed memory too"}},
    {"all", {.name = "backend", CHOICE(backend, backend_choices, "auto"),
     .help = "what is measured; auto: the GPU if there is one"}},
    {"machine exchange tune", {SAMPLES(1), .help = SAMPLES_HELP}},
    {"memory methods kernel ladder", {SAMPLES(0),
     .help = SAMPLES_HELP ";\n0: results are checked, and nothing is timed"}},
    {"all", {.name = "json", PATH(json), .uses = OPTION_COMMAND_LINE, .help = "also write the figures to FILE"}},
    {"all", {.name = "help", .kind = OPTION_FLAG, AT(help), .unset = "false",
     .uses = OPTION_COMMAND_LINE | OPTION_REQUEST, .help = "print this text"}},
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof table[0] };

const struct option_list *lab_options_of(const char *subcommand)
{
    static struct option_row rows[ROWS];
    static struct option_list list = {rows, 0, sizeof(struct lab_options)};
    list.count = 0;
    for (int r = 0; r < ROWS; r++)
        if (strstr(table[r].subcommands, subcommand) || strcmp(table[r].subcommands, "all") == 0)
            rows[list.count++] = table[r].row;
    return &list;
}

static enum status check_positionals(struct parser *p)
{
    for (int i = 0; i < p->list->count; i++)
        if ((p->list->rows[i].uses & OPTION_POSITIONAL) &&
            !(p->list->rows[i].uses & OPTION_REPEATED) && !p->seen[i])
            return parser_fail(p, "missing %s: %s", p->list->rows[i].argument,
                               "the cells per side of the level; --help lists the legal ones");
    return STATUS_VALID;
}

/* Only levels that hpgmg-gpu could have. */
static enum status check_size(struct parser *p)
{
    const struct lab_options *o = p->options;
    if (!option_find(p->list, "n", 0) || level_exists(o->n))
        return STATUS_VALID;
    return parser_fail(
        p, "N: wrong value '%d'; legal: an odd number up to 11 times 4, 8, 16, ..., at most 1024",
        o->n);
}

enum status lab_options_parse(const struct option_list *list, struct lab_options *options, int argc,
                              char **argv, char *message, int message_size)
{
    struct parser p = {
        .list = list, .options = options, .message = message, .message_size = message_size};
    option_set_defaults(list, options);
    enum status status = parser_read(&p, argc, argv);
    if (status == STATUS_VALID && !parser_has_request(&p))
        status = check_positionals(&p);
    if (status == STATUS_VALID && !parser_has_request(&p))
        status = check_size(&p);
    if (status == STATUS_VALID && !parser_has_request(&p))
        status = parser_check_boundary(&p, options->boundary);
    if (status == STATUS_VALID && !parser_has_request(&p))
        status = parser_check_paths(&p);
    if (status != STATUS_VALID)
        message_make_one_line(message);
    return status;
}

bool next_name(const char **names, char name[NAME_SIZE])
{
    if (!*names)
        return false;
    *names += strspn(*names, ",");
    const size_t length = strcspn(*names, ",");
    snprintf(name, NAME_SIZE, "%.*s", (int)length, *names);
    *names += length;
    return length > 0;
}

int find_name(const char *name, const char *(*legal)(int number, const void *data),
              const void *data, const char *what)
{
    char list[256] = "";
    for (int number = 0, used = 0; legal(number, data); number++) {
        const char *word = legal(number, data);
        if (strcmp(word, name) == 0)
            return number;
        if (!*word || used >= (int)sizeof list)
            continue;
        used += snprintf(list + used, sizeof list - (size_t)used, " %s", word);
    }
    refuse(STATUS_USAGE, "unknown %s '%.60s'; legal:%s", what, name, list);
    return -1;
}
