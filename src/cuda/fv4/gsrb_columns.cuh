/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_COLUMNS_CUH
#define CUDA_FV4_GSRB_COLUMNS_CUH
/* A thread's columns of cells in the fused red-black pass of order 4, the outer columns that warps
 * share, and what their cells need that does not come in tiles: f, α, and D⁻¹ near walls. */
#include "cuda/fv4/gsrb_cells.cuh"
#include <cuda_pipeline.h>

/* Lanes see their four rows from opposite sides in turns, one lane j and the next −j: so the same
 * ones of all lanes' rows are active. What is by row is in that order. */
struct columns {
    int rows[COLUMNS + 4];   /* places in a slot, from that of row −2 on */
    int reds;                /* of row 0 or 1 among red cells */
    int face, red_row;       /* from a row to the face in j below it, to the next red one */
    int dinv;                /* of the first active one's D⁻¹ */
    unsigned patch[COLUMNS]; /* where in a plane of the patch they are, in bytes */
    unsigned facts;
    bool at_end; /* some lane is next to a wall in i */
    bool quiet;  /* no wall in i or j is near any lane's cells */
};

/* Bits of facts. A wall is near where it is less than RIM_LAYERS cells away. */
enum {
    OWN = 0,              /* by row: the block stores them */
    AWAY_J = COLUMNS,     /* by row: no wall in j is near */
    AWAY = 2 * COLUMNS,   /* by row: no wall in i or j is near */
    INSIDE = 3 * COLUMNS, /* else the thread does what one does that sees no wall in i */
    AWAY_I,               /* no wall in i is near */
    AT_LOW,               /* next to the low wall in i */
    AT_HIGH,
    FLIPPED, /* the lane sees −j */
};

static __device__ __forceinline__ bool is(const struct columns &t, int fact)
{
    return hidden(t.facts) >> fact & 1;
}

/* Where in a plane the patch has the cell, or the nearest one if it has not, in bytes. */
static __device__ __forceinline__ unsigned clamped_place(const struct pair_fv4 &w, int i, int j)
{
    return (min(max(i, 0), w.c.n[0] - 1) + min(max(j, 0), w.c.n[1] - 1) * (int)w.c.sj) *
           sizeof(double);
}

static __device__ __forceinline__ int warp_number()
{
    return __shfl_sync(~0u, threadIdx.x / LANES, 0);
}

static __device__ __forceinline__ struct columns make_columns(const struct pair_fv4 &w,
                                                              const struct march &m, int warp)
{
    const int row = warp / 2 * COLUMNS, *n = w.c.n, last = n[0] - m.i,
              own_column = 1 + warp % 2 * LANES + threadIdx.x % LANES,
              column = own_column <= last ? own_column : last - 3, i = m.i - 1 + column;
    const bool flipped = (i + m.j - 1 + row + m.first - 1 + w.colour) & 1;
    const int first = flipped ? row + COLUMNS - 1 : row, step = flipped ? -1 : 1;
    const bool inside = own_column <= last, low = inside && i == 0, high = inside && i == n[0] - 1,
               away_i = is_within(i, n[0], RIM_LAYERS);
    bool away = away_i;
    struct columns t = {};
    /* As they are hidden, an address is one of them and a plane's place, and no sum of its own. */
    for (int r = -2; r < COLUMNS + 2; r++)
        t.rows[r + 2] = hidden((first + r * step) * ROW + column * COLUMN);
    t.reds = (row / 2 + flipped) * RED_ROW + column * COLUMN;
    t.dinv = shared_begin() + DINV_PLACE + (int)threadIdx.x * COLUMN;
    for (int r = 0; r < COLUMNS; r++) {
        const int in_region = first + r * step, j = m.j - 1 + in_region;
        const bool away_j = is_within(j, n[1], RIM_LAYERS);
        t.patch[r] = clamped_place(w, i, j);
        const bool own =
            in_region >= 1 && in_region <= CORE_ROWS ? j < n[1] : j == 0 || j == n[1] - 1;
        t.facts |= (inside && own) << (OWN + r) | away_j << (AWAY_J + r) |
                   (away_j && away_i) << (AWAY + r);
        away = away && away_j;
    }
    t.facts |=
        inside << INSIDE | away_i << AWAY_I | low << AT_LOW | high << AT_HIGH | flipped << FLIPPED;
    t.at_end = __any_sync(~0u, low || high);
    t.quiet = !__any_sync(~0u, !away);
    return t;
}

/* The two that take fewer instructions in each step than they are worth registers. */
static __device__ __forceinline__ void find_strides(struct columns &t)
{
    const bool flipped = is(t, FLIPPED);
    t.face = flipped ? ROW : 0;
    t.red_row = flipped ? -RED_ROW : RED_ROW;
}

/* Places of row r, of the face in j below it, and of the q-th red one of the thread's cells among
 * red cells. */
static __device__ __forceinline__ int row_place(const struct columns &t, int r)
{
    return t.rows[r + 2];
}

static __device__ __forceinline__ int face_place(const struct columns &t, int r)
{
    return t.rows[r + 2] + t.face;
}

static __device__ __forceinline__ int red_place(const struct columns &t, int q)
{
    return t.reds + q * t.red_row;
}

/* Outer columns have one red cell in each pair of rows, and a lane for it, half of the pairs in
 * each half of a warp, which loads from shared memory at once without bank conflicts then. Lanes
 * without a cell do what another one does, and store nothing. */
struct outer {
    int i, j, place, number;
    bool own, first; /* the lane stores it; the lane is the first of those that have its number */
};

static __device__ __forceinline__ struct outer find_outer(const struct pair_fv4 &w,
                                                          const struct march &m, int k)
{
    enum { PAIRS = REGION_ROWS / 2, HALF = LANES / 2 };
    const bool low = m.i > 0, high = m.i + CORE_WIDTH < w.c.n[0];
    const int lane = threadIdx.x % LANES, pair = lane / HALF * (PAIRS / 2) + lane % (PAIRS / 2);
    const bool on_low = lane % PAIRS < PAIRS / 2, has = on_low ? low : high,
               first = lane % HALF < PAIRS;
    const int column = on_low == has ? 0 : CORE_WIDTH + 1,
              row = 2 * pair + ((column + m.i + m.j + k + w.colour) & 1);
    return {m.i - 1 + column,
            m.j - 1 + row,
            row * ROW + column * COLUMN,
            lane / HALF * PAIRS + lane % PAIRS,
            has && first,
            first};
}

/* Warps have them in turns, if the patch goes on there. */
static __device__ __forceinline__ bool has_outer(const struct pair_fv4 &w, int warp, int number)
{
    return is_turn(warp, number) && CORE_WIDTH < w.c.n[0];
}

/* Where what does not come in tiles of such a cell is; it may be asked for up to two steps ahead.
 */
static __device__ __forceinline__ int outer_place(const struct outer &o, int number)
{
    return shared_begin() + OUTER_PLACE + (unsigned)number % OUTER_SLOTS * OUTER_SIZE +
           o.number * COLUMN;
}

/* The patch's plane k of a field, or its nearest one. */
static __device__ __forceinline__ const double *clamped_plane(const struct pair_fv4 &w,
                                                              const double *field, int k)
{
    return field + min(max(k, 0), w.c.n[2] - 1) * w.c.sk;
}

static __device__ __forceinline__ double load(const double *plane, unsigned place)
{
    return *(const double *)((const char *)plane + place);
}

/* A plane of f and α. */
struct source_plane {
    const double *f, *alpha;
};

template <bool HELMHOLTZ>
static __device__ __forceinline__ struct source load_source(const struct source_plane &p,
                                                            unsigned place)
{
    return {load(p.f, place), HELMHOLTZ ? load(p.alpha, place) : 0.0};
}

/* To shared memory; there once all that the thread has asked for is. */
static __device__ __forceinline__ void fetch_value(int to, const double *plane, unsigned place)
{
    __pipeline_memcpy_async(shared_pointer(to), (const char *)plane + place, sizeof(double));
}

/* Of the cells of a step, loaded a step ahead. */
struct sources {
    struct source red[2], black[2];
};

template <bool HELMHOLTZ>
static __device__ __forceinline__ int bits_of(const struct source &s)
{
    return __double2hiint(s.f) | (HELMHOLTZ ? __double2hiint(s.alpha) : 0);
}

/* `zero`, which is 0 but the compiler does not know, once all of `s` is there. What is loaded from
 * a place that it is added to is loaded after that. Loads share the marks by which instructions
 * wait for them: otherwise a use of s would wait for later ones too. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ unsigned zero_after(const struct sources &s, unsigned zero)
{
    return (bits_of<HELMHOLTZ>(s.red[0]) | bits_of<HELMHOLTZ>(s.red[1]) |
            bits_of<HELMHOLTZ>(s.black[0]) | bits_of<HELMHOLTZ>(s.black[1])) &
           zero;
}

/* Red cells are in the plane `above`, black ones in `here`. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ void load_sources(struct sources &s, const struct columns &t,
                                                    int parity, const struct source_plane &here,
                                                    const struct source_plane &above, unsigned zero)
{
    for (int q = 0; q < 2; q++) {
        const unsigned place = t.patch[2 * q + parity] + zero;
        s.red[q] = load_source<HELMHOLTZ>(above, place);
        s.black[q] = load_source<HELMHOLTZ>(here, place);
    }
}

/* Whether a wall is near some of the warp's cells of plane k. */
static __device__ __forceinline__ bool near_wall(const struct pair_fv4 &w, const struct columns &t,
                                                 int k)
{
    return !t.quiet || !is_within(k, w.c.n[2], RIM_LAYERS);
}

static __device__ __forceinline__ bool near_wall(const struct pair_fv4 &w, const struct outer &o,
                                                 int k)
{
    return !(is_within(o.i, w.c.n[0], RIM_LAYERS) && is_within(o.j, w.c.n[1], RIM_LAYERS) &&
             is_within(k, w.c.n[2], RIM_LAYERS));
}

/* Asks for what outer cells of plane k need. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ void fetch_outer(const struct pair_fv4 &w, const struct march &m,
                                                   const struct source_plane &plane, int k)
{
    const struct outer o = find_outer(w, m, k);
    const int to = outer_place(o, step_number(m, k));
    const unsigned place = clamped_place(w, o.i, o.j);
    if (o.first) {
        fetch_value(to + OUTER_F, plane.f, place);
        if (HELMHOLTZ)
            fetch_value(to + OUTER_ALPHA, plane.alpha, place);
        if (near_wall(w, o, k))
            fetch_value(to + OUTER_DINV, clamped_plane(w, w.dinv, k), place);
    }
    __pipeline_commit();
}

/* D⁻¹ of the thread's active columns in plane k, to its places from the given one on. */
static __device__ __forceinline__ void fetch_dinv(const struct pair_fv4 &w, const struct columns &t,
                                                  int place, int parity, int k)
{
    for (int q = 0; q < 2; q++)
        fetch_value(place + q * DINV_SIZE, clamped_plane(w, w.dinv, k), t.patch[2 * q + parity]);
    __pipeline_commit();
}

#endif
