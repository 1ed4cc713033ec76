/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The fused red-black kernel; docs/KERNELS.md explains it. In step k threads update red cells of
 * plane k and then black cells of plane k − 1. In a step every second one of a thread's four
 * columns is active: it has a red cell in plane k and a black cell in plane k − 1. If u is 0
 * everywhere (ZERO), red cells become D⁻¹f, and shared memory holds of u only the ghosts that
 * follow from them.
 */
#include "cuda/core/divider.cuh"
#include "cuda/fv4/gsrb_rows.cuh"
#include "cuda/core/wave_partition.h"
#include "operators/boundary.h"

namespace fv4
{
/* At a wall in i, black cells read ghosts that follow from the new red cells. These functions put
 * them into shared memory. `inward` is the offset of the next column, `wall` the wall's rule.
 *
 * Next to the red cell at address `old`, whose new value is `red`; `third` is the new value of the
 * cell two columns further. The ghost has the black cells' colour: no other red cell reads it. */
DEVICE void store_end_ghost(const struct side_weights &wall, int inward, int old, real red,
                            real third, struct sides &next)
{
    const bool low = inward > 0;
    const real v[4] = {red, low ? next.i[1] : next.i[0], third, at(old + 3 * inward)},
               ghost = quartic_ghost(wall, 0, v);
    put(old - inward, ghost);
    next.i[0] = low ? ghost : next.i[0];
    next.i[1] = low ? next.i[1] : ghost;
}

/* Next to the black cell at address `old`; it is at `reds` among red cells. Only it reads these. */
DEVICE void store_end_ghosts(const struct side_weights &wall, int inward, int old, int reds)
{
    const real v[4] = {at(old), at(reds + inward), at(old + 2 * inward), at(reds + 3 * inward)};
    put(reds - inward, quartic_ghost(wall, 0, v));
    put(old - 2 * inward, quartic_ghost(wall, 1, v));
}

/* All ghosts next to the thread's active cells. In this step no other thread reads them. */
template <class tile>
DEVICE void store_ends(const struct fv4_gsrb &w, const struct planes<tile> &p,
                       const struct columns &t, int parity, const real red[2],
                       struct shared_operands shared[2])
{
    const bool low = is(t, AT_LOW), high = is(t, AT_HIGH);
    const int inward = low ? COLUMN : high ? -COLUMN : 0;
    const int third = threadIdx.x % LANES + 2 * inward / COLUMN;
    for (int q = 0; q < 2; q++) {
        const int cell = row_offset(t, 2 * q + parity);
        const real value = __shfl_sync(~0u, red[q], third);
        if (inward == 0)
            continue;
        const struct side_weights &wall = w.walls.side[0][high];
        store_end_ghost(wall, inward, p.u[2] + cell, red[q], value, shared[q].next);
        store_end_ghosts(wall, inward, p.u[1] + cell, p.red[0] + red_offset(t, q));
    }
    order_before_copies<typename tile::source>();
    __syncwarp();
}

/* Updates the red cells of outer columns; fetch_sources has waited for f, α and D⁻¹. */
template <bool ZERO, class tile>
DEVICE void relax_outer(const struct fv4_gsrb &w, const struct block_range &m,
                        const struct planes<tile> &p, int k)
{
    const struct outer_cell o = compute_outer<tile>(w, m, k);
    __syncwarp();
    const int address = outer_address<tile>(o, step_number(m, k));
    const struct cell_terms s = {at(address + tile::OUTER_F),
                                 tile::READS_ALPHA ? at(address + tile::OUTER_ALPHA) : (real)0.0};
    const struct stored_dinv dinv = {near_wall(w, o, k), address + tile::OUTER_DINV};
    const real red = relax_alone<ZERO>(w, o.offset, p, s, dinv);
    if (o.own)
        put(p.red[1] + o.offset / tile::ROW / 2 * tile::RED_ROW + o.offset % tile::ROW, red);
}

/* Registers that a thread carries from step to step. */
template <class tile>
struct state {
    struct planes<tile> p;
    struct register_window kept;
    struct sources sources[2];
    struct source_plane here; /* plane k */
    real *out;                /* plane k − 1 */
};

/* Stores plane k − 1: its black cells, and the red cells of the step before. */
template <int S>
DEVICE void store_rows(const struct columns &t, real *plane, const real black[2],
                       const real red[COLUMNS])
{
    const unsigned own = opaque(t.flags) >> OWN;
    for (int r = 0; r < COLUMNS; r++)
        if (own >> r & 1)
            *(real *)((char *)plane + t.patch[r]) = r % 2 == S ? black[r / 2] : red[r];
}

/* The step context: bits 0 and 2 of red_away tell whether red cells are away from all walls, those
 * of black_away whether black cells are away from walls in j and k. */
struct step_context {
    int k, number;
    unsigned red_away, black_away;
};

DEVICE struct step_context make_step_context(const struct fv4_gsrb &w, const struct block_range &m,
                                             const struct columns &t, int parity, int k)
{
    const unsigned flags = opaque(t.flags) >> parity;
    return {k, step_number(m, k), is_away(w, 2, k) ? flags >> AWAY : 0,
            is_away(w, 2, k - 1) ? flags >> AWAY_J : 0};
}

/* Waits for f, α and D⁻¹ of this step, outer cells' included, and issues the copies and loads of
 * those of the next step and of the step's black cells. */
template <int S, class tile>
DEVICE void fetch_sources(const struct fv4_gsrb &w, const struct block_range &m,
                          const struct columns &t, const struct step_context &now, int warp,
                          unsigned zero, struct state<tile> &x)
{
    using Op = typename tile::op;
    const struct source_plane above = {x.here.f + w.c.sk,
                                       tile::READS_ALPHA ? x.here.alpha + w.c.sk : NULL};
    struct sources &next = x.sources[S ^ 1];
    const bool near = near_wall(w, t, now.k);
    if (near || has_outer<tile>(w, warp, now.number))
        __pipeline_wait_prior(0);
    if (near && !is(t, AWAY_I))
        fetch_dinv<tile>(w, t, t.dinv + tile::BLACK_DINV, S, now.k - 1);
    load_sources<Op>(next, t, 1 - S, x.here, above, zero_after(bits_of<Op>(x.sources[S]), zero));
    if (has_outer<tile>(w, warp, now.number + 1))
        fetch_outer<tile>(w, m, above, now.k + 1);
    x.here = above;
}

template <class Rows>
DEVICE void relax_reds(const Rows &rows, const struct step_context &now, const struct sources &s,
                       const struct faces_j &j, real red[2], struct shared_operands shared[2],
                       struct face high[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const struct stored_dinv dinv = {!(now.red_away >> 2 * q & 1),
                                         rows.t.dinv + q * Rows::DINV_SIZE};
        red[q] = rows.relax_red(2 * q + Rows::PARITY, j, s.red[q], dinv, shared[q], high[q]);
    }
}

template <class Rows>
DEVICE void relax_blacks(const Rows &rows, const struct step_context &now, const struct sources &s,
                         const struct faces_j &j, const real red[2],
                         const struct shared_operands shared[2], real black[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const int r = 2 * q + Rows::PARITY;
        const struct stored_dinv dinv = {!is(rows.t, AWAY_I),
                                         rows.t.dinv + Rows::BLACK_DINV + q * Rows::DINV_SIZE};
        black[q] = rows.relax_black(r, j, red[q], s.black[q], dinv, shared[q]);
        if (!(now.black_away >> 2 * q & 1))
            black[q] = rows.x.u[r][2];
    }
}

/* Step k, whose parity is S. */
template <bool ZERO, int S, class tile>
DEVICE void step(const struct fv4_gsrb &w, const sources_of<tile> &from,
                 const struct block_range &m, struct columns t, int warp, unsigned zero,
                 struct state<tile> &x, int k)
{
    compute_strides<tile>(t);
    const struct step_context now = make_step_context(w, m, t, S, k);
    real red[2], black[2];
    struct shared_operands shared[2] = {};
    struct face high[2] = {};
    fetch_sources<S>(w, m, t, now, warp, zero, x);
    wait_for(barriers<tile>().full, now.number);
    if (has_outer<tile>(w, warp, now.number))
        relax_outer<ZERO>(w, m, x.p, k);
    if (!ZERO)
        load_planes<S>(x.kept, t, x.p);
    const active_rows<tile, ZERO, S> rows = {w, t, x.p, x.kept};
    const struct faces_j j = rows.load_faces_j();
    relax_reds(rows, now, x.sources[S], j, red, shared, high);
    wait_for(barriers<tile>().reds, now.number - 1);
    for (int q = 0; q < 2; q++)
        if (is(t, INSIDE))
            put(x.p.red[1] + red_offset(t, q), red[q]);
    if (near_wall(w, t, k + 1)) {
        __pipeline_wait_prior(0);
        fetch_dinv<tile>(w, t, t.dinv, 1 - S, k + 1);
        if (t.at_end)
            store_ends(w, x.p, t, S, red, shared);
    }
    arrive(barriers<tile>().reds, now.number);
    if constexpr (BY_ENGINE<typename tile::source> && tile::VARIABLE)
        fetch_after<tile>(barriers<tile>().reds, m, warp, k,
                          [&] { fetch_next_beta<tile>(from, m, k + tile::BETA_AHEAD); });
    relax_blacks(rows, now, x.sources[S], j, red, shared, black);
    if (k > m.first)
        store_rows<S>(t, x.out, black, x.kept.red);
    save_operands<S>(x.kept, j, red, high);
    x.out += w.c.sk;
    move_up(x.p);
    arrive(barriers<tile>().done, now.number);
    if constexpr (BY_ENGINE<typename tile::source>)
        fetch_after<tile>(barriers<tile>().done, m, warp, k,
                          [&] { fetch_next_u<tile, ZERO>(from, m, k + tile::U_AHEAD); });
}

/* The wave partition of a patch, tiles numbered along i first, with fast division. */
struct block_partition {
    struct wave_partition waves;
    struct divider first_tiles, other_tiles, tiles_i;
};

static inline struct block_partition make_block_partition(const struct wave_partition &p,
                                                          int tiles_i)
{
    const int others = p.tiles - p.first_tiles;
    return {p, divider_of(p.first_tiles), divider_of(max(others, 1)), divider_of(tiles_i)};
}

/* The block's tile and planes. The first core row is the second one that is updated. */
template <class tile>
DEVICE struct block_range compute_range(const struct fv4_gsrb &w, const struct block_partition &s)
{
    const struct wave_partition &p = s.waves;
    const int block = blockIdx.x, first_blocks = p.first_tiles * p.count[0];
    const bool others = block >= first_blocks;
    const int x = others ? block - first_blocks : block,
              part = others ? quotient(x, s.other_tiles) : quotient(x, s.first_tiles),
              number =
                  others ? p.first_tiles + x - part * s.other_tiles.n : x - part * p.first_tiles,
              planes = others ? p.planes[1] : p.planes[0], j = quotient(number, s.tiles_i),
              first = part * planes;
    return {(number - j * s.tiles_i.n) * tile::CORE_WIDTH, w.first[1] + 1 + j * tile::CORE_ROWS,
            first, min(first + planes, w.c.n[2])};
}

/* Whether the block belongs to the pass's region: blocks of the boundary region read ghosts beyond
 * open sides. */
template <class tile>
DEVICE bool in_region(const struct fv4_gsrb &w, const struct block_range &m)
{
    const int first[3] = {m.i, m.j, m.first},
              end[3] = {m.i + tile::CORE_WIDTH, m.j + tile::CORE_ROWS, m.last};
    bool outer = false;
    for (int d = 0; d < 3; d++)
        outer = outer || (first[d] < REACH && is_open(w.c, d, 0)) ||
                (end[d] + REACH > w.c.n[d] && is_open(w.c, d, 1));
    return outer == (w.region == REGION_BOUNDARY);
}

template <class tile, bool ZERO>
static __global__ void __launch_bounds__(tile::THREADS, tile::BLOCKS)
    gsrb_kernel(const __grid_constant__ struct fv4_gsrb w,
                const __grid_constant__ sources_of<tile> from,
                const __grid_constant__ struct block_partition partition, unsigned zero)
{
    if constexpr (RUNS_HERE<BY_ENGINE<typename tile::source>>) {
        using Op = typename tile::op;
        const struct block_range m = compute_range<tile>(w, partition);
        if (w.region != REGION_ALL && !in_region<tile>(w, m))
            return;
        if (ZERO)
            clear_u<tile>();
        create_barriers<tile>();
        if constexpr (BY_ENGINE<typename tile::source>) {
            if (threadIdx.x == 0)
                fetch_first<tile, ZERO>(from, m);
            __syncwarp();
        } else if (warp_number() == tile::WARPS) {
            return copy_planes<tile, ZERO>(from, m);
        }
        const int warp = warp_number(), first = m.first - 1;
        struct columns t = make_columns<tile>(w, m, warp);
        struct state<tile> x = {
        };
        x.p = first_planes<tile>();
        x.here = {plane_of(w, w.f, first), tile::READS_ALPHA ? plane_of(w, w.alpha, first) : NULL};
        x.out = (real *)plane_of(w, w.out, first - 1);
        load_sources<Op>(x.sources[0], t, 0, x.here, x.here, 0);
        if (has_outer<tile>(w, warp, 0))
            fetch_outer<tile>(w, m, x.here, first);
        if (near_wall(w, t, first))
            fetch_dinv<tile>(w, t, t.dinv, 0, first);
        wait_for(barriers<tile>().full, 0);
        compute_strides<tile>(t);
        load_first_planes(x.kept, t, x.p);
        for (int k = first; k < m.last; k += 2) {
            step<ZERO, 0>(w, from, m, t, warp, zero, x, k);
            step<ZERO, 1>(w, from, m, t, warp, zero, x, k + 1);
        }
    }
}

} // namespace fv4
