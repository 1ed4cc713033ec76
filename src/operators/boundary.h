/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_BOUNDARY_H
#define OPERATORS_BOUNDARY_H
/* Homogeneous Dirichlet ghosts, extrapolated along the normal from the cells x1, x2, … inward from
 * the wall so that the face average is zero (NUMERICS, Beyond the boundary). Edges and corners
 * apply the rule in i, then j, then k. */
#include "operators/formula.h"

FORMULA double wall_linear(double x1)
{
    return -x1;
}

FORMULA double wall_quadratic(double x1, double x2)
{
    return fma(-2.5, x1, 0.5 * x2);
}

FORMULA double wall_quartic(double x1, double x2, double x3, double x4)
{
    return fma(-77.0, x1, fma(43.0, x2, fma(-17.0, x3, 3.0 * x4))) * (1.0 / 12.0);
}

/* The second layer; the linear and the quadratic rule have 0 there. */
FORMULA double wall_quartic_second(double x1, double x2, double x3, double x4)
{
    return fma(-505.0, x1, fma(335.0, x2, fma(-145.0, x3, 27.0 * x4))) * (1.0 / 12.0);
}

/* The ghost in `layer` (0 is next to the wall), extrapolated by `rule` from the first `rule` of the
 * cells v inward from the wall. Kernels pass the rule as a constant. */
FORMULA double wall_ghost(int rule, int layer, const double v[4])
{
    if (rule == 4)
        return layer == 0 ? wall_quartic(v[0], v[1], v[2], v[3])
                          : wall_quartic_second(v[0], v[1], v[2], v[3]);
    if (layer > 0)
        return 0.0;
    return rule == 2 ? wall_quadratic(v[0], v[1]) : wall_linear(v[0]);
}

/* β one layer beyond a wall, tangentially to its face, from the faces b1, b2, … inward: levels of 5
 * and more cells per side, of 4, and of 2 or 3. */
FORMULA double beta_extrapolate_5(double b1, double b2, double b3, double b4, double b5)
{
    return fma(5.0, b1 - b4, fma(-10.0, b2 - b3, b5));
}

FORMULA double beta_extrapolate_4(double b1, double b2, double b3, double b4)
{
    return fma(4.0, b1 + b3, fma(-6.0, b2, -b4));
}

FORMULA double beta_extrapolate_2(double b1, double b2)
{
    return fma(2.0, b1, -b2);
}

#endif
