/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How the tail kernel divides a small level into subdomains of one size, one per thread block, and
 * how much of them fits into shared memory. Needs no CUDA. */

#include "base/linkage.h"

C_BEGIN

enum {
    TAIL_CELLS = 64 * 64 * 64, /* of the largest level of the tail */
    SINGLE_BLOCK_DIM = 8,      /* cells per side of the largest single-block level */
    MIN_SINGLE_BLOCK_DIM = 4,  /* the same with the least shared memory */
    SUBDOMAIN_SIDE = 16,       /* cells of the largest subdomain along i and along j */
    SMALL_SIDE = 8,            /* of the largest small one, see coarse/tiles.cuh */
    SUBDOMAIN_DEPTH = 8,       /* planes of the largest one along k */
    MIN_SIDE = 4,              /* of the smallest subdomain: as many cells as wall rules read */
    TAIL_BLOCKS = 128,         /* subdomains of a level at most */
    MAX_WALLS = 1024,          /* cells next to walls that one subdomain lists: two per thread */
    /* Capacities of the lists of ghosts: a block's subdomains on all levels of a launch. Levels
     * whose sides are halved fit, of cubes and of domains of at most 4 boxes by direction. */
    ALL_SIDES = 928,
    ALL_EDGES = 112,
    ALL_HALO = 3296,
};

/* The subdomains of a level: cells of each, and how many there are, by direction and in all. */
struct subdomains {
    int cells[3], along[3], count;
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

/* Divides a level of at most TAIL_CELLS cells into as many subdomains as the limits allow: the time
 * of a step grows with the cells of one. Of divisions into as many it is that of the least surface.
 * A level with as many cells in i as in j has as many subdomains in both. The count is 0 if none
 * fits. */
struct subdomains subdomains_of(const int n[3], const struct subdomain_limits *limits);

C_END
