/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Restriction and prolongation (NUMERICS, Transfers). In a direction that is not coarsened both
 * fine cells of a pair are one, and so are the neighbours of a coarse cell: then the means and the
 * interpolations below leave values as they are. */
#include "operators/formula.h"

/* Mean of the 8 fine cells, from the sums over those in the even and in the odd plane. */
FORMULA real restrict_planes(real even, real odd)
{
    return (real)0.125 * (even + odd);
}

/* The same; each argument is the sum of an (even, odd) pair in i, named by (j,k) parity. */
FORMULA real restrict_cell(real pair_00, real pair_10, real pair_01, real pair_11)
{
    return restrict_planes(pair_00 + pair_10, pair_01 + pair_11);
}

/* Mean of the 4 fine faces on a coarse face. */
FORMULA real restrict_face(real a, real b, real c, real d)
{
    return (real)0.25 * ((a + b) + (c + d));
}

/* One direction of the volume-averaged quadratic prolongation; cm, c0, cp are coarse cells below,
 * at and above. The three-dimensional one applies k, then j, then i. */
FORMULA real prolong2_low(real cm, real c0, real cp)
{
    return madd(0.125, cm - cp, c0);
}

FORMULA real prolong2_high(real cm, real c0, real cp)
{
    return madd(-0.125, cm - cp, c0);
}

/* The same for the quartic one. */
FORMULA real prolong4_low(real cm2, real cm, real c0, real cp, real cp2)
{
    return madd(22.0 / 128.0, cm - cp, madd(-3.0 / 128.0, cm2 - cp2, c0));
}

FORMULA real prolong4_high(real cm2, real cm, real c0, real cp, real cp2)
{
    return madd(-22.0 / 128.0, cm - cp, madd(3.0 / 128.0, cm2 - cp2, c0));
}

/* One direction, at the low or high child of the coarse cell that c points to: quadratic (reach 1)
 * or quartic (reach 2). */
FORMULA real prolong_line(int reach, const real *c, long s, int high)
{
    if (reach == 1)
        return high ? prolong2_high(c[-s], c[0], c[s]) : prolong2_low(c[-s], c[0], c[s]);
    return high ? prolong4_high(c[-2 * s], c[-s], c[0], c[s], c[2 * s])
                : prolong4_low(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

enum { MAX_REACH = 2 };

/* At both children in i of the coarse cell that c points to, low or high in j and k: in k, then in
 * j, then in i. stride: from the cell to its neighbours. */
FORMULA void prolong_pair(int reach, const real *c, const long stride[3], int high_j, int high_k,
                          real child[2])
{
    real column[2 * MAX_REACH + 1], line[2 * MAX_REACH + 1];
    LOOP_UNROLLED
    for (int i = -reach; i <= reach; i++) {
        LOOP_UNROLLED
        for (int j = -reach; j <= reach; j++)
            column[j + reach] =
                prolong_line(reach, c + i * stride[0] + j * stride[1], stride[2], high_k);
        line[i + reach] = prolong_line(reach, column + reach, 1, high_j);
    }
    child[0] = prolong_line(reach, line + reach, 1, false);
    child[1] = prolong_line(reach, line + reach, 1, true);
}

/* At one child. */
FORMULA real prolong_cell(int reach, const real *c, const long stride[3], const int high[3])
{
    real child[2];
    prolong_pair(reach, c, stride, high[1], high[2], child);
    return high[0] ? child[1] : child[0];
}
