/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_SUBDOMAINS_H
#define CUDA_COARSE_SUBDOMAINS_H
/* How the tail kernel cuts small levels into bricks of the same size, one a block, and the room
 * that bricks have in its shared memory. No CUDA is needed for it. */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TAIL_DIM = 64, /* cells a side of the largest level that is cut, */
    TAIL_SOLO_DIM =
        8,           /* of the largest one that one block has whole, see coarse/single_block.cuh, */
    BRICK_SIDE = 16, /* and of the largest brick along i and j; */
    BRICK_DEPTH = 8, /* its planes. */
    LEAST_SIDE = 4,  /* Of the smallest brick: what wall rules read. */
    TAIL_BLOCKS = 128, /* bricks of a level at most */
    /* Ghosts of a block's bricks on all levels, each of which has half as many cells a side. */
    ALL_SIDES = 896,
    ALL_EDGES = 128,
    ALL_HALO = 3328,
};

/* Cells a side along i and j, planes along k, and the number of bricks. */
struct bricks {
    int side, depth, count;
};

/* The most ghosts of one brick that order 4 reads: behind walls, on sides and on edges, and those
 * that are other bricks' cells. */
struct brick_ghosts {
    int sides, edges, halo;
};

struct brick_ghosts bricks_ghosts(const struct bricks *b);

/* The bricks of a level of n cells a side, at most so many: as many as there may be, since each
 * takes as long as its cells. The count is 0 if it cannot be cut. */
struct bricks bricks_cut(int n, int most);

#ifdef __cplusplus
}
#endif
#endif
