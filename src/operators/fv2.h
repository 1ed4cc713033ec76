/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Second-order finite volumes, 7 points (NUMERICS, Operators). The sums S below make A u = aαu −
 * (b/h²)·S. */
#include "operators/near.h"

/* Σ β·(neighbour − u) over the six faces. bi0 is β of the low i face, bi1 of the high i face, and
 * so on. */
FORMULA real fv2_sum(real u, real im, real ip, real jm, real jp, real km, real kp, real bi0,
                     real bi1, real bj0, real bj1, real bk0, real bk1)
{
    real s = bi0 * (im - u);
    s = madd(bi1, ip - u, s);
    s = madd(bj0, jm - u, s);
    s = madd(bj1, jp - u, s);
    s = madd(bk0, km - u, s);
    return madd(bk1, kp - u, s);
}

/* The same for β = 1. */
FORMULA real fv2_constant_sum(real u, real im, real ip, real jm, real jp, real km, real kp)
{
    return madd(-6.0, u, ((im + ip) + (jm + jp)) + (km + kp));
}

/* S of a cell. */
NEAR_FORMULA real sum_fv2(NEAR x)
{
    return fv2_sum(near_u(x, 0, 0, 0), near_u(x, -1, 0, 0), near_u(x, 1, 0, 0), near_u(x, 0, -1, 0),
                   near_u(x, 0, 1, 0), near_u(x, 0, 0, -1), near_u(x, 0, 0, 1),
                   near_beta(x, 0, 0, 0, 0), near_beta(x, 0, 1, 0, 0), near_beta(x, 1, 0, 0, 0),
                   near_beta(x, 1, 1, 0, 0), near_beta(x, 2, 0, 0, 0), near_beta(x, 2, 1, 0, 0));
}

NEAR_FORMULA real sum_fv2_constant(NEAR x)
{
    return fv2_constant_sum(near_u(x, 0, 0, 0), near_u(x, -1, 0, 0), near_u(x, 1, 0, 0),
                            near_u(x, 0, -1, 0), near_u(x, 0, 1, 0), near_u(x, 0, 0, -1),
                            near_u(x, 0, 0, 1));
}
