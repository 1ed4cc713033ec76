#ifndef CUDA_BRICKS_H
#define CUDA_BRICKS_H
/* How the tail kernel cuts small levels into bricks of the same size, one a block, and the room
 * that bricks have in its shared memory. No CUDA is needed for it. */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TAIL_DIM = 64,     /* cells a side of the largest level that is cut, */
    TAIL_SOLO_DIM = 8, /* of the largest one that one block has whole, see tail_solo.cuh, */
    BRICK_SIDE = 16,   /* and of the largest brick along i and j; */
    BRICK_DEPTH = 8,   /* its planes. */
    LEAST_SIDE = 4,    /* Of the smallest brick: what wall rules read. */
    TAIL_BLOCKS = 128, /* bricks of a level at most */
    /* Ghosts of one brick that order 4 reads: behind walls that are its sides (at most three; next
     * to open sides a row more) and its edges; and those of other bricks, two layers on the sides
     * and one on the edges. */
    MAX_SIDES = 640,
    MAX_EDGES = 12 * TAIL_SOLO_DIM,
    MAX_HALO = 4 * (BRICK_SIDE * BRICK_SIDE + 2 * BRICK_SIDE * BRICK_DEPTH) +
               4 * (2 * BRICK_SIDE + BRICK_DEPTH),
};

/* Cells a side along i and j, planes along k, and the number of bricks. */
struct bricks {
    int side, depth, count;
};

/* The bricks of a level of n cells a side, at most so many: as many as there may be, since each
 * takes as long as its cells. The count is 0 if it cannot be cut. */
struct bricks bricks_cut(int n, int most);

#ifdef __cplusplus
}
#endif
#endif
