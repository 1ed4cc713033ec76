/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The shared memory of a block of the fused red-black kernel: its layout, copies and barriers. */
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/fv4/gsrb_launch.cuh"
#include "cuda/tuning.h"

namespace fv4
{
enum { LANES = 32, COLUMNS = 4, COLUMN = (int)sizeof(real) };
enum { ALIGNED = 16 / COLUMN }; /* cells whose first one copies may begin with */

/* The layout of a block's shared memory. The block stores its core cells, `width` × `rows`, and
 * updates the cells around them too. Tiles come from `origin`; those of β are copied `beta_ahead`
 * steps before their use. Addresses and offsets are in bytes. */
template <class Op, class origin, int width, int rows, int beta_ahead>
struct gsrb_tile {
    using op = Op;
    using source = origin;
    static constexpr bool VARIABLE = Op::VARIABLE, READS_ALPHA = ::READS_ALPHA<Op>;
    static constexpr int BLOCKS = VARIABLE ? 1 : 2; /* per multiprocessor, at least */
    static constexpr int CORE_WIDTH = width, CORE_ROWS = rows, REGION_ROWS = CORE_ROWS + 2;
    static constexpr int WARPS_I = CORE_WIDTH / LANES, WARPS = REGION_ROWS / COLUMNS * WARPS_I;
    /* Without TMA one more warp copies. */
    static constexpr int COPY_WARPS = BY_ENGINE<source> ? 0 : 1;
    static constexpr int THREADS = LANES * (WARPS + COPY_WARPS);

    /* All tiles are equally wide, so that a cell has the same offset from each tile's first cell.
     * They begin at multiples of 16 bytes, as copies require, and are wider than needed: rows an
     * even number of rows apart would otherwise be in the same banks. */
    static constexpr int WIDTH = CORE_WIDTH + 8 + ALIGNED, ROW = WIDTH * COLUMN;
    static constexpr int U_USED = CORE_WIDTH + 8, BETA_USED = CORE_WIDTH + 2 * ALIGNED;
    static constexpr int U_ROWS = REGION_ROWS + 4, BETA_ROWS = REGION_ROWS + 2;
    static constexpr int BETA_J_ROWS = REGION_ROWS + 1;
    static constexpr int U_BYTES = U_ROWS * ROW, BETA_BYTES = BETA_ROWS * ROW;
    static constexpr int BETA_J_BYTES = BETA_J_ROWS * ROW;

    /* Slots for a plane of u; of β on its faces in i and, after that, in j; of β on the faces below
     * it; and of its new red cells, one in each two rows. The outermost rows read, but do not use,
     * red cells one row further out: a row that no thread writes lies between those slots. D⁻¹ near
     * walls has a real for each of a thread's two red cells and, BLACK_DINV further, for each of
     * its black cells. */
    static constexpr int U_SIZE = cuda_whole_lines(U_BYTES), BETA_J = cuda_whole_lines(BETA_BYTES);
    static constexpr int BETA_SIZE = BETA_J + cuda_whole_lines(BETA_J_BYTES);
    static constexpr int BETA_K_SIZE = cuda_whole_lines(BETA_BYTES);
    static constexpr int RED_ROW = (CORE_WIDTH + 2) * COLUMN;
    static constexpr int RED_SIZE = (REGION_ROWS / 2 + 1) * RED_ROW;
    static constexpr int DINV_SIZE = LANES * WARPS * COLUMN, BLACK_DINV = 2 * DINV_SIZE;

    /* Step k reads planes k − 2 … k + 2 of u, k − 2 … k + 1 of β in i and j, and k and k + 1 of β
     * in k, while those of the next steps arrive. It reads red cells of planes k − 1 and k − 2 and
     * writes those of plane k. Slots that step k has used then take planes of step k + AHEAD. */
    static constexpr int U_AHEAD = 2, BETA_AHEAD = beta_ahead;
    static constexpr int U_SLOTS = 4 + U_AHEAD, BETA_SLOTS = 3 + BETA_AHEAD;
    static constexpr int BETA_K_SLOTS = 1 + BETA_AHEAD, RED_SLOTS = 3;

    /* f, α and D⁻¹ of outer cells arrive one step ahead, when some warps may still use those of the
     * step before. */
    static constexpr int OUTER_SLOTS = 3, OUTER_F = 0, OUTER_ALPHA = REGION_ROWS * COLUMN;
    static constexpr int OUTER_DINV = 2 * OUTER_ALPHA, OUTER_SIZE = 3 * OUTER_ALPHA;

    /* β comes last, if there is any. */
    static constexpr int U_OFFSET = 0, RED_OFFSET = U_OFFSET + U_SLOTS * U_SIZE + RED_ROW;
    static constexpr int DINV_OFFSET = RED_OFFSET + RED_SLOTS * RED_SIZE;
    static constexpr int OUTER_OFFSET = DINV_OFFSET + 2 * BLACK_DINV;
    static constexpr int BARRIERS_OFFSET = OUTER_OFFSET + OUTER_SLOTS * OUTER_SIZE;
    static constexpr int BETA_OFFSET = cuda_whole_lines(BARRIERS_OFFSET + 64);
    static constexpr int BETA_K_OFFSET = BETA_OFFSET + BETA_SLOTS * BETA_SIZE;
    static constexpr int SHARED_BYTES =
        VARIABLE ? BETA_K_OFFSET + BETA_K_SLOTS * BETA_K_SIZE : BETA_OFFSET;

    static constexpr size_t max_bytes()
    {
        return SHARED_BYTES;
    }

    /* Offsets of the region's first cell in a slot. */
    static constexpr int U_CELL = 2 * ROW + 3 * COLUMN, BETA_I_CELL = ROW + (ALIGNED - 1) * COLUMN;
    static constexpr int BETA_J_CELL = BETA_J + (ALIGNED - 1) * COLUMN, BETA_K_CELL = BETA_I_CELL;
};

/* For compute capability 9.0; without TMA for 163 KiB of shared memory per block, which more rows
 * exceed, and for 99 KiB, which tiles of 64 cells exceed with 6 rows already. Two of the last
 * blocks fill a multiprocessor that has room for them. */
template <class Op>
using large_tile =
    struct gsrb_tile<Op, CUtensorMap, 64, sizeof(real) == 8 ? TUNED_FV4_GSRB_ROWS : 22, 2>;
template <class Op>
using medium_tile = struct gsrb_tile<Op, field_source, 64, 10, 1>;
template <class Op>
using small_tile = struct gsrb_tile<Op, field_source, 32, 10, 1>;

/* By parity of the step: its tiles have arrived; all warps have written their red cells and no
 * longer need β of the lowest plane; all warps have completed it. */
struct step_barriers {
    barrier_word full[2], reds[2], done[2];
};

/* The sources of the tiles. */
template <class source>
struct gsrb_sources {
    source u, beta_i, beta_j, beta_k;
};

template <class tile>
using sources_of = struct gsrb_sources<typename tile::source>;

template <class tile>
static sources_of<tile> make_sources(const struct fv4_gsrb &w)
{
    using source = typename tile::source;
    sources_of<tile> from = {};
    if (w.in)
        from.u = tile_source<source>(w.in, w.c, tile::WIDTH, tile::U_ROWS);
    if (tile::VARIABLE) {
        from.beta_i = tile_source<source>(w.beta_i, w.c, tile::WIDTH, tile::BETA_ROWS);
        from.beta_j = tile_source<source>(w.beta_j, w.c, tile::WIDTH, tile::BETA_J_ROWS);
        from.beta_k = tile_source<source>(w.beta_k, w.c, tile::WIDTH, tile::BETA_ROWS);
    }
    return from;
}

/* The block's first core cell in i and j, and its planes. */
struct block_range {
    int i, j, first, last;
};

/* The number of step k, from 0 on. */
DEVICE int step_number(const struct block_range &m, int k)
{
    return k - m.first + 1;
}

template <class tile>
DEVICE struct step_barriers &barriers()
{
    return *(struct step_barriers *)shared_pointer(shared_begin() + tile::BARRIERS_OFFSET);
}

/* Planes take slots in turn. */
template <class tile>
DEVICE void fetch_u(const sources_of<tile> &from, const struct block_range &m, int k,
                    barrier_word *full)
{
    const int to =
        shared_begin() + tile::U_OFFSET + (k - m.first + 3) % tile::U_SLOTS * tile::U_SIZE;
    tile_fetch<tile::WIDTH, tile::U_ROWS, tile::U_USED>(to, from.u, m.i - 4, m.j - 3, k, full);
}

template <class tile>
DEVICE void fetch_beta(const sources_of<tile> &from, const struct block_range &m, int k,
                       barrier_word *full)
{
    const int to =
        shared_begin() + tile::BETA_OFFSET + (k - m.first + 3) % tile::BETA_SLOTS * tile::BETA_SIZE;
    tile_fetch<tile::WIDTH, tile::BETA_ROWS, tile::BETA_USED>(to, from.beta_i, m.i - ALIGNED,
                                                              m.j - 2, k, full);
    tile_fetch<tile::WIDTH, tile::BETA_J_ROWS, tile::BETA_USED>(to + tile::BETA_J, from.beta_j,
                                                                m.i - ALIGNED, m.j - 1, k, full);
}

template <class tile>
DEVICE void fetch_beta_k(const sources_of<tile> &from, const struct block_range &m, int k,
                         barrier_word *full)
{
    const int to = shared_begin() + tile::BETA_K_OFFSET +
                   (k - m.first + 1) % tile::BETA_K_SLOTS * tile::BETA_K_SIZE;
    tile_fetch<tile::WIDTH, tile::BETA_ROWS, tile::BETA_USED>(to, from.beta_k, m.i - ALIGNED,
                                                              m.j - 2, k, full);
}

template <class tile>
DEVICE barrier_word *full_barrier(int number)
{
    return &barriers<tile>().full[number & 1];
}

/* Where u is 0 everywhere, no copies of u are issued. */
template <class tile, bool ZERO>
constexpr int BYTES_OF_U = ZERO ? 0 : tile::U_BYTES;

/* Two sets of tiles complete those of a step: u, and β if there is any. */
template <class tile, bool ZERO>
DEVICE void fetch_next_u(const sources_of<tile> &from, const struct block_range &m, int k)
{
    barrier_word *full = full_barrier<tile>(step_number(m, k));
    begin_copies<typename tile::source>(full, BYTES_OF_U<tile, ZERO>);
    if (!ZERO)
        fetch_u<tile>(from, m, k + 2, full);
    end_copies<typename tile::source>(full);
}

template <class tile>
DEVICE void fetch_next_beta(const sources_of<tile> &from, const struct block_range &m, int k)
{
    barrier_word *full = full_barrier<tile>(step_number(m, k));
    if (!tile::VARIABLE)
        return;
    begin_copies<typename tile::source>(full,
                                        tile::BETA_BYTES + tile::BETA_J_BYTES + tile::BETA_BYTES);
    fetch_beta<tile>(from, m, k + 1, full);
    fetch_beta_k<tile>(from, m, k + 1, full);
    end_copies<typename tile::source>(full);
}

/* Issues the copies for the first steps: that of plane first − 1, and of that after it as much as
 * copies run ahead. */
template <class tile, bool ZERO>
DEVICE void fetch_first(const sources_of<tile> &from, const struct block_range &m)
{
    constexpr int BYTES_OF_BETA =
        tile::VARIABLE ? 2 * (tile::BETA_BYTES + tile::BETA_J_BYTES) + tile::BETA_BYTES : 0;
    barrier_word *full = full_barrier<tile>(0);
    begin_copies<typename tile::source>(full, 5 * BYTES_OF_U<tile, ZERO> + BYTES_OF_BETA);
    for (int k = m.first - 3; k <= m.first + 1 && !ZERO; k++)
        fetch_u<tile>(from, m, k, full);
    for (int k = m.first - 2; k <= m.first - 1 && tile::VARIABLE; k++)
        fetch_beta<tile>(from, m, k, full);
    if (tile::VARIABLE)
        fetch_beta_k<tile>(from, m, m.first - 1, full);
    end_copies<typename tile::source>(full);
    fetch_next_beta<tile>(from, m, m.first - 1);
    fetch_next_u<tile, ZERO>(from, m, m.first);
    if (tile::BETA_AHEAD > 1)
        fetch_next_beta<tile>(from, m, m.first);
}

/* Clears u in place of copies; all threads call it before the first barrier. */
template <class tile>
DEVICE void clear_u()
{
    for (int x = threadIdx.x * COLUMN; x < tile::U_SLOTS * tile::U_SIZE;
         x += tile::THREADS * COLUMN)
        put(shared_begin() + tile::U_OFFSET + x, 0.0);
}

/* Addresses of the planes in shared memory, from the lowest that the step uses; the last of each is
 * the plane that arrives. For red cells they are k − 1, k and k − 2. */
template <class tile>
struct planes {
    int u[tile::U_SLOTS], beta[tile::BETA_SLOTS], beta_k[tile::BETA_K_SLOTS], red[tile::RED_SLOTS];
};

template <class tile>
DEVICE struct planes<tile> first_planes() {
    const int begin = shared_begin();
    struct planes<tile> p;
    for (int x = 0; x < tile::U_SLOTS; x++)
        p.u[x] = begin + tile::U_OFFSET + tile::U_CELL + x * tile::U_SIZE;
    for (int x = 0; x < tile::BETA_SLOTS; x++)
        p.beta[x] = begin + tile::BETA_OFFSET + x * tile::BETA_SIZE;
    for (int x = 0; x < tile::BETA_K_SLOTS; x++)
        p.beta_k[x] = begin + tile::BETA_K_OFFSET + tile::BETA_K_CELL + x * tile::BETA_K_SIZE;
    for (int x = 0; x < tile::RED_SLOTS; x++)
        p.red[x] = begin + tile::RED_OFFSET + x * tile::RED_SIZE;
    return p;
}

template <int N>
DEVICE void rotate(int (&planes)[N])
{
    const int first = planes[0];
    for (int x = 0; x + 1 < N; x++)
        planes[x] = planes[x + 1];
    planes[N - 1] = first;
}

template <class tile>
DEVICE void move_up(struct planes<tile> &p)
{
    rotate(p.u);
    rotate(p.beta);
    rotate(p.beta_k);
    rotate(p.red);
}

template <class tile>
DEVICE void create_barriers()
{
    if (threadIdx.x == 0) {
        for (int x = 0; x < 2; x++) {
            barrier_create(&barriers<tile>().full[x],
                           (tile::VARIABLE ? 2 : 1) * COPY_ARRIVALS<typename tile::source>);
            barrier_create(&barriers<tile>().reds[x], LANES * tile::WARPS);
            barrier_create(&barriers<tile>().done[x], LANES * tile::WARPS);
        }
        barriers_created();
    }
    __syncthreads();
}

/* Arrives at a barrier of the step of this number. */
DEVICE void arrive(barrier_word *barrier, int number)
{
    barrier_arrive(&barrier[number & 1]);
}

/* Waits for a barrier of the step of this number. Before the first step it does not wait: a new
 * barrier counts as having completed the phase before its first. */
DEVICE void wait_for(barrier_word *barrier, int number)
{
    barrier_wait(&barrier[number & 1], (number >> 1) & 1);
}

/* Warps take turns in what is done once per step. */
template <class tile>
DEVICE bool is_turn(int warp, int number)
{
    return warp == (int)((unsigned)number % tile::WARPS);
}

/* With TMA one warp issues, in step k, the copies of a later step as soon as their slots are free:
 * once all threads have arrived at this barrier. */
template <class tile, class Fetch>
DEVICE void fetch_after(barrier_word *barrier, const struct block_range &m, int warp, int k,
                        const Fetch &fetch)
{
    const int number = step_number(m, k);
    if (k + 1 < m.last && is_turn<tile>(warp, number)) {
        wait_for(barrier, number);
        if (one_lane())
            fetch();
        __syncwarp();
    }
}

/* Without TMA this is all that the last warp does. */
template <class tile, bool ZERO>
DEVICE void copy_planes(const sources_of<tile> &from, const struct block_range &m)
{
    constexpr int U = tile::U_AHEAD, BETA = tile::BETA_AHEAD;
    fetch_first<tile, ZERO>(from, m);
    for (int k = m.first - 1; k < m.last; k++) {
        wait_for(barriers<tile>().reds, step_number(m, k));
        if (k + BETA <= m.last)
            fetch_next_beta<tile>(from, m, k + BETA);
        wait_for(barriers<tile>().done, step_number(m, k));
        if (k + U <= m.last)
            fetch_next_u<tile, ZERO>(from, m, k + U);
    }
}

} // namespace fv4
