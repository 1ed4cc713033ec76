/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_TAIL_CUH
#define CUDA_COARSE_TAIL_CUH
/* What the tail kernel is given: the levels and steps of one launch, by value. */
#include "cuda/generic/bottom.cuh"
#include "cuda/coarse/subdomains.h"
#include "cuda/core/packet.cuh"

enum {
    TAIL_THREADS = 512,
    MAX_TAIL_LEVELS = 7,                           /* 64, 32, 16, 8, 4, 2, 1 */
    MAX_TAIL_STEPS = 64,                           /* an F-cycle of 64³ has 48 */
    TAIL_PACKETS = TAIL_DIM * TAIL_DIM * TAIL_DIM, /* of one buffer */
};

/* What the blocks of all tail launches meet by, in device memory. The program has one, so numbers of
 * exchanges never repeat, whichever operators' tails run in turns. */
struct sync_context {
    struct packet packets[2][TAIL_PACKETS]; /* coarse/packets.cuh */
    unsigned long long arrivals;            /* coarse/barrier.cuh */
};

/* One box with walls on all sides, cut into bricks of the same size, one a block, or whole in one
 * block's shared memory, which then is called solo. */
struct tail_level {
    int n;                    /* cells a side */
    int nbricks, depth;       /* bricks, 1 if solo, and planes of each */
    int sj, sk;               /* of its fields */
    int coarse_sj, coarse_sk; /* of those on its coarse side */
    int wall_rule;
    struct divider bricks; /* along i, and along j */
    struct divider side;   /* cells of a brick along i and along j, */
    struct divider half;   /* half of it, rounded up, */
    struct divider framed; /* with the ghosts that the stencil reads, */
    struct divider beta;   /* and of what is copied of β, see coarse/pass.cuh */
    double scale;
    const double *dinv, *alpha, *beta_i, *beta_j, *beta_k; /* NULL if not stored */
    struct relaxation relaxations[SMOOTHER_SWEEPS];
    /* Where its entries in the lists of ghosts begin, and how much room it has in that of other
     * bricks' cells. */
    int sides, edges, halo, room;
    /* Of a solo level, see coarse/single_block.cuh: its cell (0,0,0) in the frames, that of its
     * coarse side, and where its entries in the list of pairs begin. */
    int place, coarse_place, pairs;
};

struct tail_step {
    unsigned char kind, level;                          /* enum step_kind, place in tail.levels */
    unsigned char start, prolongation, nsweeps, finish; /* as in struct pass */
    unsigned char operations;                  /* sweeps and a finish, each reads ghosts of u */
    bool relaxes_zero;                         /* the first sweep is of one colour, and u is 0 */
    bool waits;                                /* for all blocks to have done what is before it */
    bool fetches_u, fetches_f, fetches_coarse; /* they are not in the solo level's frames yet */
    unsigned char coarse_rule;                 /* of the walls around coarse_u, */
    struct divider coarse_framed; /* a brick's cells with the ghosts that prolongation reads */
    double *u, *coarse_f;
    const double *f, *coarse_u;
};

struct tail {
    int count;
    int solo_block;              /* that has the solo levels, or −1 */
    int first_solo;              /* the first step on one of them */
    bool coloured;               /* all sweeps, and with the same weight */
    struct sync_context *sync;
    unsigned long long *norm;    /* of the last step, if that finishes so */
    struct tail_level levels[MAX_TAIL_LEVELS];
    struct tail_step steps[MAX_TAIL_STEPS];
    struct bottom_work bottom;
};
static_assert(sizeof(struct tail) <= 32764, "more than a kernel's parameters from CUDA 12.1 on");

#endif
