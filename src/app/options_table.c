/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/options.h"
#include "cli/option_rows.h"
#include "level/domain.h"
#include "solvers/size.h"

static const struct choice domains[] = {{"cube", DOMAIN_CUBE}, {"exact", DOMAIN_EXACT}, {NULL, 0}};
static const struct choice problem_choices[] = {
    {"fv", PROBLEM_FV}, {"sine", PROBLEM_SINE}, {"p4", PROBLEM_P4}, {"p6", PROBLEM_P6}, {NULL, 0}};

#define AT(member) .offset = offsetof(struct options, member)
#define SIZE(type, member)                                                                         \
    .kind = (type), AT(member), .uses = OPTION_POSITIONAL | OPTION_FILE | OPTION_SHAPES

/* One or two lines per row, not one per member. */
/* clang-format off */
static const struct option_row option_table[] = {
    {.name = "log2-box-dim", SIZE(OPTION_INT, log2_box_dim), .minimum = 2, .maximum = 10,
     .argument = "LOG2_BOX_DIM", .help = "cells per box side: 2^LOG2_BOX_DIM, 2 to 10"},
    {.name = "boxes-per-rank", SIZE(OPTION_LONG, boxes_per_rank), .minimum = 1, .maximum = 1e6,
     .argument = "BOXES_PER_RANK", .help = "at most; see --domain"},

    {.name = "domain", NUMBER(OPTION_TRIPLE, domain, "cube"), .choices = domains, .minimum = 1, .maximum = MAX_DIM,
     .argument = "cube|exact|IxJxK", .help = "boxes by direction"},
    {.name = "lengths", NUMBER(OPTION_REALS, lengths, "cubes"), .unset = "cubes", .minimum = 0, .maximum = 1e6,
     .argument = "LX,LY,LZ", .help = "of the domain; cubes: cells are cubes"},
    {.name = "problem", CHOICE(problem, problem_choices, "fv"),
     .help = "model problem; u is known for all but fv"},

#undef AT
#define AT(member) .offset = offsetof(struct options, solver.member)
#include "config/solver_options.def"
#undef AT
#define AT(member) .offset = offsetof(struct options, member)

    {.name = "solves", NUMBER(OPTION_LONG, solves, "auto"), .unset = "auto", .minimum = 1,
     .maximum = 1e6, .argument = "N",
     .help = "timed solves per size"},
    {.name = "min-time", NUMBER(OPTION_REAL, min_time, "2"), .minimum = 0, .maximum = 1e6,
     .argument = "SECONDS", .help = "time per size, at least 10 solves"},

    {.name = "benchmark", .kind = OPTION_FLAG, AT(benchmark), SHAPES, .unset = "false",
     .help = "the run whose score is official"},
    {.name = "json", PATH(json), .uses = ANYWHERE,
     .help = "also write the report to FILE as JSON"},
    {.name = "timeline", PATH(timeline), .uses = ANYWHERE,
     .help = "write a trace of one solve to FILE"},
    {.name = "write-solution", PATH(write_solution), .uses = ANYWHERE,
     .help = "write u and f on h to FILE, for VTK"},
    {.name = "breakdown", FLAG(breakdown), .help = "print time by level and stage for all sizes"},
    {.name = "ranks-table", FLAG(ranks_table), .help = "print where each rank is and its rates"},
    {.name = "show-cycle", FLAG(show_cycle), .help = "print the stages of the cycle"},
    {.name = "checksum", FLAG(checksum), .help = "print a hash of the solution's bits"},
    {.name = "quiet", FLAG(quiet), .help = "print results and verdict only"},
    {.name = "dry-run", FLAG(dry_run), .help = "print levels and memory; solve nothing"},
    {.name = "ranks", .kind = OPTION_INT, AT(ranks), .uses = ANYWHERE, .initial = "none",
     .unset = "none", .minimum = 1, .maximum = MAX_SIMULATED_RANKS, .argument = "P",
     .help = "with --dry-run: simulate P ranks"},
    {.name = "ranks-per-node", .kind = OPTION_INT, AT(ranks_per_node), .uses = ANYWHERE,
     .initial = "1", .minimum = 1, .maximum = MAX_SIMULATED_RANKS, .argument = "Q",
     .help = "of the simulated job"},
    {.name = "input", PATH(input), .uses = OPTION_COMMAND_LINE,
     .help = "read options from FILE; command line wins"},
    {.name = "help", REQUEST(help), .help = "print this text"},
    {.name = "list-kernels", REQUEST(list_kernels), .help = "print all GPU kernels"},
    {.name = "version", REQUEST(version), .help = "print version and build"},
};
/* clang-format on */
const struct option_list options_list = {option_table, sizeof option_table / sizeof option_table[0],
                                         sizeof(struct options)};
_Static_assert(sizeof option_table / sizeof option_table[0] <= MAX_OPTIONS, "raise MAX_OPTIONS");
