/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How a rung divides a level among blocks and threads, and what a block then loads: counted, as if
 * the first-level cache kept all that the block reads. */

#include "base/linkage.h"

C_BEGIN

enum rung_keeps {
    KEEPS_NOTHING, /* every value comes from memory each time */
    KEEPS_COLUMN,  /* a thread keeps u and β in k of its column */
    KEEPS_PLANES,  /* that, and the block keeps planes of u in shared memory */
};

enum { RING_WIDTH = 32 }; /* cells along i that a tile in shared memory has at most */

struct rung_shape {
    int order;
    int block[2];  /* threads along i and j; 0: not the lab's choice */
    int rows;      /* cells of a thread along j */
    int planes;    /* of a block */
    int ahead;     /* planes that arrive while others are used */
    int registers; /* limit per thread; 0: none */
    enum rung_keeps keeps;
};

/* Planes of u in shared memory: those that the operator reads, those ahead, and a free one. */
#ifdef __cplusplus
constexpr
#else
static inline
#endif
    int
    ring_planes(int radius, int ahead)
{
    return 2 * radius + 2 + ahead;
}

int rung_shared_bytes(const struct rung_shape *shape);

/* Of one half-sweep by blocks inside the level. Fields have cell 0 of a row at a line's beginning.
 */
struct rung_counts {
    double requests;       /* loads from memory by a warp, per cell */
    double sectors, lines; /* of 32 and of 128 bytes that a request touches, on average */
    double read_bytes;     /* different sectors that a block reads, once each, per cell */
    double shared_bytes;   /* loads and stores of shared memory, per cell */
};
struct rung_counts rung_count(const struct rung_shape *shape);

C_END
