/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Interpolation and prolongation for all kernels: quadratic (REACH 1) or quartic (REACH 2). */
#include "operators/transfers.h"

/* P coarse at the two children in i of the coarse cell that c points to, in its low or high half in
 * j and k. Interpolates in k, then in j, then in i. */
template <int REACH, class Stride>
DEVICE void prolong_row(const real *c, Stride sj, Stride sk, bool high_j, bool high_k,
                        real child[2])
{
    enum { WIDTH = 2 * REACH + 1 };
    real line[WIDTH];
#pragma unroll
    for (int a = -REACH; a <= REACH; a++) {
        real column[WIDTH];
#pragma unroll
        for (int b = -REACH; b <= REACH; b++)
            column[b + REACH] = prolong_line(REACH, c + a + b * sj, sk, high_k);
        line[a + REACH] = prolong_line(REACH, column + REACH, 1, high_j);
    }
    child[0] = prolong_line(REACH, line + REACH, 1, false);
    child[1] = prolong_line(REACH, line + REACH, 1, true);
}
