/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Random decompositions: random planes divide a cuboid into boxes, which some of the ranks own.
 * Unlike boxes of the program, they differ in size and need not be aligned with their neighbours.
 */
#include "base/memory.h"
#include "level/decomposition.h"
#include "support/random.h"

enum { MAX_BOXES = 32 };

/* Divides box `which` at a random plane, if it has one. */
static inline void divide_box(struct decomposition *d, int which)
{
    const int direction = random_int(0, 2);
    struct box *low = &d->boxes[which], *high = &d->boxes[d->nboxes];
    if (low->hi[direction] - low->lo[direction] < 2)
        return;
    const int plane = random_int(low->lo[direction] + 1, low->hi[direction] - 1);
    *high = *low;
    high->lo[direction] = low->hi[direction] = plane;
    d->nboxes++;
}

/* The same boxes with `factor` times the cells in each direction, on rank 0. */
static inline struct decomposition refined_decomposition(const struct decomposition *cut,
                                                         int factor)
{
    struct decomposition d = {.nboxes = cut->nboxes};
    d.boxes = memory_alloc((size_t)cut->nboxes * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc_zero((size_t)cut->nboxes * sizeof *d.owner, "owners");
    for (int e = 0; e < 3; e++) {
        d.n[e] = cut->n[e] * factor;
        for (int b = 0; b < cut->nboxes; b++) {
            d.boxes[b].lo[e] = cut->boxes[b].lo[e] * factor;
            d.boxes[b].hi[e] = cut->boxes[b].hi[e] * factor;
        }
    }
    return d;
}

static inline int compare_owners(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* From `least` to `most` cells by direction. Half of them are cubes. */
struct extent {
    int n[3];
};
static inline struct extent random_extent(int least, int most)
{
    const int side = random_int(least, most);
    struct extent e = {{side, side, side}};
    for (int d = random_bool() ? 3 : 0; d < 3; d++)
        e.n[d] = random_int(least, most);
    return e;
}

/* Divides the cells into at most 1 + planes boxes (planes < MAX_BOXES), on at most `ranks` ranks.
 * Some ranks may have no boxes. */
static inline struct decomposition random_decomposition(const int n[3], int planes, int ranks)
{
    struct decomposition d = {.n = {n[0], n[1], n[2]}, .nboxes = 1};
    d.boxes = memory_alloc(MAX_BOXES * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc_zero(MAX_BOXES * sizeof *d.owner, "owners");
    d.boxes[0] = (struct box){{0, 0, 0}, {n[0], n[1], n[2]}};
    for (int c = 0; c < planes; c++)
        divide_box(&d, random_int(0, d.nboxes - 1));
    const int first = random_int(0, ranks - 1), last = random_int(first, ranks - 1);
    for (int b = 0; b < d.nboxes; b++)
        d.owner[b] = random_int(first, last);
    /* The order of boxes is already random. A rank's boxes must be contiguous. */
    qsort(d.owner, (size_t)d.nboxes, sizeof *d.owner, compare_owners);
    return d;
}
