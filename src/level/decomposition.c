/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/decomposition.h"
#include <limits.h>
#include <stdlib.h>
#include "base/check.h"
#include "base/memory.h"

enum { AGGLOMERATION_SIDE = 8, LARGEST_ODD_PART = 11, MORTON_BITS = 21 };

/* A box on its way from the cut to its owner. */
struct piece {
    unsigned long code;
    struct box box;
    int owner;
};

unsigned long morton_code(unsigned i, unsigned j, unsigned k)
{
    unsigned long code = 0;
    for (int bit = 0; bit < MORTON_BITS; bit++) {
        const unsigned long triple = (i >> bit & 1) | (j >> bit & 1) << 1 | (k >> bit & 1) << 2;
        code |= triple << (3 * bit);
    }
    return code;
}

static long odd_part(long n)
{
    while (n % 2 == 0)
        n /= 2;
    return n;
}

int size_rule(long boxes_per_rank, int ranks)
{
    const long boxes = boxes_per_rank * ranks;
    int best = 1;
    for (long n = 1; n * n * n <= boxes; n++)
        if (odd_part(n) <= LARGEST_ODD_PART)
            best = (int)n;
    return best;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->code > y->code) - (x->code < y->code);
}

/* All boxes of the cut in Morton order, dealt to ranks. */
static struct piece *deal(struct cut cut, int world, int count)
{
    const int n = cut.boxes_per_side, side = cut.box_dim;
    struct piece *pieces = memory_alloc((size_t)count * sizeof *pieces, "boxes");
    int b = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                pieces[b++] = (struct piece){morton_code((unsigned)i, (unsigned)j, (unsigned)k),
                                             box_cube(i * side, j * side, k * side, side), 0};
    qsort(pieces, (size_t)count, sizeof *pieces, compare_pieces);
    for (b = 0; b < count; b++) {
        const long share = (long)b * cut.ranks / count;
        pieces[b].owner = (int)(share * world / cut.ranks);
    }
    return pieces;
}

/* True if b continues a in direction d and both have the same extent in the others. */
static bool continues(const struct box *a, const struct box *b, int d)
{
    if (a->hi[d] != b->lo[d])
        return false;
    for (int e = 0; e < 3; e++)
        if (e != d && (a->lo[e] != b->lo[e] || a->hi[e] != b->hi[e]))
            return false;
    return true;
}

/* Orders boxes so that those which may be joined in direction d follow each other. */
static int compare_along(const void *a, const void *b, int d)
{
    const struct box *x = &((const struct piece *)a)->box, *y = &((const struct piece *)b)->box;
    for (int step = 1; step <= 3; step++) {
        const int e = (d + step) % 3; /* d itself last */
        if (x->lo[e] != y->lo[e])
            return x->lo[e] < y->lo[e] ? -1 : 1;
    }
    return 0;
}

static int compare_along_i(const void *a, const void *b)
{
    return compare_along(a, b, 0);
}

static int compare_along_j(const void *a, const void *b)
{
    return compare_along(a, b, 1);
}

static int compare_along_k(const void *a, const void *b)
{
    return compare_along(a, b, 2);
}

/* Joins boxes [0, count) in direction d wherever one continues another; returns how many are left.
 */
static int merge_direction(struct piece *pieces, int count, int d)
{
    static int (*const compare[])(const void *, const void *) = {compare_along_i, compare_along_j,
                                                                 compare_along_k};
    int kept = 0;
    qsort(pieces, (size_t)count, sizeof *pieces, compare[d]);
    for (int b = 0; b < count; b++) {
        if (kept > 0 && continues(&pieces[kept - 1].box, &pieces[b].box, d))
            pieces[kept - 1].box.hi[d] = pieces[b].box.hi[d];
        else
            pieces[kept++] = pieces[b];
    }
    return kept;
}

static int merge_rank(struct piece *pieces, int count)
{
    for (int d = 0; d < 3; d++)
        count = merge_direction(pieces, count, d);
    return count;
}

struct decomposition decomposition_create(struct cut cut, int world)
{
    const long boxes = cut_boxes(cut);
    CHECK(cut.ranks >= 1 && cut.ranks <= world && cut.ranks <= boxes && boxes <= INT_MAX);
    struct piece *pieces = deal(cut, world, (int)boxes);
    struct decomposition d = {.dim = cut_dim(cut)};
    d.boxes = memory_alloc((size_t)boxes * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc((size_t)boxes * sizeof *d.owner, "box owners");
    for (int first = 0, last; first < boxes; first = last) {
        for (last = first; last < boxes && pieces[last].owner == pieces[first].owner; last++)
            continue;
        const int count = merge_rank(pieces + first, last - first), owner = pieces[first].owner;
        for (int b = 0; b < count; b++) {
            d.boxes[d.nboxes] = pieces[first + b].box;
            d.owner[d.nboxes++] = owner;
        }
    }
    memory_free(pieces);
    return d;
}

void decomposition_destroy(struct decomposition *d)
{
    memory_free(d->boxes);
    memory_free(d->owner);
}

struct decomposition decomposition_coarsen(const struct decomposition *fine)
{
    struct decomposition d = {.dim = fine->dim / 2, .nboxes = fine->nboxes};
    d.boxes = memory_alloc((size_t)d.nboxes * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc((size_t)d.nboxes * sizeof *d.owner, "box owners");
    for (int b = 0; b < d.nboxes; b++) {
        d.boxes[b] = box_coarsen(fine->boxes[b]);
        d.owner[b] = fine->owner[b];
    }
    return d;
}

bool decomposition_equal(const struct decomposition *a, const struct decomposition *b)
{
    if (a->nboxes != b->nboxes)
        return false;
    for (int i = 0; i < a->nboxes; i++)
        if (!box_equal(a->boxes[i], b->boxes[i]) || a->owner[i] != b->owner[i])
            return false;
    return true;
}

/* The cut with that many boxes of that size; no rank is left without one. */
static struct cut recut(struct cut cut, int boxes_per_side, int box_dim)
{
    struct cut other = {boxes_per_side, box_dim, cut.ranks};
    if (cut_boxes(other) < cut.ranks)
        other.ranks = (int)cut_boxes(other);
    return other;
}

static double cells(int dim)
{
    return (double)dim * dim * dim;
}

struct cut cut_agglomerate(struct cut cut, double below)
{
    if (cut.boxes_per_side == 0)
        return cut;
    if (cells(cut_dim(cut)) < below)
        return recut(cut, 1, cut_dim(cut));
    while (cut.boxes_per_side % 2 == 0 && cells(2 * cut.box_dim) < below)
        cut = recut(cut, cut.boxes_per_side / 2, 2 * cut.box_dim);
    return cut;
}

struct cut cut_coarsen(struct cut cut, int min_dim)
{
    const int dim = cut_dim(cut);
    const struct cut end = {0, 0, 0};
    if (dim % 2 != 0 || dim / 2 < min_dim)
        return end;
    if (cut.boxes_per_side == 1 || cut.box_dim > AGGLOMERATION_SIDE)
        return recut(cut, cut.boxes_per_side, cut.box_dim / 2);
    if (cut.boxes_per_side % 2 == 0)
        return recut(cut, cut.boxes_per_side / 2, cut.box_dim);
    return recut(cut, 1, dim / 2);
}
