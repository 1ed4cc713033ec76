/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_TRANSFERS_H
#define OPERATORS_TRANSFERS_H
/* Restriction and prolongation (NUMERICS, Transfers). */
#include "operators/formula.h"

/* Mean of the 8 fine cells, from the sums over those in the even and in the odd plane. */
FORMULA double restrict_planes(double even, double odd)
{
    return 0.125 * (even + odd);
}

/* The same; each argument is the sum of an (even, odd) pair in i, named by (j,k) parity. */
FORMULA double restrict_cell(double pair_00, double pair_10, double pair_01, double pair_11)
{
    return restrict_planes(pair_00 + pair_10, pair_01 + pair_11);
}

/* Mean of the 4 fine faces on a coarse face. */
FORMULA double restrict_face(double a, double b, double c, double d)
{
    return 0.25 * ((a + b) + (c + d));
}

/* One direction of the volume-averaged quadratic prolongation; cm, c0, cp are coarse cells below,
 * at and above. The three-dimensional one applies k, then j, then i. */
FORMULA double prolong2_low(double cm, double c0, double cp)
{
    return fma(0.125, cm - cp, c0);
}

FORMULA double prolong2_high(double cm, double c0, double cp)
{
    return fma(-0.125, cm - cp, c0);
}

/* The same for the quartic one. */
FORMULA double prolong4_low(double cm2, double cm, double c0, double cp, double cp2)
{
    return fma(22.0 / 128.0, cm - cp, fma(-3.0 / 128.0, cm2 - cp2, c0));
}

FORMULA double prolong4_high(double cm2, double cm, double c0, double cp, double cp2)
{
    return fma(-22.0 / 128.0, cm - cp, fma(3.0 / 128.0, cm2 - cp2, c0));
}

/* One direction, at the low or high child of the coarse cell that c points to: quadratic (reach 1)
 * or quartic (reach 2). */
FORMULA double prolong_line(int reach, const double *c, long s, int high)
{
    if (reach == 1)
        return high ? prolong2_high(c[-s], c[0], c[s]) : prolong2_low(c[-s], c[0], c[s]);
    return high ? prolong4_high(c[-2 * s], c[-s], c[0], c[s], c[2 * s])
                : prolong4_low(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

#endif
