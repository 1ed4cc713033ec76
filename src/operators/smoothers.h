/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_SMOOTHERS_H
#define OPERATORS_SMOOTHERS_H
/* Residual and updates (NUMERICS, Smoothers). `sum` is the operator's sum S, `scale` the factor
 * b/h² or b/(12h²) before it. */
#include <stdbool.h>
#include "operators/formula.h"

typedef double rhs_fn(double f, double alpha, double u);

/* f − aαu: poisson, helmholtz with stored α, helmholtz with α = 1. */
FORMULA double rhs_poisson(double f, double alpha, double u)
{
    (void)alpha;
    (void)u;
    return f;
}

FORMULA double rhs_helmholtz(double f, double alpha, double u)
{
    return fma(-alpha, u, f);
}

FORMULA double rhs_helmholtz_unit(double f, double alpha, double u)
{
    (void)alpha;
    return f - u;
}

/* f − A u from f − aαu. */
FORMULA double residual_value(double rhs, double scale, double sum)
{
    return fma(scale, sum, rhs);
}

/* Whether a sweep of this colour updates the cell with this sum of global indices, or of local ones
 * if `colour` includes the parity of the patch. Not bool: gcc 12 does not vectorise a loop that
 * selects by an inlined function's bool. */
FORMULA int has_colour(long index_sum, long colour)
{
    return ((index_sum + colour) & 1) == 0;
}

/* u + w·D⁻¹r. A weight of 1 changes no bit of D⁻¹. Callers may multiply w·D⁻¹ beforehand. */
FORMULA double update_weighted(double u, double dinv, double r, double weight)
{
    return fma(weight * dinv, r, u);
}

/* The same where u is 0 everywhere, so that r = f. The result is bitwise that of update_weighted: a
 * sum of zeros of any sign changes neither f nor a term added to +0. */
FORMULA double relax_zero(double dinv, double f, double weight)
{
    return update_weighted(0.0, dinv, f, weight);
}

/* Two steps: u_n + c1(u_n − u_{n−1}) + w·D⁻¹r. */
FORMULA double update_two_step(double u, double previous, double dinv, double r, double weight,
                               double c1)
{
    return fma(weight * dinv, r, fma(c1, u - previous, u));
}

/* The updates that sweeps may do. `before` is the cell's value one sweep earlier. */
enum update { UPDATE_WEIGHTED, UPDATE_TWO_STEP, NUM_UPDATES };

FORMULA double updated_value(int update, double u, double before, double dinv, double r,
                             double weight, double c1)
{
    return update == UPDATE_TWO_STEP ? update_two_step(u, before, dinv, r, weight, c1)
                                     : update_weighted(u, dinv, r, weight);
}

#endif
