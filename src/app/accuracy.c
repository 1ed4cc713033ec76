/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/accuracy.h"
#include <math.h>
#include "operators/problem.h"

/* Columns of the record: the converged solution, then one F-cycle per smoother. */
enum { CONVERGED, F_GSRB, F_CHEBYSHEV, F_JACOBI, F_L1JACOBI, NUM_COLUMNS };
enum { DIRICHLET, PERIODIC };
enum { CONSTANT, VARIABLE };

/* Errors are interpolated between two sizes only if their observed order is at least this fraction
 * of the theoretical one: coarser grids are not yet in the asymptotic range. */
#define MIN_ORDER 0.65

struct entry {
    double error, order; /* error 0: not on record */
};

/* [problem][order / 2 − 1][periodic][equation][variable][column][size] */
static const struct entry record[PROBLEM_COUNT][2][2][NUM_EQUATIONS][2][NUM_COLUMNS]
                                [ACCURACY_SIZES] = {
#define RECORD(problem, order, boundary, equation, coefficients, column, ...)                      \
    [PROBLEM_##problem][(order) / 2 - 1][boundary][EQUATION_##equation][coefficients][column] = {  \
        __VA_ARGS__},
#include "app/accuracy_record.def"
#undef RECORD
};

static double interpolate(double x, double a, double b)
{
    return a + x * (b - a);
}

/* Beyond the largest recorded size. */
static struct accuracy extrapolate(struct entry last, double refinements, int order)
{
    return (struct accuracy){last.error * exp2(-order * refinements), last.order, false};
}

static bool look_up(const struct entry *row, int order, int dim, struct accuracy *known)
{
    const double size = log2((double)dim / ACCURACY_SMALLEST), whole = floor(size);
    int last = ACCURACY_SIZES - 1;
    while (last >= 0 && row[last].error == 0.0)
        last--;
    if (dim < ACCURACY_SMALLEST || last < 0)
        return false;
    if (size > last) {
        *known = extrapolate(row[last], size - last, order);
        return true;
    }
    const struct entry *below = &row[(int)whole], *above = whole < size ? below + 1 : below;
    if (whole < size && !(log2(below->error / above->error) >= MIN_ORDER * order))
        return false;
    *known = (struct accuracy){
        .error = exp2(interpolate(size - whole, log2(below->error), log2(above->error))),
        .order = interpolate(size - whole, below->order, above->order),
        .recorded = above == below};
    return true;
}

static bool find(struct operator_choice op, int problem, int column, int dim,
                 struct accuracy *known)
{
    const int order = problems[problem].exact ? 2 : op.order;
    const bool periodic = sides_are(&op.sides, BOUNDARY_PERIODIC);
    if (column >= NUM_COLUMNS || !(periodic || sides_are(&op.sides, BOUNDARY_DIRICHLET)))
        return false;
    return look_up(record[problem][op.order / 2 - 1][periodic][op.equation][op.variable][column],
                   order, dim, known);
}

bool accuracy_converged(struct operator_choice op, int problem, int dim, struct accuracy *known)
{
    return find(op, problem, CONVERGED, dim, known);
}

bool accuracy_f_cycle(struct operator_choice op, int problem, int dim, struct accuracy *known)
{
    return find(op, problem, F_GSRB + (int)op.smoother, dim, known);
}
