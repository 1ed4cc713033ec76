/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_TILES_CUH
#define CUDA_FV4_GSRB_TILES_CUH
/* What a block of the fused red-black pass of order 4 has in shared memory, and how it gets there.
 */
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/tuning.h"

/* The block's own cells, and with those around them that it updates too. */
enum { CORE_WIDTH = 64, CORE_ROWS = TUNED_PAIR_FV4_ROWS, REGION_ROWS = CORE_ROWS + 2 };
enum { LANES = 32, COLUMNS = 4, WARPS = REGION_ROWS / COLUMNS * CORE_WIDTH / LANES };

/* Tiles begin at even i, as the copy engine wants it, and are equally wide, so that a cell has the
 * same place in all of them but for where they begin. They are wider than they need to be: rows an
 * even number of rows apart would be in the same banks. Places are in bytes. */
enum { WIDTH = CORE_WIDTH + 10, COLUMN = (int)sizeof(double), ROW = WIDTH * COLUMN };
enum {
    U_BYTES = (REGION_ROWS + 4) * ROW,
    BETA_BYTES = (REGION_ROWS + 2) * ROW,
    BETA_J_BYTES = (REGION_ROWS + 1) * ROW,
};
/* Slots for u of a plane, for β on its faces in i and after that in j, and for β on the faces below
 * it; and for its red cells, one in each two rows. Outermost rows look for red cells a row further
 * out, of which nothing is used: there is a row that nobody writes between those slots. For D⁻¹
 * near walls every thread has a place for each of its two red cells and, BLACK_DINV further, for
 * each of its black ones. */
enum {
    U_SIZE = cuda_in_lines(U_BYTES),
    BETA_J = cuda_in_lines(BETA_BYTES),
    BETA_SIZE = BETA_J + cuda_in_lines(BETA_J_BYTES),
    BETA_K_SIZE = cuda_in_lines(BETA_BYTES),
    RED_ROW = (CORE_WIDTH + 2) * COLUMN,
    RED_SIZE = (REGION_ROWS / 2 + 1) * RED_ROW,
    DINV_SIZE = LANES * WARPS * COLUMN,
    BLACK_DINV = 2 * DINV_SIZE,
};
/* Step k reads planes k − 2 … k + 2 of u, k − 2 … k + 1 of β in i and j, k and k + 1 of β in k,
 * while one more comes for the next step; and red cells of planes k − 1 and k − 2, while those of
 * k are written. */
enum { U_SLOTS = 6, BETA_SLOTS = 5, BETA_K_SLOTS = 3, RED_SLOTS = 3 };
/* f, α and D⁻¹ of outer cells come a step ahead, when some warps may not have used those of the
 * step before. */
enum {
    OUTER_SLOTS = 3,
    OUTER_F = 0,
    OUTER_ALPHA = REGION_ROWS * COLUMN,
    OUTER_DINV = 2 * OUTER_ALPHA,
    OUTER_SIZE = 3 * OUTER_ALPHA
};
enum {
    U_PLACE = 0,
    BETA_PLACE = U_PLACE + U_SLOTS * U_SIZE,
    BETA_K_PLACE = BETA_PLACE + BETA_SLOTS * BETA_SIZE,
    RED_PLACE = BETA_K_PLACE + BETA_K_SLOTS * BETA_K_SIZE + RED_ROW,
    DINV_PLACE = RED_PLACE + RED_SLOTS * RED_SIZE,
    OUTER_PLACE = DINV_PLACE + 2 * BLACK_DINV,
    BARRIERS_PLACE = OUTER_PLACE + OUTER_SLOTS * OUTER_SIZE,
    SHARED_BYTES = BARRIERS_PLACE + 64
};
/* The region's first cell in a slot. */
enum {
    U_CELL = 2 * ROW + 3 * COLUMN,
    BETA_I_CELL = ROW + COLUMN,
    BETA_J_CELL = BETA_J + COLUMN,
    BETA_K_CELL = ROW + COLUMN
};

/* By parity of the step: its tiles have come; all warps have written their red cells, and no longer
 * need β of the lowest plane; all are done with it. */
struct step_barriers {
    barrier_word full[2], reds[2], done[2];
};

/* Where tiles come from. */
struct maps {
    CUtensorMap u, beta_i, beta_j, beta_k;
};

/* The block's first cell in i and j, and its planes. */
struct march {
    int i, j, first, last;
};

/* Of step k, from 0 on. */
static __device__ __forceinline__ int step_number(const struct march &m, int k)
{
    return k - m.first + 1;
}

static __device__ __forceinline__ struct step_barriers &barriers()
{
    return *(struct step_barriers *)(shared_memory + BARRIERS_PLACE);
}

/* Slots are given to planes in turns. */
static __device__ void fetch_u(const struct maps &maps, const struct march &m, int k,
                               barrier_word *full)
{
    tile_fetch(shared_memory + U_PLACE + (k - m.first + 3) % U_SLOTS * U_SIZE, maps.u, m.i - 4,
               m.j - 3, k, full);
}

static __device__ void fetch_beta(const struct maps &maps, const struct march &m, int k,
                                  barrier_word *full)
{
    unsigned char *to = shared_memory + BETA_PLACE + (k - m.first + 3) % BETA_SLOTS * BETA_SIZE;
    tile_fetch(to, maps.beta_i, m.i - 2, m.j - 2, k, full);
    tile_fetch(to + BETA_J, maps.beta_j, m.i - 2, m.j - 1, k, full);
}

static __device__ void fetch_beta_k(const struct maps &maps, const struct march &m, int k,
                                    barrier_word *full)
{
    tile_fetch(shared_memory + BETA_K_PLACE + (k - m.first + 1) % BETA_K_SLOTS * BETA_K_SIZE,
               maps.beta_k, m.i - 2, m.j - 2, k, full);
}

static __device__ __forceinline__ barrier_word *full_barrier(int number)
{
    return &barriers().full[number & 1];
}

/* Where u is 0 everywhere nothing is asked for. */
template <bool ZERO>
constexpr int BYTES_OF_U = ZERO ? 0 : U_BYTES;

/* Two arrivals make tiles complete: of those who ask for u, and for β. */
template <bool ZERO>
static __device__ void fetch_next_u(const struct maps &maps, const struct march &m, int k)
{
    barrier_word *full = full_barrier(step_number(m, k));
    barrier_expect(full, BYTES_OF_U<ZERO>);
    if (!ZERO)
        fetch_u(maps, m, k + 2, full);
}

static __device__ void fetch_next_beta(const struct maps &maps, const struct march &m, int k)
{
    barrier_word *full = full_barrier(step_number(m, k));
    barrier_expect(full, BETA_BYTES + BETA_J_BYTES + BETA_BYTES);
    fetch_beta(maps, m, k + 1, full);
    fetch_beta_k(maps, m, k + 1, full);
}

/* Asks for what the first two steps need, those of planes first − 1 and first. */
template <bool ZERO>
static __device__ void fetch_first(const struct maps &maps, const struct march &m)
{
    barrier_word *full = full_barrier(0);
    barrier_expect(full, 5 * BYTES_OF_U<ZERO> + 2 * (BETA_BYTES + BETA_J_BYTES) + BETA_BYTES);
    for (int k = m.first - 3; k <= m.first + 1 && !ZERO; k++)
        fetch_u(maps, m, k, full);
    for (int k = m.first - 2; k <= m.first - 1; k++)
        fetch_beta(maps, m, k, full);
    fetch_beta_k(maps, m, m.first - 1, full);
    fetch_next_beta(maps, m, m.first - 1);
    fetch_next_u<ZERO>(maps, m, m.first);
    fetch_next_beta(maps, m, m.first);
}

/* In place of u, by all threads before they meet. */
static __device__ void clear_u()
{
    for (int x = threadIdx.x * COLUMN; x < U_SLOTS * U_SIZE; x += LANES * WARPS * COLUMN)
        put(shared_begin() + U_PLACE + x, 0.0);
}

/* Where planes are in shared memory, the lowest first that the step uses; the last of each is the
 * one that comes. Of red cells these are k − 1, k and k − 2. The next step's are one plane further.
 */
struct planes {
    int u[U_SLOTS], beta[BETA_SLOTS], beta_k[BETA_K_SLOTS], red[RED_SLOTS];
};

static __device__ __forceinline__ struct planes first_planes()
{
    const int begin = shared_begin();
    struct planes p;
    for (int x = 0; x < U_SLOTS; x++)
        p.u[x] = begin + U_PLACE + U_CELL + x * U_SIZE;
    for (int x = 0; x < BETA_SLOTS; x++)
        p.beta[x] = begin + BETA_PLACE + x * BETA_SIZE;
    for (int x = 0; x < BETA_K_SLOTS; x++)
        p.beta_k[x] = begin + BETA_K_PLACE + BETA_K_CELL + x * BETA_K_SIZE;
    for (int x = 0; x < RED_SLOTS; x++)
        p.red[x] = begin + RED_PLACE + x * RED_SIZE;
    return p;
}

template <int N>
static __device__ __forceinline__ void rotate(int (&places)[N])
{
    const int first = places[0];
    for (int x = 0; x + 1 < N; x++)
        places[x] = places[x + 1];
    places[N - 1] = first;
}

static __device__ __forceinline__ void move_up(struct planes &p)
{
    rotate(p.u);
    rotate(p.beta);
    rotate(p.beta_k);
    rotate(p.red);
}

static __device__ void create_barriers()
{
    if (threadIdx.x == 0) {
        for (int x = 0; x < 2; x++) {
            barrier_create(&barriers().full[x], 2);
            barrier_create(&barriers().reds[x], LANES * WARPS);
            barrier_create(&barriers().done[x], LANES * WARPS);
        }
        barriers_created();
    }
    __syncthreads();
}

/* The thread has come so far in the step of this number. One lane could arrive for all, but it
 * takes no longer so, and tools that look for races know who has waited for whom. */
static __device__ __forceinline__ void arrive(barrier_word *barrier, int number)
{
    barrier_arrive(&barrier[number & 1]);
}

/* Waits until that of the step of this number is complete. Before the first there is none: a new
 * barrier counts as having completed the phase before its first. */
static __device__ __forceinline__ void wait_for(barrier_word *barrier, int number)
{
    barrier_wait(&barrier[number & 1], (number >> 1) & 1);
}

/* Whether it is the warp's turn of something that is done once a step. */
static __device__ __forceinline__ bool is_turn(int warp, int number)
{
    return warp == (int)((unsigned)number % WARPS);
}

/* Tiles of the next step but one are asked for by warps in turns, as soon as there is room for
 * them: once all have come to this barrier in step k. */
template <class Fetch>
static __device__ __forceinline__ void ask_after(barrier_word *barrier, const struct march &m,
                                                 int warp, int k, const Fetch &fetch)
{
    const int number = step_number(m, k);
    if (k + 1 < m.last && is_turn(warp, number)) {
        wait_for(barrier, number);
        if (one_lane())
            fetch();
        __syncwarp();
    }
}

#endif
