/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on every combination of problem, order, boundary, equation, coefficients, smoother,
 * cycle and bottom solver: none that is right is INVALID, and none that is wrong is VALID unless it
 * says that accuracy was not checked. What is right is decided without the record of errors: the
 * residual is what was asked for, and the error is near that of the converged solution, which is
 * computed here.
 *     slow_verdict_test [DIM...]
 * tries these sizes; without arguments 16, 24, 32, 48 and 64 cells per side. On a GPU if there is
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "app/benchmark.h"
#include "app/verdict.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "operators/problem.h"

/* An error of at most so many times the converged solution's is right: one F-cycle with the weakest
 * smoother leaves up to 2.4 times as much. */
#define RIGHT 3.0

enum { ALL_BOTTOMS_BELOW = 64 }; /* larger levels take the bottom solvers in turn */
enum { NUM_SOLVERS = 4 };

static struct {
    long runs, unchecked, invalid, wrongly_invalid, wrongly_valid;
} counts;

static struct record *run(const struct options *o)
{
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(o, cuda_device() != NULL);
    struct hierarchy *h = hierarchy_create(&choice);
    struct record *b = record_create(o, h);
    benchmark_run(b, h, o);
    hierarchy_destroy(h);
    return b;
}

static double error_of(const struct record *b, const struct options *o)
{
    return problems[o->problem].exact ? b->sizes[0].true_error : b->richardson_error;
}

static double converged_error(const struct options *options)
{
    struct options o = *options;
    o.solver.cycle = CYCLE_F;
    o.solver.outer = OUTER_NONE;
    o.solver.bottom = BOTTOM_METHOD_BICGSTAB;
    o.solver.smoother = SMOOTHER_GSRB;
    o.solver.rtol = 1e-10;
    struct record *b = run(&o);
    const double error = error_of(b, &o);
    record_destroy(b);
    return error;
}

static void report(const char *what, const struct options *o, const struct record *b, double ratio)
{
    char text[VERDICT_SIZE];
    printf("%s: --order %d --equation %s --boundary %s --coefficients %s --problem %s --smoother "
           "%s --cycle %s --solver %s --bottom %s --rtol %g, %d^3: error %.3f of the converged "
           "one: %s\n",
           what, o->solver.order, equation_choices[o->solver.equation].name,
           boundary_choices[o->solver.boundary[0]].name,
           coefficient_choices[o->solver.coefficients].name, problems[o->problem].name,
           smoother_choices[o->solver.smoother].name, o->solver.cycle == CYCLE_F ? "f" : "v",
           o->solver.outer == OUTER_NONE ? "mg" : "idr",
           (const char *[]){"bicgstab", "cg", "smooth"}[o->solver.bottom], o->solver.rtol,
           b->sizes[0].n[0], ratio, verdict_text(&b->verdict, text, sizeof text));
    fflush(stdout);
}

static bool residuals_are_right(const struct record *b, const struct options *o)
{
    for (int s = 0; s < b->nsizes; s++) {
        const struct solve_result *r = &b->sizes[s].solve;
        if (!size_is_trivial(b, &b->sizes[s]) &&
            (r->outcome != OUTCOME_DONE ||
             (o->solver.rtol > 0.0 && !(r->history[r->cycles - 1] < o->solver.rtol))))
            return false;
    }
    return true;
}

static void check(const struct options *o, double converged)
{
    struct record *b = run(o);
    const struct verdict *v = &b->verdict;
    const double ratio = error_of(b, o) / converged;
    const bool right = residuals_are_right(b, o) && (b->nsizes < SOLVED_LEVELS || ratio <= RIGHT);
    counts.runs++;
    counts.invalid += !v->valid;
    counts.unchecked += v->valid && !v->accuracy_checked;
    if (right && !v->valid) {
        counts.wrongly_invalid++;
        report("INVALID though right", o, b, ratio);
    } else if (!right && v->valid && v->accuracy_checked) {
        counts.wrongly_valid++;
        report("VALID though wrong", o, b, ratio);
    }
    record_destroy(b);
}

/* Options number `code`: problem, order, boundary, equation, coefficients. */
static struct options problem_number(int code, int dim)
{
    struct options o;
    option_set_defaults(&options_list, &o);
    o.log2_box_dim = 0;
    while (dim % (2 << o.log2_box_dim) == 0)
        o.log2_box_dim++;
    const long boxes_per_side = dim >> o.log2_box_dim;
    o.boxes_per_rank = boxes_per_side * boxes_per_side * boxes_per_side;
    o.problem = code >> 4;
    o.solver.order = code & 8 ? 4 : 2;
    for (int side = 0; side < 6; side++)
        o.solver.boundary[side] = code & 4 ? BOUNDARY_PERIODIC : BOUNDARY_DIRICHLET;
    o.solver.equation = code >> 1 & 1;
    o.solver.coefficients = code & 1;
    o.solves = 1;
    o.quiet = true;
    o.solver.cpu_below = BELOW_NEVER;
    o.solver.agglomerate_below = BELOW_NEVER;
    return o;
}

static void check_problem(int code, int dim)
{
    static const struct {
        int cycle, solver;
        double rtol;
    } solvers[NUM_SOLVERS] = {{CYCLE_F, OUTER_NONE, 0.0},
                              {CYCLE_F, OUTER_NONE, 1e-8},
                              {CYCLE_V, OUTER_NONE, 1e-9},
                              {CYCLE_F, OUTER_IDR, 1e-9}};
    struct options o = problem_number(code, dim);
    const double converged = converged_error(&o);
    for (int n = 0; n < 3 * 4 * NUM_SOLVERS; n++) {
        const int solver = n & 3;
        o.solver.smoother = n >> 2 & 3;
        o.solver.bottom = n >> 4;
        o.solver.cycle = solvers[solver].cycle;
        o.solver.outer = solvers[solver].solver;
        o.solver.rtol = solvers[solver].rtol;
        if (dim < ALL_BOTTOMS_BELOW || (code + solver + o.solver.smoother) % 3 == o.solver.bottom)
            check(&o, converged);
    }
}

int main(int argc, char **argv)
{
    static const int dims[] = {16, 24, 32, 48, 64};
    char message[256];
    comm_start(&argc, &argv);
    cuda_open(0, message, sizeof message);
    for (int code = 0; code < 16 * PROBLEM_COUNT; code++) {
        for (int i = 0; argc == 1 && i < (int)(sizeof dims / sizeof dims[0]); i++)
            check_problem(code, dims[i]);
        for (int i = 1; i < argc; i++)
            check_problem(code, atoi(argv[i]));
    }
    printf(
        "%ld runs, %ld INVALID, %ld VALID without a check of accuracy; %ld INVALID though right, "
        "%ld VALID though wrong\n",
        counts.runs, counts.invalid, counts.unchecked, counts.wrongly_invalid,
        counts.wrongly_valid);
    cuda_close();
    comm_finish();
    return counts.wrongly_invalid + counts.wrongly_valid > 0 || memory_live_blocks() != 0;
}
