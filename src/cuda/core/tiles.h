/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Which tiles of a patch a launch works on. Needs no CUDA. */
#include "operators/formula.h"
#include "operators/pass.h"

/* A cuboid of the tiles, or (outer) all but that cuboid. */
struct tile_set {
    int n[3];
    int lo[3], hi[3]; /* the cuboid: lo ≤ tile < hi */
    bool outer;
};

/* In one direction tile t reads `extent` cells from first + t·step on. */
struct tile_reads {
    int first, step, extent;
};

/* The tiles of a region of a patch of `cells` cells in n tiles. Inner tiles read no ghost beyond a
 * side that is not closed, by a wall or by wrapping around. */
static inline struct tile_set tiles_of_region(enum pass_region region, const int n[3],
                                              const int cells[3], const bool closed[3][2],
                                              const struct tile_reads reads[3])
{
    struct tile_set t = {
        {n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, region == REGION_BOUNDARY};
    for (int d = 0; d < 3 && region != REGION_ALL; d++) {
        const struct tile_reads r = reads[d];
        while (!closed[d][0] && t.lo[d] < n[d] && r.first + t.lo[d] * r.step < 0)
            t.lo[d]++;
        while (!closed[d][1] && t.hi[d] > t.lo[d] &&
               r.first + (t.hi[d] - 1) * r.step + r.extent > cells[d])
            t.hi[d]--;
    }
    const bool none = t.lo[0] == t.hi[0] || t.lo[1] == t.hi[1] || t.lo[2] == t.hi[2];
    for (int d = 0; d < 3 && none; d++)
        t.lo[d] = t.hi[d] = 0;
    return t;
}

FORMULA int tiles_width(const struct tile_set *t, int d)
{
    return t->hi[d] - t->lo[d];
}

/* Outer tiles in a plane of the cuboid. */
FORMULA int tiles_around(const struct tile_set *t)
{
    return t->n[0] * t->n[1] - tiles_width(t, 0) * tiles_width(t, 1);
}

/* The number of outer tiles. */
FORMULA int tiles_outside(const struct tile_set *t)
{
    return tiles_width(t, 2) * tiles_around(t) + (t->n[2] - tiles_width(t, 2)) * t->n[0] * t->n[1];
}

/* Index x among those outside lo ≤ index < hi. */
FORMULA int tiles_beside(int x, int lo, int hi)
{
    return x < lo ? x : x + hi - lo;
}

/* The coordinates of outer tile number x: first planes of the cuboid, then whole planes. */
FORMULA void tiles_coordinates(const struct tile_set *t, int x, int tile[3])
{
    const int around = tiles_around(t), n0 = t->n[0], beside = n0 - tiles_width(t, 0);
    const int below = n0 * t->lo[1], level = beside * tiles_width(t, 1);
    if (x >= around * tiles_width(t, 2)) { /* a whole plane */
        x -= around * tiles_width(t, 2);
        tile[0] = x % n0;
        tile[1] = x / n0 % t->n[1];
        tile[2] = tiles_beside(x / n0 / t->n[1], t->lo[2], t->hi[2]);
        return;
    }
    tile[2] = t->lo[2] + x / around;
    x %= around;
    if (x >= below && x < below + level) { /* a row with the cuboid */
        tile[0] = tiles_beside((x - below) % beside, t->lo[0], t->hi[0]);
        tile[1] = t->lo[1] + (x - below) / beside;
        return;
    }
    x += x < below ? 0 : tiles_width(t, 1) * n0 - level; /* as if these were whole rows */
    tile[0] = x % n0;
    tile[1] = x / n0;
}
