/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_TILES_CUH
#define CUDA_FV4_GSRB_TILES_CUH
/* The shared memory of a block of the fused red-black kernel: its layout, copies and barriers. */
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/tuning.h"

namespace fv4
{
/* The block stores its core cells, and updates the cells around them too. */
enum { CORE_WIDTH = 64, CORE_ROWS = TUNED_FV4_GSRB_ROWS, REGION_ROWS = CORE_ROWS + 2 };
enum { LANES = 32, COLUMNS = 4, WARPS = REGION_ROWS / COLUMNS * CORE_WIDTH / LANES };

/* All tiles are equally wide, so that a cell has the same offset from each tile's first cell. They
 * begin at even i, as the copy engine requires, and are wider than needed: rows an even number of
 * rows apart would otherwise be in the same banks. Addresses and offsets are in bytes. */
enum { WIDTH = CORE_WIDTH + 10, COLUMN = (int)sizeof(double), ROW = WIDTH * COLUMN };
enum {
    U_BYTES = (REGION_ROWS + 4) * ROW,
    BETA_BYTES = (REGION_ROWS + 2) * ROW,
    BETA_J_BYTES = (REGION_ROWS + 1) * ROW,
};
/* Slots for a plane of u; of β on its faces in i and, after that, in j; of β on the faces below it;
 * and of its new red cells, one in each two rows. The outermost rows read, but do not use, red
 * cells one row further out: a row that no thread writes lies between those slots. D⁻¹ near walls
 * has a double for each of a thread's two red cells and, BLACK_DINV further, for each of its black
 * cells.
 */
enum {
    U_SIZE = cuda_whole_lines(U_BYTES),
    BETA_J = cuda_whole_lines(BETA_BYTES),
    BETA_SIZE = BETA_J + cuda_whole_lines(BETA_J_BYTES),
    BETA_K_SIZE = cuda_whole_lines(BETA_BYTES),
    RED_ROW = (CORE_WIDTH + 2) * COLUMN,
    RED_SIZE = (REGION_ROWS / 2 + 1) * RED_ROW,
    DINV_SIZE = LANES * WARPS * COLUMN,
    BLACK_DINV = 2 * DINV_SIZE,
};
/* Step k reads planes k − 2 … k + 2 of u, k − 2 … k + 1 of β in i and j, and k and k + 1 of β in k,
 * while one more of each arrives for the next step. It reads red cells of planes k − 1 and k − 2
 * and writes those of plane k. */
enum { U_SLOTS = 6, BETA_SLOTS = 5, BETA_K_SLOTS = 3, RED_SLOTS = 3 };
/* f, α and D⁻¹ of outer cells arrive one step ahead, when some warps may still use those of the
 * step before. */
enum {
    OUTER_SLOTS = 3,
    OUTER_F = 0,
    OUTER_ALPHA = REGION_ROWS * COLUMN,
    OUTER_DINV = 2 * OUTER_ALPHA,
    OUTER_SIZE = 3 * OUTER_ALPHA
};
enum {
    U_OFFSET = 0,
    RED_OFFSET = U_OFFSET + U_SLOTS * U_SIZE + RED_ROW,
    DINV_OFFSET = RED_OFFSET + RED_SLOTS * RED_SIZE,
    OUTER_OFFSET = DINV_OFFSET + 2 * BLACK_DINV,
    BARRIERS_OFFSET = OUTER_OFFSET + OUTER_SLOTS * OUTER_SIZE,
    BETA_OFFSET = cuda_whole_lines(BARRIERS_OFFSET + 64),
    BETA_K_OFFSET = BETA_OFFSET + BETA_SLOTS * BETA_SIZE,
    BETA_END = BETA_K_OFFSET + BETA_K_SLOTS * BETA_K_SIZE
};
template <class Op>
constexpr int SHARED_BYTES = Op::VARIABLE ? BETA_END : BETA_OFFSET;
/* Blocks per multiprocessor. */
template <class Op>
constexpr int BLOCKS = Op::VARIABLE ? 1 : 2;
/* Offsets of the region's first cell in a slot. */
enum {
    U_CELL = 2 * ROW + 3 * COLUMN,
    BETA_I_CELL = ROW + COLUMN,
    BETA_J_CELL = BETA_J + COLUMN,
    BETA_K_CELL = ROW + COLUMN
};

/* By parity of the step: its tiles have arrived; all warps have written their red cells and no
 * longer need β of the lowest plane; all warps have completed it. */
struct step_barriers {
    barrier_word full[2], reds[2], done[2];
};

/* The sources of the tiles. */
struct gsrb_maps {
    CUtensorMap u, beta_i, beta_j, beta_k;
};

/* The block's first core cell in i and j, and its planes. */
struct block_range {
    int i, j, first, last;
};

/* The number of step k, from 0 on. */
DEVICE int step_number(const struct block_range &m, int k)
{
    return k - m.first + 1;
}

DEVICE struct step_barriers &barriers()
{
    return *(struct step_barriers *)(shared_memory + BARRIERS_OFFSET);
}

/* Planes take slots in turn. */
DEVICE void fetch_u(const struct gsrb_maps &maps, const struct block_range &m, int k,
                    barrier_word *full)
{
    tile_fetch(shared_memory + U_OFFSET + (k - m.first + 3) % U_SLOTS * U_SIZE, maps.u, m.i - 4,
               m.j - 3, k, full);
}

DEVICE void fetch_beta(const struct gsrb_maps &maps, const struct block_range &m, int k,
                       barrier_word *full)
{
    unsigned char *to = shared_memory + BETA_OFFSET + (k - m.first + 3) % BETA_SLOTS * BETA_SIZE;
    tile_fetch(to, maps.beta_i, m.i - 2, m.j - 2, k, full);
    tile_fetch(to + BETA_J, maps.beta_j, m.i - 2, m.j - 1, k, full);
}

DEVICE void fetch_beta_k(const struct gsrb_maps &maps, const struct block_range &m, int k,
                         barrier_word *full)
{
    tile_fetch(shared_memory + BETA_K_OFFSET + (k - m.first + 1) % BETA_K_SLOTS * BETA_K_SIZE,
               maps.beta_k, m.i - 2, m.j - 2, k, full);
}

DEVICE barrier_word *full_barrier(int number)
{
    return &barriers().full[number & 1];
}

/* Where u is 0 everywhere, no copies of u are issued. */
template <bool ZERO>
constexpr int BYTES_OF_U = ZERO ? 0 : U_BYTES;

/* Two arrivals complete the tiles of a step: one for u and one for β, if there is any. */
template <bool ZERO>
DEVICE void fetch_next_u(const struct gsrb_maps &maps, const struct block_range &m, int k)
{
    barrier_word *full = full_barrier(step_number(m, k));
    barrier_expect(full, BYTES_OF_U<ZERO>);
    if (!ZERO)
        fetch_u(maps, m, k + 2, full);
}

template <class Op>
DEVICE void fetch_next_beta(const struct gsrb_maps &maps, const struct block_range &m, int k)
{
    barrier_word *full = full_barrier(step_number(m, k));
    if (!Op::VARIABLE)
        return;
    barrier_expect(full, BETA_BYTES + BETA_J_BYTES + BETA_BYTES);
    fetch_beta(maps, m, k + 1, full);
    fetch_beta_k(maps, m, k + 1, full);
}

/* Issues the copies for the first two steps, those of planes first − 1 and first. */
template <class Op, bool ZERO>
DEVICE void fetch_first(const struct gsrb_maps &maps, const struct block_range &m)
{
    constexpr int BYTES_OF_BETA = Op::VARIABLE ? 2 * (BETA_BYTES + BETA_J_BYTES) + BETA_BYTES : 0;
    barrier_word *full = full_barrier(0);
    barrier_expect(full, 5 * BYTES_OF_U<ZERO> + BYTES_OF_BETA);
    for (int k = m.first - 3; k <= m.first + 1 && !ZERO; k++)
        fetch_u(maps, m, k, full);
    for (int k = m.first - 2; k <= m.first - 1 && Op::VARIABLE; k++)
        fetch_beta(maps, m, k, full);
    if (Op::VARIABLE)
        fetch_beta_k(maps, m, m.first - 1, full);
    fetch_next_beta<Op>(maps, m, m.first - 1);
    fetch_next_u<ZERO>(maps, m, m.first);
    fetch_next_beta<Op>(maps, m, m.first);
}

/* Clears u in place of copies; all threads call it before the first barrier. */
DEVICE void clear_u()
{
    for (int x = threadIdx.x * COLUMN; x < U_SLOTS * U_SIZE; x += LANES * WARPS * COLUMN)
        put(shared_begin() + U_OFFSET + x, 0.0);
}

/* Addresses of the planes in shared memory, from the lowest that the step uses; the last of each is
 * the plane that arrives. For red cells they are k − 1, k and k − 2. */
struct planes {
    int u[U_SLOTS], beta[BETA_SLOTS], beta_k[BETA_K_SLOTS], red[RED_SLOTS];
};

DEVICE struct planes first_planes()
{
    const int begin = shared_begin();
    struct planes p;
    for (int x = 0; x < U_SLOTS; x++)
        p.u[x] = begin + U_OFFSET + U_CELL + x * U_SIZE;
    for (int x = 0; x < BETA_SLOTS; x++)
        p.beta[x] = begin + BETA_OFFSET + x * BETA_SIZE;
    for (int x = 0; x < BETA_K_SLOTS; x++)
        p.beta_k[x] = begin + BETA_K_OFFSET + BETA_K_CELL + x * BETA_K_SIZE;
    for (int x = 0; x < RED_SLOTS; x++)
        p.red[x] = begin + RED_OFFSET + x * RED_SIZE;
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

DEVICE void move_up(struct planes &p)
{
    rotate(p.u);
    rotate(p.beta);
    rotate(p.beta_k);
    rotate(p.red);
}

template <class Op>
DEVICE void create_barriers()
{
    if (threadIdx.x == 0) {
        for (int x = 0; x < 2; x++) {
            barrier_create(&barriers().full[x], Op::VARIABLE ? 2 : 1);
            barrier_create(&barriers().reds[x], LANES * WARPS);
            barrier_create(&barriers().done[x], LANES * WARPS);
        }
        barriers_created();
    }
    __syncthreads();
}

/* Arrives at a barrier of the step of this number. One lane could arrive for its warp, but it takes
 * no longer so, and race checkers then know which threads have waited for each other. */
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
DEVICE bool is_turn(int warp, int number)
{
    return warp == (int)((unsigned)number % WARPS);
}

/* In step k one warp issues the copies of step k + 2 as soon as their slots are free: once all
 * threads have arrived at this barrier. */
template <class Fetch>
DEVICE void fetch_after(barrier_word *barrier, const struct block_range &m, int warp, int k,
                        const Fetch &fetch)
{
    const int number = step_number(m, k);
    if (k + 1 < m.last && is_turn(warp, number)) {
        wait_for(barrier, number);
        if (one_lane())
            fetch();
        __syncwarp();
    }
}

} // namespace fv4

#endif
