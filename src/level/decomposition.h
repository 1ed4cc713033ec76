/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_DECOMPOSITION_H
#define LEVEL_DECOMPOSITION_H
/* How the cells of one level are cut into boxes and dealt to ranks. Pure functions: every rank
 * computes the same. */
#include "level/box.h"

/* The cut of one level: a cube of boxes_per_side³ boxes with box_dim cells a side, dealt to `ranks`
 * of the world's ranks. */
struct cut {
    int boxes_per_side;
    int box_dim;
    int ranks;
};

/* Cells a side of the level. */
static inline int cut_dim(struct cut cut)
{
    return cut.boxes_per_side * cut.box_dim;
}

/* Boxes of the level. More than an int holds are refused before (solvers/size.h). */
static inline long cut_boxes(struct cut cut)
{
    return (long)cut.boxes_per_side * cut.boxes_per_side * cut.boxes_per_side;
}

/* The boxes of a level after every rank's boxes have been merged into larger cuboids; owner[b] is
 * the rank of boxes[b] in the world. Sorted by owner. */
struct decomposition {
    int dim; /* N: cells a side of the level */
    int nboxes;
    struct box *boxes;
    int *owner;
};

/* Z-order (Morton) code of box (i,j,k): bits interleaved, i lowest. 0 <= i,j,k < 2^21. */
unsigned long morton_code(unsigned i, unsigned j, unsigned k);

/* n of HPGMG's size rule: the largest n with n³ <= boxes_per_rank·ranks whose odd part of
 * n·2^log2_box_dim is at most 11 (so n = 1,2,…,12,14,16,18,20,22,24,28,…). At least 1. */
int size_rule(long boxes_per_rank, int ranks);

/* Deals the boxes of `cut` along the Morton curve to `cut.ranks` ranks in contiguous, balanced
 * pieces, spreads those over the `world` ranks (piece p goes to rank p·world/cut.ranks, so rank 0
 * always takes part), and merges each rank's boxes into as few cuboids as a greedy pass along i,
 * then j, then k finds. cut.ranks <= world and <= number of boxes. */
struct decomposition decomposition_create(struct cut cut, int world);
void decomposition_destroy(struct decomposition *d);

/* The same boxes of the same ranks, coarsened: one level down, without moving a cell between ranks.
 */
struct decomposition decomposition_coarsen(const struct decomposition *fine);
/* True if both have the same boxes on the same ranks. */
bool decomposition_equal(const struct decomposition *a, const struct decomposition *b);

/* The cut of the next coarser level, or boxes_per_side = 0 where the hierarchy ends: cells a side
 * are odd, or half of them were fewer than min_dim. Box side is halved while above 8; then 2³ boxes
 * are joined into one; an odd number of boxes a side is joined into a single box on one rank. */
struct cut cut_coarsen(struct cut cut, int min_dim);

/* The same level on fewer ranks: 2³ boxes that have less than `below` cells together are joined
 * into one, as often as that can be done, and a level that has less is one box on one rank. An end
 * of the hierarchy stays one. */
struct cut cut_agglomerate(struct cut cut, double below);

#endif
