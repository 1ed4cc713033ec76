/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What an operator reads around a cell, wherever that lies. near_u(x, i, j, k) is u in the cell so
 * far away. near_beta(x, d, across, first, second) is β on the low face in direction d of the cell
 * so far away: across the face, and in the two other directions, the lower one first. Every sum is
 * written once over these two. In C++ an accessor is any type with members u and beta like these,
 * or as in C: */
#include "operators/formula.h"

/* Pointers to the cell, and the strides of u and of β. */
struct near {
    const real *u;
    long stride[3];
    const real *beta[3];
    long beta_stride[3];
};

/* An operator's sum over these. */
typedef real sum_fn(NEAR_CELL x);

#ifdef __cplusplus
template <class Near>
FORMULA real near_u(const Near &x, int i, int j, int k)
{
    return x.u(i, j, k);
}

template <class Near>
FORMULA real near_beta(const Near &x, int d, int across, int first, int second)
{
    return x.beta(d, across, first, second);
}
#endif

FORMULA real near_u(const struct near x, int i, int j, int k)
{
    return x.u[i * x.stride[0] + j * x.stride[1] + k * x.stride[2]];
}

FORMULA real near_beta(const struct near x, int d, int across, int first, int second)
{
    const long *s = x.beta_stride;
    return x.beta[d][across * s[d] + first * s[d == 0] + second * s[d == 2 ? 1 : 2]];
}

/* A cell where u and β have the same strides. */
FORMULA struct near near_at(const real *u, const real *bi, const real *bj, const real *bk, long sj,
                            long sk)
{
    const struct near x = {u, {1, sj, sk}, {bi, bj, bk}, {1, sj, sk}};
    return x;
}
