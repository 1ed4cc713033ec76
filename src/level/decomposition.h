/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The decomposition of one level's cells into boxes, and the boxes' owners. Pure functions: every
 * rank computes the same. */
#include "level/box.h"
#include "level/extent.h"

/* Boxes per direction, and cells per box and direction. `ranks` of the world's ranks own them. */
struct decomposition_spec {
    int boxes[3];
    int box_cells[3];
    int ranks;
};

/* A cube of boxes_per_side³ boxes with box_side³ cells each. */
struct decomposition_spec spec_cube(int boxes_per_side, int box_side, int ranks);
/* The level's cells by direction, and their product. */
void spec_extent(const struct decomposition_spec *spec, int n[3]);
double spec_cells(const struct decomposition_spec *spec);
/* Boxes of the level. size_check() refuses more than an int holds (solvers/size.h). */
long spec_boxes(const struct decomposition_spec *spec);

/* The boxes of a level, after every rank's boxes have been merged into larger cuboids. owner[b] is
 * the rank of boxes[b] in the world. Boxes are sorted by owner. */
struct decomposition {
    int n[3]; /* cells of the level by direction */
    int nboxes;
    struct box *boxes;
    int *owner;
    bool shared; /* another decomposition releases the boxes */
};

/* Divides the boxes along the Z-order (Morton) curve, the lowest bit of i first, into spec.ranks
 * contiguous, balanced pieces. Piece p goes to rank p·world/spec.ranks, so rank 0 always has one.
 * Each rank's boxes are merged into larger cuboids by a greedy pass along i, then j, then k.
 * spec.ranks <= world and <= number of boxes. */
struct decomposition decomposition_create(struct decomposition_spec spec, int world);
void decomposition_destroy(struct decomposition *d);
/* The rank's boxes are those from first_box(rank) to first_box(rank + 1) - 1. */
int decomposition_first_box(const struct decomposition *d, int rank);

/* Non-owning alias. */
struct decomposition decomposition_share(const struct decomposition *d);

/* The next coarser level, of n cells by direction, with the same boxes, coarsened, on the same
 * ranks. */
struct decomposition decomposition_coarsen(const struct decomposition *fine, const int n[3]);
/* True if `coarse` is what decomposition_coarsen(fine, coarse->n) gives. */
bool decomposition_is_coarsened(const struct decomposition *fine,
                                const struct decomposition *coarse);
/* Cells along the shortest side of any box. */
int decomposition_shortest_side(const struct decomposition *d);
/* True if both have the same boxes on the same ranks. */
bool decomposition_equal(const struct decomposition *a, const struct decomposition *b);

/* The spec of the next coarser level, of cells with these sides on the finer one. It has half the
 * cells in each direction whose cells have sides of at most MAX_SIDE_RATIO times the shortest, of
 * the directions with an even number of cells that leaves at least least.shortest. So cells become
 * cubes, and errors that vary along long sides, which a smoother does not reduce, stay on the grid.
 * Boxes' sides are halved while they are above 8 cells; below, 2 boxes are merged into one in each
 * direction, and an odd number of boxes in a direction into one box. The coarsest level is one box,
 * on one rank; the boxes are 0 behind it. It is the first with no direction to coarsen, or with
 * fewer than least.longest cells on the longest side of the next one; or that cannot be coarsened
 * in all directions and has at most MAX_COARSEST_CELLS, few for any bottom solver. */
#define MAX_SIDE_RATIO 2.0
enum { MAX_COARSEST_CELLS = 128 };
struct decomposition_spec spec_coarsen(struct decomposition_spec spec, struct min_cells least,
                                       const double side[3]);

/* The same level on no more ranks than there are boxes. */
struct decomposition_spec spec_with_busy_ranks(struct decomposition_spec spec);

/* The same level as one box on one rank. */
struct decomposition_spec spec_one_box(const struct decomposition_spec *spec);

/* True behind the coarsest level: see spec_coarsen(). */
bool spec_is_end(const struct decomposition_spec *spec);

/* True if `coarse` has the boxes of `fine`, coarsened, on the same ranks. */
bool spec_is_coarsened(const struct decomposition_spec *fine,
                       const struct decomposition_spec *coarse);

/* The same level on fewer ranks: merges 2 boxes in each direction with an even number of them,
 * while there is such a direction and the merged box has fewer than `below` cells.
 * A level of fewer cells becomes one box on one rank. An end of the hierarchy remains one. */
struct decomposition_spec spec_agglomerate(struct decomposition_spec spec, double below);
