#ifndef OPERATORS_SMOOTHERS_H
#define OPERATORS_SMOOTHERS_H
/* Residual and updates (NUMERICS, Smoothers). `sum` is the operator's sum S, `scale` the factor
 * b/h² or b/(12h²) before it. */
#include "operators/formula.h"

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

/* Gauss-Seidel: u + D⁻¹r. */
FORMULA double update_gauss_seidel(double u, double dinv, double r)
{
    return fma(dinv, r, u);
}

/* The same where u is 0 everywhere, so that r is f: the bits are those of the above, since a sum of
 * zeros, whatever its sign, changes neither f nor what is added to +0. */
FORMULA double relax_zero(double dinv, double f)
{
    return fma(dinv, f, 0.0);
}

/* Damped Jacobi, l1-Jacobi (weight 1) and the first Chebyshev step: u + w·D⁻¹r. */
FORMULA double update_weighted(double u, double dinv, double r, double weight)
{
    return fma(weight * dinv, r, u);
}

/* Chebyshev step n ≥ 1: u_n + c1(u_n − u_{n−1}) + c2·D⁻¹r. */
FORMULA double update_chebyshev(double u, double previous, double dinv, double r, double c1,
                                double c2)
{
    return fma(c2 * dinv, r, fma(c1, u - previous, u));
}

#endif
