/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_TILES_H
#define CUDA_CORE_TILES_H
/* Which tiles of a patch a launch of a marching kernel works on, a block a tile. No CUDA is needed
 * for it. */
#include "operators/formula.h"
#include "operators/passes.h"

/* All, or a cuboid of them, or (outer) all but that cuboid. */
struct tiles {
    int n[3];
    int lo[3], hi[3]; /* the cuboid's are lo to hi − 1 */
    bool outer;
};

/* What tile t reads in one direction: cells from first + t·step on, `extent` of them. */
struct tile_reads {
    int first, step, extent;
};

/* The tiles of a part of a patch of `cells` cells, which is cut into n tiles. Inner ones read no
 * ghost beyond a side that is no wall. */
static inline struct tiles tiles_of_part(enum pass_part part, const int n[3], const int cells[3],
                                         const bool wall[3][2], const struct tile_reads reads[3])
{
    struct tiles t = {{n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, part == PART_OUTER};
    for (int d = 0; d < 3 && part != PART_ALL; d++) {
        const struct tile_reads r = reads[d];
        while (!wall[d][0] && t.lo[d] < n[d] && r.first + t.lo[d] * r.step < 0)
            t.lo[d]++;
        while (!wall[d][1] && t.hi[d] > t.lo[d] &&
               r.first + (t.hi[d] - 1) * r.step + r.extent > cells[d])
            t.hi[d]--;
    }
    const bool none = t.lo[0] == t.hi[0] || t.lo[1] == t.hi[1] || t.lo[2] == t.hi[2];
    for (int d = 0; d < 3 && none; d++)
        t.lo[d] = t.hi[d] = 0;
    return t;
}

FORMULA int tiles_width(const struct tiles *t, int d)
{
    return t->hi[d] - t->lo[d];
}

/* Tiles that are left in a plane where the cuboid is. */
FORMULA int tiles_around(const struct tiles *t)
{
    return t->n[0] * t->n[1] - tiles_width(t, 0) * tiles_width(t, 1);
}

/* How many outer tiles there are. */
FORMULA int tiles_outside(const struct tiles *t)
{
    return tiles_width(t, 2) * tiles_around(t) + (t->n[2] - tiles_width(t, 2)) * t->n[0] * t->n[1];
}

/* Index x of those that a gap from lo to hi − 1 leaves. */
FORMULA int tiles_beside(int x, int lo, int hi)
{
    return x < lo ? x : x + hi - lo;
}

/* Outer tile number x: first those of planes with the cuboid, then whole planes. */
FORMULA void tiles_coordinates(const struct tiles *t, int x, int place[3])
{
    const int around = tiles_around(t), n0 = t->n[0], beside = n0 - tiles_width(t, 0);
    const int below = n0 * t->lo[1], level = beside * tiles_width(t, 1);
    if (x >= around * tiles_width(t, 2)) { /* a whole plane */
        x -= around * tiles_width(t, 2);
        place[0] = x % n0;
        place[1] = x / n0 % t->n[1];
        place[2] = tiles_beside(x / n0 / t->n[1], t->lo[2], t->hi[2]);
        return;
    }
    place[2] = t->lo[2] + x / around;
    x %= around;
    if (x >= below && x < below + level) { /* a row with the cuboid */
        place[0] = tiles_beside((x - below) % beside, t->lo[0], t->hi[0]);
        place[1] = t->lo[1] + (x - below) / beside;
        return;
    }
    x += x < below ? 0 : tiles_width(t, 1) * n0 - level; /* as if that had been a whole row */
    place[0] = x % n0;
    place[1] = x / n0;
}

#endif
