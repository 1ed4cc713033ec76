/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Single-block levels: one block works on them alone. Their coefficients, f and u stay in its
 * shared memory for a whole launch: u and β in tiles with ghosts, f, D⁻¹ and α in arrays without.
 * Steps also store u and the coarse f in the levels' fields, for later steps and kernels. A thread
 * works on a pair of cells, red and black, which are neighbours in i, so that as many threads as
 * pairs work in every half-sweep. */
#include <cuda_pipeline.h>
#include "cuda/coarse/barrier.cuh"
#include "cuda/coarse/tiles.cuh"

namespace single_block
{

enum {
    CELL_PAIRS = SINGLE_BLOCK_DIM * SINGLE_BLOCK_DIM * SINGLE_BLOCK_DIM / 2,
    /* Capacities for all levels, of at most 8, 4, 2 and 1 cells per side. */
    ALL_CELL_PAIRS = CELL_PAIRS * 8 / 7 + 4,
    ALL_CELLS = 2 * ALL_CELL_PAIRS,
    ALL_WALL_SIDES = 6 * SINGLE_BLOCK_DIM * SINGLE_BLOCK_DIM * 4 / 3,
    ALL_WALL_EDGES = 12 * SINGLE_BLOCK_DIM * 2,
    WARP_BOTTOM_CELLS = 32, /* of the largest level whose bottom solve is one warp's */
};

/* Tiles come in two widths, for 8 or 4 cells per side, so that strides are constants. What follows
 * takes the cells along a level's longest side. */
enum { WIDE = SINGLE_BLOCK_DIM, NARROW = MIN_SINGLE_BLOCK_DIM };

static constexpr __host__ __device__ int tile_dim(int n)
{
    return n > NARROW ? WIDE : NARROW;
}

/* The stride of rows. The cells of one colour in rows of 8 lie in different banks. */
static constexpr __host__ __device__ int tile_row(int n)
{
    return tile_dim(n) + 4;
}

/* The stride of planes. Columns, and lanes that share a cell, read different banks. */
static constexpr __host__ __device__ int tile_plane(int n, int ghosts)
{
    return tile_row(n) * (tile_dim(n) + 2 * ghosts) + (n > NARROW ? 1 : 4);
}

static constexpr __host__ __device__ int tile_length(int n, int ghosts)
{
    return tile_plane(n, ghosts) * (n + 2 * ghosts);
}

/* Cell (0,0,0) in a tile. */
static constexpr __host__ __device__ int tile_origin(int n, int ghosts)
{
    return 2 + ghosts * (tile_row(n) + tile_plane(n, ghosts));
}

/* At least this length, and half a row of banks more than whole rows, so that the same cells of two
 * successive fields lie in different banks. */
static constexpr __host__ __device__ int padded_to_banks(int length)
{
    enum { BANKS = 16 }; /* of 8 bytes */
    return (length + BANKS - 1) / BANKS * BANKS + BANKS / 2;
}

/* The length of a field's tiles of one width, in the longest chain of levels: one wide level, or
 * three narrow ones. */
static constexpr __host__ __device__ int tiles_length(int width, int ghosts)
{
    return padded_to_banks(width == WIDE ? tile_length(8, ghosts)
                                         : tile_length(4, ghosts) + tile_length(2, ghosts) +
                                               tile_length(1, ghosts));
}
static_assert(WIDE == 8 && NARROW == 4, "tiles_length");

enum tile_field { TILE_U, TILE_BETA_I, TILE_BETA_J, TILE_BETA_K, NUM_TILE_FIELDS };

/* Two cells of one thread, and the coarse cell that they lie in. A cell that does not exist is
 * replaced by the level's first one of its colour, with NOT_OWN. */
struct cell_pair {
    unsigned cell[2];      /* red, black; packed, see coarse/tiles.cuh */
    int at, number;        /* the lower cell's element in the level's fields, and its number */
    int coarse, coarse_at; /* the coarse cell's elements, in tiles and in the coarse fields */
    int coarse_number;
    unsigned odd; /* bit 0: parity of j + k (if odd, red is the upper cell); 1: of j; 2: of k */
};

template <class Op>
struct tiles {
    enum { GHOSTS = Op::RADIUS, FIELDS = Op::VARIABLE ? NUM_TILE_FIELDS : TILE_U + 1 };
    double sum[CELL_PAIRS];
    double before[2][TAIL_THREADS]; /* two-step smoothers: u before the last sweep, per thread */
    struct cell_pair pairs[ALL_CELL_PAIRS];
    int sides[ALL_WALL_SIDES], edges[ALL_WALL_EDGES]; /* order 4: ghosts behind walls */
    /* By cell_number(). */
    double f[ALL_CELLS], dinv[ALL_CELLS], alpha[READS_ALPHA<Op> ? (int)ALL_CELLS : 1];
    /* A cell is the same element in all fields. The last member is not there in launches without
     * wide levels. */
    double narrow[FIELDS][tiles_length(NARROW, GHOSTS)], wide[FIELDS][tiles_length(WIDE, GHOSTS)];

    /* A field's tiles of levels of n cells per side, and their length. */
    DEVICE_MEMBER double *field(int n, int which)
    {
        return n > NARROW ? wide[which] : narrow[which];
    }
    static constexpr DEVICE_MEMBER int length(int n)
    {
        return tiles_length(tile_dim(n), GHOSTS);
    }
};

/* A cell's number among those of all levels; its level has n cells, and its pairs of them begin
 * with `pairs`. */
DEVICE int cell_number(int pairs, const struct cuboid &n, int i, int j, int k)
{
    return 2 * (pairs + (n.i.n + 1) / 2 * (j + n.j.n * k)) + i;
}

/* Begins to copy the level's D⁻¹ and α. */
template <class Op>
static __device__ void fetch_own(const struct tail_level &l, tiles<Op> &s)
{
    for (int x = threadIdx.x; x < cuboid_cells(l.size); x += TAIL_THREADS) {
        int i, j, k;
        cuboid_cell(x, l.size, &i, &j, &k);
        const int to = cell_number(l.pairs, l.size, i, j, k), from = i + j * l.sj + k * l.sk;
        __pipeline_memcpy_async(&s.dinv[to], l.dinv + from, sizeof(double));
        if (READS_ALPHA<Op>)
            __pipeline_memcpy_async(&s.alpha[to], l.alpha + from, sizeof(double));
    }
}

/* Begins to copy β into its tiles. */
template <class Op>
static __device__ void fetch_beta(const struct tail_level &l, tiles<Op> &s)
{
    enum { G = tiles<Op>::GHOSTS };
    const int width = tile_row(l.longest), plane = tile_plane(l.longest, G),
              length = tiles<Op>::length(l.longest), all = cuboid_cells(l.beta);
    double *tile = s.field(l.longest, TILE_BETA_I) + l.offset;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cuboid_cell(x, l.beta, &i, &j, &k);
        double *to = tile + (i - G) + (j - G) * width + (k - G) * plane;
        const int from = (i - G) + (j - G) * l.sj + (k - G) * l.sk;
        __pipeline_memcpy_async(to, l.beta_i + from, sizeof *to);
        __pipeline_memcpy_async(to + length, l.beta_j + from, sizeof *to);
        __pipeline_memcpy_async(to + 2 * length, l.beta_k + from, sizeof *to);
    }
}

template <class Op>
static __device__ unsigned packed_cell(const struct tail_level &l, int i, int j, int k)
{
    const int last_i = l.n[0] - 1, last_j = l.n[1] - 1, last_k = l.n[2] - 1;
    const unsigned walls = (i == 0) | (i == last_i) << 1 | (j == 0) << 2 | (j == last_j) << 3 |
                           (k == 0) << 4 | (k == last_k) << 5;
    return (l.offset + i + j * tile_row(l.longest) + k * tile_plane(l.longest, tiles<Op>::GHOSTS)) |
           walls << ELEMENT_BITS;
}

template <class Op>
static __device__ void list_pairs(const struct tail_level &l, tiles<Op> &s)
{
    for (int x = threadIdx.x; x < pairs_in(l); x += TAIL_THREADS) {
        int i, j, k;
        cell_of(x, l.half.i, l.size.j, &i, &j, &k);
        i *= 2;
        const int odd = (j + k) & 1;
        struct cell_pair p;
        for (int colour = 0; colour < 2; colour++) {
            const int at = i + (odd ^ colour);
            p.cell[colour] = at < l.n[0] ? packed_cell<Op>(l, at, j, k)
                                         : packed_cell<Op>(l, colour, 0, 0) | NOT_OWN;
        }
        p.at = i + j * l.sj + k * l.sk;
        p.number = cell_number(l.pairs, l.size, i, j, k);
        p.coarse = l.coarse_offset + i / 2 + j / 2 * tile_row(NARROW) +
                   k / 2 * tile_plane(NARROW, tiles<Op>::GHOSTS);
        p.coarse_at = i / 2 + j / 2 * l.coarse_sj + k / 2 * l.coarse_sk;
        p.coarse_number = cell_number(l.coarse_pairs, l.half, i / 2, j / 2, k / 2);
        p.odd = odd | (j & 1) << 1 | (k & 1) << 2;
        s.pairs[l.pairs + x] = p;
    }
}

/* Lists the cells next to walls. */
template <class Op>
static __device__ void list_walls(const struct tail_level &l, tiles<Op> &s)
{
    const int width = tile_row(l.longest), plane = tile_plane(l.longest, tiles<Op>::GHOSTS);
    const auto list = [&](int *entry, const struct wall_cell &c, int second) {
        *entry =
            listed_wall(l.offset + c.at[0] + c.at[1] * width + c.at[2] * plane, c.side[0], second);
    };
    for (int x = threadIdx.x; x < side_cells(l.n); x += TAIL_THREADS)
        list(&s.sides[l.sides + x],
             side_cell(l.n, x, [&](int cell, int row) { return cuboid_row(cell, row, l.size); }),
             0);
    for (int x = threadIdx.x; x < edge_cells(l.n); x += TAIL_THREADS) {
        const struct wall_cell c = edge_cell(l.n, x);
        list(&s.edges[l.edges + x], c, c.side[1]);
    }
}

/* Begins to prepare all single-block levels; by the whole block. */
template <class Op>
static __device__ void open_tiles(const struct tail &t, tiles<Op> &s)
{
    for (int x = 0; x < MAX_TAIL_LEVELS; x++) {
        const struct tail_level &l = t.levels[x];
        if (l.nsubdomains != 1)
            continue;
        list_pairs<Op>(l, s);
        if (!l.dinv) /* only the coarse side of another level */
            continue;
        fetch_own<Op>(l, s);
        if (Op::VARIABLE)
            fetch_beta<Op>(l, s);
        if (Op::RADIUS > 1)
            list_walls<Op>(l, s);
    }
    __pipeline_commit();
}

DEVICE void await_tiles()
{
    __pipeline_wait_prior(0);
    __syncthreads();
}

} // namespace single_block

/* The shared memory of a block. */
template <class Op>
struct block_memory {
    struct tail tail; /* the kernel's parameters, see copy_parameters */
    union {
        struct subdomain_lists lists; /* the beginning of the next two */
        subdomain_tiles<Op, MIN_CELLS> small;
        subdomain_tiles<Op, MAX_CELLS> large;
        single_block::tiles<Op> levels;
    };
};

/* How much of it there is in launches that keep to the limits. */
template <class Op>
constexpr size_t block_bytes(const struct subdomain_limits &limits)
{
    using tiles = single_block::tiles<Op>;
    const size_t subdomain = limits.side > SMALL_SIDE ? sizeof(block_memory<Op>::large)
                                                      : sizeof(block_memory<Op>::small);
    const size_t levels =
        sizeof(tiles) - (limits.single_block_dim > single_block::NARROW ? 0 : sizeof(tiles::wide));
    constexpr size_t ALIGNMENT = alignof(block_memory<Op>),
                     TILES = (sizeof(struct tail) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return TILES + (levels > subdomain ? levels : subdomain);
}
