/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/options.h"
#include "level/domain.h"
#include "solvers/size.h"
#include "solvers/solver.h"

static const struct choice domains[] = {{"cube", DOMAIN_CUBE}, {"exact", DOMAIN_EXACT}, {NULL, 0}};
static const struct choice thresholds[] = {{"never", CPU_BELOW_NEVER}, {NULL, 0}};
static const struct choice overlaps[] = {{"never", OVERLAP_NEVER}, {NULL, 0}};
static const struct choice problem_choices[] = {
    {"fv", PROBLEM_FV}, {"sine", PROBLEM_SINE}, {"p4", PROBLEM_P4}, {"p6", PROBLEM_P6}, {NULL, 0}};
static const struct choice cycles[] = {{"f", CYCLE_F}, {"v", CYCLE_V}, {"w", CYCLE_W}, {NULL, 0}};
static const struct choice solvers[] = {
    {"mg", OUTER_NONE}, {"idr", OUTER_IDR}, {"auto", OUTER_AUTO}, {NULL, 0}};
static const struct choice bottoms[] = {{"bicgstab", BOTTOM_METHOD_BICGSTAB},
                                        {"cg", BOTTOM_METHOD_CG},
                                        {"smooth", BOTTOM_METHOD_SMOOTH},
                                        {NULL, 0}};
static const struct choice transports[] = {{"auto", TRANSPORT_AUTO},
                                           {"peer", TRANSPORT_PEER},
                                           {"cuda-aware", TRANSPORT_CUDA_AWARE},
                                           {"staged", TRANSPORT_STAGED},
                                           {NULL, 0}};
static const struct choice loops[] = {{"tiled", LOOPS_TILED}, {"plain", LOOPS_PLAIN}, {NULL, 0}};
static const struct choice fuses[] = {{"on", FUSE_ON}, {"off", FUSE_OFF}, {NULL, 0}};

#define AT(member) .offset = offsetof(struct options, member)
#define ANYWHERE (OPTION_COMMAND_LINE | OPTION_FILE)
#define SIZE(type, member)                                                                         \
    .kind = (type), AT(member), .uses = OPTION_POSITIONAL | OPTION_FILE | OPTION_SHAPES
#define CHOICE(member, list, first)                                                                \
    .kind = OPTION_CHOICE, AT(member), .uses = ANYWHERE | OPTION_SHAPES, .choices = (list),        \
    .initial = (first)
#define SIDES(member, first)                                                                       \
    .kind = OPTION_SIDES, AT(member), .uses = ANYWHERE | OPTION_SHAPES,                            \
    .choices = boundary_choices, .initial = (first)
#define NUMBER(type, member, first)                                                                \
    .kind = (type), AT(member), .uses = ANYWHERE | OPTION_SHAPES, .initial = (first)
#define FLAG(member) .kind = OPTION_FLAG, AT(member), .uses = ANYWHERE, .unset = "false"
#define REQUEST(member)                                                                            \
    .kind = OPTION_FLAG, AT(member), .uses = OPTION_COMMAND_LINE | OPTION_REQUEST, .unset = "false"
#define PATH(member) .kind = OPTION_PATH, AT(member), .unset = ""

/* One or two lines per row, not one per member. */
/* clang-format off */
static const struct option_row option_table[] = {
    {.name = "log2-box-dim", SIZE(OPTION_INT, log2_box_dim), .minimum = 2, .maximum = 10,
     .argument = "LOG2_BOX_DIM", .help = "cells per box side: 2^LOG2_BOX_DIM, 2 to 10"},
    {.name = "boxes-per-rank", SIZE(OPTION_LONG, boxes_per_rank), .minimum = 1, .maximum = 1e6,
     .argument = "BOXES_PER_RANK", .help = "at most; see --domain"},

    {.name = "domain", .kind = OPTION_BOXES, AT(domain), .uses = ANYWHERE | OPTION_SHAPES,
     .choices = domains, .initial = "cube", .minimum = 1, .maximum = MAX_DIM,
     .argument = "cube|exact|IxJxK", .help = "boxes by direction"},
    {.name = "order", CHOICE(order, order_choices, "2"), .help = "order of the discretisation"},
    {.name = "equation", CHOICE(equation, equation_choices, "poisson"),
     .help = "-div(beta grad u) = f, or + alpha u"},
    {.name = "boundary", SIDES(boundary, "dirichlet"),
     .help = "all sides, or i,j,k, or low/high,..."},
    {.name = "coefficients", CHOICE(coefficients, coefficient_choices, "variable"),
     .help = "stored alpha and beta, or alpha = beta = 1"},
    {.name = "problem", CHOICE(problem, problem_choices, "fv"),
     .help = "model problem; u is known for all but fv"},
    {.name = "smoother", CHOICE(smoother, smoother_choices, "gsrb"), .help = "of all levels but the coarsest"},
    {.name = "sweeps", .kind = OPTION_PAIR, AT(sweeps), .uses = ANYWHERE | OPTION_SHAPES, .initial = "auto",
     .unset = "auto", .minimum = 0, .maximum = 100, .argument = "PRE,POST",
     .help = "sweeps; auto: 3,3 of gsrb, else 6,6"},
    {.name = "weight", NUMBER(OPTION_REAL, weight, "auto"), .unset = "auto", .minimum = 0, .maximum = 2,
     .argument = "W", .help = "of gsrb, jacobi or l1jacobi"},
    {.name = "levels", NUMBER(OPTION_INT, levels, "all"), .unset = "all", .minimum = 1, .maximum = 32,
     .argument = "N", .help = "grid levels at most"},
    {.name = "cycle", CHOICE(cycle, cycles, "f"),
     .help = "F-cycle, or V- or W-cycles from 0"},
    {.name = "rtol", NUMBER(OPTION_REAL, rtol, "none"), .unset = "none", .minimum = 0, .maximum = 1,
     .argument = "R",
     .help = "relative residual to reach"},
    {.name = "atol", NUMBER(OPTION_REAL, atol, "none"), .unset = "none", .minimum = 0, .maximum = 1e300,
     .argument = "A", .help = "or residual to reach, max norm"},
    {.name = "max-cycles", NUMBER(OPTION_INT, max_cycles, "100"), .minimum = 1, .maximum = MAX_CYCLES,
     .argument = "N", .help = "maximum of V-cycles"},
    {.name = "solver", CHOICE(solver, solvers, "mg"),
     .help = "multigrid; IDR(3) around it, or where slow"},
    {.name = "bottom", CHOICE(bottom, bottoms, "bicgstab"), .help = "solver on the coarsest level"},
    {.name = "backend", CHOICE(backend, backend_choices, "auto"), .help = "where levels live; auto prefers GPUs"},
    {.name = "cpu-below", .only_gpus = true, NUMBER(OPTION_LONG, cpu_below, "auto"), .unset = "auto",
     .choices = thresholds, .minimum = 1, .maximum = 1e12, .argument = "N|never",
     .help = "keep levels below N cells on the CPU"},
    {.name = "agglomerate-below", NUMBER(OPTION_LONG, agglomerate_below, "auto"), .unset = "auto",
     .choices = thresholds, .minimum = 1, .maximum = 1e12, .argument = "N|never",
     .help = "merge 2x2x2 boxes while below N cells"},
    {.name = "transport", .only_gpus = true, CHOICE(transport, transports, "auto"),
     .help = "messages between GPUs"},
    {.name = "overlap-above", .only_gpus = true, NUMBER(OPTION_LONG, overlap_above, "auto"), .unset = "auto",
     .choices = overlaps, .minimum = 1, .maximum = 1e12, .argument = "N|never",
     .help = "overlap halos from N cells per GPU on"},
    {.name = "kernels", .only_gpus = true, .kind = OPTION_NAMES, AT(kernels), .unset = "default",
     .uses = ANYWHERE | OPTION_SHAPES, .argument = "LIST",
     .help = "GPU kernels to use, in this order"},
    {.name = "loops", CHOICE(loops, loops, "tiled"), .help = "loops of the CPU backend"},
    {.name = "fuse", CHOICE(fuse, fuses, "on"), .help = "fuse operations, or run them one by one"},
    {.name = "solves", NUMBER(OPTION_LONG, solves, "auto"), .unset = "auto", .minimum = 1,
     .maximum = 1e6, .argument = "N",
     .help = "timed solves per size"},
    {.name = "min-time", NUMBER(OPTION_REAL, min_time, "2"), .minimum = 0, .maximum = 1e6,
     .argument = "SECONDS", .help = "time per size, at least 10 solves"},

    {.name = "benchmark", .kind = OPTION_FLAG, AT(benchmark), .uses = ANYWHERE | OPTION_SHAPES, .unset = "false",
     .help = "the run whose score is official"},
    {.name = "json", PATH(json), .uses = ANYWHERE, .argument = "FILE",
     .help = "also write the report to FILE as JSON"},
    {.name = "timeline", PATH(timeline), .uses = ANYWHERE, .argument = "FILE",
     .help = "write a trace of one solve to FILE"},
    {.name = "write-solution", PATH(write_solution), .uses = ANYWHERE, .argument = "FILE",
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
    {.name = "input", PATH(input), .uses = OPTION_COMMAND_LINE, .argument = "FILE",
     .help = "read options from FILE; command line wins"},
    {.name = "help", REQUEST(help), .help = "print this text"},
    {.name = "list-kernels", REQUEST(list_kernels), .help = "print all GPU kernels"},
    {.name = "version", REQUEST(version), .help = "print version and build"},
};
/* clang-format on */
const struct option_list options_list = {option_table, sizeof option_table / sizeof option_table[0],
                                         sizeof(struct options)};
_Static_assert(sizeof option_table / sizeof option_table[0] <= MAX_OPTIONS, "raise MAX_OPTIONS");
