/* SPDX-License-Identifier: BSD-3-Clause */
/* One answer: for a problem of N³ cells, the solution on h, every residual on h, 2h and 4h and the
 * Richardson error are bitwise identical for any boxes, ranks, threads and loops, fused or not. One
 * box of N³ cells is on one rank for up to 7 ranks, so each run compares its ranks with one rank.
 * one_answer.sh compares 8 ranks with one. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "support/sides.h"
#include "support/solve_case.h"

/* Layouts of the same domain. Results of the first possible one are compared with the others. */
static const struct layout {
    int log2_box_dim, threads;
    bool plain; /* loops */
    bool unfused;
} layouts[] = {
    {6, 1, false, false}, {6, 2, false, false}, {6, 4, true, false},  {5, 1, false, false},
    {5, 4, false, true},  {4, 1, false, false}, {4, 1, true, true},   {4, 2, false, false},
    {3, 1, false, true},  {3, 2, true, false},  {2, 1, false, false}, {2, 4, false, true},
};
enum { NUM_LAYOUTS = sizeof layouts / sizeof layouts[0] };

struct task {
    int n[3];
    struct hierarchy_choice choice; /* but for the boxes */
    struct solver_choice solver;
    unsigned outcomes; /* that the solves may have: bits ends_by() */
};

static struct {
    long compared, failed;
} counts;

static unsigned ends_by(enum outcome outcome)
{
    return 1u << outcome;
}

/* Sets the boxes so that the domain has the task's cells. False if impossible. */
static bool choose_boxes(const struct task *t, const struct layout *layout,
                         struct hierarchy_choice *choice)
{
    const int ranks = comm_size();
    long boxes = 1;
    *choice = t->choice;
    for (int d = 0; d < 3; d++) {
        choice->domain.boxes[d] = t->n[d] >> layout->log2_box_dim;
        boxes *= choice->domain.boxes[d];
        if (choice->domain.boxes[d] << layout->log2_box_dim != t->n[d])
            return false;
    }
    choice->log2_box_dim = layout->log2_box_dim;
    choice->boxes_per_rank = (boxes + ranks - 1) / ranks;
    choice->placement.backend = layout->plain ? &backend_cpu_plain : &backend_cpu;
    choice->unfused = layout->unfused;
    if (!extent_is_cube(t->n))
        return boxes >= ranks;
    const int side = choice->domain.boxes[0]; /* as the program does by default */
    choice->domain = (struct domain_choice){{DOMAIN_CUBE}};
    return domain_cube_side(choice->boxes_per_rank * ranks) == side;
}

static bool same_bits(const double *a, const double *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_result(const struct case_result *a, const struct case_result *b)
{
    bool same = a->checksum == b->checksum && a->nsizes == b->nsizes &&
                same_bits(&a->richardson_error, &b->richardson_error, 1) &&
                same_bits(&a->richardson_order, &b->richardson_order, 1);
    for (int s = 0; same && s < a->nsizes; s++) {
        const struct solve_result *x = &a->solves[s], *y = &b->solves[s];
        same = x->outcome == y->outcome && x->cycles == y->cycles &&
               same_bits(x->history, y->history, x->cycles);
    }
    return same;
}

/* A comparison counts only if both solves succeeded. */
static bool is_answer(const struct task *t, const struct case_result *r)
{
    bool good = r->nsizes == SOLVED_LEVELS && isfinite(r->richardson_error) &&
                isfinite(r->richardson_order);
    for (int s = 0; s < r->nsizes; s++) {
        const struct solve_result *solve = &r->solves[s];
        good = good && (t->outcomes & ends_by(solve->outcome)) && solve->cycles > 0;
        for (int c = 0; c < solve->cycles; c++)
            good = good && isfinite(solve->history[c]);
    }
    return good;
}

static void print_task(const struct task *t, const struct layout *layout)
{
    const struct operator_choice *op = &t->choice.op;
    printf("%s, order %d, helmholtz %d, variable %d, periodic %d, smoother %d, problem %d, bottom "
           "%d, outer %d, rtol %g, single above %g: boxes of %d³ on %d ranks, %d threads, %s "
           "loops%s: ",
           extent_format(t->n).of, op->order, op->equation, op->variable, sides_wrap(&op->sides, 0),
           op->smoother, t->choice.problem, t->choice.bottom, t->solver.outer, t->solver.rtol,
           t->choice.single_above, 1 << layout->log2_box_dim, comm_size(), layout->threads,
           layout->plain ? "plain" : "tiled", layout->unfused ? ", not fused" : "");
}

static void print_outcomes(const struct case_result *r)
{
    printf("no answer:");
    for (int s = 0; s < r->nsizes; s++)
        printf(" %s,", outcome_text(r->solves[s].outcome));
    printf(" Richardson error %g, order %g\n", r->richardson_error, r->richardson_order);
}

static void compare(const struct task *t, const struct layout *layout,
                    const struct case_result *got, const struct case_result *wanted)
{
    const bool answers = is_answer(t, got) && is_answer(t, wanted);
    counts.compared += answers;
    if (answers && same_result(got, wanted))
        return;
    counts.failed++;
    print_task(t, layout);
    if (answers)
        printf("checksum %016llx instead of %016llx\n", (unsigned long long)got->checksum,
               (unsigned long long)wanted->checksum);
    else
        print_outcomes(got);
}

/* Rank 0 has boxes on every level, and compares. */
static void check(const struct task *t)
{
    static struct case_result wanted, got;
    bool have = false;
    for (int i = 0; i < NUM_LAYOUTS; i++) {
        struct hierarchy_choice choice;
        if (!choose_boxes(t, &layouts[i], &choice))
            continue;
        omp_set_num_threads(layouts[i].threads);
        case_run(&choice, t->solver, have ? &got : &wanted);
        if (have && comm_rank() == 0)
            compare(t, &layouts[i], &got, &wanted);
        have = true;
    }
}

static const struct solver_choice one_f_cycle = {.f_cycle = true};

/* Number `code` of 64: every order, equation, coefficient, boundary and smoother. */
static struct operator_choice operator_number(int code)
{
    const struct operator_choice op = {.order = code & 1 ? 4 : 2,
                                       .sides = sides_if(code & 2),
                                       .equation = (code & 4) != 0,
                                       .variable = (code & 8) == 0,
                                       .smoother = (enum smoother)(code >> 4)};
    return op;
}

static void check_operators(int i, int j, int k, int first, int step)
{
    for (int code = first; code < 64; code += step)
        check(&(struct task){
            {i, j, k}, {.op = operator_number(code)}, one_f_cycle, ends_by(OUTCOME_DONE)});
}

/* Problems, bottom solvers and solvers, on both orders and boundaries. Each reaches its tolerance,
 * except one whose tolerance is below the rounding errors. */
static void check_solvers(int i, int j, int k)
{
    static const struct {
        int problem;
        enum bottom_method bottom;
        struct solver_choice solver;
        bool reaches_rtol;
    } table[] = {
        {1, BOTTOM_METHOD_CG, {.f_cycle = true, .rtol = 1e-6, .max_cycles = 8}, true},
        {2, BOTTOM_METHOD_SMOOTH, {.rtol = 1e-6, .max_cycles = 8}, true},
        {0, BOTTOM_METHOD_BICGSTAB, {.f_cycle = true, .rtol = 1e-30, .max_cycles = 12}, false},
        {0, BOTTOM_METHOD_BICGSTAB, {.outer = OUTER_IDR, .rtol = 1e-8, .max_cycles = 30}, true},
        {2, BOTTOM_METHOD_CG, {.outer = OUTER_IDR, .rtol = 1e-8, .max_cycles = 30}, true},
        {0, BOTTOM_METHOD_BICGSTAB, {.outer = OUTER_AUTO, .rtol = 1e-12, .max_cycles = 30}, true},
    };
    for (size_t row = 0; row < sizeof table / sizeof table[0]; row++)
        for (int code = 0; code < 4; code++) {
            const struct task task = {{i, j, k},
                                      {.op = operator_number(code),
                                       .problem = table[row].problem,
                                       .bottom = table[row].bottom,
                                       .outer_fields = table[row].solver.outer == OUTER_IDR},
                                      table[row].solver,
                                      table[row].reaches_rtol
                                          ? ends_by(OUTCOME_DONE)
                                          : ends_by(OUTCOME_LIMIT) | ends_by(OUTCOME_ROUNDING)};
            check(&task);
        }
}

/* Walls by direction and side. */
static void check_walls(int i, int j, int k)
{
    static const struct sides sides[] = {
        SIDES_ALL(BOUNDARY_NEUMANN),
        {{{BOUNDARY_PERIODIC, BOUNDARY_PERIODIC},
          {BOUNDARY_NEUMANN, BOUNDARY_DIRICHLET},
          {BOUNDARY_NEUMANN, BOUNDARY_NEUMANN}}},
        {{{BOUNDARY_DIRICHLET, BOUNDARY_NEUMANN},
          {BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET},
          {BOUNDARY_PERIODIC, BOUNDARY_PERIODIC}}},
    };
    for (int code = 0; code < 64; code += 3) {
        struct task task = {
            {i, j, k}, {.op = operator_number(code)}, one_f_cycle, ends_by(OUTCOME_DONE)};
        task.choice.op.sides = sides[code / 3 % 3];
        check(&task);
    }
}

/* Corrections in single precision on levels of more than 4³ cells, in one cycle or in three. */
static void check_mixed(int i, int j, int k, int first, int step)
{
    static const struct solver_choice three = {.f_cycle = true, .rtol = 1e-30, .max_cycles = 3};
    for (int code = first; code < 64; code += step)
        check(&(struct task){{i, j, k},
                             {.op = operator_number(code), .single_above = 64.0},
                             code / step % 2 ? three : one_f_cycle,
                             ends_by(code / step % 2 ? OUTCOME_LIMIT : OUTCOME_DONE)});
}

/* Cells that are no cubes; long ones are coarsened in one direction or two. */
static void check_lengths(int i, int j, int k, int first, int step)
{
    static const double lengths[][3] = {{1.0, 0.7, 1.9}, {1.0, 0.1, 1.9}, {0.05, 1.0, 0.3}};
    for (int code = first; code < 64; code += step) {
        struct operator_choice op = operator_number(code);
        operator_set_lengths(&op, lengths[code % 3]);
        check(&(struct task){{i, j, k}, {.op = op}, one_f_cycle, ends_by(OUTCOME_DONE)});
    }
}

int main(int argc, char **argv)
{
    comm_start(&argc, &argv);
    check_operators(16, 16, 16, 0, 1);
    check_mixed(16, 16, 16, 0, 3);
    check_mixed(32, 16, 16, 1, 9);
    check_lengths(16, 16, 16, 0, 5);
    check_lengths(16, 32, 8, 1, 7);
    check_operators(12, 12, 12, 1, 5);
    check_operators(24, 24, 24, 2, 5);
    check_operators(20, 20, 20, 3, 9);
    check_operators(32, 32, 32, 0, 13);
    check_operators(48, 48, 48, 1, 33);
    check_operators(64, 64, 64, 0, 35);
    check_operators(32, 16, 16, 0, 7);
    check_operators(16, 48, 32, 1, 21);
    check_operators(8, 12, 28, 2, 9);
    check_operators(64, 8, 16, 3, 25);
    check_walls(16, 16, 16);
    check_walls(32, 8, 24);
    check_walls(12, 12, 12);
    check_solvers(16, 16, 16);
    check_solvers(24, 24, 24);
    check_solvers(16, 32, 24);
    if (comm_rank() == 0)
        printf("%ld compared, %ld differ\n", counts.compared, counts.failed);
    comm_broadcast(MPI_COMM_WORLD, &counts, sizeof counts);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return counts.failed != 0 || counts.compared < 100 || leak;
}
