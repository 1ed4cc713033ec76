/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A box is a cuboid of cells, lo <= (i,j,k) < hi in global indices of its level. Boxes are values.
 * Plans are made by intersecting boxes. */
#include <stdbool.h>

struct box {
    int lo[3], hi[3];
};

static inline struct box box_cube(int lo_i, int lo_j, int lo_k, int n)
{
    struct box b = {{lo_i, lo_j, lo_k}, {lo_i + n, lo_j + n, lo_k + n}};
    return b;
}

static inline bool box_is_empty(struct box b)
{
    return b.lo[0] >= b.hi[0] || b.lo[1] >= b.hi[1] || b.lo[2] >= b.hi[2];
}

static inline bool box_equal(struct box a, struct box b)
{
    for (int d = 0; d < 3; d++)
        if (a.lo[d] != b.lo[d] || a.hi[d] != b.hi[d])
            return false;
    return true;
}

/* Number of cells; 0 for an empty box. */
static inline long box_cells(struct box b)
{
    if (box_is_empty(b))
        return 0;
    return (long)(b.hi[0] - b.lo[0]) * (b.hi[1] - b.lo[1]) * (b.hi[2] - b.lo[2]);
}

/* The cells in both boxes; may be empty (lo >= hi in some direction). */
static inline struct box box_intersect(struct box a, struct box b)
{
    for (int d = 0; d < 3; d++) {
        if (b.lo[d] > a.lo[d])
            a.lo[d] = b.lo[d];
        if (b.hi[d] < a.hi[d])
            a.hi[d] = b.hi[d];
    }
    return a;
}

/* Grows the box by `cells` on all six sides; shrinks it if negative. */
static inline struct box box_grow(struct box b, int cells)
{
    for (int d = 0; d < 3; d++) {
        b.lo[d] -= cells;
        b.hi[d] += cells;
    }
    return b;
}

static inline struct box box_shift(struct box b, int di, int dj, int dk)
{
    const int by[3] = {di, dj, dk};
    for (int d = 0; d < 3; d++) {
        b.lo[d] += by[d];
        b.hi[d] += by[d];
    }
    return b;
}

/* The smallest box of the next coarser level that covers b, where `ratio` cells by direction become
 * one, 1 or 2: floor of lo/ratio and ceiling of hi/ratio, for negative indices too. */
static inline struct box box_coarsen(struct box b, const int ratio[3])
{
    for (int d = 0; d < 3; d++) {
        const int r = ratio[d];
        b.lo[d] = b.lo[d] >= 0 ? b.lo[d] / r : -((r - 1 - b.lo[d]) / r);
        b.hi[d] = b.hi[d] >= 0 ? (b.hi[d] + r - 1) / r : -(-b.hi[d] / r);
    }
    return b;
}

static inline bool box_contains(struct box outer, struct box inner)
{
    return box_is_empty(inner) || box_equal(box_intersect(outer, inner), inner);
}
