/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The fv problem per cell and face, from tables of functions of one coordinate (NUMERICS, Model
 * problem). */
#include "operators/formula.h"

/* X(x) = (sin 2πx/L)^7 at a cell's centre, and X''. L is the domain's side in the direction. */
struct fv_point {
    double value, second;
};

/* The right-hand side X(x)X(y)X(z), as the average over a cell: with the correction h²/24 times its
 * Laplacian. */
FORMULA double fv_rhs(struct fv_point x, struct fv_point y, struct fv_point z, double correction)
{
    const double laplacian =
        x.second * y.value * z.value + x.value * y.second * z.value + x.value * y.value * z.second;
    return x.value * y.value * z.value + correction * laplacian;
}

/* β = 1 + ¼ s(x)s(y)s(z), s(x) = sin 2πx/L, as the average over a face: with the correction h²/24
 * times the second derivatives in its two directions. Since s'' = −(2π/L)² s, curvature is the sum
 * of these two (2π/L)². */
FORMULA double fv_beta(double sx, double sy, double sz, double correction, double curvature)
{
    const double product = 0.25 * sx * sy * sz;
    return 1.0 + product - correction * (curvature * product);
}
