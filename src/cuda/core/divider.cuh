/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
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

/* A cuboid whose cells are numbered so. */
struct cuboid {
    struct divider i, j; /* cells in i and in j */
    int planes;
};

static inline struct cuboid cuboid_of(int ni, int nj, int nk)
{
    return {divider_of(ni), divider_of(nj), nk};
}

DEVICE int cuboid_cells(const struct cuboid &c)
{
    return c.i.n * c.j.n * c.planes;
}

DEVICE void cuboid_cell(int x, const struct cuboid &c, int *i, int *j, int *k)
{
    cell_of(x, c.i, c.j, i, j, k);
}

/* x / width, where width is the cells in i or in j. */
DEVICE int cuboid_row(int x, int width, const struct cuboid &c)
{
    return quotient(x, width == c.i.n ? c.i : c.j);
}
