/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV2_GSRB_TILE_CUH
#define CUDA_FV2_GSRB_TILE_CUH
/* The tile of a block of the fused order-2 pass in shared memory, and how planes get there. Places
 * are kept as addresses and distances in bytes, added up where they are used: what the compiler
 * makes of arrays of arrays in turns costs a third of all instructions. */
#include <cuda_pipeline.h>
#include "cuda/fv2/gsrb.cuh"
#include "cuda/core/tiles.cuh"

/* A block has 32 × ROWS threads, and copies planes AHEAD steps before they are needed. */
enum { LANES = 32, AHEAD = 2 };
enum { PAIR_BYTES = 16, CELL_BYTES = 8, ROW_BYTES = LANES * PAIR_BYTES };

/* What lies where; rows begin where lines do, as copies to other places take twice the traffic.
 * Slots are used in turns; step k finds u of plane k + 2 in the newest one, and of plane k + 1 the
 * right-hand side, α and the β of the faces in i and j, and β_k above it. A pass that FINISHES with
 * the residual needs them for two more steps. */
template <bool HELMHOLTZ, bool FINISHES, int ROWS>
struct tile {
    static constexpr int HALO = FINISHES ? 2 : 1; /* outer rows that only repeat others' */
    static constexpr int U_SLOTS = AHEAD + 2, BK_SLOTS = AHEAD + 1;
    static constexpr int STEP_SLOTS = AHEAD + (FINISHES ? 3 : 1);

    /* In a slot of u: the row below the tile, the tile, the row above it, the cells beside it. */
    static constexpr int U_ROWS = ROW_BYTES, U_ABOVE = (ROWS + 1) * ROW_BYTES;
    static constexpr int U_LOW = U_ABOVE + ROW_BYTES, U_HIGH = U_LOW + ROWS * CELL_BYTES;
    static constexpr int U_BYTES = FINISHES ? cuda_in_lines(U_HIGH + ROWS * CELL_BYTES) : U_LOW;

    /* In a slot of a step; beyond the last lane one more face in i, above the last row one in j. */
    static constexpr int F = 0, BI = ROWS * ROW_BYTES, BJ = 2 * BI;
    static constexpr int BJ_ABOVE = BJ + BI, BI_END = BJ_ABOVE + ROW_BYTES;
    static constexpr int ALPHA = cuda_in_lines(BI_END + ROWS * CELL_BYTES);
    static constexpr int STEP_BYTES = ALPHA + (HELMHOLTZ ? BI : 0);

    /* New values have a row below and one above the tile that nobody writes, so that the outermost
     * rows may read there. */
    static constexpr int BK_BYTES = BI, RED_BYTES = (ROWS + 2) * ROW_BYTES / 2;
    static constexpr int DONE_BYTES = 2 * RED_BYTES;
    static constexpr int SUM_BYTES = BI / 2;

    static constexpr int U = 0, STEPS = U + U_SLOTS * U_BYTES;
    static constexpr int BK = STEPS + STEP_SLOTS * STEP_BYTES;
    static constexpr int RED = BK + BK_SLOTS * BK_BYTES; /* new values of the red cells */
    static constexpr int DONE = RED + 2 * RED_BYTES;     /* finished pairs */
    static constexpr int SUMS = DONE + (FINISHES ? 2 * DONE_BYTES : 0); /* of residuals */
    static constexpr int BYTES = SUMS + (FINISHES ? 2 * SUM_BYTES : 0);
};

/* The slot after this one; both as distances from the first. */
template <int BYTES, int SLOTS>
static __device__ unsigned next_slot(unsigned slot)
{
    return slot < (SLOTS - 1) * BYTES ? slot + BYTES : 0;
}

static __device__ double2 pair_at(unsigned at)
{
    return *(const double2 *)__cvta_shared_to_generic(at);
}

static __device__ double cell_at(unsigned at)
{
    return *(const double *)__cvta_shared_to_generic(at);
}

static __device__ void put(unsigned at, double2 pair)
{
    *(double2 *)__cvta_shared_to_generic(at) = pair;
}

static __device__ void put(unsigned at, double cell)
{
    *(double *)__cvta_shared_to_generic(at) = cell;
}

static __device__ void copy_pair(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from));
}

static __device__ void copy_cell(unsigned to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"(to), "l"(from));
}

/* A thread's place. Sides without a wall are open: there as many ghosts belong to the tiles as
 * these repeat of each other's rows; in i, a pair. */
struct place {
    int lane, row, pair, pairs, j, n1, n2;
    int end_pair, end_j; /* beyond the last ones */
    bool inside;
    bool finishes, stores;           /* the row, and the pair, is this block's own */
    unsigned pair_place, cell_place; /* of the thread's own among a slot's pairs, or cells, with the
                                        address of the tile added */
};

/* How far the tiles reach beyond the patch in direction d. */
static __host__ __device__ int open_low(const struct cells &c, int d)
{
    return c.wall[d][0] ? 0 : 1;
}

static __host__ __device__ int open_high(const struct cells &c, int d)
{
    return c.wall[d][1] ? 0 : 1;
}

template <int ROWS, int HALO, class TILES>
static __device__ struct place find_place(const struct cells &c, const TILES &tiles, dim3 tile,
                                          const void *shared_memory)
{
    const unsigned memory = (unsigned)__cvta_generic_to_shared(shared_memory);
    struct place p;
    p.lane = threadIdx.x;
    p.row = threadIdx.y;
    p.pair = (int)tile.x * (LANES - 2) + p.lane - open_low(c, 0);
    p.j = (int)tile.y * (ROWS - 2 * HALO) + p.row - HALO * open_low(c, 1);
    p.pairs = c.n[0] / 2;
    p.n1 = c.n[1];
    p.n2 = c.n[2];
    p.end_pair = p.pairs + open_high(c, 0);
    p.end_j = p.n1 + HALO * open_high(c, 1);
    p.inside = p.pair < p.end_pair && p.j < p.end_j;
    p.finishes = (p.row >= HALO || tile.y == 0) && (p.row < ROWS - HALO || is_last(tiles, tile, 1));
    p.stores = p.finishes && p.pair >= 0 && p.pair < p.pairs && p.j >= 0 && p.j < p.n1 &&
               (p.lane > 0 || tile.x == 0) && (p.lane < LANES - 1 || is_last(tiles, tile, 0));
    p.pair_place = memory + (p.row * LANES + p.lane) * PAIR_BYTES;
    p.cell_place = memory + (p.row * LANES + p.lane) * CELL_BYTES;
    return p;
}

/* The place of a thread's row among cells of which each row has one. */
static __device__ unsigned beside_row(const struct place &p)
{
    return p.pair_place - p.lane * PAIR_BYTES - p.row * (ROW_BYTES - CELL_BYTES);
}

/* The next plane to be copied, and where to. A thread copies its own pair, or the faces just beyond
 * the last one; and some threads copy what is needed around the tile besides. */
struct copies {
    bool own;
    bool pair, cell;      /* something else, of that size */
    bool of_u;            /* from u, not from what a step needs of plane k + 1 */
    const char *from;     /* that, in the plane */
    unsigned to;          /* in a slot, with the address of the tile added */
    long place;           /* the own pair in the next plane of u, in bytes */
    unsigned u, step, bk; /* slots */
};

/* Of the first plane: u is copied one plane before the first step. */
template <class tile, int ROWS>
static __device__ struct copies first_copies(const struct pair_fv2 &w, const struct place &p,
                                             int plane)
{
    const struct cells &c = w.c;
    const int first_pair = p.pair - p.lane, first_row = p.j - p.row, above = first_row + ROWS;
    const unsigned here = p.pair_place - p.row * ROW_BYTES, cell = here - p.lane * CELL_BYTES;
    const long column = 2 * p.pair;
    /* Ghosts at the high end whose neighbours are wanted too. */
    const int beyond = tile::HALO > 1 ? open_high(c, 0) : 0;
    struct copies s = {};
    const double *from = NULL;
    s.own = p.pair <= p.pairs + beyond && p.j <= p.end_j;
    if (p.row == 0 && p.pair < p.end_pair && above <= p.end_j) {
        s.pair = true;
        s.to = here + tile::STEPS + tile::BJ_ABOVE;
        from = w.beta_j + column + above * c.sj;
    } else if (p.row == 1 && p.lane < ROWS && first_pair + LANES <= p.pairs + beyond &&
               first_row + p.lane < p.end_j) {
        s.cell = true;
        s.to = cell + tile::STEPS + tile::BI_END;
        from = w.beta_i + 2 * (first_pair + LANES) + (first_row + p.lane) * c.sj;
    } else if (p.row == 2 && p.pair < p.end_pair && first_row != 0) {
        s.pair = s.of_u = true;
        s.to = here + tile::U;
        from = w.in + column + (first_row - 1) * c.sj;
    } else if (p.row == 3 && p.pair < p.end_pair && above < p.end_j + open_high(c, 1)) {
        s.pair = s.of_u = true;
        s.to = here + tile::U + tile::U_ABOVE;
        from = w.in + column + above * c.sj;
    } else if (tile::HALO > 1 && p.row == 4 && p.lane < ROWS && first_pair != 0 &&
               first_row + p.lane < p.end_j) {
        s.cell = s.of_u = true;
        s.to = cell + tile::U + tile::U_LOW;
        from = w.in + 2 * first_pair - 1 + (first_row + p.lane) * c.sj;
    } else if (tile::HALO > 1 && p.row == 5 && p.lane < ROWS &&
               first_pair + LANES < p.pairs + 2 * beyond && first_row + p.lane < p.end_j) {
        s.cell = s.of_u = true;
        s.to = cell + tile::U + tile::U_HIGH;
        from = w.in + 2 * (first_pair + LANES) + (first_row + p.lane) * c.sj;
    }
    s.from = (const char *)(from + plane * c.sk);
    s.place = (column + p.j * c.sj + plane * c.sk) * CELL_BYTES;
    return s;
}

static __device__ const char *at(const double *field, long place)
{
    return (const char *)field + place;
}

/* u of the plane, with what is beside the tile. */
template <class tile>
static __device__ void fetch_u(const struct pair_fv2 &w, const struct place &p,
                               const struct copies &s)
{
    if (s.own)
        copy_pair(p.pair_place + s.u + tile::U + tile::U_ROWS, at(w.in, s.place));
    if (s.of_u && s.pair)
        copy_pair(s.to + s.u, s.from);
    if (s.of_u && s.cell)
        copy_cell(s.to + s.u, s.from);
}

template <bool HELMHOLTZ, class tile>
static __device__ void fetch_own(const struct pair_fv2 &w, const struct place &p,
                                 const struct copies &s, bool u)
{
    const long near = s.place - w.c.sk * CELL_BYTES; /* one plane lower */
    const unsigned step = p.pair_place + s.step + tile::STEPS;
    if (u)
        copy_pair(p.pair_place + s.u + tile::U + tile::U_ROWS, at(w.in, s.place));
    copy_pair(p.pair_place + s.bk + tile::BK, at(w.beta_k, s.place));
    copy_pair(step + tile::F, at(w.f, near));
    copy_pair(step + tile::BI, at(w.beta_i, near));
    copy_pair(step + tile::BJ, at(w.beta_j, near));
    if (HELMHOLTZ)
        copy_pair(step + tile::ALPHA, at(w.alpha, near));
}

/* All of a step. Planes beyond the last ones are ghosts; they are read, but not used. */
template <bool HELMHOLTZ, bool ZERO, class tile>
static __device__ void fetch(const struct pair_fv2 &w, const struct place &p,
                             const struct copies &s)
{
    const unsigned to = s.to + (s.of_u ? s.u : s.step);
    if (s.own)
        fetch_own<HELMHOLTZ, tile>(w, p, s, !ZERO);
    if (s.pair && !(ZERO && s.of_u))
        copy_pair(to, s.from);
    if (s.cell && !(ZERO && s.of_u))
        copy_cell(to, s.from);
}

template <class tile>
static __device__ void go_on(const struct pair_fv2 &w, struct copies &s)
{
    s.from += w.c.sk * CELL_BYTES;
    s.place += w.c.sk * CELL_BYTES;
    s.u = next_slot<tile::U_BYTES, tile::U_SLOTS>(s.u);
    s.step = next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step);
    s.bk = next_slot<tile::BK_BYTES, tile::BK_SLOTS>(s.bk);
}

#endif
