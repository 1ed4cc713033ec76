/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_FV2_H
#define OPERATORS_FV2_H
/* Second-order finite volumes, 7 points (NUMERICS, Operators). The sums S below make A u = aαu −
 * (b/h²)·S. */
#include "operators/formula.h"

/* Σ β·(neighbour − u) over the six faces. bi0 is β of the low i face, bi1 of the high i face, and
 * so on. */
FORMULA double fv2_sum(double u, double im, double ip, double jm, double jp, double km, double kp,
                       double bi0, double bi1, double bj0, double bj1, double bk0, double bk1)
{
    double s = bi0 * (im - u);
    s = fma(bi1, ip - u, s);
    s = fma(bj0, jm - u, s);
    s = fma(bj1, jp - u, s);
    s = fma(bk0, km - u, s);
    return fma(bk1, kp - u, s);
}

/* The same for β = 1. */
FORMULA double fv2_constant_sum(double u, double im, double ip, double jm, double jp, double km,
                                double kp)
{
    return fma(-6.0, u, ((im + ip) + (jm + jp)) + (km + kp));
}

/* S gathered at the cell that u and the β point to. (sj,sk) are strides of u, (bsj,bsk) of β. */
FORMULA double fv2_gather(const double *u, long sj, long sk, const double *bi, const double *bj,
                          const double *bk, long bsj, long bsk)
{
    return fv2_sum(u[0], u[-1], u[1], u[-sj], u[sj], u[-sk], u[sk], bi[0], bi[1], bj[0], bj[bsj],
                   bk[0], bk[bsk]);
}

FORMULA double fv2_constant_gather(const double *u, long sj, long sk)
{
    return fv2_constant_sum(u[0], u[-1], u[1], u[-sj], u[sj], u[-sk], u[sk]);
}

#endif
