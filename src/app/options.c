/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include "app/options.h"
#include "app/rules.h"
#include "base/memory.h"
#include "solvers/solver.h"
#include "cli/command_line.h"

/* Pairs of options that contradict each other: with any value, or where the first has this one. */
static const struct {
    const char *names[2], *value;
    const char *reason;
} exclusive[] = {
    {{"quiet", "breakdown"}, NULL, "--quiet omits the breakdown"},
    {{"quiet", "ranks-table"}, NULL, "--quiet omits the table"},
    {{"dry-run", "checksum"}, NULL, "a dry run solves nothing"},
    {{"dry-run", "json"}, NULL, "a dry run solves nothing"},
    {{"dry-run", "timeline"}, NULL, "a dry run solves nothing"},
    {{"dry-run", "write-solution"}, NULL, "a dry run solves nothing"},
    {{"dry-run", "ranks-table"}, NULL, "a dry run measures nothing"},
    {{"solves", "min-time"}, NULL, "both set the number of timed solves"},
    {{"backend", "cpu-below"}, "cpu", "--backend cpu has all levels on the CPU"},
};
enum { EXCLUSIVE_PAIRS = sizeof exclusive / sizeof exclusive[0] };

/* The command line names an input file: reads the file into the defaults, then the command line
 * again. */
static enum status read_file(struct parser *p, int argc, char **argv)
{
    struct options *options = p->options;
    char *path = options->input;
    options->input = NULL;
    option_release(&options_list, options);
    option_set_defaults(&options_list, options);
    memset(p->seen, 0, sizeof p->seen);
    enum status status = parser_read_file(p, path);
    if (status == STATUS_VALID)
        status = parser_read(p, argc, argv);
    memory_free(path);
    return status;
}

static enum status check_positionals(struct parser *p)
{
    int from_command_line = 0;
    const struct option_row *missing = NULL;
    for (int i = options_list.count - 1; i >= 0; i--)
        if (options_list.rows[i].uses & OPTION_POSITIONAL) {
            from_command_line += (p->seen[i] & OPTION_COMMAND_LINE) != 0;
            if (!p->seen[i])
                missing = &options_list.rows[i];
        }
    if (missing)
        return parser_fail(p, "missing %s; usage: hpgmg-gpu [options] LOG2_BOX_DIM BOXES_PER_RANK",
                           missing->argument);
    if (from_command_line == 1)
        return parser_fail(
            p, "missing BOXES_PER_RANK; give both sizes on the command line, or none and "
               "both in the input file");
    return STATUS_VALID;
}

/* 0: not given, or with another value; 1: in the file; 2: on the command line, which wins. */
static int strength(const struct parser *p, const struct option_row *row, const char *value)
{
    char text[OPTION_TEXT_SIZE];
    const int seen = p->seen[row - options_list.rows];
    if (!seen || !option_is_chosen(row, p->options) ||
        (value && strcmp(option_text(row, p->options, text), value) != 0))
        return 0;
    return seen & OPTION_COMMAND_LINE ? 2 : 1;
}

/* Refuses contradicting pairs, unless one is in the file, which yields to the command line. */
static enum status check_exclusive(struct parser *p)
{
    for (int i = 0; i < EXCLUSIVE_PAIRS; i++) {
        const struct option_row *a =
            option_find(&options_list, exclusive[i].names[0], OPTION_COMMAND_LINE);
        const struct option_row *b =
            option_find(&options_list, exclusive[i].names[1], OPTION_COMMAND_LINE);
        const int of_a = strength(p, a, exclusive[i].value), of_b = strength(p, b, NULL);
        if (of_a == 0 || of_b == 0)
            continue;
        if (of_a == of_b)
            return parser_fail(p, "--%s and --%s contradict each other: %s", a->name, b->name,
                               exclusive[i].reason);
        option_reset(of_a < of_b ? a : b, p->options);
    }
    return STATUS_VALID;
}

/* A simulation is a dry run of other ranks. */
static enum status check_simulation(struct parser *p)
{
    const struct options *o = p->options;
    if (o->ranks > 0 && !o->dry_run)
        return parser_fail(p, "--ranks: needs --dry-run; to run on more ranks, start them by MPI");
    if (o->ranks == 0 && parser_was_given(p, "ranks-per-node"))
        return parser_fail(p, "--ranks-per-node: needs --ranks, the ranks of a simulated job");
    return STATUS_VALID;
}

static enum status check(struct parser *p)
{
    struct options *o = p->options;
    enum status status = check_positionals(p);
    if (status == STATUS_VALID && o->benchmark)
        status = rules_apply(p);
    if (status == STATUS_VALID)
        status = check_exclusive(p);
    if (status == STATUS_VALID)
        status = solver_options_check(p, &o->solver);
    if (status == STATUS_VALID)
        status = check_simulation(p);
    if (status == STATUS_VALID)
        status = parser_check_paths(p);
    return status;
}

static void keep_request_only(struct options *options)
{
    const struct options request = {
        .help = options->help, .version = options->version, .list_kernels = options->list_kernels};
    option_release(&options_list, options);
    *options = request;
}

enum status options_parse(struct options *options, int argc, char **argv, char *message,
                          int message_size)
{
    struct parser p = {.list = &options_list,
                       .options = options,
                       .message = message,
                       .message_size = message_size};
    option_set_defaults(&options_list, options);
    enum status status = parser_read(&p, argc, argv);
    if (status == STATUS_VALID && parser_has_request(&p)) {
        keep_request_only(options);
        return STATUS_VALID;
    }
    if (status == STATUS_VALID && options->input)
        status = read_file(&p, argc, argv);
    if (status == STATUS_VALID)
        status = check(&p);
    if (status != STATUS_VALID) {
        option_release(&options_list, options);
        message_make_one_line(message);
    }
    return status;
}

/* True if the option has no effect on this run. */
static bool is_idle(const struct option_row *row, const struct options *options)
{
    if (strcmp(row->name, "max-cycles") == 0)
        return !options_have_tolerance(&options->solver);
    return strcmp(row->name, "min-time") == 0 && options->solves > 0;
}

void options_visit(const struct options *options,
                   void (*visit)(void *data, const char *name, const char *value), void *data)
{
    char buffer[OPTION_TEXT_SIZE];
    for (int i = 0; i < options_list.count; i++) {
        const struct option_row *row = &options_list.rows[i];
        if ((row->uses & OPTION_SHAPES) && !is_idle(row, options))
            visit(data, row->name, option_text(row, options, buffer));
    }
}

const struct program_text options_program = {
    "hpgmg-gpu",
    "[options] LOG2_BOX_DIM BOXES_PER_RANK",
    "Times geometric multigrid solves in a box, and checks every answer.",
    "Input files have lines `key = value`; comments begin with `#`. Keys are option names without "
    "dashes, log2-box-dim and boxes-per-rank; flags are true or false.",
    "0 valid, 1 invalid, 2 usage, 3 environment, 4 memory, 5 system.",
};

void options_print_help(FILE *out)
{
    enum { WIDTH = 79 };
    const struct program_text *p = &options_program;
    fprintf(out, "Usage: %s %s\n%s\n\n", p->name, p->usage, p->summary);
    option_print_help(&options_list, out);
    fprintf(out, "\n");
    print_words(out, p->input_files, 0, 0, WIDTH);
    fprintf(out, "\nExit: %s\n", p->exit_statuses);
}
