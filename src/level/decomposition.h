/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_DECOMPOSITION_H
#define LEVEL_DECOMPOSITION_H
/* The decomposition of one level's cells into boxes, and the boxes' owners. Pure functions: every
 * rank computes the same. */
#include "level/box.h"

/* Decomposition spec: boxes_per_side³ boxes with box_dim cells per side form a cube. `ranks` of the
 * world's ranks own them. */
struct decomposition_spec {
    int boxes_per_side;
    int box_dim;
    int ranks;
};

/* Cells per side of the level. */
static inline int spec_dim(struct decomposition_spec spec)
{
    return spec.boxes_per_side * spec.box_dim;
}

/* Boxes of the level. size_check() refuses more than an int holds (solvers/size.h). */
static inline long spec_boxes(struct decomposition_spec spec)
{
    return (long)spec.boxes_per_side * spec.boxes_per_side * spec.boxes_per_side;
}

/* The boxes of a level, after every rank's boxes have been merged into larger cuboids. owner[b] is
 * the rank of boxes[b] in the world. Boxes are sorted by owner. */
struct decomposition {
    int dim; /* N: cells per side of the level */
    int nboxes;
    struct box *boxes;
    int *owner;
    bool shared; /* another decomposition releases the boxes */
};

/* n of HPGMG's size rule: the largest n with n³ <= boxes_per_rank·ranks whose odd part of
 * n·2^log2_box_dim is at most 11 (so n = 1,2,…,12,14,16,18,20,22,24,28,…). At least 1. */
int size_rule(long boxes_per_rank, int ranks);

/* Divides the boxes along the Z-order (Morton) curve, the lowest bit of i first, into spec.ranks
 * contiguous, balanced pieces. Piece p goes to rank p·world/spec.ranks, so rank 0 always has one.
 * Each rank's boxes are merged into larger cuboids by a greedy pass along i, then j, then k.
 * spec.ranks <= world and <= number of boxes. */
struct decomposition decomposition_create(struct decomposition_spec spec, int world);
void decomposition_destroy(struct decomposition *d);
/* The rank's boxes are those from first_box(rank) to first_box(rank + 1) - 1. */
int decomposition_first_box(const struct decomposition *d, int rank);

/* Another name for the same boxes; destroying it leaves them. */
struct decomposition decomposition_share(const struct decomposition *d);

/* The next coarser level with the same boxes, coarsened, on the same ranks. */
struct decomposition decomposition_coarsen(const struct decomposition *fine);
/* True if `coarse` is what decomposition_coarsen(fine) gives. */
bool decomposition_is_coarsened(const struct decomposition *fine,
                                const struct decomposition *coarse);
/* Cells along the shortest side of any box. */
int decomposition_shortest_side(const struct decomposition *d);
/* True if both have the same boxes on the same ranks. */
bool decomposition_equal(const struct decomposition *a, const struct decomposition *b);

/* The spec of the next coarser level. Box sides are halved while they are above 8 cells; below, 2³
 * boxes are merged into one. An odd number of boxes per side is merged into a single box on one
 * rank. boxes_per_side is 0 where the hierarchy ends: the number of cells per side is odd, or half
 * of it is less than min_dim. */
struct decomposition_spec spec_coarsen(struct decomposition_spec spec, int min_dim);

/* True if `coarse` has the boxes of `fine`, coarsened, on the same ranks. */
bool spec_is_coarsened(struct decomposition_spec fine, struct decomposition_spec coarse);

/* The same level on fewer ranks: merges 2³ boxes while the merged box has fewer than `below` cells.
 * A level of fewer cells becomes one box on one rank. An end of the hierarchy remains one. */
struct decomposition_spec spec_agglomerate(struct decomposition_spec spec, double below);

#endif
