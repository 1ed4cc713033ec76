/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The deep kernel: several half-sweeps, and the residual after them, in one pass over memory;
 * docs/KERNELS.md explains it. A thread owns the column i of two rows. In step t half-sweep s works
 * on plane t − s, all half-sweeps of a thread on the same row, the active one, and in the next step
 * on the other row. u, f and β_k of a thread's columns are in registers, β_i and β_j in shared
 * memory. New values pass to other threads through shared memory, to other blocks of the cluster by
 * asynchronous stores. The residual is half a sweep more: that of the cells that the last
 * half-sweep updates follows from the operands of their update. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/core/red_black.cuh"
#include "cuda/fv2/deep_tile.cuh"
#include "operators/sum.h"
#include "operators/transfers.h"

namespace fv2
{
/* One of a thread's two columns in registers: u of plane t + 1 and below, f of plane t and below,
 * β_k above plane t and below, D⁻¹ of the cells that half-sweep s updated last. */
template <class tile>
struct deep_column {
    real u[tile::DEPTH + 2], f[tile::DEPTH], bk[tile::DEPTH + 1], dinv[tile::SWEEPS];
};

/* Properties of a thread, as bits of one register: predicates that live from step to step would
 * take a register each. */
enum deep_flags {
    DEEP_LOW_I = 1 << 0, /* a wall beside its cells */
    DEEP_HIGH_I = 1 << 1,
    DEEP_LOW_J = 1 << 2,  /* below its lower row */
    DEEP_HIGH_J = 1 << 3, /* above its upper row */
    DEEP_WALLS = 1 << 4,  /* some lane of the warp has one of these */
    DEEP_UPPER = 1 << 5,  /* the upper row is the active one in the first step */
    DEEP_BELOW = 1 << 6,  /* exchanges its lower row with the block below */
    DEEP_ABOVE = 1 << 7,  /* exchanges its upper row with the block above */
    DEEP_OWN_LOWER = 1 << 8,
    DEEP_OWN_UPPER = 1 << 9
};

/* What a thread knows of itself besides its columns. Addresses are those of its lower row in slot
 * 0. */
struct deep_place {
    int flags, gi, gj;    /* cell (gi, gj) of the patch is in its lower row */
    unsigned cell, faces; /* its cell, and β on the low face in i */
    unsigned shared;      /* its cell in NEW */
    unsigned to, barrier; /* the cell, and the barrier, in the block that it exchanges with */
};

/* A row of a thread in one step. */
struct deep_row {
    unsigned cell, faces;
    int outward; /* to the neighbour in j that is not the thread's own, in bytes */
    bool upper, low_j, high_j;
};

/* The active row of step number q, or the other one. */
template <class tile>
DEVICE struct deep_row deep_row_of(const struct deep_place &p, int q)
{
    const bool upper = ((p.flags & DEEP_UPPER) != 0) != (q % 2 != 0);
    return {p.cell + (upper ? ROW_BYTES : 0), p.faces + (upper ? tile::BI_ROW : 0),
            upper ? ROW_BYTES : -ROW_BYTES,   upper,
            !upper && (p.flags & DEEP_LOW_J), upper && (p.flags & DEEP_HIGH_J)};
}

/* The walls next to a cell. */
template <bool WALLS>
DEVICE struct walls deep_walls_of(const struct cells &c, int flags, const struct deep_row &r, int k)
{
    if (!WALLS)
        return {};
    return {r.low_j,
            r.high_j,
            k == 0 && c.wall[2][0],
            k == c.n[2] - 1 && c.wall[2][1],
            (flags & DEEP_LOW_I) != 0,
            (flags & DEEP_HIGH_I) != 0};
}

/* What half-sweep s of the active row reads from shared memory: u of the neighbours in i and of the
 * one in j that is not the thread's own, then β and α. */
struct deep_operands {
    real im, ip, outward, bi0, bi1, bj0, bj1, alpha;
};

template <class tile>
DEVICE struct deep_operands deep_load(const struct deep_row &r, unsigned shared, int s, const int q)
{
    const unsigned last = tile::NEW + (1 - q % 2) * tile::ALL_NEW_BYTES,
                   u = s == 0 ? r.cell + tile::U + ROW_BYTES + q % tile::U_SLOTS * tile::U_BYTES
                              : shared + last + (s - 1) * tile::NEW_BYTES;
    const int step =
        tile::STEP + (q - s + tile::STEP_SLOTS * 2) % tile::STEP_SLOTS * tile::STEP_BYTES;
    struct deep_operands x = {};
    if (tile::VARIABLE) {
        x.bi0 = load_cell(r.faces + step + tile::BI);
        x.bi1 = load_cell(r.faces + step + tile::BI + CELL_BYTES);
        x.bj0 = load_cell(r.cell + step + tile::BJ);
        x.bj1 = load_cell(r.cell + step + tile::BJ + ROW_BYTES);
    }
    x.alpha = tile::ALPHAS ? load_cell(r.cell + step + tile::ALPHA)
                           : constant_alpha<typename tile::op>().x;
    if (s > 0 || !tile::ZERO) {
        x.im = load_cell(u - CELL_BYTES);
        x.ip = load_cell(u + CELL_BYTES);
        x.outward = load_cell(u + r.outward);
    }
    return x;
}

/* Residuals of the cells of the active row: in plane t − SWEEPS, and in plane t − SWEEPS + 1. */
struct deep_residuals {
    real active, next;
};

/* Passes a new value of half-sweep s to other threads and to the next block. */
template <class tile>
DEVICE void deep_publish(const struct deep_place &p, const struct deep_row &r, int s, const int q,
                         real u)
{
    const int slot = q % 2 * tile::ALL_NEW_BYTES + s * tile::NEW_BYTES;
    store_cell(p.shared + tile::NEW + slot, u);
    if (tile::BLOCKS > 1 && (p.flags & (r.upper ? DEEP_ABOVE : DEEP_BELOW)))
        store_async(p.to + slot, u, p.barrier + q % 2 * BARRIER_BYTES);
}

/* Step t: every half-sweep on the active row, and what residuals follow. */
template <bool WALLS, class tile>
DEVICE struct deep_residuals deep_step(const struct fv2_deep &w, const struct deep_place &p,
                                       struct deep_column<tile> &a,
                                       const struct deep_column<tile> &b, const struct deep_row &r,
                                       int t, const int q, const struct deep_operands &first)
{
    using Op = typename tile::op;
    struct deep_residuals residuals = {};
    struct deep_operands x = first, next = {};
#pragma unroll
    for (int s = 0; s < tile::DEPTH; s++) {
        if (s + 1 < tile::DEPTH)
            next = deep_load<tile>(r, p.shared, s + 1, q);
        const struct walls walls = deep_walls_of<WALLS>(w.c, p.flags, r, t - s);
        const real own = b.u[s + 1];
        const struct neighbours n = {
            x.im, x.ip, r.upper ? own : x.outward, r.upper ? x.outward : own, a.u[s + 2], a.u[s]};
        const struct cell_data d = {a.f[s], x.alpha, x.bi0,       x.bi1,
                                    x.bj0,  x.bj1,   a.bk[s + 1], a.bk[s]};
        const auto residual = [&](real u) {
            return residual_of<Op>(u, WALLS ? with_ghosts<Op, true>(n, u, walls, w.c) : n, d,
                                   w.scale);
        };
        if (s == tile::SWEEPS) {
            residuals.active = residual(a.u[s + 1]);
            break;
        }
        if (s < 2)
            a.dinv[s] = inverse_diagonal<Op>(
                WALLS ? ghosts_of_unit<Op, true>(walls, w.c) : neighbours{}, d, w.scale);
        a.u[s + 1] = update_weighted(a.u[s + 1], a.dinv[s], residual(a.u[s + 1]), RED_BLACK_WEIGHT);
        if (tile::FINISHES && s == tile::SWEEPS - 1)
            residuals.next = residual(a.u[s + 1]);
        if (s < tile::SENT)
            deep_publish<tile>(p, r, s, q, a.u[s + 1]);
        x = next;
    }
    return residuals;
}

/* Moves a column's registers down by one plane. */
template <class tile>
DEVICE void deep_shift(struct deep_column<tile> &a)
{
#pragma unroll
    for (int x = tile::DEPTH + 1; x > 0; x--)
        a.u[x] = a.u[x - 1];
#pragma unroll
    for (int x = tile::DEPTH; x > 0; x--)
        a.bk[x] = a.bk[x - 1];
#pragma unroll
    for (int x = tile::DEPTH - 1; x > 0; x--)
        a.f[x] = a.f[x - 1];
}

/* Reads what the column needs of the newest planes. */
template <class tile>
DEVICE void deep_read(struct deep_column<tile> &a, const struct deep_row &r, const int q)
{
    const unsigned f = r.cell + tile::F + q % tile::F_SLOTS * tile::F_BYTES;
    a.u[0] =
        tile::ZERO
            ? (real)0.0
            : load_cell(r.cell + tile::U + ROW_BYTES + (q + 1) % tile::U_SLOTS * tile::U_BYTES);
    a.f[0] = load_cell(f);
    a.bk[0] = tile::VARIABLE ? load_cell(f + tile::BK) : (real)0.0;
}

/* Waits for the values that the next block computed in the last step, and lets it send this
 * step's. */
template <class tile>
DEVICE void deep_await(const struct deep_place &p, const int q, bool is_first)
{
    if (tile::BLOCKS == 1 || !(p.flags & (DEEP_BELOW | DEEP_ABOVE)))
        return;
    const unsigned barrier =
        (unsigned)shared_begin() + tile::BARRIERS + (p.flags & DEEP_ABOVE ? tile::FROM_ABOVE : 0);
    if (threadIdx.x % DEEP_WIDTH == 0)
        barrier_expect(cluster_barrier(barrier + q % 2 * BARRIER_BYTES), tile::BYTES_PER_STEP);
    if (!is_first)
        cluster_barrier_wait(barrier + (1 - q % 2) * BARRIER_BYTES,
                             (q + tile::UNROLLED - 1) % tile::UNROLLED / 2 % 2);
}

/* What becomes of a thread's results. */
struct deep_results {
    int out, coarse; /* offsets of the lower row's cell in the next plane to store */
    real even, last; /* sums of an even plane; residual of the other row */
    unsigned long long norm;
};

template <class tile>
DEVICE void deep_store(const struct fv2_deep &w, int flags, struct deep_results &y, bool upper,
                       real active, real other)
{
    if (flags & DEEP_OWN_LOWER)
        w.out[y.out] = upper ? other : active;
    if (flags & DEEP_OWN_UPPER)
        w.out[y.out + w.c.sj] = upper ? active : other;
    y.out += (int)w.c.sk;
}

/* Collects the residuals of both rows in plane k. */
template <class tile>
DEVICE void deep_collect(const struct fv2_deep &w, int flags, struct deep_results &y, int k,
                         bool upper, real active, real other)
{
    const real low = upper ? other : active, high = upper ? active : other;
    if (tile::FINISH == REDUCES) {
        if (flags & DEEP_OWN_LOWER)
            y.norm = larger(y.norm, magnitude_bits((double)low));
        if (flags & DEEP_OWN_UPPER)
            y.norm = larger(y.norm, magnitude_bits((double)high));
        return;
    }
    const real sum =
        (low + __shfl_down_sync(~0u, low, 1)) + (high + __shfl_down_sync(~0u, high, 1));
    if (k % 2 == 0) {
        y.even = sum;
        return;
    }
    if ((flags & DEEP_OWN_LOWER) && threadIdx.x % 2 == 0)
        w.coarse[y.coarse] = restrict_planes(y.even, sum);
    y.coarse += (int)w.coarse_sk;
}

/* Planes and steps of a block: planes first to last − 1 are its own. At walls nothing is
 * computed before plane 0, and nothing copied after the last one. */
struct deep_range {
    int first, last, start, stop, stop_copies;
};

template <class tile>
DEVICE struct deep_range deep_make_range(const struct cells &c, int number, int planes)
{
    struct deep_range a;
    a.first = number * planes;
    a.last = min(a.first + planes, c.n[2]);
    a.start = a.first - tile::DEPTH + 1;
    a.stop = a.last + tile::DEPTH - 1;
    if (c.wall[2][0])
        a.start = max(a.start, 0);
    a.stop_copies = c.wall[2][1] ? min(a.stop, c.n[2]) : a.stop;
    return a;
}

/* Whether position x of a tile in direction d is its own: cells of the patch that no other tile
 * stores. */
template <class tile>
DEVICE bool deep_is_own(const struct cells &c, int d, int x, int number, int count)
{
    const int halo = deep_halo<tile>(d), own = deep_own<tile>(d),
              at = deep_first<tile>(c, d, number) + x;
    return (x >= halo || number == 0) && (x < halo + own || number == count - 1) && at >= 0 &&
           at < c.n[d];
}

/* The thread's place, with all flags. */
template <class tile>
DEVICE struct deep_place deep_place_of(const struct fv2_deep &w, const struct tile_set &tiles,
                                       dim3 own_tile, int start)
{
    const struct cells &c = w.c;
    const unsigned memory = (unsigned)shared_begin();
    const int i = threadIdx.x % DEEP_WIDTH, pair = threadIdx.x / DEEP_WIDTH,
              rank = blockIdx.y % tile::BLOCKS, number = own_tile.y,
              row = rank * tile::ROWS + 2 * pair;
    struct deep_place p;
    p.gi = deep_first<tile>(c, 0, own_tile.x) + i;
    p.gj = deep_first<tile>(c, 1, number) + row;
    p.flags = (p.gi == 0 && c.wall[0][0] ? DEEP_LOW_I : 0) |
              (p.gi == c.n[0] - 1 && c.wall[0][1] ? DEEP_HIGH_I : 0) |
              (p.gj == 0 && c.wall[1][0] ? DEEP_LOW_J : 0) |
              (p.gj == c.n[1] - 2 && c.wall[1][1] ? DEEP_HIGH_J : 0);
    if (__any_sync(~0u, p.flags))
        p.flags |= DEEP_WALLS;
    const bool own = deep_is_own<tile>(c, 0, i, own_tile.x, tiles.n[0]);
    p.flags |= ((p.gi + p.gj + start + w.parity) & 1 ? DEEP_UPPER : 0) |
               (pair == 0 && rank > 0 ? DEEP_BELOW : 0) |
               (pair == tile::PAIRS - 1 && rank < tile::BLOCKS - 1 ? DEEP_ABOVE : 0) |
               (own && deep_is_own<tile>(c, 1, row, number, tiles.n[1]) ? DEEP_OWN_LOWER : 0) |
               (own && deep_is_own<tile>(c, 1, row + 1, number, tiles.n[1]) ? DEEP_OWN_UPPER : 0);
    p.cell = memory + 2 * pair * ROW_BYTES + i * CELL_BYTES;
    p.faces = memory + 2 * pair * tile::BI_ROW + i * CELL_BYTES;
    p.shared = memory + (pair + 1) * ROW_BYTES + i * CELL_BYTES;
    const bool above = p.flags & DEEP_ABOVE;
    const unsigned there = cluster_address(memory, above                  ? rank + 1
                                                   : p.flags & DEEP_BELOW ? rank - 1
                                                                          : rank);
    p.to = there + tile::NEW + i * CELL_BYTES + (above ? 0 : (tile::PAIRS + 1) * ROW_BYTES);
    p.barrier = there + tile::BARRIERS + (above ? 0 : tile::FROM_ABOVE);
    return p;
}

/* A thread. */
template <class tile>
struct deep_thread {
    struct deep_place place;
    struct deep_column<tile> columns[2]; /* the active row of the first step, and the other one */
    struct deep_copies copies;
    struct deep_results results;
};

template <class tile>
DEVICE void deep_prepare(const struct fv2_deep &w, const struct tile_set &tiles, dim3 own_tile,
                         const struct deep_range &a, struct deep_thread<tile> &p)
{
    const struct cells &c = w.c;
    p.place = deep_place_of<tile>(w, tiles, own_tile, a.start);
    const int pair = threadIdx.x / DEEP_WIDTH;
    p.copies = deep_initial_copies<tile>(w, p.place.gi - (int)threadIdx.x % DEEP_WIDTH,
                                         p.place.gj - 2 * pair, a.start);
    const int x = deep_index<tile>(c, 0, p.place.gi), y = deep_index<tile>(c, 1, p.place.gj);
    p.results = {};
    p.results.out = a.first * (int)c.sk + y * (int)c.sj + x;
    if (tile::FINISH == RESTRICTS)
        p.results.coarse = a.first / 2 * (int)w.coarse_sk + y / 2 * (int)w.coarse_sj + x / 2;
}

/* Reads u of the first plane and of the one below it, and β_k below the first one. */
template <class tile>
DEVICE void deep_read_first(const struct fv2_deep &w, const struct deep_range &a, int gi, int gj,
                            int plane, struct deep_column<tile> &column)
{
    const struct cells &c = w.c;
    const long at = plane + deep_index<tile>(c, 0, gi) + deep_index<tile>(c, 1, gj) * c.sj;
    column = {};
    if (!tile::ZERO)
        column.u[0] = w.in[at];
    if (!tile::ZERO && (!c.wall[2][0] || a.start > 0))
        column.u[1] = w.in[at - (c.wrap[2] && plane == 0 ? w.back : (int)c.sk)];
    if (tile::VARIABLE)
        column.bk[0] = w.beta_k[at];
}

/* Issues the first copies, reads the first planes and waits for all blocks of the cluster. */
template <class tile>
DEVICE void deep_start(const struct fv2_deep &w, const struct deep_range &a,
                       struct deep_thread<tile> &p)
{
    const unsigned memory = (unsigned)shared_begin();
    const int plane = p.copies.plane;
    if (tile::BLOCKS > 1 && threadIdx.x == 0) {
        for (int barrier = 0; barrier < 4; barrier++)
            barrier_create(cluster_barrier(memory + tile::BARRIERS + barrier * BARRIER_BYTES), 1);
        barriers_created();
    }
    deep_copy_first<tile>(w, p.copies);
#pragma unroll
    for (int q = 0; q < tile::COPIES_AHEAD; q++) {
        if (a.start + q < a.stop_copies)
            deep_copy<tile>(w, p.copies, a.start + q, q);
        __pipeline_commit();
    }
#pragma unroll
    for (int q = 0; q < 2; q++)
        deep_read_first<tile>(w, a, p.place.gi, p.place.gj + deep_row_of<tile>(p.place, q).upper,
                              plane, p.columns[q]);
    for (int at = threadIdx.x * CELL_BYTES; at < 2 * tile::ALL_NEW_BYTES;
         at += tile::THREADS * CELL_BYTES)
        store_cell(memory + tile::NEW + at, 0.0);
    __pipeline_wait_prior(tile::COPIES_AHEAD - 1);
    if (tile::BLOCKS > 1)
        cluster_synchronise();
    else
        __syncthreads();
}

/* Step t, number q in the unrolled loop. */
template <class tile>
DEVICE void deep_advance(const struct fv2_deep &w, const struct deep_range &a,
                         struct deep_thread<tile> &p, int t, const int q)
{
    struct deep_column<tile> &active = p.columns[q % 2], &other = p.columns[1 - q % 2];
    p.place.flags = opaque(p.place.flags);
    const struct deep_row row = deep_row_of<tile>(p.place, q);
    if (t + tile::COPIES_AHEAD < a.stop_copies)
        deep_copy<tile>(w, p.copies, t + tile::COPIES_AHEAD,
                        (q + tile::COPIES_AHEAD) % tile::UNROLLED);
    __pipeline_commit();
    deep_shift<tile>(active);
    deep_shift<tile>(other);
#pragma unroll
    for (int s = tile::SWEEPS - 1; s > 1; s--)
        active.dinv[s] = active.dinv[s - 2];
    deep_read<tile>(active, row, q);
    const struct deep_operands first = deep_load<tile>(row, p.place.shared, 0, q);
    deep_await<tile>(p.place, q, t == a.start);
    const bool walls = (p.place.flags & DEEP_WALLS) || (t < tile::DEPTH && w.c.wall[2][0]) ||
                       (t >= w.c.n[2] - 1 && w.c.wall[2][1]);
    const struct deep_residuals residuals =
        walls ? deep_step<true, tile>(w, p.place, active, other, row, t, q, first)
              : deep_step<false, tile>(w, p.place, active, other, row, t, q, first);
    deep_read<tile>(other, deep_row_of<tile>(p.place, q + 1), q);
    const int done = t - tile::SWEEPS + 1;
    if (done >= a.first && done < a.last)
        deep_store<tile>(w, p.place.flags, p.results, row.upper, active.u[tile::SWEEPS],
                         other.u[tile::SWEEPS]);
    if (tile::FINISHES && done - 1 >= a.first && done - 1 < a.last)
        deep_collect<tile>(w, p.place.flags, p.results, done - 1, row.upper, residuals.active,
                           p.results.last);
    p.results.last = residuals.next;
    __pipeline_wait_prior(tile::COPIES_AHEAD - 1);
    __syncthreads();
}

template <class tile>
static __global__ void __launch_bounds__(tile::THREADS, 1)
    deep_kernel(const __grid_constant__ struct fv2_deep w,
                const __grid_constant__ struct tile_set tiles, int planes)
{
    if constexpr (RUNS_HERE<(tile::BLOCKS > 1), tile::BYTES>) {
        const dim3 own = tile_of_block(tiles, tile::BLOCKS);
        const struct deep_range a = deep_make_range<tile>(w.c, own.z, planes);
        struct deep_thread<tile> p;
        deep_prepare<tile>(w, tiles, own, a, p);
        deep_start<tile>(w, a, p);
#pragma unroll 1
        for (int t = a.start; t < a.stop; t += tile::UNROLLED) {
#pragma unroll
            for (int q = 0; q < tile::UNROLLED; q++) {
                if (tile::BLOCKS == 1 && q > 0 && t + q >= a.stop)
                    break;
                deep_advance<tile>(w, a, p, t + q, q);
            }
        }
        if (tile::FINISH == REDUCES)
            warp_atomic_max(w.norm, p.results.norm);
        deep_await<tile>(p.place, 0, false); /* no block ends before all has arrived */
    }
}
} // namespace fv2
