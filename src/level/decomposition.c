/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/decomposition.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "base/check.h"
#include "base/memory.h"

enum { AGGLOMERATION_SIDE = 8, COORDINATE_BITS = 21 };

/* A box of one rank before it is merged, and the code by which boxes are sorted. */
struct piece {
    unsigned long code;
    struct box box;
};

struct decomposition_spec spec_cube(int boxes_per_side, int box_side, int ranks)
{
    struct decomposition_spec spec = {.ranks = ranks};
    for (int d = 0; d < 3; d++) {
        spec.boxes[d] = boxes_per_side;
        spec.box_cells[d] = box_side;
    }
    return spec;
}

void spec_extent(const struct decomposition_spec *spec, int n[3])
{
    for (int d = 0; d < 3; d++)
        n[d] = spec->boxes[d] * spec->box_cells[d];
}

double spec_cells(const struct decomposition_spec *spec)
{
    int n[3];
    spec_extent(spec, n);
    return extent_cells(n);
}

long spec_boxes(const struct decomposition_spec *spec)
{
    return (long)spec->boxes[0] * spec->boxes[1] * spec->boxes[2];
}

bool spec_is_end(const struct decomposition_spec *spec)
{
    return spec->boxes[0] == 0;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->code > y->code) - (x->code < y->code);
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

/* Merges boxes [0, count) in direction d wherever one continues another; returns how many remain.
 * Boxes that may be merged are made neighbours: their codes differ in the lowest coordinate, d. */
static int merge_direction(struct piece *pieces, int count, int d)
{
    int kept = 0;
    for (int b = 0; b < count; b++) {
        const int *lo = pieces[b].box.lo;
        pieces[b].code =
            ((unsigned long)lo[(d + 1) % 3] << COORDINATE_BITS | (unsigned)lo[(d + 2) % 3])
                << COORDINATE_BITS |
            (unsigned)lo[d];
    }
    qsort(pieces, (size_t)count, sizeof *pieces, compare_pieces);
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

/* Boxes while they are visited along the Morton curve. Those of one rank wait to be merged. */
struct distribution {
    struct decomposition_spec spec;
    int world;
    long visited;
    int owner, waiting;
    struct piece *pieces;
    struct decomposition d;
};

/* Gives the waiting boxes to their owner. */
static void assign_pending_boxes(struct distribution *x)
{
    struct decomposition *d = &x->d;
    const int count = merge_rank(x->pieces, x->waiting);
    for (int b = 0; b < count; b++) {
        d->boxes = memory_room(d->boxes, d->nboxes, sizeof *d->boxes, "boxes");
        d->owner = memory_room(d->owner, d->nboxes, sizeof *d->owner, "box owners");
        d->boxes[d->nboxes] = x->pieces[b].box;
        d->owner[d->nboxes++] = x->owner;
    }
    x->waiting = 0;
}

static void visit_box(struct distribution *x, const int at[3])
{
    const int *n = x->spec.box_cells;
    const long share = x->visited++ * x->spec.ranks / spec_boxes(&x->spec);
    const int owner = (int)(share * x->world / x->spec.ranks);
    if (owner != x->owner)
        assign_pending_boxes(x);
    x->owner = owner;
    struct box *box = &x->pieces[x->waiting++].box;
    for (int d = 0; d < 3; d++) {
        box->lo[d] = at[d] * n[d];
        box->hi[d] = box->lo[d] + n[d];
    }
}

/* Visits the boxes of a cube of the Z-order (Morton) curve, the lowest bit of i first. */
static void visit_cube(struct distribution *x, const int at[3], int side)
{
    const int *n = x->spec.boxes;
    if (at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2])
        return;
    if (side == 1) {
        visit_box(x, at);
        return;
    }
    for (int octant = 0; octant < 8; octant++) {
        int low[3];
        for (int d = 0; d < 3; d++)
            low[d] = at[d] + (octant >> d & 1) * (side / 2);
        visit_cube(x, low, side / 2);
    }
}

struct decomposition decomposition_create(struct decomposition_spec spec, int world)
{
    const long boxes = spec_boxes(&spec);
    CHECK(spec.ranks >= 1 && spec.ranks <= world && spec.ranks <= boxes && boxes <= INT_MAX);
    const size_t most = (size_t)((boxes + spec.ranks - 1) / spec.ranks);
    struct distribution x = {.spec = spec, .world = world};
    spec_extent(&spec, x.d.n);
    x.pieces = memory_alloc(most * sizeof *x.pieces, "boxes");
    int side = 1;
    while (side < extent_longest(spec.boxes))
        side *= 2;
    visit_cube(&x, (const int[3]){0, 0, 0}, side);
    assign_pending_boxes(&x);
    memory_free(x.pieces);
    const size_t count = (size_t)x.d.nboxes, size = sizeof *x.d.boxes;
    x.d.boxes = memory_grow(x.d.boxes, count * size, count * size, "boxes");
    x.d.owner = memory_grow(x.d.owner, count * sizeof(int), count * sizeof(int), "box owners");
    return x.d;
}

struct decomposition decomposition_share(const struct decomposition *d)
{
    struct decomposition other = *d;
    other.shared = true;
    return other;
}

void decomposition_destroy(struct decomposition *d)
{
    if (d->shared)
        return;
    memory_free(d->boxes);
    memory_free(d->owner);
}

int decomposition_first_box(const struct decomposition *d, int rank)
{
    int low = 0, high = d->nboxes;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (d->owner[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct decomposition decomposition_coarsen(const struct decomposition *fine, const int n[3])
{
    struct decomposition d = {.n = {n[0], n[1], n[2]}, .nboxes = fine->nboxes};
    int ratio[3];
    extent_ratio(fine->n, n, ratio);
    d.boxes = memory_alloc((size_t)d.nboxes * sizeof *d.boxes, "boxes");
    d.owner = memory_alloc((size_t)d.nboxes * sizeof *d.owner, "box owners");
    for (int b = 0; b < d.nboxes; b++) {
        d.boxes[b] = box_coarsen(fine->boxes[b], ratio);
        d.owner[b] = fine->owner[b];
    }
    return d;
}

bool decomposition_is_coarsened(const struct decomposition *fine,
                                const struct decomposition *coarse)
{
    int ratio[3];
    extent_ratio(fine->n, coarse->n, ratio);
    if (fine->nboxes != coarse->nboxes)
        return false;
    for (int b = 0; b < fine->nboxes; b++)
        if (!box_equal(box_coarsen(fine->boxes[b], ratio), coarse->boxes[b]) ||
            fine->owner[b] != coarse->owner[b])
            return false;
    return true;
}

int decomposition_shortest_side(const struct decomposition *d)
{
    int shortest = extent_shortest(d->n);
    for (int b = 0; b < d->nboxes; b++)
        for (int e = 0; e < 3; e++) {
            const int side = d->boxes[b].hi[e] - d->boxes[b].lo[e];
            shortest = side < shortest ? side : shortest;
        }
    return shortest;
}

bool decomposition_equal(const struct decomposition *a, const struct decomposition *b)
{
    if (a->boxes == b->boxes)
        return true;
    if (a->nboxes != b->nboxes)
        return false;
    for (int i = 0; i < a->nboxes; i++)
        if (!box_equal(a->boxes[i], b->boxes[i]) || a->owner[i] != b->owner[i])
            return false;
    return true;
}

struct decomposition_spec spec_with_busy_ranks(struct decomposition_spec spec)
{
    if (spec_boxes(&spec) < spec.ranks)
        spec.ranks = (int)spec_boxes(&spec);
    return spec;
}

/* The boxes of a direction merged in pairs, or an odd number of them into one. */
static void merge_boxes(struct decomposition_spec *spec, int d)
{
    const int merged = spec->boxes[d] % 2 == 0 ? 2 : spec->boxes[d];
    spec->boxes[d] /= merged;
    spec->box_cells[d] *= merged;
}

struct decomposition_spec spec_one_box(const struct decomposition_spec *spec)
{
    struct decomposition_spec one = {{1, 1, 1}, {0, 0, 0}, 1};
    spec_extent(spec, one.box_cells);
    return one;
}

bool spec_is_coarsened(const struct decomposition_spec *fine,
                       const struct decomposition_spec *coarse)
{
    return extent_equal(fine->boxes, coarse->boxes) && fine->ranks == coarse->ranks;
}

/* Merges two boxes in each direction with an even number of them. False if there is none. */
static bool merge_even(struct decomposition_spec *spec)
{
    bool merged = false;
    for (int d = 0; d < 3; d++)
        if (spec->boxes[d] % 2 == 0) {
            merge_boxes(spec, d);
            merged = true;
        }
    return merged;
}

struct decomposition_spec spec_agglomerate(struct decomposition_spec spec, double below)
{
    if (spec_is_end(&spec))
        return spec;
    if (spec_cells(&spec) < below)
        return spec_one_box(&spec);
    for (struct decomposition_spec merged = spec;
         merge_even(&merged) && extent_cells(merged.box_cells) < below;)
        spec = merged;
    return spec_with_busy_ranks(spec);
}

/* Whether a side is longer than a level leaves it beside one of this length. */
static bool is_long(double side, double beside)
{
    return side > MAX_SIDE_RATIO * (1.0 + SAME_SIDE) * beside;
}

/* Whether a smoother couples the two cells in direction d so strongly that they have one value. */
static bool is_thin(const int n[3], const double side[3], int d)
{
    const double others = fmin(side[(d + 1) % 3], side[(d + 2) % 3]);
    return n[d] == 2 && is_long(others, side[d]);
}

/* Sets in which directions the next coarser level has half the cells: spec_coarsen() has the rule.
 * False at the end of the hierarchy. */
static bool choose_directions(const struct decomposition_spec *spec, struct min_cells least,
                              const double side[3], bool halved[3])
{
    double shortest = INFINITY;
    bool can[3];
    int n[3], count = 0;
    spec_extent(spec, n);
    for (int d = 0; d < 3; d++) {
        can[d] = n[d] % 2 == 0 &&
                 (n[d] / 2 >= least.shortest || (least.collapses[d] && is_thin(n, side, d)));
        shortest = can[d] ? fmin(shortest, side[d]) : shortest;
    }
    for (int d = 0; d < 3; d++) {
        halved[d] = can[d] && !is_long(side[d], shortest);
        n[d] /= halved[d] ? 2 : 1;
        count += halved[d];
    }
    const bool ends_small = !(can[0] && can[1] && can[2]) && spec_cells(spec) <= MAX_COARSEST_CELLS;
    return count > 0 && extent_longest(n) >= least.longest && !ends_small;
}

struct decomposition_spec spec_coarsen(struct decomposition_spec spec, struct min_cells least,
                                       const double side[3])
{
    bool halved[3], again[3];
    if (!choose_directions(&spec, least, side, halved))
        return (struct decomposition_spec){{0, 0, 0}, {0, 0, 0}, 0};
    double coarse_side[3];
    int shortest = INT_MAX;
    for (int d = 0; d < 3; d++)
        if (halved[d] && spec.box_cells[d] < shortest)
            shortest = spec.box_cells[d];
    for (int d = 0; d < 3; d++) {
        if (halved[d] && shortest <= AGGLOMERATION_SIDE)
            merge_boxes(&spec, d);
        spec.box_cells[d] /= halved[d] ? 2 : 1;
        coarse_side[d] = side[d] * (halved[d] ? 2.0 : 1.0);
    }
    return choose_directions(&spec, least, coarse_side, again) ? spec_with_busy_ranks(spec)
                                                               : spec_one_box(&spec);
}
