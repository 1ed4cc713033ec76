/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands, their options, and what all of them use. */
#include "lab/lab.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "cli/build_info.h"
#include "cli/option_rows.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "cuda/tuning.h"
#include "lab/stage_case.h"

/* --- subcommands ------------------------------------------------------------------------------ */

const struct program_text lab_program = {
    "hpgmg-lab",
    "SUBCOMMAND [options]",
    "Measures machines, and the kernels of hpgmg-gpu one by one.",
    NULL,
    "0 all results right, 1 some wrong, 2 usage, 3 environment, 4 memory, 5 system.",
};

const struct subcommand subcommands[] = {
    {"machine", "[options] [EXPERIMENT...]",
     "Measures the machine: memory, arithmetic, caches, latencies, transfers.", false,
     experiments_command},
    {"memory", "[options] [EXPERIMENT...]",
     "Experiments on memory: strides, layouts, transfers, and work per element.", false,
     experiments_command},
    {"methods", "[options] [EXPERIMENT...]",
     "Small kernels in several ways: interpolation, convolution, LU in batches, masks.", false,
     experiments_command},
    {"kernel", "[options] N",
     "Times the kernels of one stage of the solver, and says what limits each.", false,
     kernel_command},
    {"ladder", "[options] N", "Times a smoothing, from the simplest kernel to hpgmg-gpu's own.",
     false, ladder_command},
    {"exchange", "[options] N",
     "Times the halo exchange of one level between ranks, by every transport.", true,
     exchange_command},
    {"tune", "[options]",
     "Finds tile sizes of the GPU's kernels; prints rows for src/cuda/tuning.def.", false,
     tune_command},
    {NULL, NULL, NULL, false, NULL},
};

static void print_help(void)
{
    const struct program_text *p = &lab_program;
    printf("Usage: %s %s\n%s\n\n", p->name, p->usage, p->summary);
    for (const struct subcommand *s = subcommands; s->name; s++)
        printf("  %-14s %s\n", s->name, s->summary);
    for (const struct request *r = requests; r->name; r++)
        printf("  %-14s %s\n", r->name, r->summary);
    printf("\nExit: %s\n", p->exit_statuses);
}

void subcommand_print_help(const struct subcommand *s)
{
    printf("Usage: %s %s %s\n%s\n\n", lab_program.name, s->name, s->usage, s->summary);
    option_print_help(lab_options_of(s->name), stdout);
    experiments_print(s->name);
}

static void print_kernels(void)
{
    cuda_list_kernels(stdout);
}

static void print_version(void)
{
    printf("%s %s\n  revision    %s\n  compiler    %s\n", lab_program.name, build_info.version,
           build_info.revision, build_info.compiler);
}

const struct request requests[] = {
    {"--help", "Prints this text; after a subcommand, its options.", print_help},
    {"--list-kernels", "Prints the names of all GPU kernels.", print_kernels},
    {"--version", "Prints version and build.", print_version},
    {NULL, NULL, NULL},
};

/* --- options ---------------------------------------------------------------------------------- */

#define AT(member) .offset = offsetof(struct lab_options, member)
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
    {"machine memory methods", {.name = "experiments", .kind = OPTION_NAMES, AT(experiments), .unset = "all",
     .uses = OPTION_POSITIONAL | OPTION_REPEATED | OPTION_SHAPES, .argument = "EXPERIMENT",
     .help = "experiments of the list below; none: all of them"}},
    {"tune", {.name = "largest", NUMBER(OPTION_INT, n, "512"), .minimum = 128, .maximum = 1024, .argument = "N",
     .help = "levels of 128, 256, ... cells per side up to N"}},
    {"kernel", {.name = "stage", CHOICE(stage, stage_choices, "smooth"), .help = "as the report of hpgmg-gpu names it"}},
    {"kernel", {.name = "kernels", .kind = OPTION_NAMES, AT(kernels), .unset = "all", SHAPES, .argument = "LIST",
     .help = "kernels to run it, as for hpgmg-gpu --kernels; a CPU has\ntiled and plain; all: the default, then each one alone"}},
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
    {"exchange tune", {SAMPLES(1), .help = SAMPLES_HELP}},
    {"machine memory methods kernel ladder", {SAMPLES(0),
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

/* N must be there, and a size of levels that hpgmg-gpu could have. */
static enum status check_size(struct parser *p)
{
    const struct lab_options *o = p->options;
    const struct option_row *n = option_find(p->list, "n", 0);
    if (!n || !(n->uses & OPTION_POSITIONAL))
        return STATUS_VALID;
    if (!parser_was_given(p, "n"))
        return parser_fail(p, "missing %s: %s", n->argument,
                           "the cells per side of the level; --help lists the legal ones");
    if (level_exists(o->n))
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
    const bool checked = status == STATUS_VALID && !parser_has_request(&p);
    if (checked)
        status = check_size(&p);
    if (checked && status == STATUS_VALID)
        status = parser_check_boundary(&p, options->boundary);
    if (checked && status == STATUS_VALID)
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

/* --- what all use ----------------------------------------------------------------------------- */

char refusal[512];

enum status refuse(enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal, sizeof refusal, format, arguments);
    va_end(arguments);
    return status;
}

enum status all_right(int wrong, const char *what)
{
    return wrong == 0 ? STATUS_VALID
                      : refuse(STATUS_INVALID, "%d %s gave wrong results", wrong, what);
}

enum status bytes_fit(double needed, double available, const char *where)
{
    if (available == 0.0 || needed <= available)
        return STATUS_VALID;
    return refuse(STATUS_MEMORY,
                  "this size needs %.0f bytes of memory on the %s, %.0f are available; choose a "
                  "smaller N",
                  needed, where, available);
}

bool is_timed(const struct lab *lab, const char *first, int width, long differences,
              const char *ran, int *wrong)
{
    const bool right = differences == 0;
    *wrong += !right;
    if (right && !checks_only(&lab->options))
        return true;
    printf("  %-*s %s%s%s\n", width, first, right ? "right" : "wrong result, not timed",
           ran ? ": " : "", ran ? ran : "");
    fflush(stdout);
    return false;
}

void print_machine(const struct lab *lab)
{
    const struct environment *e = &lab->environment;
    if (lab->note[0] && comm_rank() == 0)
        warn("%s", lab->note);
    if (lab->backend->on_device)
        printf("GPU: %s, driver %d.%d\n", e->gpu, e->cuda_driver / 1000,
               e->cuda_driver % 1000 / 10);
    else
        printf("CPU: %s, %d threads\n", e->cpu, e->threads);
    if (cuda_tuning_source())
        printf("tuning: %s\n", cuda_tuning_source());
}

void spread_add_json(struct json *object, const struct spread *s)
{
    struct json *seconds = json_add_object(object, "seconds");
    JSON_NUMBERS(seconds, {"median", s->median}, {"min", s->min}, {"max", s->max},
                 {"samples", s->samples});
}

double per_second(double quantity, double seconds)
{
    return quantity > 0.0 ? quantity / seconds : NAN;
}
