/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Residual and updates (NUMERICS, Smoothers). `sum` is the operator's sum S, `scale` the factor
 * b/h² or b/(12h²) before it. */
#include <stdbool.h>
#include "operators/formula.h"

typedef real rhs_fn(real f, real alpha, real u);

/* f − aαu: poisson, helmholtz with stored α, helmholtz with α = 1. */
FORMULA real rhs_poisson(real f, real alpha, real u)
{
    (void)alpha;
    (void)u;
    return f;
}

FORMULA real rhs_helmholtz(real f, real alpha, real u)
{
    return madd(-alpha, u, f);
}

FORMULA real rhs_helmholtz_unit(real f, real alpha, real u)
{
    (void)alpha;
    return f - u;
}

/* f − A u from f − aαu. */
FORMULA real residual_value(real rhs, real scale, real sum)
{
    return madd(scale, sum, rhs);
}

/* Whether a sweep of this colour updates the cell with this sum of global indices, or of local ones
 * if `colour` includes the parity of the patch. Not bool: gcc 12 does not vectorise a loop that
 * selects by an inlined function's bool. */
FORMULA int has_colour(long index_sum, long colour)
{
    return ((index_sum + colour) & 1) == 0;
}

/* u + w·D⁻¹r. A weight of 1 changes no bit of D⁻¹. Callers may multiply w·D⁻¹ beforehand. */
FORMULA real update_weighted(real u, real dinv, real r, real weight)
{
    return madd(weight * dinv, r, u);
}

/* The same where u is 0 everywhere, so that r = f. The result is bitwise that of update_weighted: a
 * sum of zeros of any sign changes neither f nor a term added to +0. */
FORMULA real relax_zero(real dinv, real f, real weight)
{
    return update_weighted(0.0, dinv, f, weight);
}

/* Two steps: u_n + c1(u_n − u_{n−1}) + w·D⁻¹r. */
FORMULA real update_two_step(real u, real previous, real dinv, real r, real weight, real c1)
{
    return madd(weight * dinv, r, madd(c1, u - previous, u));
}

/* The updates that sweeps may do. `before` is the cell's value one sweep earlier. */
enum update { UPDATE_WEIGHTED, UPDATE_TWO_STEP, NUM_UPDATES };

FORMULA real updated_value(int update, real u, real before, real dinv, real r, real weight, real c1)
{
    return update == UPDATE_TWO_STEP ? update_two_step(u, before, dinv, r, weight, c1)
                                     : update_weighted(u, dinv, r, weight);
}
