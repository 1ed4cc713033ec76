/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_CLUSTER_TILE_CUH
#define CUDA_FV4_CLUSTER_TILE_CUH
/* The red-black kernel in clusters: how tiles divide a patch, a block's shared memory, and the
 * copies of planes to it. */
#include "cuda/core/cluster.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/fv4/gsrb_launch.cuh"

namespace fv4::cluster
{
/* The loop over the planes is unrolled, so that all slots are constants. */
enum { UNROLLED = 6 };

/* Columns of cells that a tile repeats of its neighbours, at either side, so that it begins at an
 * even column; and rows. */
enum { HALO_I = 2, HALO_J = 1 };

/* A block has `width` threads for each pair of rows; `blocks` blocks, one above the other in j, are
 * a cluster and have a tile together. In step t red cells of plane t are updated and black cells of
 * plane t − 1. A slot holds a plane of u and of β. NEW holds the new red cells of the last steps,
 * one row for each pair, between those of the block below and of the block above; DINV the D⁻¹ of
 * cells near walls, red and black, of even and of odd steps. Offsets are in bytes. */
template <class Op, class origin, int width, int pairs, int blocks, class scalar = double>
struct tile {
    using op = Op;
    using source = origin;
    using real = scalar;
    static constexpr bool VARIABLE = Op::VARIABLE, READS_ALPHA = ::READS_ALPHA<Op>;
    static constexpr int CELL = (int)sizeof(real), WIDTH = width, PAIRS = pairs, BLOCKS = blocks;
    static constexpr int ROWS = 2 * PAIRS, WORKERS = WIDTH * PAIRS;
    /* Without TMA one more warp copies. */
    static constexpr int THREADS = WORKERS + (BY_ENGINE<source> ? 0 : 32);
    static constexpr int PER_MULTIPROCESSOR = VARIABLE ? 1 : 2;

    /* The first column of all tiles in a slot is HALO_I to the left of the block's. */
    static constexpr int COLUMNS = WIDTH + 2 * HALO_I, ROW = COLUMNS * CELL;
    static constexpr int U_ROWS = ROWS + 4, BETA_ROWS = ROWS + 2, BETA_J_ROWS = ROWS + 1;
    static constexpr int U_BYTES = U_ROWS * ROW;
    static constexpr int BETA_BYTES = (2 * BETA_ROWS + BETA_J_ROWS) * ROW;
    static constexpr int BETA_I = cuda_whole_lines(U_BYTES);
    static constexpr int BETA_J = BETA_I + cuda_whole_lines(BETA_ROWS * ROW);
    static constexpr int BETA_K = BETA_J + cuda_whole_lines(BETA_J_ROWS * ROW);
    static constexpr int SLOT = VARIABLE ? BETA_K + cuda_whole_lines(BETA_ROWS * ROW) : BETA_I;

    static constexpr int NEW_SLOTS = 3, NEW_BYTES = (PAIRS + 2) * ROW;
    static constexpr int NEW = UNROLLED * SLOT, DINV = NEW + NEW_SLOTS * NEW_BYTES;
    static constexpr int DINV_BYTES = WORKERS * CELL; /* of red or of black cells of a step */
    /* Barriers by slot, for u and for β; then two, of even and of odd steps, for cells from the
     * block below, and two for those from the block above. */
    static constexpr int BARRIERS = DINV + 4 * DINV_BYTES, BARRIER = (int)sizeof(barrier_word);
    static constexpr int FROM_BELOW = BARRIERS + 2 * UNROLLED * BARRIER;
    static constexpr int FROM_ABOVE = FROM_BELOW + 2 * BARRIER;
    static constexpr int BYTES = FROM_ABOVE + 2 * BARRIER;
    static constexpr int SENT_BYTES = WIDTH * CELL; /* in a step */
    static_assert(UNROLLED % NEW_SLOTS == 0 && UNROLLED % 2 == 0, "slots are constants");

    static constexpr size_t max_bytes()
    {
        return BYTES;
    }

    /* Offsets of the block's first cell, and of β on its low faces, in a slot. */
    static constexpr int U_CELL = 2 * ROW + HALO_I * CELL;
    static constexpr int BETA_I_CELL = BETA_I + ROW + HALO_I * CELL;
    static constexpr int BETA_J_CELL = BETA_J + HALO_I * CELL;
    static constexpr int BETA_K_CELL = BETA_K + ROW + HALO_I * CELL;
};

/* For compute capability 9.0; without TMA for 163 KiB of shared memory per block, and for 99. As
 * many rows as registers have room for. */
template <class Op>
using large = tile<Op, CUtensorMap, 64, Op::VARIABLE ? 6 : 5, 2>;
template <class Op>
using medium = tile<Op, field_source, 64, Op::READS_ALPHA ? 3 : 4, 1>;
template <class Op>
using small = tile<Op, field_source, 32, 5, 1>;

/* The tiles of a patch in i and j. Tile t begins at cell first + t·own and stores own cells, those
 * after its halo; the first and the last one also what lies between these and the patch's end. */
struct tiling {
    int first[2], own[2], count[2];
};

/* Whether the last column has a wall and its tile has it in another warp than the two before it: a
 * ghost follows from new cells of all three. */
static inline bool splits_wall(const struct cells &c, int first, int own, int count)
{
    const int last = c.n[0] - 1 - first - (count - 1) * own;
    return c.wall[0][1] && last % 32 < 2;
}

template <class tile>
static struct tiling make_tiling(const struct cells &c)
{
    const int extent[2] = {tile::WIDTH, tile::BLOCKS * tile::ROWS}, halo[2] = {HALO_I, HALO_J};
    struct tiling t;
    for (int d = 0; d < 2; d++) {
        t.first[d] = c.wall[d][0] ? 0 : -halo[d];
        t.own[d] = extent[d] - 2 * halo[d];
        const int rest = c.n[d] - t.first[d] - extent[d] + (c.wall[d][1] ? 0 : halo[d]);
        t.count[d] = 1 + max(0, cuda_divided(rest, t.own[d]));
    }
    if (splits_wall(c, t.first[0], t.own[0], t.count[0]))
        t.first[0] -= 2;
    return t;
}

/* The sources of the tiles. */
template <class source>
struct sources {
    source u, beta_i, beta_j, beta_k;
};

template <class tile>
static struct sources<typename tile::source> make_sources(const struct fv4_gsrb &w) {
    using source = typename tile::source;
    struct sources<source> from = {
    };
    if (w.in)
        from.u = tile_source<source>(w.in, w.c, tile::COLUMNS, tile::U_ROWS);
    if (tile::VARIABLE) {
        from.beta_i = tile_source<source>(w.beta_i, w.c, tile::COLUMNS, tile::BETA_ROWS);
        from.beta_j = tile_source<source>(w.beta_j, w.c, tile::COLUMNS, tile::BETA_J_ROWS);
        from.beta_k = tile_source<source>(w.beta_k, w.c, tile::COLUMNS, tile::BETA_ROWS);
    }
    return from;
}

/* The block's first column and row, whether that is its own, and its cluster's own cells; the plane
 * of the first step, and the number of steps. */
struct block_range {
    int i, j, rank;
    int first[3], last[3]; /* own cells: first ≤ index < last */
    int start, steps;
};

template <class tile>
DEVICE struct block_range make_range(const struct fv4_gsrb &w, const struct tiling &t, int planes)
{
    const int number[2] = {(int)blockIdx.x, (int)blockIdx.y / tile::BLOCKS},
              halo[2] = {HALO_I, HALO_J};
    struct block_range m;
    m.rank = blockIdx.y % tile::BLOCKS;
    m.i = t.first[0] + number[0] * t.own[0];
    m.j = t.first[1] + number[1] * t.own[1];
    for (int d = 0; d < 2; d++) {
        const int first = (d == 0 ? m.i : m.j) + halo[d];
        m.first[d] = number[d] == 0 ? 0 : first;
        m.last[d] = number[d] == t.count[d] - 1 ? w.c.n[d] : min(first + t.own[d], w.c.n[d]);
    }
    m.j += m.rank * tile::ROWS;
    m.first[2] = blockIdx.z * planes;
    m.last[2] = min(m.first[2] + planes, w.c.n[2]);
    m.start = m.first[2] - 1;
    m.steps = m.last[2] - m.start + 1;
    return m;
}

/* Whether the cluster belongs to the pass's region: those of the boundary region read ghosts beyond
 * open sides. */
DEVICE bool in_region(const struct fv4_gsrb &w, const struct block_range &m)
{
    bool outer = false;
    for (int d = 0; d < 3; d++)
        outer = outer || (m.first[d] < REACH && is_open(w.c, d, 0)) ||
                (m.last[d] + REACH > w.c.n[d] && is_open(w.c, d, 1));
    return outer == (w.region == REGION_BOUNDARY);
}

/* The slot of plane t + d in the step of number q of the unrolled loop, in bytes. */
template <class tile>
DEVICE constexpr int slot_of(int q, int d)
{
    return (q + 2 + d + UNROLLED) % UNROLLED * tile::SLOT;
}

template <class tile>
DEVICE barrier_word *barrier_of_u(int slot)
{
    return cluster_barrier(shared_begin() + tile::BARRIERS + slot * tile::BARRIER);
}

template <class tile>
DEVICE barrier_word *barrier_of_beta(int slot)
{
    return barrier_of_u<tile>(slot + UNROLLED);
}

/* Issues the copies of plane number x, two planes before the block's first step being number 0.
 * The step of number x − 4 is the first one that waits for them. */
template <class tile>
DEVICE void fetch(const struct fv4_gsrb &w, const sources<typename tile::source> &from,
                  const struct block_range &m, int x, int slot)
{
    using source = typename tile::source;
    const int to = shared_begin() + slot * tile::SLOT, k = m.start - 2 + x, i = m.i - HALO_I;
    const auto copy = [&](auto rows, const source &field, int offset, int j, barrier_word *full) {
        tile_fetch<tile::COLUMNS, decltype(rows)::value, tile::COLUMNS>(to + offset, field, i, j, k,
                                                                        full);
    };
    if (x >= m.steps + 4)
        return;
    barrier_word *const arrived = barrier_of_u<tile>(slot);
    begin_copies<source>(arrived, w.in ? tile::U_BYTES : 0);
    if (w.in)
        copy(std::integral_constant<int, tile::U_ROWS>{}, from.u, 0, m.j - 2, arrived);
    end_copies<source>(arrived);
    if (tile::VARIABLE) {
        const std::integral_constant<int, tile::BETA_ROWS> rows;
        barrier_word *full = barrier_of_beta<tile>(slot);
        begin_copies<source>(full, tile::BETA_BYTES);
        copy(rows, from.beta_i, tile::BETA_I, m.j - 1, full);
        copy(std::integral_constant<int, tile::BETA_J_ROWS>{}, from.beta_j, tile::BETA_J, m.j,
             full);
        copy(rows, from.beta_k, tile::BETA_K, m.j - 1, full);
        end_copies<source>(full);
    }
}

template <class tile>
DEVICE void fetch_first(const struct fv4_gsrb &w, const sources<typename tile::source> &from,
                        const struct block_range &m)
{
    for (int x = 0; x < UNROLLED; x++)
        fetch<tile>(w, from, m, x, x);
}

/* Without TMA this is all that the last warp does: in each step it copies to the slots that the
 * step before has used. */
template <class tile>
DEVICE void copy_planes(const struct fv4_gsrb &w, const sources<typename tile::source> &from,
                        const struct block_range &m)
{
    fetch_first<tile>(w, from, m);
    for (int number = 0; number < m.steps; number++) {
        const int x = number + UNROLLED - 1;
        if (number > 0)
            fetch<tile>(w, from, m, x, x % UNROLLED);
        __syncthreads();
    }
}

/* Creates the barriers and clears what is read before it is written: new cells, and u where it is 0
 * everywhere. All threads call it. */
template <class tile>
DEVICE void prepare_memory(const struct fv4_gsrb &w)
{
    const int begin = shared_begin();
    const auto clear = [&](int from, int bytes) {
        for (int x = threadIdx.x * tile::CELL; x < bytes; x += tile::THREADS * tile::CELL)
            store_cell(begin + from + x, 0.0);
    };
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < 2 * UNROLLED; slot++)
            barrier_create(barrier_of_u<tile>(slot), COPY_ARRIVALS<typename tile::source>);
        for (int x = 0; x < 4; x++)
            barrier_create(cluster_barrier(begin + tile::FROM_BELOW + x * tile::BARRIER), 1);
        barriers_created();
    }
    clear(tile::NEW, tile::NEW_SLOTS * tile::NEW_BYTES);
    for (int slot = 0; slot < UNROLLED && !w.in; slot++)
        clear(slot * tile::SLOT, tile::U_BYTES);
    __syncthreads();
}
} // namespace fv4::cluster

#endif
