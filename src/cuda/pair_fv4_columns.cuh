#ifndef CUDA_PAIR_FV4_COLUMNS_CUH
#define CUDA_PAIR_FV4_COLUMNS_CUH
/* A thread's columns of cells in the fused red-black pass of order 4, the outer columns that warps
 * share, and what their cells need that does not come in tiles: f, α, and D⁻¹ near walls. */
#include "cuda/pair_fv4_cells.cuh"
#include <cuda_pipeline.h>

/* Bits are by row: bit r is about the r-th of the four columns. A wall is near where it is less
 * than RIM_LAYERS cells away. */
struct columns {
    int odd;                /* whether the second of each two columns is active in the first step */
    int cells[2];           /* place of the lower active cell in a slot, by parity of the step */
    int reds;               /* of the first one among red cells */
    int dinv;               /* of the first one's D⁻¹ */
    unsigned rows[COLUMNS]; /* where in a plane of the patch they are, in bytes */
    unsigned own;           /* bits: the block stores them */
    unsigned away;          /* bits: no wall in j is near; four more: none in i either */
    bool inside; /* else the thread does what one does that sees no wall in i, and stores nothing */
    bool away_i; /* no wall in i is near */
    bool at_end; /* some lane is next to a wall in i */
    bool quiet;  /* no wall in i or j is near any lane's cells */
    int inward;  /* next to a wall in i the step to the next column, in bytes, else 0 */
};

/* Whether `x` is at least so many cells away from both ends of 0 … n − 1. */
static __device__ __forceinline__ bool is_within(int x, int n, int layers)
{
    return x >= layers && x < n - layers;
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
    struct columns t = {};
    t.inside = own_column <= last;
    t.odd = (i + m.j - 1 + row + m.first - 1 + w.colour) & 1;
    t.cells[0] = (row + t.odd) * ROW + column * COLUMN;
    t.cells[1] = (row + 1 - t.odd) * ROW + column * COLUMN;
    t.reds = row / 2 * RED_ROW + column * COLUMN;
    t.dinv = DINV_PLACE + (int)threadIdx.x * COLUMN;
    t.away_i = is_within(i, n[0], RIM_LAYERS);
    for (int r = 0; r < COLUMNS; r++) {
        const int j = m.j - 1 + row + r;
        const bool away = is_within(j, n[1], RIM_LAYERS);
        t.rows[r] = clamped_place(w, i, j);
        t.own |= (t.inside && j < n[1] && row + r >= 1 && row + r <= CORE_ROWS) << r;
        t.away |= away << r | (away && t.away_i) << (COLUMNS + r);
    }
    t.inward = !t.inside ? 0 : i == 0 ? COLUMN : i == n[0] - 1 ? -COLUMN : 0;
    t.at_end = __any_sync(~0u, t.inward != 0);
    t.quiet = !__any_sync(~0u, t.away >> COLUMNS != (1u << COLUMNS) - 1);
    return t;
}

/* Where in a plane the q-th active column is, if the upper ones of each two are. */
static __device__ __forceinline__ unsigned active_row(const struct columns &t, bool upper, int q)
{
    return upper ? t.rows[2 * q + 1] : t.rows[2 * q];
}

/* Outer columns have one red cell in each pair of rows, and a lane for it: first those on the low
 * side, then those on the high one. Lanes without a cell do what another one does, and store
 * nothing. */
struct outer {
    int i, j, place;
    bool own;
};

static __device__ __forceinline__ struct outer find_outer(const struct pair_fv4 &w,
                                                          const struct march &m, int k)
{
    enum { PAIRS = REGION_ROWS / 2 };
    const bool low = m.i > 0, high = m.i + CORE_WIDTH < w.c.n[0];
    const int lane = threadIdx.x % LANES, pair = lane % PAIRS;
    const bool on_low = lane % REGION_ROWS < PAIRS, has = on_low ? low : high;
    const int column = on_low == has ? 0 : CORE_WIDTH + 1,
              row = 2 * pair + ((column + m.i + m.j + k + w.colour) & 1);
    return {m.i - 1 + column, m.j - 1 + row, row * ROW + column * COLUMN,
            has && lane < REGION_ROWS};
}

/* Warps have them in turns, if the patch goes on there. */
static __device__ __forceinline__ bool has_outer(const struct pair_fv4 &w, int warp, int number)
{
    return is_turn(warp, number) && CORE_WIDTH < w.c.n[0];
}

/* Where the lanes have D⁻¹ of them; it may be asked for up to two steps ahead. */
static __device__ __forceinline__ int outer_dinv(int number)
{
    return OUTER_DINV_PLACE +
           ((unsigned)number % OUTER_DINV_SLOTS * LANES + threadIdx.x % LANES) * COLUMN;
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
    __pipeline_memcpy_async(shared_memory + to, (const char *)plane + place, sizeof(double));
}

/* Of the cells of a step, loaded a step ahead. */
struct sources {
    struct source red[2], black[2], outer;
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
            bits_of<HELMHOLTZ>(s.black[0]) | bits_of<HELMHOLTZ>(s.black[1]) |
            bits_of<HELMHOLTZ>(s.outer)) &
           zero;
}

/* Red cells are in the plane `above`, black ones in `here`. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ void load_sources(struct sources &s, const struct columns &t,
                                                    bool upper, const struct source_plane &here,
                                                    const struct source_plane &above, unsigned zero)
{
    for (int q = 0; q < 2; q++) {
        const unsigned place = active_row(t, upper, q) + zero;
        s.red[q] = load_source<HELMHOLTZ>(above, place);
        s.black[q] = load_source<HELMHOLTZ>(here, place);
    }
}

/* Those of outer cells in plane k. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ void load_outer(struct source &s, const struct pair_fv4 &w,
                                                  const struct march &m,
                                                  const struct source_plane &plane, int k)
{
    const struct outer o = find_outer(w, m, k);
    const unsigned place = clamped_place(w, o.i, o.j);
    s = load_source<HELMHOLTZ>(plane, place);
    fetch_value(outer_dinv(step_number(m, k)), clamped_plane(w, w.dinv, k), place);
    __pipeline_commit();
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

/* D⁻¹ of the thread's active columns in plane k, to its places from the given one on. */
static __device__ __forceinline__ void fetch_dinv(const struct pair_fv4 &w, const struct columns &t,
                                                  int place, bool upper, int k)
{
    for (int q = 0; q < 2; q++)
        fetch_value(place + q * DINV_SIZE, clamped_plane(w, w.dinv, k), active_row(t, upper, q));
    __pipeline_commit();
}

#endif
