/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernel of one operation: a sweep of any smoother, or the residual, stored, restricted or
 * reduced to its norm on the way; docs/KERNELS.md explains it. Step k computes the fluxes in i and
 * j of the thread's cells in plane k and the fluxes through their low k faces, which complete plane
 * k − 1. */
#include <algorithm>
#include "cuda/core/fences.cuh"
#include "cuda/core/reciprocal.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/core/tiles.cuh"
#include "cuda/fv4/quads.cuh"
#include "cuda/fv4/sweep_launch.cuh"
#include "cuda/tuning.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

namespace fv4
{
enum { LANES = 32, CORE_WIDTH = 2 * LANES };
/* Tiles of u and β have a halo of two columns on either side, or of 16 bytes, with which copies
 * begin. In j the stencil of u reaches two
 * rows beyond the cells, differences of β one, and there is a face of β_j above the last row. */
enum { HALO = 16 / sizeof(real), WIDTH = CORE_WIDTH + 2 * HALO };
enum { U_FIRST = -2, BETA_FIRST = -1 };

/* A tile in shared memory. */
template <int ROWS, int COLUMNS>
struct alignas(128) shared_tile {
    real rows[ROWS][COLUMNS];
    static constexpr int BYTES = ROWS * COLUMNS * (int)sizeof(real);
};

/* A block's tile: rows of cells, the source of copies, and the maximum of steps by which copies are
 * issued ahead of their use. */
template <class origin, int rows, int ahead>
struct sweep_tile {
    using source = origin;
    static constexpr int CORE_ROWS = rows, GROUPS = rows / 2, AHEAD = ahead;
    /* Without TMA one more group copies. */
    static constexpr int COPY_GROUPS = BY_ENGINE<source> ? 0 : 1;
    static constexpr int THREADS = LANES * (GROUPS + COPY_GROUPS);
    using of_u = struct shared_tile<CORE_ROWS + 4, WIDTH>;
    using of_beta = struct shared_tile<CORE_ROWS + 2, WIDTH>;
    using of_beta_j = struct shared_tile<CORE_ROWS + 1, WIDTH>;
    using of_core = struct shared_tile<CORE_ROWS, CORE_WIDTH>;
    static constexpr size_t max_bytes(); /* of shared memory, whatever the kernel does */
};

/* For compute capability 9.0; without TMA for 163 KiB of shared memory per block, with one group
 * less, which copies; and for 99 KiB, where two blocks of few rows fill a multiprocessor that has
 * room for them. */
using large_sweep = struct sweep_tile<CUtensorMap, TUNED_FV4_SWEEP_ROWS, 2>;
using medium_sweep = struct sweep_tile<field_source, 14, 1>;
using small_sweep = struct sweep_tile<field_source, 6, 2>;

template <enum sweep_kind KIND>
static constexpr bool READS_DINV = KIND == SWEEP_WEIGHTED || KIND == SWEEP_TWO_STEP;

/* The shared memory of a block. Step k brings u and β of i and j faces in plane k + 1, β of the
 * faces below plane k, and the other fields of plane k − 1, which it completes. Copies are issued
 * AHEAD steps before, as many as fit. Three steps use a plane of u, two a plane of β. */
template <class tile, class Op, enum sweep_kind KIND>
struct shared_planes {
    using shape = tile;
    static constexpr int AHEAD = (READS_ALPHA<Op> && READS_DINV<KIND>) ? 1 : tile::AHEAD;
    static constexpr int SLOTS = AHEAD + 1, BETA_SLOTS = AHEAD + 2, U_SLOTS = AHEAD + 3;
    /* The other fields take as many slots each: f, and those of α and D⁻¹ that are read. */
    static constexpr int ALPHA = SLOTS,
    DINV = (1 + READS_ALPHA<Op>)*SLOTS;
    static constexpr int CORES = 1 + READS_ALPHA<Op> + READS_DINV<KIND>;
    typename tile::of_u u[U_SLOTS];
    typename tile::of_beta beta_i[BETA_SLOTS], beta_k[BETA_SLOTS];
    typename tile::of_beta_j beta_j[BETA_SLOTS];
    typename tile::of_core cores[CORES * SLOTS];
    barrier_word full[SLOTS], empty[SLOTS];
};

template <class origin, int rows, int ahead>
constexpr size_t sweep_tile<origin, rows, ahead>::max_bytes()
{
    return std::max({sizeof(struct shared_planes<sweep_tile, op_fv4_helmholtz, SWEEP_RESIDUAL>),
                     sizeof(struct shared_planes<sweep_tile, op_fv4_helmholtz, SWEEP_WEIGHTED>),
                     sizeof(struct shared_planes<sweep_tile, op_fv4, SWEEP_WEIGHTED>)});
}

/* The sources of the copies. */
template <class source>
struct sweep_sources {
    source u, beta_i, beta_j, beta_k, f, dinv, alpha;
};

/* The tile of a block and its planes. The steps are two that only bring u and β of the planes
 * before the first, one that only computes differences, and one per plane. */
struct plane_range {
    int i, j;        /* of the tile's first core cell */
    int first, last; /* planes */
    static constexpr int FIRST_STEPS = 3;
};

template <class tile>
DEVICE struct plane_range range_of_tile(const struct cells &c, dim3 number, int planes)
{
    struct plane_range m;
    m.i = (int)number.x * CORE_WIDTH;
    m.j = (int)number.y * tile::CORE_ROWS;
    m.first = (int)number.z * planes;
    m.last = min(m.first + planes, c.n[2]);
    return m;
}

DEVICE int next_slot(int slot, int slots)
{
    return slot + 1 < slots ? slot + 1 : 0;
}

/* The slots of a step, and the parity of the barriers' phase. */
template <class SHARED>
struct slot_indices {
    int slot = 0, parity = 0, beta = 0, beta_before = 0, u = 0, u_before = 0, u_before_that = 0;

    __device__ void advance()
    {
        slot = next_slot(slot, SHARED::SLOTS);
        parity ^= slot == 0;
        beta_before = beta;
        beta = next_slot(beta, SHARED::BETA_SLOTS);
        u_before_that = u_before;
        u_before = u;
        u = next_slot(u, SHARED::U_SLOTS);
    }
};

template <int ROWS, int COLUMNS, class source>
DEVICE void fetch_to(struct shared_tile<ROWS, COLUMNS> &to, const source &from, int i, int j, int k,
                     barrier_word *full)
{
    tile_fetch<COLUMNS, ROWS, COLUMNS>((int)__cvta_generic_to_shared(to.rows), from, i, j, k, full);
}

/* Issues the copies of step k, once its slots are free. */
template <class Op, enum sweep_kind KIND, class source, class SHARED>
DEVICE void fetch(const struct sweep_sources<source> &from, const struct plane_range &m, SHARED &s,
                  const struct slot_indices<SHARED> &t, int k)
{
    using tile = typename SHARED::shape;
    constexpr int BEGINNING = tile::of_u::BYTES + tile::of_beta::BYTES + tile::of_beta_j::BYTES,
                  REST = tile::of_beta::BYTES + SHARED::CORES * tile::of_core::BYTES;
    const int i = m.i - HALO;
    const bool begun = k >= m.first - 1;
    barrier_word *full = &s.full[t.slot];
    barrier_wait(&s.empty[t.slot], t.parity ^ 1);
    begin_copies<source>(full, BEGINNING + (begun ? REST : 0));
    fetch_to(s.u[t.u], from.u, i, m.j + U_FIRST, k + 1, full);
    fetch_to(s.beta_i[t.beta], from.beta_i, i, m.j + BETA_FIRST, k + 1, full);
    fetch_to(s.beta_j[t.beta], from.beta_j, i, m.j, k + 1, full);
    if (begun) {
        fetch_to(s.beta_k[t.beta], from.beta_k, i, m.j + BETA_FIRST, k, full);
        fetch_to(s.cores[t.slot], from.f, m.i, m.j, k - 1, full);
        if (READS_ALPHA<Op>)
            fetch_to(s.cores[SHARED::ALPHA + t.slot], from.alpha, m.i, m.j, k - 1, full);
        if (READS_DINV<KIND>)
            fetch_to(s.cores[SHARED::DINV + t.slot], from.dinv, m.i, m.j, k - 1, full);
    }
    end_copies<source>(full);
}

/* Without TMA this is all that the last group does. */
template <class Op, enum sweep_kind KIND, class source, class SHARED>
DEVICE void copy_planes(const struct sweep_sources<source> &from, const struct plane_range &m,
                        SHARED &s)
{
    struct slot_indices<SHARED> t;
    for (int k = m.first - plane_range::FIRST_STEPS; k <= m.last; k++, t.advance())
        fetch<Op, KIND>(from, m, s, t, k);
}

/* A thread's cells: i and j of the first. */
struct thread_cells {
    int lane, group, i, j;
    bool core;      /* it has cells to update */
    bool near_wall; /* in i or j: D⁻¹ does not follow from the nearest faces alone */
};

DEVICE struct thread_cells compute_thread(const struct fv4_sweep &w, const struct plane_range &m)
{
    const struct cells &c = w.c;
    struct thread_cells p;
    p.lane = threadIdx.x;
    p.group = threadIdx.y;
    p.i = m.i + 2 * p.lane;
    p.j = m.j + 2 * p.group;
    p.core = p.i < c.n[0] && p.j < c.n[1];
    p.near_wall =
        p.i < w.inner_lo[0] || p.i >= w.inner_hi[0] || p.j < w.inner_lo[1] || p.j >= w.inner_hi[1];
    return p;
}

/* Registers that a thread carries from step to step; *_m is plane k − 1. β by faces: three in a row
 * in i, three rows of them in j. */
struct column_values {
    quad u_mm, u_m, u;
    real beta_i_m[2][3], beta_i[2][3];
    real beta_j_m[3][2], beta_j[3][2];
    quad di_m, dj_m;  /* central differences of u in plane k − 1 */
    quad sum, flux_k; /* of plane k − 1: net fluxes in i and j, low k flux */
};

/* Loads a thread's two cells of a row; with N = 3 also the next cell, with N = 4 also the one
 * before. */
template <int N>
DEVICE void load(real (&to)[N], const real *from)
{
    const real2 p = *(const real2 *)from;
    if (N == 4)
        to[0] = from[-1];
    to[N / 4] = p.x;
    to[N / 4 + 1] = p.y;
    if (N > 2)
        to[N - 1] = from[2];
}

/* The first of a thread's cells, in shared memory, in the planes that step k uses. */
struct pointers {
    const real *u_m, *u, *u_p, *beta_i, *beta_i_p, *beta_j, *beta_j_p, *beta_k, *beta_k_m;
};

template <class SHARED>
DEVICE struct pointers compute_pointers(const SHARED &s, const struct slot_indices<SHARED> &t,
                                        const struct thread_cells &p)
{
    const int first = 2 * p.group, column = 2 * p.lane + HALO;
    struct pointers x;
    x.u_m = &s.u[t.u_before_that].rows[first - U_FIRST][column];
    x.u = &s.u[t.u_before].rows[first - U_FIRST][column];
    x.u_p = &s.u[t.u].rows[first - U_FIRST][column];
    x.beta_i = &s.beta_i[t.beta_before].rows[first - BETA_FIRST][column];
    x.beta_i_p = &s.beta_i[t.beta].rows[first - BETA_FIRST][column];
    x.beta_j = &s.beta_j[t.beta_before].rows[first][column];
    x.beta_j_p = &s.beta_j[t.beta].rows[first][column];
    x.beta_k = &s.beta_k[t.beta].rows[first - BETA_FIRST][column];
    x.beta_k_m = &s.beta_k[t.beta_before].rows[first - BETA_FIRST][column];
    return x;
}

/* u around the thread's cells in plane k, and its central differences. */
struct surroundings {
    real west[2][2], east[2][2];     /* two cells beside each row */
    real south[4], north[4];         /* rows below and above, with the cells beside */
    real south_far[2], north_far[2]; /* the rows after them */
    real di[4][2];                   /* of rows south … north */
    real dj[2][4];                   /* of cells west … east of each row */
    real dk[2][4], dk_south[2], dk_north[2];
};

DEVICE void load_surroundings(struct surroundings &a, const struct column_values &c,
                              const struct pointers &x, const quad u_p)
{
    for (int q = 0; q < 2; q++) {
        load(a.west[q], x.u + q * WIDTH - 2);
        load(a.east[q], x.u + q * WIDTH + 2);
        a.dk[q][0] = x.u_p[q * WIDTH - 1] - x.u_m[q * WIDTH - 1];
        a.dk[q][1] = u_p[q][0] - c.u_m[q][0];
        a.dk[q][2] = u_p[q][1] - c.u_m[q][1];
        a.dk[q][3] = x.u_p[q * WIDTH + 2] - x.u_m[q * WIDTH + 2];
        a.di[1 + q][0] = c.u[q][1] - a.west[q][1];
        a.di[1 + q][1] = a.east[q][0] - c.u[q][0];
    }
    load(a.south, x.u - WIDTH);
    load(a.north, x.u + 2 * WIDTH);
    load(a.south_far, x.u - 2 * WIDTH);
    load(a.north_far, x.u + 3 * WIDTH);
    real m[2], p[2];
    load(m, x.u_m - WIDTH);
    load(p, x.u_p - WIDTH);
    for (int i = 0; i < 2; i++)
        a.dk_south[i] = p[i] - m[i];
    load(m, x.u_m + 2 * WIDTH);
    load(p, x.u_p + 2 * WIDTH);
    for (int i = 0; i < 2; i++) {
        a.dk_north[i] = p[i] - m[i];
        a.di[0][i] = a.south[i + 2] - a.south[i];
        a.di[3][i] = a.north[i + 2] - a.north[i];
    }
    const real row0[4] = {a.west[0][1], c.u[0][0], c.u[0][1], a.east[0][0]},
               row1[4] = {a.west[1][1], c.u[1][0], c.u[1][1], a.east[1][0]};
    for (int i = 0; i < 4; i++) {
        a.dj[0][i] = row1[i] - a.south[i];
        a.dj[1][i] = a.north[i] - row0[i];
    }
}

/* Net fluxes in i of the cells. */
DEVICE void sum_in_i(quad sum, const struct column_values &c, const struct surroundings &a,
                     const struct pointers &x, const real beta_p[2][3])
{
    real south[3], north[3];
    load(south, x.beta_i - WIDTH);
    load(north, x.beta_i + 2 * WIDTH);
    for (int q = 0; q < 2; q++) {
        const real u[6] = {a.west[q][0], a.west[q][1], c.u[q][0],
                           c.u[q][1],    a.east[q][0], a.east[q][1]};
        real flux[3];
        for (int i = 0; i < 3; i++) {
            const real db_j = q == 0 ? c.beta_i[1][i] - south[i] : north[i] - c.beta_i[0][i];
            flux[i] = fv4_flux(c.beta_i[q][i], u[i], u[i + 1], u[i + 2], u[i + 3], db_j, a.dj[q][i],
                               a.dj[q][i + 1], beta_p[q][i] - c.beta_i_m[q][i], a.dk[q][i],
                               a.dk[q][i + 1]);
        }
        for (int i = 0; i < 2; i++)
            sum[q][i] = flux[i] - flux[i + 1];
    }
}

/* Adds the net fluxes in j. */
DEVICE void add_in_j(quad sum, const struct column_values &c, const struct surroundings &a,
                     const struct pointers &x, const real beta_p[3][2])
{
    real db_i[3][2];
    for (int q = 0; q < 3; q++) {
        db_i[q][0] = c.beta_j[q][1] - x.beta_j[q * WIDTH - 1];
        db_i[q][1] = x.beta_j[q * WIDTH + 2] - c.beta_j[q][0];
    }
    for (int i = 0; i < 2; i++) {
        const real u[6] = {a.south_far[i], a.south[i + 1], c.u[0][i],
                           c.u[1][i],      a.north[i + 1], a.north_far[i]};
        const real dk[4] = {a.dk_south[i], a.dk[0][i + 1], a.dk[1][i + 1], a.dk_north[i]};
        real flux[3];
        for (int q = 0; q < 3; q++)
            flux[q] =
                fv4_flux(c.beta_j[q][i], u[q], u[q + 1], u[q + 2], u[q + 3], db_i[q][i], a.di[q][i],
                         a.di[q + 1][i], beta_p[q][i] - c.beta_j_m[q][i], dk[q], dk[q + 1]);
        for (int q = 0; q < 2; q++)
            sum[q][i] = sum[q][i] + (flux[q] - flux[q + 1]);
    }
}

/* Fluxes through the faces below plane k. */
DEVICE void fluxes_in_k(quad flux, const struct column_values &c, const struct surroundings &a,
                        const struct pointers &x, const quad u_p)
{
    real row[2][4], south[2], north[2];
    load(row[0], x.beta_k);
    load(row[1], x.beta_k + WIDTH);
    load(south, x.beta_k - WIDTH);
    load(north, x.beta_k + 2 * WIDTH);
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            const real db_j = q == 0 ? row[1][i + 1] - south[i] : north[i] - row[0][i + 1];
            flux[q][i] = fv4_flux(row[q][i + 1], c.u_mm[q][i], c.u_m[q][i], c.u[q][i], u_p[q][i],
                                  row[q][i + 2] - row[q][i], c.di_m[q][i], a.di[1 + q][i], db_j,
                                  c.dj_m[q][i], a.dj[q][i + 1]);
        }
}

/* What a step adds to the registers, for the next one. */
struct incoming {
    quad u, di, dj;
    real beta_i[2][3], beta_j[3][2];
};

/* Step k: the fluxes of plane k, and the operator's sums in plane k − 1 in the order of fv4_sum. A
 * cell's high fluxes are the next cell's low fluxes, negated: so sum_fv4 (operators/fv4.h) is
 * spelled out here, and tests/emulated/fv4_sweep_test.cc says that both are equal. */
DEVICE void advance(struct column_values &c, const struct pointers &x, struct incoming &n, quad sum)
{
    for (int q = 0; q < 2; q++) {
        load(n.u[q], x.u_p + q * WIDTH);
        load(n.beta_i[q], x.beta_i_p + q * WIDTH);
    }
    for (int q = 0; q < 3; q++)
        load(n.beta_j[q], x.beta_j_p + q * WIDTH);
    struct surroundings a;
    quad sum_ij, flux_k;
    load_surroundings(a, c, x, n.u);
    sum_in_i(sum_ij, c, a, x, n.beta_i);
    add_in_j(sum_ij, c, a, x, n.beta_j);
    fluxes_in_k(flux_k, c, a, x, n.u);
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            sum[q][i] = c.sum[q][i] + (c.flux_k[q][i] - flux_k[q][i]);
            c.sum[q][i] = sum_ij[q][i];
            c.flux_k[q][i] = flux_k[q][i];
            n.di[q][i] = a.di[1 + q][i];
            n.dj[q][i] = a.dj[q][i + 1];
        }
}

/* Moves the registers up by one plane. */
DEVICE void move_up(struct column_values &c, const struct incoming &n)
{
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            c.u_mm[q][i] = c.u_m[q][i];
            c.u_m[q][i] = c.u[q][i];
            c.u[q][i] = n.u[q][i];
            c.di_m[q][i] = n.di[q][i];
            c.dj_m[q][i] = n.dj[q][i];
        }
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 3; i++) {
            c.beta_i_m[q][i] = c.beta_i[q][i];
            c.beta_i[q][i] = n.beta_i[q][i];
            c.beta_j_m[i][q] = c.beta_j[i][q];
            c.beta_j[i][q] = n.beta_j[i][q];
        }
}

/* f − A u of cell x of row q in plane k − 1. */
template <class Op, class SHARED>
DEVICE real residual_of(const struct fv4_sweep &w, const struct thread_cells &p, const SHARED &s,
                        int slot, real u, real sum, int q, int x)
{
    const real f = s.cores[slot].rows[2 * p.group + q][2 * p.lane + x];
    real alpha = 0.0;
    if constexpr (READS_ALPHA<Op>)
        alpha = s.cores[SHARED::ALPHA + slot].rows[2 * p.group + q][2 * p.lane + x];
    return Op::residual_from(f, alpha, u, (real)w.scale, sum);
}

/* D⁻¹ of such a cell without a wall within the stencil's reach. */
template <class Op, class SHARED>
DEVICE real inverse_diagonal(const struct fv4_sweep &w, const struct thread_cells &p,
                             const SHARED &s, int slot, const struct column_values &c,
                             const struct pointers &b, int q, int x)
{
    real alpha = 0.0;
    if constexpr (READS_ALPHA<Op>)
        alpha = s.cores[SHARED::ALPHA + slot].rows[2 * p.group + q][2 * p.lane + x];
    return reciprocal(fv4_inner_diagonal(
        (real)w.scale, alpha, c.beta_i_m[q][x], c.beta_i_m[q][x + 1], c.beta_j_m[q][x],
        c.beta_j_m[q + 1][x], b.beta_k_m[q * WIDTH + x], b.beta_k[q * WIDTH + x]));
}

/* Updates one colour in plane k − 1. In the first row these are cells E. The thread's first cell is
 * at `at`; dinv holds D⁻¹ near a wall. */
template <class Op, int E, class SHARED>
DEVICE void relax(const struct fv4_sweep &w, const struct thread_cells &p, const SHARED &s,
                  int slot, const struct column_values &c, const struct pointers &b, const quad sum,
                  long at, bool near_wall, const quad dinv)
{
    for (int q = 0; q < 2; q++) {
        const int x = E ^ q;
        const real u = c.u_m[q][x];
        const real inverse =
            near_wall ? dinv[q][x] : inverse_diagonal<Op>(w, p, s, slot, c, b, q, x);
        const real value = update_weighted(
            u, inverse, residual_of<Op>(w, p, s, slot, u, sum[q][x], q, x), w.weight);
        *(real2 *)(w.out + at + q * w.c.sj) =
            x ? make_real2(c.u_m[q][0], value) : make_real2(value, c.u_m[q][1]);
    }
}

/* The new value of a cell where all cells are updated, or its residual. */
template <enum sweep_kind KIND>
DEVICE real new_value(const struct fv4_sweep &w, real u, real dinv, real r, real previous)
{
    if (KIND == SWEEP_WEIGHTED)
        return update_weighted(u, dinv, r, w.weight);
    if (KIND == SWEEP_TWO_STEP)
        return update_two_step(u, previous, dinv, r, w.weight, w.c1);
    return r;
}

template <enum sweep_kind KIND, class SHARED>
DEVICE void store(const struct fv4_sweep &w, const struct thread_cells &p, const SHARED &s,
                  int slot, const quad u, const quad r, long at, const quad previous)
{
    for (int q = 0; q < 2; q++) {
        real dinv[2] = {0.0, 0.0};
        if constexpr (READS_DINV<KIND>)
            load(dinv, &s.cores[SHARED::DINV + slot].rows[2 * p.group + q][2 * p.lane]);
        *(real2 *)(w.out + at + q * w.c.sj) =
            make_real2(new_value<KIND>(w, u[q][0], dinv[0], r[q][0], previous[q][0]),
                       new_value<KIND>(w, u[q][1], dinv[1], r[q][1], previous[q][1]));
    }
}

/* Completes plane k, for all but sweeps of one colour. */
template <class Op, enum sweep_kind KIND, class SHARED>
DEVICE void finish(const struct fv4_sweep &w, const struct thread_cells &p, const SHARED &s,
                   int slot, const quad u, const quad sum, int k, long at, const quad previous,
                   struct residual_sums &y)
{
    quad r;
    for (int q = 0; q < 2; q++)
        for (int x = 0; x < 2; x++)
            r[q][x] = residual_of<Op>(w, p, s, slot, u[q][x], sum[q][x], q, x);
    if (KIND == SWEEP_RESTRICT)
        restrict_quad(w, p.i, p.j, k, p.core, r, y);
    else if ((KIND == SWEEP_NORM || KIND == SWEEP_DEFECT) && p.core)
        raise_norm(r, y);
    else if (p.core)
        store<KIND>(w, p, s, slot, u, r, at, previous);
    if (KIND == SWEEP_DEFECT && p.core)
        store_defects(w.defect, p.i, p.j, k, r);
}

/* Loads the thread's values of the planes before the first step. */
DEVICE void load_first_planes(struct column_values &c, const struct pointers &x)
{
    for (int q = 0; q < 2; q++) {
        for (int i = 0; i < 2; i++)
            c.u_m[q][i] = c.u[q][i];
        load(c.u[q], x.u_p + q * WIDTH);
        load(c.beta_i[q], x.beta_i_p + q * WIDTH);
    }
    for (int q = 0; q < 3; q++)
        load(c.beta_j[q], x.beta_j_p + q * WIDTH);
}

/* Issues the loads of a field's values at the thread's cells where they are needed. */
DEVICE void load_cells(quad to, const struct fv4_sweep &w, const real *field, long at, bool needed)
{
    for (int q = 0; q < 2 && needed; q++)
        load(to[q], field + at + q * w.c.sj);
}

/* Called by all threads; the first one creates them. */
template <class SHARED>
DEVICE void create_barriers(bool first, SHARED &s)
{
    using tile = typename SHARED::shape;
    if (first) {
        for (int slot = 0; slot < SHARED::SLOTS; slot++) {
            barrier_create(&s.full[slot], COPY_ARRIVALS<typename tile::source>);
            barrier_create(&s.empty[slot], LANES * tile::GROUPS);
        }
        barriers_created();
    }
    __syncthreads();
}

template <class tile, class Op, enum sweep_kind KIND>
static __global__ void __launch_bounds__(tile::THREADS, 1)
    sweep_kernel(const __grid_constant__ struct fv4_sweep w,
                 const __grid_constant__ struct sweep_sources<typename tile::source> from,
                 const __grid_constant__ struct tile_set tiles, int planes)
{
    if constexpr (RUNS_HERE<BY_ENGINE<typename tile::source>>) {
        using shared = struct shared_planes<tile, Op, KIND>;
        constexpr bool ENGINE = BY_ENGINE<typename tile::source>;
        auto &s = *reinterpret_cast<shared *>(shared_memory);
        const struct plane_range m = range_of_tile<tile>(w.c, tile_of_block(tiles), planes);
        const struct thread_cells p = compute_thread(w, m);
        const bool first = p.lane == 0 && p.group == 0, fetches = ENGINE && first;
        struct slot_indices<shared> here, ahead;
        create_barriers(first, s);
        if (!ENGINE && p.group == tile::GROUPS)
            return copy_planes<Op, KIND>(from, m, s);
        for (int step = 0; step < shared::AHEAD; step++, ahead.advance())
            if (fetches)
                fetch<Op, KIND>(from, m, s, ahead, m.first - plane_range::FIRST_STEPS + step);

        struct column_values c = {};
        struct residual_sums sums = {};
        for (int k = m.first - plane_range::FIRST_STEPS; k < m.first - 1; k++) {
            barrier_wait(&s.full[here.slot], here.parity);
            load_first_planes(c, compute_pointers(s, here, p));
            if (fetches)
                fetch<Op, KIND>(from, m, s, ahead, k + shared::AHEAD);
            barrier_arrive(&s.empty[here.slot]);
            here.advance();
            ahead.advance();
        }
        long at = p.i + p.j * w.c.sj + (m.first - 2) * w.c.sk;
#pragma unroll 2
        for (int k = m.first - 1; k <= m.last; k++, at += w.c.sk) {
            quad sum, loaded; /* D⁻¹ or the previous iterate, of plane k − 1 */
            struct incoming incoming;
            const bool finishes = k > m.first;
            const bool near_wall = p.near_wall || k - 1 < w.inner_lo[2] || k - 1 >= w.inner_hi[2];
            if (KIND == SWEEP_COLOURED)
                load_cells(loaded, w, w.dinv, at, near_wall && finishes && p.core);
            if (KIND == SWEEP_TWO_STEP)
                load_cells(loaded, w, w.out, at, finishes && p.core);
            /* Hidden: else both barriers' addresses are kept in registers, and others are spilled.
             */
            barrier_wait(&s.full[opaque(here.slot)], here.parity);
            const struct pointers pointers = compute_pointers(s, here, p);
            advance(c, pointers, incoming, sum);
            if (fetches && k + shared::AHEAD <= m.last)
                fetch<Op, KIND>(from, m, s, ahead, k + shared::AHEAD);
            if (KIND != SWEEP_COLOURED && finishes)
                finish<Op, KIND>(w, p, s, here.slot, c.u_m, sum, k - 1, at, loaded, sums);
            else if (finishes && p.core && ((k - 1 + w.colour) & 1))
                relax<Op, 1>(w, p, s, here.slot, c, pointers, sum, at, near_wall, loaded);
            else if (finishes && p.core)
                relax<Op, 0>(w, p, s, here.slot, c, pointers, sum, at, near_wall, loaded);
            move_up(c, incoming);
            barrier_arrive(&s.empty[here.slot]);
            here.advance();
            ahead.advance();
        }
        if (KIND == SWEEP_NORM || (KIND == SWEEP_DEFECT && w.norm))
            warp_atomic_max(w.norm, sums.norm);
    }
}
} // namespace fv4
