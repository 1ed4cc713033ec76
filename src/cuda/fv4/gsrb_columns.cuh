/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The positions of a thread's columns of cells, and of the outer columns that the warps share; and
 * what their cells need that does not arrive in tiles: f, α, and D⁻¹ near walls. */
#include "cuda/fv4/gsrb_cells.cuh"
#include <cuda_pipeline.h>

namespace fv4
{
/* Every second lane sees its four rows in reverse: so the same rows of all lanes are active in a
 * step, and registers of rows have constant indices. Arrays by row are in that order. */
struct columns {
    int rows[COLUMNS + 4];   /* offsets in a slot, from row −2 on */
    int reds;                /* offset of the red cell of row 0 or 1 among red cells */
    int face, red_row;       /* from a row to the face in j below it; to the next red cell */
    int dinv;                /* address of the first active cell's D⁻¹ */
    unsigned patch[COLUMNS]; /* offsets in a plane of the patch */
    unsigned flags;
    bool at_end;          /* some lane is next to a wall in i */
    bool away_from_walls; /* no wall in i or j is near any lane's cells */
};

/* Bits of flags. Near a wall means less than BOUNDARY_LAYERS cells away from it. */
enum {
    OWN = 0,              /* by row: the block stores the cells */
    AWAY_J = COLUMNS,     /* by row: no wall in j is near */
    AWAY = 2 * COLUMNS,   /* by row: no wall in i or j is near */
    INSIDE = 3 * COLUMNS, /* else the thread repeats one that is not next to a wall in i */
    AWAY_I,               /* no wall in i is near */
    AT_LOW,               /* next to the low wall in i */
    AT_HIGH,
    FLIPPED, /* the lane sees its rows in reverse */
};

DEVICE bool is(const struct columns &t, int flag)
{
    return opaque(t.flags) >> flag & 1;
}

/* Index x of direction d, or the nearest one that is updated. */
DEVICE int clamped(const struct fv4_gsrb &w, int d, int x)
{
    return min(max(x, w.first[d]), w.last[d]);
}

/* The offset of cell (i,j), or of the nearest cell that is updated, in a plane. */
DEVICE unsigned clamped_offset(const struct fv4_gsrb &w, int i, int j)
{
    return (clamped(w, 0, i) + 1 + (clamped(w, 1, j) + 1) * (int)w.c.sj) * sizeof(real);
}

DEVICE int warp_number()
{
    return __shfl_sync(~0u, threadIdx.x / LANES, 0);
}

template <class tile>
DEVICE struct columns make_columns(const struct fv4_gsrb &w, const struct block_range &m, int warp)
{
    const int row = warp / tile::WARPS_I * COLUMNS, *n = w.c.n, last = w.last[0] - m.i + 1,
              own_column = 1 + warp % tile::WARPS_I * LANES + threadIdx.x % LANES,
              column = own_column <= last ? own_column : last - 3, i = m.i - 1 + column;
    const bool flipped = (i + m.j - 1 + row + m.first - 1 + w.colour) & 1;
    const int first = flipped ? row + COLUMNS - 1 : row, step = flipped ? -1 : 1;
    const bool inside = own_column <= last, low = inside && i == 0 && w.c.wall[0][0],
               high = inside && i == n[0] - 1 && w.c.wall[0][1], away_i = is_away(w, 0, i);
    bool away = away_i;
    struct columns t = {};
    /* Hidden, so that an address is the sum of a row's and a plane's offset when it is used. */
    for (int r = -2; r < COLUMNS + 2; r++)
        t.rows[r + 2] = opaque((first + r * step) * tile::ROW + column * COLUMN);
    t.reds = (row / 2 + flipped) * tile::RED_ROW + column * COLUMN;
    t.dinv = shared_begin() + tile::DINV_OFFSET + (int)threadIdx.x * COLUMN;
    for (int r = 0; r < COLUMNS; r++) {
        const int in_region = first + r * step, j = m.j - 1 + in_region;
        const bool away_j = is_away(w, 1, j);
        t.patch[r] = clamped_offset(w, i, j);
        const bool own = in_region >= 1 && in_region <= tile::CORE_ROWS
                             ? j < n[1]
                             : (j == 0 && w.c.wall[1][0]) || (j == n[1] - 1 && w.c.wall[1][1]);
        t.flags |= (inside && i < n[0] && own) << (OWN + r) | away_j << (AWAY_J + r) |
                   (away_j && away_i) << (AWAY + r);
        away = away && away_j;
    }
    t.flags |=
        inside << INSIDE | away_i << AWAY_I | low << AT_LOW | high << AT_HIGH | flipped << FLIPPED;
    t.at_end = __any_sync(~0u, low || high);
    t.away_from_walls = !__any_sync(~0u, !away);
    return t;
}

/* Recomputed in each step: these two are not worth registers. */
template <class tile>
DEVICE void compute_strides(struct columns &t)
{
    const bool flipped = is(t, FLIPPED);
    t.face = flipped ? tile::ROW : 0;
    t.red_row = flipped ? -tile::RED_ROW : tile::RED_ROW;
}

/* Offsets of row r, of the face in j below it, and of the thread's q-th red cell among red cells.
 */
DEVICE int row_offset(const struct columns &t, int r)
{
    return t.rows[r + 2];
}

DEVICE int face_offset(const struct columns &t, int r)
{
    return t.rows[r + 2] + t.face;
}

DEVICE int red_offset(const struct columns &t, int q)
{
    return t.reds + q * t.red_row;
}

/* A cell of an outer column. These columns have one red cell in every two rows, and a lane for it.
 * Each half of a warp, which loads from shared memory at once, has half of those rows: no bank
 * conflicts. Lanes without a cell repeat another lane's, and store nothing. */
struct outer_cell {
    int i, j, offset, number;
    bool own, first; /* the lane stores the cell; it is the first lane of those with its number */
};

template <class tile>
DEVICE struct outer_cell compute_outer(const struct fv4_gsrb &w, const struct block_range &m, int k)
{
    enum { GROUPS = tile::REGION_ROWS / 2, HALF = LANES / 2 }; /* of two rows; of a warp */
    const bool low = m.i > w.first[0], high = m.i + tile::CORE_WIDTH <= w.last[0];
    const int lane = threadIdx.x % LANES, group = lane / HALF * (GROUPS / 2) + lane % (GROUPS / 2);
    const bool on_low = lane % GROUPS < GROUPS / 2, has = on_low ? low : high,
               first = lane % HALF < GROUPS;
    const int column = on_low == has ? 0 : tile::CORE_WIDTH + 1,
              row = 2 * group + ((column + m.i + m.j + k + w.colour) & 1);
    return {m.i - 1 + column,
            m.j - 1 + row,
            row * tile::ROW + column * COLUMN,
            lane / HALF * GROUPS + lane % GROUPS,
            has && first,
            first};
}

/* Whether the warp updates the outer cells of the step, if the block has any. */
template <class tile>
DEVICE bool has_outer(const struct fv4_gsrb &w, int warp, int number)
{
    return is_turn<tile>(warp, number) && (w.first[0] < 0 || w.last[0] >= tile::CORE_WIDTH);
}

/* The address of f, α and D⁻¹ of such a cell, whose copies may be issued up to two steps ahead. */
template <class tile>
DEVICE int outer_address(const struct outer_cell &o, int number)
{
    return shared_begin() + tile::OUTER_OFFSET +
           (unsigned)number % tile::OUTER_SLOTS * tile::OUTER_SIZE + o.number * COLUMN;
}

/* Plane k of the field, at ghost (−1,−1), so that offsets are not negative. Behind walls the planes
 * of ghosts are read, but not used. */
DEVICE const real *plane_of(const struct fv4_gsrb &w, const real *field, int k)
{
    return field - w.c.sj + k * w.c.sk - 1;
}

DEVICE real load(const real *plane, unsigned offset)
{
    return *(const real *)((const char *)plane + offset);
}

/* f and α in one plane. */
struct source_plane {
    const real *f, *alpha;
};

template <class Op>
DEVICE struct cell_terms load_source(const struct source_plane &p, unsigned offset)
{
    return {load(p.f, offset), READS_ALPHA<Op> ? load(p.alpha, offset) : (real)0.0};
}

/* Issues a copy of one value to shared memory. */
DEVICE void fetch_value(int to, const real *plane, unsigned offset)
{
    __pipeline_memcpy_async(shared_pointer(to), (const char *)plane + offset, sizeof(real));
}

/* Sources of the cells of a step, loaded one step ahead. */
struct sources {
    struct cell_terms red[2], black[2];
};

/* For zero_after. */
template <class Op>
DEVICE int bits_of(const struct cell_terms &s)
{
    return some_bits(s.f) | (READS_ALPHA<Op> ? some_bits(s.alpha) : 0);
}

template <class Op>
DEVICE int bits_of(const struct sources &s)
{
    return bits_of<Op>(s.red[0]) | bits_of<Op>(s.red[1]) | bits_of<Op>(s.black[0]) |
           bits_of<Op>(s.black[1]);
}

/* Loads the sources of red cells from the plane `above`, and of black cells from `here`. */
template <class Op>
DEVICE void load_sources(struct sources &s, const struct columns &t, int parity,
                         const struct source_plane &here, const struct source_plane &above,
                         unsigned zero)
{
    for (int q = 0; q < 2; q++) {
        const unsigned offset = t.patch[2 * q + parity] + zero;
        s.red[q] = load_source<Op>(above, offset);
        s.black[q] = load_source<Op>(here, offset);
    }
}

/* Whether a wall is near some cell of the warp, or the outer cell, in plane k. */
DEVICE bool near_wall(const struct fv4_gsrb &w, const struct columns &t, int k)
{
    return !t.away_from_walls || !is_away(w, 2, k);
}

DEVICE bool near_wall(const struct fv4_gsrb &w, const struct outer_cell &o, int k)
{
    return !(is_away(w, 0, o.i) && is_away(w, 1, o.j) && is_away(w, 2, k));
}

/* Issues copies of what outer cells of plane k need. */
template <class tile>
DEVICE void fetch_outer(const struct fv4_gsrb &w, const struct block_range &m,
                        const struct source_plane &plane, int k)
{
    const struct outer_cell o = compute_outer<tile>(w, m, k);
    const int to = outer_address<tile>(o, step_number(m, k));
    const unsigned offset = clamped_offset(w, o.i, o.j);
    if (o.first) {
        fetch_value(to + tile::OUTER_F, plane.f, offset);
        if (tile::READS_ALPHA)
            fetch_value(to + tile::OUTER_ALPHA, plane.alpha, offset);
        if (near_wall(w, o, k))
            fetch_value(to + tile::OUTER_DINV, plane_of(w, w.dinv, k), offset);
    }
    __pipeline_commit();
}

/* Issues copies of D⁻¹ of the thread's active cells in plane k, to `address` on. */
template <class tile>
DEVICE void fetch_dinv(const struct fv4_gsrb &w, const struct columns &t, int address, int parity,
                       int k)
{
    for (int q = 0; q < 2; q++)
        fetch_value(address + q * tile::DINV_SIZE, plane_of(w, w.dinv, k), t.patch[2 * q + parity]);
    __pipeline_commit();
}

} // namespace fv4
