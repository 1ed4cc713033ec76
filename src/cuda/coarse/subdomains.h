/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_SUBDOMAINS_H
#define CUDA_COARSE_SUBDOMAINS_H
/* How the tail kernel divides a small level into subdomains of one size, one per thread block, and
 * how much of them fits into shared memory. Needs no CUDA. */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TAIL_DIM = 64,              /* cells per side of the largest level of the tail */
    SINGLE_BLOCK_DIM = 8,       /* of the largest single-block level, see coarse/single_block.cuh */
    LEAST_SINGLE_BLOCK_DIM = 4, /* the same with the least shared memory */
    SUBDOMAIN_SIDE = 16,        /* cells of the largest subdomain along i and along j */
    SMALL_SIDE = 8,             /* of the largest small one, see coarse/tiles.cuh */
    SUBDOMAIN_DEPTH = 8,        /* planes of the largest one along k */
    LEAST_SIDE = 4,             /* of the smallest subdomain: as many cells as wall rules read */
    TAIL_BLOCKS = 128,          /* subdomains of a level at most */
    /* Capacities of the lists of ghosts: a block's subdomains on all levels, each of which has half
     * as many cells per side as the one before. */
    ALL_SIDES = 896,
    ALL_EDGES = 128,
    ALL_HALO = 3328,
};

/* The subdomains of a level: cells per side along i and j, planes along k, and their number. */
struct subdomains {
    int side, depth, count;
};

/* What shared memory and multiprocessors allow: cells per side of the largest single-block level,
 * and of the largest subdomain along i and along j; subdomains of a level. */
struct subdomain_limits {
    int single_block_dim, side, count;
};

/* The most ghosts of one subdomain that order 4 reads: behind walls, on sides and on edges; and
 * cells of other subdomains. */
struct subdomain_ghosts {
    int sides, edges, halo;
};

struct subdomain_ghosts subdomains_ghosts(const struct subdomains *s);

/* Divides a level of n cells per side into as many subdomains as the limits allow: the time of a
 * step grows with the cells of one. The count is 0 if none fits. */
struct subdomains subdomains_of(int n, const struct subdomain_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
