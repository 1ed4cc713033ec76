/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUPPORT_DECOMPOSITIONS_H
#define SUPPORT_DECOMPOSITIONS_H
/* Random decompositions: random planes divide a cube into boxes, which some of the ranks own.
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

static inline int compare_owners(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Divides dim³ cells into at most 1 + planes boxes (planes < MAX_BOXES), on at most `ranks` ranks.
 * Some ranks may have no boxes. */
static inline struct decomposition random_decomposition(int dim, int planes, int ranks)
{
    struct decomposition d = {.dim = dim, .nboxes = 1};
    d.boxes = memory_alloc(MAX_BOXES * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc_zero(MAX_BOXES * sizeof *d.owner, "owners");
    d.boxes[0] = box_cube(0, 0, 0, dim);
    for (int c = 0; c < planes; c++)
        divide_box(&d, random_int(0, d.nboxes - 1));
    const int first = random_int(0, ranks - 1), last = random_int(first, ranks - 1);
    for (int b = 0; b < d.nboxes; b++)
        d.owner[b] = random_int(first, last);
    /* The order of boxes is already random. A rank's boxes must be contiguous. */
    qsort(d.owner, (size_t)d.nboxes, sizeof *d.owner, compare_owners);
    return d;
}

#endif
