/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/options.h"
#include <string.h>
#include "cli/command_line.h"
#include "lab/fields.h"
#include "lab/machine.h"
#include "lab/stage_case.h"

#define AT(member) .offset = offsetof(struct lab_options, member)
#define SHAPES (OPTION_COMMAND_LINE | OPTION_SHAPES)
#define CHOICE(member, list, first)                                                                \
    .kind = OPTION_CHOICE, AT(member), .uses = SHAPES, .choices = (list), .initial = (first)
#define NUMBER(type, member, first) .kind = (type), AT(member), .uses = SHAPES, .initial = (first)

/* clang-format off */
#define BACKEND                                                                                    \
    {.name = "backend", CHOICE(backend, backend_choices, "auto"), .help = "what is measured; auto: the GPU if there is one"}
#define SAMPLES_HELP "samples per figure: their median, minimum and maximum"
#define SAMPLES(least, text)                                                                       \
    {.name = "samples", NUMBER(OPTION_LONG, samples, "10"), .minimum = (least), .maximum = 10000,  \
     .argument = "N", .help = (text)}
#define CHECKS_OR_SAMPLES SAMPLES(0, SAMPLES_HELP ";\n0: results are checked, and nothing is timed")
#define COMMON                                                                                     \
    {.name = "json", .kind = OPTION_PATH, AT(json), .unset = "", .uses = OPTION_COMMAND_LINE,      \
     .argument = "FILE", .help = "also write the figures to FILE"},                                  \
    {.name = "help", .kind = OPTION_FLAG, AT(help), .unset = "false",                              \
     .uses = OPTION_COMMAND_LINE | OPTION_REQUEST, .help = "print this text"}
#define SIZE                                                                                       \
    {.name = "n", .kind = OPTION_INT, AT(n), .uses = OPTION_POSITIONAL | OPTION_SHAPES,            \
     .minimum = 4, .maximum = 1024, .argument = "N",                                               \
     .help = "cells per side of the level, 4 to 1024: an odd number\n"                             \
             "up to 11 times a power of two, at least 4"}
#define TUNING                                                                                     \
    {.name = "tuning", .kind = OPTION_PATH, AT(tuning), .unset = "", .uses = SHAPES,               \
     .argument = "FILE", .help = "tile sizes of the GPU's kernels, or none; default: as\n"          \
                                 "hpgmg-gpu, the file in tuning/ that is named after the GPU"}
#define ARRAY                                                                                      \
    {.name = "array-mib", NUMBER(OPTION_LONG, array_mib, "auto"), .unset = "auto", .minimum = 1,   \
     .maximum = 65536, .argument = "MIB",                                                          \
     .help = "size of one array; auto: several times the last-level\ncache, as far as memory allows"}
#define ORDER                                                                                      \
    {.name = "order", CHOICE(order, order_choices, "2"), .help = "order of the operator: fv2 or fv4"}

static const struct option_row machine_rows_of_options[] = {
    {.name = "section", CHOICE(section, section_choices, "all"), .help = "which experiments"},
    ARRAY,
    BACKEND,
    SAMPLES(1, SAMPLES_HELP),
    COMMON,
};

#define EXPERIMENTS                                                                                \
    {.name = "experiments", .kind = OPTION_NAMES, AT(experiments), .unset = "all",                 \
     .uses = OPTION_POSITIONAL | OPTION_REPEATED | OPTION_SHAPES, .argument = "EXPERIMENT",        \
     .help = "experiments of the list below; none: all of them"}

static const struct option_row memory_rows_of_options[] = {
    EXPERIMENTS,
    ARRAY,
    {.name = "points", NUMBER(OPTION_LONG, points, "auto"), .unset = "auto", .minimum = 64, .maximum = 1e10,
     .argument = "N", .help = "points of experiment points; auto: 10 and 100 million"},
    {.name = "managed", .kind = OPTION_FLAG, AT(managed), .initial = "false", .uses = SHAPES,
     .help = "experiment host: managed memory too"},
    BACKEND,
    CHECKS_OR_SAMPLES,
    COMMON,
};

static const struct option_row methods_rows_of_options[] = {
    EXPERIMENTS,
    ARRAY,
    BACKEND,
    CHECKS_OR_SAMPLES,
    COMMON,
};

static const struct option_row kernel_rows_of_options[] = {
    SIZE,
    {.name = "stage", CHOICE(stage, stage_choices, "smooth"), .help = "as the report of hpgmg-gpu names it"},
    {.name = "kernels", .kind = OPTION_NAMES, AT(kernels), .unset = "all", .uses = SHAPES, .argument = "LIST",
     .help = "kernels to run it, as for hpgmg-gpu --kernels; a CPU has\ntiled and plain; all: the default, then each by itself"},
    {.name = "sweeps", NUMBER(OPTION_INT, sweeps, "auto"), .unset = "auto", .minimum = 1,
     .maximum = SMOOTHER_SWEEPS, .argument = "N",
     .help = "sweeps of a stage that smooths; auto: 2 (stage sweep:\n1), or as many as the ghosts allow"},
    ORDER,
    {.name = "equation", CHOICE(equation, equation_choices, "poisson"),
     .help = "-div(beta grad u) = f, or + alpha u"},
    {.name = "boundary", CHOICE(boundary, boundary_choices, "dirichlet"), .help = "boundary condition"},
    {.name = "coefficients", CHOICE(coefficients, coefficient_choices, "variable"),
     .help = "stored alpha and beta, or alpha = beta = 1"},
    {.name = "smoother", CHOICE(smoother, smoother_choices, "gsrb"), .help = "relaxation of a sweep"},
    TUNING,
    ARRAY,
    BACKEND,
    CHECKS_OR_SAMPLES,
    COMMON,
};

static const struct choice register_choices[] = {
    {"auto", 0}, {"32", 32}, {"64", 64}, {"128", 128}, {"255", 255}, {NULL, 0}};

static const struct option_row ladder_rows_of_options[] = {
    SIZE,
    ORDER,
    {.name = "rung", .kind = OPTION_NAMES, AT(rungs), .unset = "all", .uses = SHAPES, .argument = "NAMES",
     .help = "rungs to measure beside the first, names with commas;\nall: every one"},
    {.name = "block", .kind = OPTION_NAMES, AT(block), .unset = "auto", .uses = SHAPES, .argument = "X,Y",
     .help = "threads of a block along i and j, of the rungs named by\n--rung; auto: their own (GPU)"},
    {.name = "registers", CHOICE(registers, register_choices, "auto"),
     .help = "the most registers per thread, of the rungs named by\n--rung (GPU)"},
    TUNING,
    ARRAY,
    BACKEND,
    CHECKS_OR_SAMPLES,
    COMMON,
};

static const struct option_row exchange_rows_of_options[] = {
    SIZE,
    ORDER,
    {.name = "boundary", CHOICE(boundary, boundary_choices, "dirichlet"), .help = "boundary condition"},
    BACKEND,
    SAMPLES(1, SAMPLES_HELP),
    COMMON,
};

static const struct option_row tune_rows_of_options[] = {
    {.name = "largest", NUMBER(OPTION_INT, n, "512"), .minimum = 128, .maximum = 1024, .argument = "N",
     .help = "levels of 128, 256, ... cells per side up to N"},
    {.name = "equation", CHOICE(equation, equation_choices, "poisson"),
     .help = "-div(beta grad u) = f, or + alpha u"},
    {.name = "output", .kind = OPTION_PATH, AT(output), .unset = "", .uses = OPTION_COMMAND_LINE,
     .argument = "FILE", .help = "write the tile sizes found there"},
    BACKEND,
    SAMPLES(1, SAMPLES_HELP),
    COMMON,
};
/* clang-format on */

#define LIST(rows)                                                                                 \
    {                                                                                              \
        rows, sizeof(rows) / sizeof(rows)[0], sizeof(struct lab_options)                           \
    }
const struct option_list machine_options = LIST(machine_rows_of_options);
const struct option_list memory_options = LIST(memory_rows_of_options);
const struct option_list methods_options = LIST(methods_rows_of_options);
const struct option_list kernel_options = LIST(kernel_rows_of_options);
const struct option_list ladder_options = LIST(ladder_rows_of_options);
const struct option_list exchange_options = LIST(exchange_rows_of_options);
const struct option_list tune_options = LIST(tune_rows_of_options);

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
        status = parser_check_paths(&p);
    if (status != STATUS_VALID)
        message_make_one_line(message);
    return status;
}

void lab_options_visit(const struct option_list *list, const struct lab_options *options,
                       void (*visit)(void *data, const char *name, const char *value), void *data)
{
    char buffer[OPTION_TEXT_SIZE];
    for (int i = 0; i < list->count; i++)
        if (list->rows[i].uses & OPTION_SHAPES)
            visit(data, list->rows[i].name, option_text(&list->rows[i], options, buffer));
}
