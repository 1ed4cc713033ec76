/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_KERNEL_CUH
#define CUDA_FV4_GSRB_KERNEL_CUH
/* A block marches through the planes. At step k its threads update red cells of plane k, and then
 * black ones of plane k − 1. Of the red cells as they have become, a black one sees only its six
 * nearest neighbours, as all others within the operator's reach are black; so red cells are updated
 * one cell beyond the block's own and one plane ahead, and what is already there for the red cell
 * serves for the black one below it.
 *
 * A thread has four columns, neighbours in j, of which every second one has a red cell in plane k
 * and a black one in k − 1; those are the active ones, in the next step it is the others. Of what
 * these will need again as much as there is room for stays in registers, everything else is in
 * shared memory: tiles of u and β, asked for two steps ahead, and new red cells. One column of
 * cells on either side of the block's own has red cells only; the warps update them in turns.
 *
 * If u is 0 everywhere (ZERO), red cells become D⁻¹f, and of u there are only the ghosts in shared
 * memory that follow from them. */
#include "cuda/core/divider.cuh"
#include "cuda/fv4/gsrb_rows.cuh"
#include "cuda/core/wave_partition.h"
#include "operators/boundary.h"

/* At a wall in i, black cells see ghosts that follow from red cells as they are now. These put them
 * where the others find them in shared memory. `inward` is the step to the next column, in bytes.
 *
 * Next to the red cell at `place` in u, of the new value `red`, `third` that of the one two columns
 * further: the ghost is of a black cell's colour, and no red one sees it but this. */
static __device__ __forceinline__ void put_end_ghost(int inward, int place, double red,
                                                     double third, struct sides &next)
{
    const bool low = inward > 0;
    const double ghost =
        wall_quartic(red, low ? next.i[1] : next.i[0], third, at(place + 3 * inward));
    put(place - inward, ghost);
    next.i[0] = low ? ghost : next.i[0];
    next.i[1] = low ? next.i[1] : ghost;
}

/* Next to the black cell at `place` in u and at `reds` among red cells: only it sees these. */
static __device__ __forceinline__ void put_end_ghosts(int inward, int place, int reds)
{
    const double v[4] = {at(place), at(reds + inward), at(place + 2 * inward),
                         at(reds + 3 * inward)};
    put(reds - inward, wall_quartic(v[0], v[1], v[2], v[3]));
    put(place - 2 * inward, wall_quartic_second(v[0], v[1], v[2], v[3]));
}

/* All of them next to the thread's active cells. In this step only the thread
 * itself looks at them. */
static __device__ __forceinline__ void put_ends(const struct planes &p, const struct columns &t,
                                                int parity, const double red[2],
                                                struct common common[2])
{
    const bool low = is(t, AT_LOW), high = is(t, AT_HIGH);
    const int inward = low ? COLUMN : high ? -COLUMN : 0;
    const int third = threadIdx.x % LANES + 2 * inward / COLUMN;
    for (int q = 0; q < 2; q++) {
        const int cell = row_place(t, 2 * q + parity);
        const double value = __shfl_sync(~0u, red[q], third);
        if (inward == 0)
            continue;
        put_end_ghost(inward, p.u[2] + cell, red[q], value, common[q].next);
        put_end_ghosts(inward, p.u[1] + cell, p.red[0] + red_place(t, q));
    }
    order_before_copies();
    __syncwarp();
}

/* The red cells of outer columns; what does not come in tiles has come, see ask_for_sources. */
template <bool HELMHOLTZ, bool ZERO>
static __device__ __forceinline__ void relax_outer(const struct pair_fv4 &w, const struct march &m,
                                                   const struct planes &p, int k)
{
    const struct outer o = find_outer(w, m, k);
    __syncwarp();
    const int place = outer_place(o, step_number(m, k));
    const struct source s = {at(place + OUTER_F), HELMHOLTZ ? at(place + OUTER_ALPHA) : 0.0};
    const struct stored dinv = {near_wall(w, o, k), place + OUTER_DINV};
    const double red = relax_alone<HELMHOLTZ, ZERO>(w, o.place, p, s, dinv);
    if (o.own)
        put(p.red[1] + o.place / ROW / 2 * RED_ROW + o.place % ROW, red);
}

/* What a thread takes from step to step. */
struct state {
    struct planes p;
    struct kept kept;
    struct sources sources[2];
    struct source_plane here; /* the patch's plane k or its nearest one */
    double *out;              /* plane k − 1 */
};

/* Stores plane k − 1: the black cells, and the red ones of the step before. */
template <int S>
static __device__ __forceinline__ void store_rows(const struct columns &t, double *plane,
                                                  const double black[2], const double red[COLUMNS])
{
    const unsigned own = hidden(t.facts) >> OWN;
    for (int r = 0; r < COLUMNS; r++)
        if (own >> r & 1)
            *(double *)((char *)plane + t.patch[r]) = r % 2 == S ? black[r / 2] : red[r];
}

/* Step k. Bits 0 and 2 say whether walls are away from its red cells, and in j and k from its black
 * ones. */
struct moment {
    int k, number;
    unsigned red_away, black_away;
};

static __device__ __forceinline__ struct moment make_moment(const struct pair_fv4 &w,
                                                            const struct march &m,
                                                            const struct columns &t, int parity,
                                                            int k)
{
    const unsigned facts = hidden(t.facts) >> parity;
    return {k, step_number(m, k), is_within(k, w.c.n[2], RIM_LAYERS) ? facts >> AWAY : 0,
            is_within(k - 1, w.c.n[2], RIM_LAYERS) ? facts >> AWAY_J : 0};
}

/* What the step's black cells and the next one's cells need that does not come in tiles, once that
 * of the step itself is there, outer cells' included. */
template <bool HELMHOLTZ, int S>
static __device__ __forceinline__ void
ask_for_sources(const struct pair_fv4 &w, const struct march &m, const struct columns &t,
                const struct moment &now, int warp, unsigned zero, struct state &x)
{
    const long up = is_within(now.k, w.c.n[2] - 1, 0) ? w.c.sk : 0;
    const struct source_plane above = {x.here.f + up, HELMHOLTZ ? x.here.alpha + up : NULL};
    struct sources &next = x.sources[S ^ 1];
    const bool near = near_wall(w, t, now.k);
    if (near || has_outer(w, warp, now.number))
        __pipeline_wait_prior(0);
    if (near && !is(t, AWAY_I))
        fetch_dinv(w, t, t.dinv + BLACK_DINV, S, now.k - 1);
    load_sources<HELMHOLTZ>(next, t, 1 - S, x.here, above,
                            zero_after<HELMHOLTZ>(x.sources[S], zero));
    if (has_outer(w, warp, now.number + 1))
        fetch_outer<HELMHOLTZ>(w, m, above, now.k + 1);
    x.here = above;
}

template <bool HELMHOLTZ, bool ZERO, int S>
static __device__ __forceinline__ void relax_reds(const struct pair_fv4 &w, const struct columns &t,
                                                  const struct moment &now, const struct state &x,
                                                  const struct faces_j &j, double red[2],
                                                  struct common common[2], struct face high[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const struct stored dinv = {!(now.red_away >> 2 * q & 1), t.dinv + q * DINV_SIZE};
        red[q] = relax_red<HELMHOLTZ, ZERO, S>(w, t, x.p, x.kept, 2 * q + S, j, x.sources[S].red[q],
                                               dinv, common[q], high[q]);
    }
}

template <bool HELMHOLTZ, bool ZERO, int S>
static __device__ __forceinline__ void
relax_blacks(const struct pair_fv4 &w, const struct columns &t, const struct moment &now,
             const struct state &x, const struct faces_j &j, const double red[2],
             const struct common common[2], double black[2])
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const struct stored dinv = {!is(t, AWAY_I), t.dinv + BLACK_DINV + q * DINV_SIZE};
        black[q] = relax_black<HELMHOLTZ, ZERO, S>(w, t, x.p, x.kept, 2 * q + S, j, red[q],
                                                   x.sources[S].black[q], dinv, common[q]);
        if (!(now.black_away >> 2 * q & 1))
            black[q] = x.kept.u[2 * q + S][2];
    }
}

/* Step k, of parity S. */
template <bool HELMHOLTZ, bool ZERO, int S>
static __device__ __forceinline__ void step(const struct pair_fv4 &w, const struct maps &maps,
                                            const struct march &m, struct columns t, int warp,
                                            unsigned zero, struct state &x, int k)
{
    find_strides(t);
    const struct moment now = make_moment(w, m, t, S, k);
    double red[2], black[2];
    struct common common[2];
    struct face high[2];
    ask_for_sources<HELMHOLTZ, S>(w, m, t, now, warp, zero, x);
    wait_for(barriers().full, now.number);
    if (has_outer(w, warp, now.number))
        relax_outer<HELMHOLTZ, ZERO>(w, m, x.p, k);
    if (!ZERO)
        load_planes<HELMHOLTZ, S>(x.kept, t, x.p);
    const struct faces_j j = load_faces_j<HELMHOLTZ, S>(x.kept, t, x.p);
    relax_reds<HELMHOLTZ, ZERO, S>(w, t, now, x, j, red, common, high);
    wait_for(barriers().reds, now.number - 1);
    for (int q = 0; q < 2; q++)
        if (is(t, INSIDE))
            put(x.p.red[1] + red_place(t, q), red[q]);
    if (near_wall(w, t, k + 1)) {
        __pipeline_wait_prior(0);
        fetch_dinv(w, t, t.dinv, 1 - S, k + 1);
        if (t.at_end)
            put_ends(x.p, t, S, red, common);
    }
    arrive(barriers().reds, now.number);
    ask_after(barriers().reds, m, warp, k, [&] { fetch_next_beta(maps, m, k + 2); });
    relax_blacks<HELMHOLTZ, ZERO, S>(w, t, now, x, j, red, common, black);
    if (k > m.first)
        store_rows<S>(t, x.out, black, x.kept.red);
    keep<S>(x.kept, j, red, high);
    x.out += w.c.sk;
    move_up(x.p);
    arrive(barriers().done, now.number);
    ask_after(barriers().done, m, warp, k, [&] { fetch_next_u<ZERO>(maps, m, k + 2); });
}

/* How blocks share the patch, tiles numbered along i first; as kernels can find it quickly. */
struct shares {
    struct parts parts;
    struct divider first_tiles, other_tiles, tiles_i;
};

static inline struct shares share(const struct parts &parts, int tiles_i)
{
    const int others = parts.tiles - parts.first_tiles;
    return {parts, divider_of(parts.first_tiles), divider_of(max(others, 1)), divider_of(tiles_i)};
}

/* What the block does of n planes. The first tile in j begins at row 1, since there are no cells to
 * be updated before row 0. */
static __device__ __forceinline__ struct march find_march(const struct shares &s, int n)
{
    const struct parts &p = s.parts;
    const int block = blockIdx.x, first_blocks = p.first_tiles * p.count[0];
    const bool others = block >= first_blocks;
    const int x = others ? block - first_blocks : block,
              part = others ? quotient(x, s.other_tiles) : quotient(x, s.first_tiles),
              tile = others ? p.first_tiles + x - part * s.other_tiles.n : x - part * p.first_tiles,
              planes = others ? p.planes[1] : p.planes[0], j = quotient(tile, s.tiles_i),
              first = part * planes;
    return {(tile - j * s.tiles_i.n) * CORE_WIDTH, j * CORE_ROWS + 1, first,
            min(first + planes, n)};
}

template <bool HELMHOLTZ, bool ZERO>
static __global__ void __launch_bounds__(LANES *WARPS, 1)
    red_black_kernel(const __grid_constant__ struct pair_fv4 w,
                     const __grid_constant__ struct maps maps,
                     const __grid_constant__ struct shares shares, unsigned zero)
{
    const struct march m = find_march(shares, w.c.n[2]);
    if (ZERO)
        clear_u();
    create_barriers();
    if (threadIdx.x == 0)
        fetch_first<ZERO>(maps, m);
    __syncwarp();
    const int warp = warp_number(), first = m.first - 1;
    struct columns t = make_columns(w, m, warp);
    struct state x = {};
    x.p = first_planes();
    x.here = {clamped_plane(w, w.f, first), HELMHOLTZ ? clamped_plane(w, w.alpha, first) : NULL};
    x.out = w.out + (first - 1) * w.c.sk;
    load_sources<HELMHOLTZ>(x.sources[0], t, 0, x.here, x.here, 0);
    if (has_outer(w, warp, 0))
        fetch_outer<HELMHOLTZ>(w, m, x.here, first);
    if (near_wall(w, t, first))
        fetch_dinv(w, t, t.dinv, 0, first);
    wait_for(barriers().full, 0);
    find_strides(t);
    load_first_planes(x.kept, t, x.p);
    for (int k = first; k < m.last; k += 2) {
        step<HELMHOLTZ, ZERO, 0>(w, maps, m, t, warp, zero, x, k);
        step<HELMHOLTZ, ZERO, 1>(w, maps, m, t, warp, zero, x, k + 1);
    }
}

#endif
