/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The tail of a cycle: all steps on levels of few cells, in one cooperative launch. This
 * file is the kernel's parameters, which are passed by value. docs/KERNELS.md explains the tail and
 * lists the files of this folder; begin with tail.cu (the host's side) and run.cuh (a block's). */
#include "cuda/generic/bottom.cuh"
#include "cuda/coarse/subdomains.h"
#include "cuda/core/packet.cuh"

enum {
    TAIL_THREADS = 512,
    MAX_TAIL_LEVELS = 7,       /* 64³, 32³, 16³, 8³, 4³, 2³, 1 */
    MAX_TAIL_STEPS = 64,       /* an F-cycle of 64³ has 48 */
    TAIL_PACKETS = TAIL_CELLS, /* one per cell of the largest level */
};

/* What the blocks of all tail launches meet by, in device memory. The program has one, so that no
 * two exchanges have the same number, whichever operators' tails run alternately. */
struct sync_context {
    struct packet packets[2][TAIL_PACKETS]; /* coarse/packets.cuh */
    unsigned long long arrivals;            /* coarse/barrier.cuh */
};

/* How ghosts behind the walls of all levels follow from cells inward: of[RULE / 2], since rules
 * are of 1, 2 or 4 cells. A parameter of its own: an instruction finds the weights of a side in
 * constant memory, and shared memory has no room for a copy. */
struct tail_walls {
    struct side_weights of[WALL_QUARTIC / 2 + 1][6];
};

/* One box. It is divided into subdomains of one size, one per block, or it is a single-block level:
 * whole in one block's shared memory. A size of 400 bytes, which `wrapped` is aligned for, takes
 * fewer loads in the kernels between Dirichlet walls than 392. */
struct tail_level {
    int n[3];
    alignas(8) unsigned wrapped; /* sides, as bits in the order low i, high i, low j, … */
    int nsubdomains;             /* 1 for a single-block level */
    int sj, sk;                  /* strides of its fields */
    int coarse_sj, coarse_sk;    /* strides of the fields on its coarse side */
    int wall_rule;
    struct cuboid subdomains; /* by direction */
    struct cuboid size;       /* cells of a subdomain */
    struct cuboid half;       /* coarse cells under a subdomain: half of size, rounded up */
    struct cuboid beta;       /* faces of β that are copied */
    /* half, with one layer of ghosts or with the two that quartic interpolation reads. */
    struct cuboid coarse_padded[2];
    double scale;
    const double *dinv, *alpha, *beta_i, *beta_j, *beta_k; /* NULL if not stored */
    struct relaxation relaxations[SMOOTHER_SWEEPS];
    /* The beginning of its entries in the lists of ghosts, and the capacity of that of the halo. */
    int sides, edges, halo, halo_capacity;
    /* Single-block level: its longest side, offsets of its cell (0,0,0) and of the coarse side's in
     * the tiles, and the beginnings of their entries in the list of cell pairs. */
    int longest, offset, coarse_offset, pairs, coarse_pairs;
};

struct tail_step {
    unsigned char kind, level;                          /* enum stage_kind; index in tail.levels */
    unsigned char start, prolongation, nsweeps, finish; /* as in struct pass */
    unsigned char operations; /* sweeps and a finish: operations that read ghosts of u */
    bool relaxes_zero;        /* the first sweep is of one colour, and u is 0 */
    bool waits;               /* until all blocks have done the steps before it */
    /* Single-block level: the tiles do not hold these fields yet. */
    bool fetches_u, fetches_f, fetches_coarse;
    unsigned char coarse_rule; /* of walls around coarse_u */
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

/* The operator on levels with other sides than Dirichlet walls, any of them. It is a kernel of its
 * own, since code that asks for the kinds of sides is slower. */
template <class Op>
struct any_sides : Op {
};
template <class Op>
constexpr bool has_any_sides = false;
template <class Op>
constexpr bool has_any_sides<any_sides<Op>> = true;

/* What the other kernel has as constants: a level's wrapped sides, and the ghost behind a wall by a
 * rule that its level has. */
template <class Op>
DEVICE unsigned wrapped_sides(const struct tail_level &l)
{
    return has_any_sides<Op> ? l.wrapped : 0;
}

template <class Op, int RULE>
DEVICE double ghost_behind(const struct tail_walls &rules, int side, int layer,
                           const double v[MAX_WALL_CELLS])
{
    return has_any_sides<Op> ? side_ghost(&rules.of[RULE / 2][side], RULE, layer, v)
                             : wall_ghost(WALL_DIRICHLET, RULE, layer, v);
}

/* Launches the list. Blocks and shared memory are always the same. fv2*.cu and fv4*.cu instantiate
 * it for each operator. */
typedef void tail_launcher(const struct tail &tail, const struct tail_walls &rules, int blocks,
                           size_t bytes);
template <class Op>
tail_launcher tail_launch;
