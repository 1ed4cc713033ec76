/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernel of fused sweeps of all cells: Jacobi, l1-Jacobi, Chebyshev; docs/KERNELS.md explains
 * it. Step k makes the first sweep in plane k + 1, the second in plane k and the third in plane k
 * − 1. HALO rows, lanes and planes around the cells that a block stores only repeat what these
 * cells need. */
#include <cuda_pipeline.h>
#include "cuda/core/tiles.cuh"
#include "cuda/fv2/cells.cuh"
#include "cuda/fv2/sweeps_launch.cuh"

namespace fv2
{
/* A variant of the kernel for the operator Op, and the layout of its tile. Planes take a field's
 * slots in turn. In step k the newest slots hold u of plane k + 2; f, α, D⁻¹, the values before u
 * and β of the faces in i and j of plane k + 1; and β_k above plane k + 1. */
template <class Op, int sweeps, bool two_step, bool stored, int rows>
struct sweep_tile {
    using op = Op;
    static constexpr bool VARIABLE = Op::VARIABLE, ALPHAS = Op::READS_ALPHA;
    static constexpr bool TWO_STEP = two_step, STORED_WEIGHT = stored;
    static constexpr int SWEEPS = sweeps, HALO = sweeps - 1, ROWS = rows;
    static constexpr int U_SLOTS = AHEAD + 2, STEP_SLOTS = AHEAD + 1;

    /* A plane of values: the row below the tile, the tile, the row above it. */
    static constexpr int PLANE = ROWS * ROW_BYTES, U_BYTES = PLANE + 2 * ROW_BYTES;

    /* A slot of a step: above the last row one more face in j. */
    static constexpr int F = 0, BI = F + PLANE, BJ = BI + (VARIABLE ? PLANE : 0);
    static constexpr int BK = BJ + (VARIABLE ? PLANE + ROW_BYTES : 0);
    static constexpr int ALPHA = BK + (VARIABLE ? PLANE : 0);
    static constexpr int WEIGHT = ALPHA + (ALPHAS ? PLANE : 0);
    static constexpr int BEFORE = WEIGHT + (STORED_WEIGHT ? PLANE : 0);
    static constexpr int STEP_BYTES = BEFORE + (TWO_STEP ? PLANE : 0);

    /* New values of all sweeps but the last, in two planes by turns. No thread writes the rows
     * below and above the tile; the outermost rows read them. */
    static constexpr int U = 0, STEPS = U + U_SLOTS * U_BYTES;
    static constexpr int RESULTS = STEPS + STEP_SLOTS * STEP_BYTES;
    static constexpr int BYTES = RESULTS + 2 * (SWEEPS - 1) * U_BYTES;
};

/* Layers beyond a side: `halo` if it has no wall, and `extent` more if it is open. */
static __host__ __device__ int layers_beyond(const struct cells &c, int d, int side, int halo,
                                             int extent)
{
    return c.wall[d][side] ? 0 : halo + (c.wrap[d] ? 0 : extent);
}

/* In i, tiles consist of columns of two cells. */
static __host__ __device__ int columns_of(int d, int cells)
{
    return d == 0 ? (cells + 1) / 2 : cells;
}

/* The first row or column of the first tile in direction d, and one beyond the last one that is
 * needed. The first column is even, so that rows of a tile begin at multiples of 32 bytes. */
template <class tile>
static __host__ __device__ int tiles_begin(const struct cells &c, int d, int extent)
{
    const int layers = layers_beyond(c, d, 0, tile::HALO, columns_of(d, extent));
    return -(d == 0 ? (layers + 1) / 2 * 2 : layers);
}

template <class tile>
static __host__ __device__ int tiles_end(const struct cells &c, int d, int extent)
{
    return columns_of(d, c.n[d]) + layers_beyond(c, d, 1, tile::HALO, columns_of(d, extent));
}

/* The number of tiles in i or j. Each but the outermost repeats the outermost lanes or rows of its
 * neighbours. In i the last tile has the faces on a wall too. */
template <class tile>
static int tiles_across(const struct cells &c, int d, int extent)
{
    const int size = d == 0 ? LANES : tile::ROWS, faces = d == 0 && c.wall[0][1] ? 1 : 0,
              all = tiles_end<tile>(c, d, extent) + faces - tiles_begin<tile>(c, d, extent);
    return max(1, cuda_divided(all - 2 * tile::HALO, size - 2 * tile::HALO));
}

/* A thread's two cells, and what it does. */
struct sweep_thread {
    bool low_i, high_i, low_j, high_j; /* walls beside its cells */
    bool needs_kinds;                  /* as needs_kinds() */
    bool copies;                       /* its own cells, or the faces just beyond the last ones */
    bool copies_u, copies_faces;       /* one vector of what surrounds the tile, too */
    bool stores, stores_before;
    long offset;      /* of its cells in plane 0, in bytes */
    long surrounding; /* of that vector */
    unsigned address; /* of its cells in the first row of the tile, in shared memory, and */
    unsigned to;      /* of that vector, in the first slot */
};

/* The offset in bytes of two cells in a plane, and of a plane. Wrapped directions continue the
 * patch.
 */
DEVICE long offset_in_plane(const struct cells &c, int column, int j)
{
    const int i = 2 * (c.wrap[0] ? wrapped(column, c.n[0] / 2) : column);
    return (i + (c.wrap[1] ? wrapped(j, c.n[1]) : j) * c.sj) * CELL_BYTES;
}

DEVICE long offset_of_plane(const struct cells &c, int k)
{
    return plane_at(c, k) * c.sk * CELL_BYTES;
}

/* True if this block, and no other, stores row or column x in direction d of the patch and `extent`
 * layers more. x is number `index` of `size` in the tile. */
template <class tile>
DEVICE bool is_stored(const struct cells &c, const struct tile_set &tiles, dim3 block, int d, int x,
                      int extent, int index, int size)
{
    const bool first = (d == 0 ? block.x : block.y) == 0;
    return is_own(index, size, tile::HALO, first, is_last(tiles, block, d)) &&
           x >= -layers_beyond(c, d, 0, 0, columns_of(d, extent)) &&
           x < columns_of(d, c.n[d]) + layers_beyond(c, d, 1, 0, columns_of(d, extent));
}

template <class tile>
DEVICE struct sweep_thread compute_sweep_thread(const struct fv2_sweeps &w,
                                                const struct tile_set &tiles, dim3 block,
                                                unsigned memory)
{
    const struct cells &c = w.c;
    const int lane = threadIdx.x, row = threadIdx.y, columns = c.n[0] / 2;
    const int column = (int)block.x * (LANES - 2 * tile::HALO) + lane +
                       tiles_begin<tile>(c, 0, w.extent),
              end_column = tiles_end<tile>(c, 0, w.extent);
    const int first_row =
                  (int)block.y * (tile::ROWS - 2 * tile::HALO) + tiles_begin<tile>(c, 1, w.extent),
              j = first_row + row, above = first_row + tile::ROWS,
              end_row = tiles_end<tile>(c, 1, w.extent);
    const bool in_row = column < end_column;
    struct sweep_thread p = {};
    p.low_i = column == 0 && c.wall[0][0];
    p.high_i = column == columns - 1 && c.wall[0][1];
    p.low_j = j == 0 && c.wall[1][0];
    p.high_j = j == c.n[1] - 1 && c.wall[1][1];
    p.needs_kinds = needs_kinds<typename tile::op>(c, column);
    p.copies = column < end_column + (c.wall[0][1] ? 1 : 0) && j <= end_row;
    p.offset = offset_in_plane(c, column, j);
    p.address = memory + (row * LANES + lane) * VECTOR_BYTES;
    const unsigned here = memory + lane * VECTOR_BYTES;
    int other = 0; /* the row around the tile */
    if (row == 0) {
        p.copies_faces = tile::VARIABLE && in_row && above <= end_row;
        p.to = here + tile::STEPS + tile::BJ + tile::PLANE;
        other = above;
    } else if (row == 1) {
        p.copies_u = in_row && first_row != 0 && !w.zero_guess;
        p.to = here + tile::U;
        other = first_row - 1;
    } else if (row == 2) {
        p.copies_u = in_row && above < end_row + (c.wall[1][1] ? 0 : 1) && !w.zero_guess;
        p.to = here + tile::U + ROW_BYTES + tile::PLANE;
        other = above;
    }
    p.surrounding = offset_in_plane(c, column, other);
    const auto stores = [&](int extent) {
        return is_stored<tile>(c, tiles, block, 0, column, extent, lane, LANES) &&
               is_stored<tile>(c, tiles, block, 1, j, extent, row, tile::ROWS);
    };
    p.stores = stores(w.extent);
    p.stores_before = stores(w.extent + 1);
    return p;
}

DEVICE const real2 *vector_of(const real *field, long offset)
{
    return (const real2 *)((const char *)field + offset);
}

/* The next plane to be copied, that of u, and the slots. */
struct sweep_copies {
    int plane;
    unsigned u, step;
};

/* Copies all of a step: u of the plane, and what belongs to the plane below it. Planes beyond the
 * last ones are ghosts; they are read but not used. */
template <class tile>
DEVICE void fetch(const struct fv2_sweeps &w, const struct sweep_thread &p, struct sweep_copies &s)
{
    const long above = offset_of_plane(w.c, s.plane), here = offset_of_plane(w.c, s.plane - 1);
    const unsigned step = p.address + tile::STEPS + s.step;
    if (p.copies) {
        const long at = p.offset + here;
        if (!w.zero_guess)
            copy_vector(p.address + s.u + ROW_BYTES, vector_of(w.in, p.offset + above));
        copy_vector(step + tile::F, vector_of(w.f, at));
        if (tile::VARIABLE) {
            copy_vector(step + tile::BI, vector_of(w.beta_i, at));
            copy_vector(step + tile::BJ, vector_of(w.beta_j, at));
            copy_vector(step + tile::BK, vector_of(w.beta_k, p.offset + above));
        }
        if (tile::ALPHAS)
            copy_vector(step + tile::ALPHA, vector_of(w.alpha, at));
        if (tile::STORED_WEIGHT)
            copy_vector(step + tile::WEIGHT, vector_of(w.dinv, at));
        if (tile::TWO_STEP && w.before)
            copy_vector(step + tile::BEFORE, vector_of(w.before, at));
    }
    if (p.copies_u)
        copy_vector(p.to + s.u, vector_of(w.in, p.surrounding + above));
    if (p.copies_faces)
        copy_vector(p.to + s.step, vector_of(w.beta_j, p.surrounding + here));
    s.plane++;
    s.u = next_slot<tile::U_BYTES, tile::U_SLOTS>(s.u);
    s.step = next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step);
}

/* The same with D⁻¹. */
struct weighted_data : plane_data {
    real2 weight;
};

/* Registers that a thread carries from step to step, by sweep s: */
template <class tile>
struct sweep_state {
    real2 low[tile::SWEEPS], here[tile::SWEEPS]; /* what it reads, of planes k − s, k + 1 − s */
    real2 bk[tile::SWEEPS];                      /* below plane k + 1 − s */
    struct weighted_data data[tile::SWEEPS];     /* of plane k + 1 − s */
};

/* The data that step `slot` copied. */
template <class tile>
DEVICE struct weighted_data load_plane(const struct sweep_thread &p, unsigned slot)
{
    const unsigned at = p.address + tile::STEPS + slot;
    struct weighted_data d = {};
    d.f = vector_at(at + tile::F);
    d.alpha = tile::ALPHAS ? vector_at(at + tile::ALPHA) : constant_alpha<typename tile::op>();
    if (tile::STORED_WEIGHT)
        d.weight = vector_at(at + tile::WEIGHT);
    if (tile::VARIABLE) {
        d.bi = vector_at(at + tile::BI);
        d.bj0 = vector_at(at + tile::BJ);
        d.bj1 = vector_at(at + tile::BJ + ROW_BYTES);
        d.bi_end = __shfl_down_sync(0xffffffffu, d.bi.x, 1);
    }
    return d;
}

template <class tile>
DEVICE real relax_cell(const struct relaxation &r, real u, real before, real weight, real residual)
{
    return tile::TWO_STEP ? relaxed(r, u, before, weight, residual)
                          : update_weighted(u, weight, residual, r.weight);
}

/* One sweep of both cells in a plane. u and those below and above are what the sweep reads; `rows`
 * is the address of u, between its neighbours in j. */
template <bool WALLS, class tile>
DEVICE real2 sweep_plane(const struct fv2_sweeps &w, const struct sweep_thread &p,
                         const struct relaxation &r, const struct walls &walls,
                         const struct weighted_data &d, real2 bk0, real2 bk1, real2 below, real2 u,
                         real2 above, real2 before, unsigned rows)
{
    using Op = typename tile::op;
    const real2 residual = residual_vector<Op, WALLS>(
        d, bk0, bk1, u, beside_both(u), vector_at(rows - ROW_BYTES), vector_at(rows + ROW_BYTES),
        below, above, p.low_i, p.high_i, walls, w.c, w.scale);
    return make_real2(relax_cell<tile>(r, u.x, before.x, d.weight.x, residual.x),
                      relax_cell<tile>(r, u.y, before.y, d.weight.y, residual.y));
}

/* The walls next to a thread's cells in a plane. */
DEVICE struct walls walls_of(const struct cells &c, const struct sweep_thread &p, int plane)
{
    return {p.low_j, p.high_j, plane == 0 && c.wall[2][0], plane == c.n[2] - 1 && c.wall[2][1]};
}

/* The data of plane k + 1, with D⁻¹. `face` is β_k above it. */
template <bool WALLS, class tile>
DEVICE struct weighted_data prepare_plane(const struct fv2_sweeps &w, const struct sweep_thread &p,
                                          int k, unsigned slot, real2 bk0, real2 bk1)
{
    using Op = typename tile::op;
    struct weighted_data d = load_plane<tile>(p, slot);
    const struct walls walls = walls_of(w.c, p, k + 1);
    cell_data low, high;
    divide_data(d, bk0, bk1, &low, &high);
    if (!tile::STORED_WEIGHT)
        d.weight =
            make_real2(inverse_diagonal<Op>(
                           ghosts_of_unit<Op, WALLS>(walls_of_cell<0, WALLS>(p.low_i, walls), w.c),
                           low, w.scale),
                       inverse_diagonal<Op>(
                           ghosts_of_unit<Op, WALLS>(walls_of_cell<1, WALLS>(p.high_i, walls), w.c),
                           high, w.scale));
    return d;
}

/* Offsets of the slots that a step works on: u of planes k + 2 and k + 1, and the data of plane
 * k + 1. */
struct sweep_slots {
    unsigned u, u_before, step;
};

/* The planes that a block stores, first to last − 1, and with one more layer of ghosts; and its
 * steps. */
struct sweep_range {
    int first, last, first_before, last_before;
    int start, stop;
};

template <class tile>
DEVICE struct sweep_range compute_sweep_range(const struct fv2_sweeps &w, int number, int planes)
{
    const struct cells &c = w.c;
    const int low = -layers_beyond(c, 2, 0, 0, w.extent),
              high = c.n[2] + layers_beyond(c, 2, 1, 0, w.extent);
    struct sweep_range a;
    a.first = low + number * planes;
    a.last = min(a.first + planes, high);
    a.first_before = a.first == low ? -layers_beyond(c, 2, 0, 0, w.extent + 1) : a.first;
    a.last_before = a.last == high ? c.n[2] + layers_beyond(c, 2, 1, 0, w.extent + 1) : a.last;
    a.start = a.first - tile::SWEEPS;
    if (w.c.wall[2][0])
        a.start = max(a.start, -1);
    a.stop = a.last + tile::SWEEPS - 2;
    return a;
}

DEVICE void store(real *field, const struct fv2_sweeps &w, const struct sweep_thread &p, int k,
                  real2 u)
{
    *(real2 *)vector_of(field, p.offset + k * w.c.sk * CELL_BYTES) = u;
}

/* Step k: every sweep in its plane. Stores what is finished. */
template <bool WALLS, class tile>
DEVICE void step(const struct fv2_sweeps &w, const struct sweep_thread &p,
                 const struct sweep_range &a, const struct sweep_slots &slots, int k,
                 struct sweep_state<tile> &m)
{
    enum { SWEEPS = tile::SWEEPS };
    const unsigned data = p.address + tile::STEPS + slots.step;
    real2 face = tile::VARIABLE ? vector_at(data + tile::BK) : real2{};
    real2 above = vector_at(p.address + slots.u + ROW_BYTES), before = {};
    unsigned rows = p.address + slots.u_before + ROW_BYTES;
    m.data[0] = prepare_plane<WALLS, tile>(w, p, k, slots.step, m.bk[0], face);
    if (tile::TWO_STEP && w.before)
        before = vector_at(data + tile::BEFORE);
#pragma unroll
    for (int s = 0; s < SWEEPS; s++) {
        const int plane = k + 1 - s;
        const real2 u =
            sweep_plane<WALLS, tile>(w, p, w.sweeps[s], walls_of(w.c, p, plane), m.data[s], m.bk[s],
                                     face, m.low[s], m.here[s], above, before, rows);
        const real2 below = m.bk[s];
        before = m.low[s];
        m.low[s] = m.here[s];
        m.here[s] = above;
        m.bk[s] = face;
        face = below;
        above = u;
        if (s < SWEEPS - 1) {
            const unsigned results = p.address + tile::RESULTS + ROW_BYTES + 2 * s * tile::U_BYTES;
            put(results + (k & 1) * tile::U_BYTES, u);
            rows = results + (~k & 1) * tile::U_BYTES;
        }
        if (tile::TWO_STEP && s == SWEEPS - 2 && w.out_before && p.stores_before &&
            plane >= a.first_before && plane < a.last_before)
            store(w.out_before, w, p, plane, u);
        if (s == SWEEPS - 1 && p.stores && plane >= a.first && plane < a.last)
            store(w.out, w, p, plane, u);
    }
#pragma unroll
    for (int s = SWEEPS - 1; s > 0; s--)
        m.data[s] = m.data[s - 1];
}

/* u = 0 in all slots. */
template <class tile>
DEVICE void clear_slots(unsigned memory)
{
    const int thread = threadIdx.y * LANES + threadIdx.x;
    for (int at = thread * VECTOR_BYTES; at < tile::STEPS; at += tile::ROWS * ROW_BYTES)
        put(memory + at, make_real2(0.0, 0.0));
}

/* Issues the first copies, and waits for those of step `start`. */
template <class tile>
DEVICE struct sweep_state<tile> start_sweeps(const struct fv2_sweeps &w,
                                             const struct sweep_thread &p, struct sweep_copies &s) {
    const long above = offset_of_plane(w.c, s.plane), below = offset_of_plane(w.c, s.plane - 1);
    struct sweep_state<tile> m = {
    };
    if (!w.zero_guess) {
        if (p.copies)
            copy_vector(p.address + ROW_BYTES, vector_of(w.in, p.offset + above));
        if (p.copies_u)
            copy_vector(p.to, vector_of(w.in, p.surrounding + above));
    }
    s.plane++;
    s.u = tile::U_BYTES;
    for (int a = 0; a < AHEAD; a++) {
        fetch<tile>(w, p, s);
        __pipeline_commit();
    }
    if (p.copies && tile::VARIABLE)
        m.bk[0] = *vector_of(w.beta_k, p.offset + above);
    if (p.copies && !w.zero_guess) {
        m.low[0] = *vector_of(w.in, p.offset + below);
        m.here[0] = *vector_of(w.in, p.offset + above);
    }
    __pipeline_wait_prior(AHEAD - 1);
    __syncthreads();
    return m;
}

template <class tile>
static __global__ void __launch_bounds__(LANES *tile::ROWS)
    sweeps_kernel(const __grid_constant__ struct fv2_sweeps w,
                  const __grid_constant__ struct tile_set tiles, int planes)
{
    const unsigned memory = (unsigned)shared_begin();
    const dim3 own = tile_of_block(tiles);
    const struct sweep_thread p = compute_sweep_thread<tile>(w, tiles, own, memory);
    const struct sweep_range a = compute_sweep_range<tile>(w, own.z, planes);
    if (w.zero_guess)
        clear_slots<tile>(memory);
    struct sweep_copies copies = {a.start + 1, 0, 0};
    struct sweep_state<tile> m = start_sweeps<tile>(w, p, copies);
    struct sweep_slots s = {tile::U_BYTES, 0, 0};
    for (int k = a.start; k < a.stop; k++) {
        if (k + AHEAD < a.stop)
            fetch<tile>(w, p, copies);
        __pipeline_commit();
        const bool walls = p.low_j || p.high_j || p.needs_kinds ||
                           (k + 2 - tile::SWEEPS <= 0 && w.c.wall[2][0]) ||
                           (k + 1 >= w.c.n[2] - 1 && w.c.wall[2][1]);
        if (walls)
            step<true, tile>(w, p, a, s, k, m);
        else
            step<false, tile>(w, p, a, s, k, m);
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads();
        s = {next_slot<tile::U_BYTES, tile::U_SLOTS>(s.u), s.u,
             next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step)};
    }
}
} // namespace fv2
