/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_SINGLE_BLOCK_CUH
#define CUDA_COARSE_SINGLE_BLOCK_CUH
/* Solo levels: those so small that one block has them alone. All of them stay in its shared memory
 * for a whole launch, in frames with ghosts: coefficients, f and u. A step there reads what an
 * earlier step has left; u and the coarse f are stored in the level's fields too, for whoever reads
 * them later. A thread works on a pair of cells, red and black, which are neighbours in i, so that
 * as many threads as there are pairs work in every half-sweep. */
#include <cuda_pipeline.h>
#include "cuda/coarse/tiles.cuh"
#include "cuda/coarse/thread_group.cuh"

enum {
    SOLO_PAIRS = TAIL_SOLO_DIM * TAIL_SOLO_DIM * TAIL_SOLO_DIM / 2,
    /* Of all levels, which have half as many cells a side each: 8, 4, 2, 1, or less. */
    ALL_SOLO_PAIRS = SOLO_PAIRS * 8 / 7 + 4,
    ALL_SOLO_SIDES = 6 * TAIL_SOLO_DIM * TAIL_SOLO_DIM * 4 / 3,
    ALL_SOLO_EDGES = 12 * TAIL_SOLO_DIM * 2,
    /* The largest level that the bottom solver works on here: by one warp. */
    SOLO_BOTTOM_DIM = 3,
};

/* Frames come in two widths, as if levels had 8 or 4 cells a side, so that the distances between
 * neighbours are constants. */
enum { SOLO_WIDE = TAIL_SOLO_DIM, SOLO_NARROW = TAIL_SOLO_DIM / 2 };

static constexpr __host__ __device__ int solo_most(int n)
{
    return n > SOLO_NARROW ? SOLO_WIDE : SOLO_NARROW;
}

/* The distance between rows. With 8 cells they are such a distance apart that the cells of one
 * colour lie in different banks. */
static constexpr __host__ __device__ int solo_width(int n)
{
    return solo_most(n) + 4;
}

/* And between planes: so much more than their rows take that what columns, and lanes that share a
 * cell, read lies in different banks. */
static constexpr __host__ __device__ int solo_plane(int n, int ghosts)
{
    return solo_width(n) * (solo_most(n) + 2 * ghosts) + (n > SOLO_NARROW ? 1 : 4);
}

static constexpr __host__ __device__ int solo_frame(int n, int ghosts)
{
    return solo_plane(n, ghosts) * (n + 2 * ghosts);
}

/* Cell (0,0,0) in a frame. */
static constexpr __host__ __device__ int solo_origin(int n, int ghosts)
{
    return 2 + ghosts * (solo_width(n) + solo_plane(n, ghosts));
}

/* A length that is so many: with half a row of banks more than whole ones, a field's cells do not
 * lie in the banks of the next one's. */
static constexpr __host__ __device__ int in_banks(int length)
{
    enum { BANKS = 16 }; /* of 8 bytes */
    return (length + BANKS - 1) / BANKS * BANKS + BANKS / 2;
}

/* The longest chain of levels. */
static constexpr __host__ __device__ int solo_length(int ghosts)
{
    return in_banks(solo_frame(8, ghosts) + solo_frame(4, ghosts) + solo_frame(2, ghosts) +
                    solo_frame(1, ghosts));
}
static_assert(TAIL_SOLO_DIM == 8, "solo_length");

enum solo_field {
    SOLO_U,
    SOLO_BETA_I,
    SOLO_BETA_J,
    SOLO_BETA_K,
    SOLO_F,
    SOLO_DINV,
    SOLO_ALPHA,
    NUM_SOLO_FIELDS
};

/* Two cells of one thread, and the coarse cell that they lie in. In the place of a cell that does
 * not exist is the level's first one of that colour, marked NOT_OWN. */
struct solo_pair {
    unsigned cell[2];      /* red, black: element in frames, walls above ELEMENT_BITS, NOT_OWN */
    int at;                /* element of the level's fields, of the lower one of the two */
    int coarse, coarse_at; /* the coarse cell's elements, in frames and in the coarse fields */
    unsigned odd;          /* bit 0: j + k, so that the red cell is the upper one; 1: j; 2: k */
};

template <class Op>
struct solo {
    enum { GHOSTS = Op::ORDER / 2, LENGTH = solo_length(GHOSTS) };
    double field[NUM_SOLO_FIELDS][LENGTH]; /* an element of a level is the same one in all */
    double sum[SOLO_PAIRS];
    double before[2][TAIL_THREADS]; /* of two steps, each thread's own */
    struct solo_pair pairs[ALL_SOLO_PAIRS];
    int sides[ALL_SOLO_SIDES], edges[ALL_SOLO_EDGES]; /* order 4: ghosts behind walls */
    /* Of the bottom solver, should BiCGStab break down. */
    double scratch[2 * solo_frame(SOLO_BOTTOM_DIM, GHOSTS)];
    struct warp_bottom_work fallback;
};

/* Begins to copy the level's coefficients. */
template <class Op>
static __device__ void fetch_coefficients(const struct tail_level &l, solo<Op> &s)
{
    enum { G = solo<Op>::GHOSTS };
    const int width = solo_width(l.n), plane = solo_plane(l.n, G);
    const int all = l.framed.n * l.framed.n * l.framed.n;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.framed, &i, &j, &k);
        const int to = l.place + (i - G) + (j - G) * width + (k - G) * plane,
                  from = (i - G) + (j - G) * l.sj + (k - G) * l.sk;
        __pipeline_memcpy_async(&s.field[SOLO_DINV][to], l.dinv + from, sizeof(double));
        if (l.alpha)
            __pipeline_memcpy_async(&s.field[SOLO_ALPHA][to], l.alpha + from, sizeof(double));
        if (l.beta_i) {
            __pipeline_memcpy_async(&s.field[SOLO_BETA_I][to], l.beta_i + from, sizeof(double));
            __pipeline_memcpy_async(&s.field[SOLO_BETA_J][to], l.beta_j + from, sizeof(double));
            __pipeline_memcpy_async(&s.field[SOLO_BETA_K][to], l.beta_k + from, sizeof(double));
        }
    }
}

/* A cell's element in the frames, and its sides that are walls. */
template <class Op>
static __device__ unsigned solo_cell(const struct tail_level &l, int i, int j, int k)
{
    const int last = l.n - 1;
    const unsigned walls = (i == 0) | (i == last) << 1 | (j == 0) << 2 | (j == last) << 3 |
                           (k == 0) << 4 | (k == last) << 5;
    return (l.place + i + j * solo_width(l.n) + k * solo_plane(l.n, solo<Op>::GHOSTS)) |
           walls << ELEMENT_BITS;
}

template <class Op>
static __device__ void list_pairs(const struct tail_level &l, solo<Op> &s)
{
    const int half = l.half.n;
    for (int x = threadIdx.x; x < half * l.n * l.n; x += TAIL_THREADS) {
        const int row = quotient(x, l.half), k = quotient(row, l.side), j = row - k * l.n,
                  i = 2 * (x - row * half), odd = (j + k) & 1;
        struct solo_pair p;
        for (int colour = 0; colour < 2; colour++) {
            const int at = i + (odd ^ colour);
            p.cell[colour] =
                at < l.n ? solo_cell<Op>(l, at, j, k) : solo_cell<Op>(l, colour, 0, 0) | NOT_OWN;
        }
        p.at = i + j * l.sj + k * l.sk;
        p.coarse = l.coarse_place + i / 2 + j / 2 * solo_width(half) +
                   k / 2 * solo_plane(half, solo<Op>::GHOSTS);
        p.coarse_at = i / 2 + j / 2 * l.coarse_sj + k / 2 * l.coarse_sk;
        p.odd = odd | (j & 1) << 1 | (k & 1) << 2;
        s.pairs[l.pairs + x] = p;
    }
}

/* Lists the cells next to walls. */
template <class Op>
static __device__ void list_walls(const struct tail_level &l, solo<Op> &s)
{
    const int n[3] = {l.n, l.n, l.n}, width = solo_width(l.n),
              plane = solo_plane(l.n, solo<Op>::GHOSTS);
    const auto list = [&](int *entry, const struct wall_cell &c, int second) {
        *entry =
            listed_wall(l.place + c.at[0] + c.at[1] * width + c.at[2] * plane, c.side[0], second);
    };
    for (int x = threadIdx.x; x < 6 * l.n * l.n; x += TAIL_THREADS)
        list(&s.sides[l.sides + x],
             side_cell(n, x, [&](int cell, int) { return quotient(cell, l.side); }), 0);
    for (int x = threadIdx.x; x < 12 * l.n; x += TAIL_THREADS) {
        const struct wall_cell c = edge_cell(n, x);
        list(&s.edges[l.edges + x], c, c.side[1]);
    }
}

/* Begins to make all solo levels ready; by the whole block. */
template <class Op>
static __device__ void open_solo(const struct tail &t, solo<Op> &s)
{
    for (int x = 0; x < MAX_TAIL_LEVELS; x++) {
        const struct tail_level &l = t.levels[x];
        if (l.nbricks != 1)
            continue;
        list_pairs<Op>(l, s);
        if (!l.dinv) /* nothing but somebody's coarse side */
            continue;
        fetch_coefficients<Op>(l, s);
        if (Op::ORDER == 4)
            list_walls<Op>(l, s);
    }
    __pipeline_commit();
}

/* Waits until they are. */
static __device__ __forceinline__ void await_solo()
{
    __pipeline_wait_prior(0);
    __syncthreads();
}

#endif
