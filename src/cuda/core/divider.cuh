/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_DIVIDER_CUH
#define CUDA_CORE_DIVIDER_CUH
#include "cuda/core/launch.cuh"

/* Fast division by a run-time constant, which would otherwise take most of the time of kernels with
 * few cells: x/n = x·⌈2³¹/n⌉ >> 31, exact while x·n < 2³¹. */

struct divider {
    int n;
    unsigned inverse;
};

static inline struct divider divider_of(int n)
{
    return {n, ((1u << 31) + (unsigned)n - 1) / (unsigned)n};
}

DEVICE int quotient(int x, const struct divider &by)
{
    return (int)((unsigned long long)(unsigned)x * by.inverse >> 31);
}

/* x as i + n[0]·(j + n[1]·k). */
DEVICE void cell_of(int x, const struct divider &by_i, const struct divider &by_j, int *i, int *j,
                    int *k)
{
    const int row = quotient(x, by_i);
    *i = x - row * by_i.n;
    *k = quotient(row, by_j);
    *j = row - *k * by_j.n;
}

/* The same of a cube. */
DEVICE void cube_cell(int x, const struct divider &by, int *i, int *j, int *k)
{
    cell_of(x, by, by, i, j, k);
}

#endif
