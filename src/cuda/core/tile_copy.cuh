/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Copies of tiles of a field to shared memory. What lies outside the field and MAP_GHOSTS layers of
 * ghosts arrives as zeros. A barrier in shared memory tells when a set of tiles has arrived. A
 * kernel takes one of two mechanisms by the type of the tiles' source: one thread issues copies of
 * a CUtensorMap to the Tensor Memory Accelerator; a warp copies from a field_source by cp.async.
 * See docs/KERNELS.md. */
#include "cuda/core/copy_instructions.cuh"
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tile_source.cuh"

/* How often a barrier is arrived at per set of tiles, in all. */
template <class source>
static constexpr int COPY_ARRIVALS = BY_ENGINE<source> ? 1 : 32;

/* Begins and ends a set of tiles of `bytes` bytes in all. */
template <class source>
DEVICE void begin_copies(barrier_word *barrier, int bytes)
{
    if constexpr (BY_ENGINE<source>)
        barrier_expect(barrier, bytes);
}

template <class source>
DEVICE void end_copies(barrier_word *barrier)
{
    if constexpr (!BY_ENGINE<source>)
        barrier_arrive_after_copies(barrier);
}

/* Issues the copy of the tile whose first cell is (i,j,k), i even, to a multiple of 128 bytes. The
 * tile has ROWS rows of WIDTH cells. Only the first USED cells of a row are needed. */
template <int WIDTH, int ROWS, int USED>
DEVICE void tile_fetch(int to, const CUtensorMap &map, int i, int j, int k, barrier_word *barrier)
{
    const int32_t first[3] = {i + MAP_GHOSTS, j + MAP_GHOSTS, k + MAP_GHOSTS};
    copy_mapped(shared_pointer(to), map, first, barrier);
}

DEVICE bool is_mapped(const struct field_source &x, int d, int cell)
{
    return cell >= -MAP_GHOSTS && cell < x.n[d] + MAP_GHOSTS;
}

/* The same by all lanes of a warp, two cells each: first one row after the other as far as the
 * lanes reach, then what is left of several rows at once. */
template <int WIDTH, int ROWS, int USED>
DEVICE void tile_fetch(int to, const struct field_source &x, int i, int j, int k, barrier_word *)
{
    constexpr int CELLS = 2, LANES = 32, REACH = LANES * CELLS, COLUMN = (int)sizeof(real);
    const int lane = (int)(threadIdx.x % LANES);
    const bool here = is_mapped(x, 2, k);
    const real *plane = x.x + k * x.sk + j * x.sj + i;
    const auto copy = [&](int row, int column, bool inside) {
        copy_two_cells(to + (row * WIDTH + column) * COLUMN, plane + row * x.sj + column,
                       inside && is_mapped(x, 1, j + row));
    };
    const int column = lane * CELLS;
    const bool inside = here && is_mapped(x, 0, i + column);
    for (int row = 0; row < ROWS && column < USED; row++)
        copy(row, column, inside);
    if constexpr (USED > REACH) {
        constexpr int REST = (USED - REACH) / CELLS, AT_ONCE = LANES / REST;
        static_assert(REST * AT_ONCE == LANES, "the lanes share whole rows");
        const int further = REACH + lane % REST * CELLS;
        const bool further_inside = here && is_mapped(x, 0, i + further);
        for (int row = lane / REST; row < ROWS; row += AT_ONCE)
            copy(row, further, further_inside);
    }
}

/* Orders the thread's writes to shared memory before copies that other threads issue later. */
template <class source>
DEVICE void order_before_copies()
{
    if constexpr (BY_ENGINE<source>)
        order_before_mapped_copies();
}
