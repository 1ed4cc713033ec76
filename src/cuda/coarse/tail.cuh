/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_TAIL_CUH
#define CUDA_COARSE_TAIL_CUH
/* The tail of a cycle: all steps on levels of at most 64³ cells, in one cooperative launch. This
 * file is the kernel's parameters, which are passed by value. docs/KERNELS.md explains the tail and
 * lists the files of this folder; begin with tail.cu (the host's side) and run.cuh (a block's). */
#include "cuda/generic/bottom.cuh"
#include "cuda/coarse/subdomains.h"
#include "cuda/core/packet.cuh"

enum {
    TAIL_THREADS = 512,
    MAX_TAIL_LEVELS = 7,                           /* 64, 32, 16, 8, 4, 2, 1 */
    MAX_TAIL_STEPS = 64,                           /* an F-cycle of 64³ has 48 */
    TAIL_PACKETS = TAIL_DIM * TAIL_DIM * TAIL_DIM, /* one per cell of the largest level */
};

/* What the blocks of all tail launches meet by, in device memory. The program has one, so that no
 * two exchanges have the same number, whichever operators' tails run alternately. */
struct sync_context {
    struct packet packets[2][TAIL_PACKETS]; /* coarse/packets.cuh */
    unsigned long long arrivals;            /* coarse/barrier.cuh */
};

/* One box with walls on all sides, or periodic in all directions. It is divided into subdomains of
 * one size, one per block, or it is a single-block level: whole in one block's shared memory. */
struct tail_level {
    int n;                     /* cells per side */
    int nsubdomains, depth;    /* 1 for a single-block level; planes of each */
    int sj, sk;                /* strides of its fields */
    int coarse_sj, coarse_sk;  /* strides of the fields on its coarse side */
    int wall_rule;             /* unless periodic */
    struct divider subdomains; /* along i, and along j */
    struct divider side;       /* cells of a subdomain along i, and along j */
    struct divider half;       /* half of side, rounded up */
    struct divider padded;     /* side, with the ghosts that the stencil reads */
    struct divider beta;       /* faces of β that are copied, see coarse/pass.cuh */
    double scale;
    const double *dinv, *alpha, *beta_i, *beta_j, *beta_k; /* NULL if not stored */
    struct relaxation relaxations[SMOOTHER_SWEEPS];
    /* The beginning of its entries in the lists of ghosts, and the capacity of that of the halo. */
    int sides, edges, halo, halo_capacity;
    /* Single-block level: offsets of its cell (0,0,0) and of the coarse side's in the tiles, and
     * the beginnings of their entries in the list of cell pairs. */
    int offset, coarse_offset, pairs, coarse_pairs;
};

struct tail_step {
    unsigned char kind, level;                          /* enum stage_kind; index in tail.levels */
    unsigned char start, prolongation, nsweeps, finish; /* as in struct pass */
    unsigned char operations; /* sweeps and a finish, each of which reads ghosts of u */
    bool relaxes_zero;        /* the first sweep is of one colour, and u is 0 */
    bool waits;               /* until all blocks have done the steps before it */
    /* Single-block level: the tiles do not hold these fields yet. */
    bool fetches_u, fetches_f, fetches_coarse;
    unsigned char coarse_rule; /* of the walls around coarse_u, unless periodic */
    struct divider
        coarse_padded; /* cells of the coarse side, with ghosts that prolongation reads */
    double *u, *coarse_f;
    const double *f, *coarse_u;
};

struct tail {
    int count;
    int single_block;       /* index of the block that has the single-block levels, or −1 */
    int first_single_block; /* the first step on one of them */
    bool coloured;          /* all sweeps, and with one weight */
    struct sync_context *sync;
    unsigned long long *norm; /* of the last step, if its finish is a norm */
    struct tail_level levels[MAX_TAIL_LEVELS];
    struct tail_step steps[MAX_TAIL_STEPS];
    struct warp_bottom_work bottom;
};
static_assert(sizeof(struct tail) <= 32764, "more than a kernel's parameters from CUDA 12.1 on");

/* The operator on periodic levels. It is a kernel of its own, since code for both kinds of levels
 * in one is slower for each. */
template <class Op>
struct periodic : Op {
};
template <class Op>
constexpr bool is_periodic = false;
template <class Op>
constexpr bool is_periodic<periodic<Op>> = true;

/* Launches the list with so many blocks of so much shared memory, which is always the same. fv2*.cu
 * and fv4*.cu instantiate it for each operator. */
template <class Op>
void tail_launch(const struct tail &tail, int blocks, size_t bytes);

#endif
