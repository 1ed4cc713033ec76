/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A block's tile in shared memory, and the copies of planes to it. Positions are addresses and
 * offsets in bytes, added up where they are used: indices into arrays of arrays cost a third of all
 * instructions. */
#include <limits.h>
#include <cuda_pipeline.h>
#include "cuda/core/fences.cuh"
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tiles.cuh"
#include "cuda/fv2/cells.cuh"
#include "cuda/fv2/gsrb_launch.cuh"
#include "cuda/tuning.h"

namespace fv2
{
/* A block has 32 × ROWS threads. */
enum { MANY_ROWS = TUNED_FV2_GSRB_ROWS, FEW_ROWS = TUNED_FV2_GSRB_FEW_ROWS };

/* A variant of the kernel for the operator Op, and the layout of its tile. Rows begin at multiples
 * of 128 bytes: copies to other addresses take twice the traffic. Planes take a field's slots in
 * turn. In step k the newest slots hold u of plane k + 2; f, α and β of the faces in i and j of
 * plane k + 1; and β_k above plane k + 1. A pass that FINISHES with the residual needs f, α and β
 * for two more steps. */
template <class Op, bool zero, finish then, int rows>
struct tile {
    using op = Op;
    static constexpr bool VARIABLE = Op::VARIABLE, ALPHAS = Op::READS_ALPHA;
    static constexpr bool ZERO = zero, FINISHES = then != ONLY_SWEEPS;
    static constexpr finish FINISH = then;
    static constexpr int ROWS = rows, BLOCKS = FINISHES ? 1 : MANY_ROWS / ROWS;
    static constexpr int HALO = FINISHES ? 2 : 1; /* outer rows that repeat other blocks' */
    static constexpr int U_SLOTS = AHEAD + 2, BK_SLOTS = AHEAD + 1;
    static constexpr int STEP_SLOTS = AHEAD + (FINISHES ? 3 : 1);

    /* A slot of u: the row below the tile, the tile, the row above it, the cells beside it. */
    static constexpr int U_ROWS = ROW_BYTES, U_ABOVE = (ROWS + 1) * ROW_BYTES;
    static constexpr int U_LOW = U_ABOVE + ROW_BYTES, U_HIGH = U_LOW + ROWS * CELL_BYTES;
    static constexpr int U_BYTES = FINISHES ? cuda_whole_lines(U_HIGH + ROWS * CELL_BYTES) : U_LOW;

    /* A slot of a step: after the last lane one more face in i, above the last row one in j. */
    static constexpr int PLANE = ROWS * ROW_BYTES, F = 0, BI = PLANE, BJ = BI + PLANE;
    static constexpr int BJ_ABOVE = BJ + PLANE, BI_END = BJ_ABOVE + ROW_BYTES;
    static constexpr int ALPHA =
        VARIABLE ? cuda_whole_lines(BI_END + ROWS * CELL_BYTES) : F + PLANE;
    static constexpr int STEP_BYTES = ALPHA + (ALPHAS ? PLANE : 0);

    /* New values have a row below and a row above the tile that no thread writes; the outermost
     * rows read them. Red cells, finished cells and sums have two slots each, and one offset serves
     * all: that of the red cells, twice that of the finished cells. */
    static constexpr int BK_BYTES = VARIABLE ? PLANE : 0, RED_BYTES = (ROWS + 2) * ROW_BYTES / 2;

    static constexpr int U = 0, STEPS = U + U_SLOTS * U_BYTES;
    static constexpr int BK = STEPS + STEP_SLOTS * STEP_BYTES;
    static constexpr int RED = BK + BK_SLOTS * BK_BYTES; /* new values of the red cells */
    static constexpr int DONE = RED + 2 * RED_BYTES;     /* finished cells */
    static constexpr int SUMS = DONE + (FINISHES ? 4 * RED_BYTES : 0); /* of residuals */
    static constexpr int EVEN =
        SUMS + (FINISHES ? 2 * RED_BYTES : 0); /* of two rows, even planes */
    static constexpr int BYTES = EVEN + (FINISHES ? PLANE / 2 : 0);
};

DEVICE real cell_at(unsigned address)
{
    return ::at((int)address);
}

/* Properties of a thread, as bits of one register. Predicates that live from step to step would
 * take a register each. */
enum thread_flags {
    FINISHES_ROW = 1 << 0,   /* the row belongs to this block */
    STORES = 1 << 1,         /* so do both cells */
    RESTRICTS_ROWS = 1 << 2, /* restricts the residuals of its cells and those of the next row */
    LOW_WALL_I = 1 << 3,     /* beside its low cell */
    HIGH_WALL_I = 1 << 4,    /* beside its high cell */
    LOW_WALL_J = 1 << 5,     /* below its row */
    HIGH_WALL_J = 1 << 6,    /* above its row */
    COPIES_OWN = 1 << 7,     /* copies its two cells, or the faces just beyond the last ones */
    COPIES_VECTOR = 1 << 8,  /* copies 16 bytes of what surrounds the tile */
    COPIES_CELL = 1 << 9,    /* copies 8 bytes of what surrounds the tile */
    COPIES_U = 1 << 10,      /* the latter two are of u, else of f, α or β */
    NEEDS_KINDS = 1 << 11    /* as needs_kinds() */
};

/* A thread's two cells. Beyond sides without a wall a tile has as many ghost rows as tiles repeat
 * of each other's rows, and in i one ghost column (beyond the low end of an open direction two). In
 * a wrapped direction, row j stands for row j + HALO, and column x for column x + 1, around the
 * patch: see row_at and column_at. */
struct thread_cells {
    int lane, row, j, n1, n2;
    int column, columns;     /* cells 2·column and 2·column + 1 in i; columns of the patch */
    int end_column, end_j;   /* one beyond the last */
    int flags;               /* see thread_flags */
    int offset;              /* of the cells in plane 0, in vectors */
    int coarse;              /* of their coarse cell in plane 0 */
    unsigned vector_address; /* of the thread's real2 in the first slot of the tile, and */
    unsigned cell_address;   /* of its real in an array of one cell per thread */
    unsigned high_face;      /* of β on the high face in i, in the first slot of a step's data */
};

/* Sets what follows from the patch and the layout of the tiles. */
template <class tile>
static void set_tiles(struct fv2_gsrb &w)
{
    w.plane = (int)(w.c.sk / 2);
    w.back = w.plane - w.c.n[2] * w.plane;
    w.wrap_step = w.c.wrap[2] ? w.c.n[2] - AHEAD - 3 : INT_MAX;
    w.low_wall = w.c.wall[2][0] ? tile::HALO - 1 : INT_MIN;
    w.high_wall = w.c.wall[2][1] ? w.c.n[2] - 2 : INT_MAX;
    w.first_parity = w.parity + (w.c.wrap[1] ? tile::HALO : 0);
}

/* How far the tiles reach beyond the patch in direction d: in i by columns, of which the low end of
 * an open direction has one more than needed. So rows of a tile begin at multiples of 32 bytes, as
 * they do next to walls and in wrapped directions; from other addresses the copies take 1.7 times
 * the sectors of the L2 cache, and a quarter more time. */
static __host__ __device__ int open_low(const struct cells &c, int d)
{
    return c.wall[d][0] ? 0 : d == 0 && !c.wrap[d] ? 2 : 1;
}

static __host__ __device__ int open_high(const struct cells &c, int d)
{
    return c.wall[d][1] ? 0 : 1;
}

/* The tiles across the patch in i and in j: each but the outermost repeats the outermost columns or
 * rows of its neighbours. */
template <class tile>
static int tiles_across(const struct cells &c, int d)
{
    const int repeated = d == 0 ? 1 : tile::HALO, width = d == 0 ? LANES : tile::ROWS,
              cells =
                  (d == 0 ? c.n[0] / 2 : c.n[1]) + repeated * (open_low(c, d) + open_high(c, d));
    return max(1, cuda_divided(cells - 2 * repeated, width - 2 * repeated));
}

DEVICE int column_at(const struct cells &c, int position)
{
    return c.wrap[0] ? wrapped(position + 1, c.n[0] / 2) : position;
}

template <class tile>
DEVICE int row_at(const struct cells &c, int position)
{
    return c.wrap[1] ? wrapped(position + tile::HALO, c.n[1]) : position;
}

/* The offset in a plane of the two cells at a position, in vectors. */
template <class tile>
DEVICE int in_plane(const struct cells &c, int column, int row)
{
    return column_at(c, column) + row_at<tile>(c, row) * (int)(c.sj / 2);
}

DEVICE const real2 *vector_of(const real *field, int offset)
{
    return (const real2 *)field + offset;
}

/* The address of the thread's row in an array of one cell per row. */
DEVICE unsigned beside_row(const struct thread_cells &p)
{
    return p.vector_address - p.lane * VECTOR_BYTES - p.row * (ROW_BYTES - CELL_BYTES);
}

/* The flags of the thread's cells. */
template <class tile>
DEVICE int cell_flags(const struct cells &c, const struct thread_cells &p,
                      const struct tile_set &tiles, dim3 block)
{
    const bool finishes =
                   is_own(p.row, tile::ROWS, tile::HALO, block.y == 0, is_last(tiles, block, 1)),
               stores = finishes && p.column >= 0 && p.column < p.columns && p.j >= 0 &&
                        p.j < p.n1 &&
                        is_own(p.lane, LANES, 1, block.x == 0, is_last(tiles, block, 0));
    return (finishes ? FINISHES_ROW : 0) | (stores ? STORES : 0) |
           (stores && p.row % 2 == 0 ? RESTRICTS_ROWS : 0) |
           (p.column == 0 && c.wall[0][0] ? LOW_WALL_I : 0) |
           (p.column == p.columns - 1 && c.wall[0][1] ? HIGH_WALL_I : 0) |
           (p.j == 0 && c.wall[1][0] ? LOW_WALL_J : 0) |
           (p.j == p.n1 - 1 && c.wall[1][1] ? HIGH_WALL_J : 0) |
           (needs_kinds<typename tile::op>(c, p.column) ? NEEDS_KINDS : 0);
}

template <class tile>
DEVICE struct thread_cells compute_thread(const struct fv2_gsrb &w, const struct tile_set &tiles,
                                          dim3 block)
{
    const struct cells &c = w.c;
    const unsigned memory = shared_begin();
    struct thread_cells p;
    p.lane = threadIdx.x;
    p.row = threadIdx.y;
    p.column = (int)block.x * (LANES - 2) + p.lane - open_low(c, 0);
    p.j = (int)block.y * (tile::ROWS - 2 * tile::HALO) + p.row - tile::HALO * open_low(c, 1);
    p.columns = c.n[0] / 2;
    p.n1 = c.n[1];
    p.n2 = c.n[2];
    p.end_column = p.columns + open_high(c, 0);
    p.end_j = p.n1 + tile::HALO * open_high(c, 1);
    p.flags = cell_flags<tile>(c, p, tiles, block);
    p.coarse = column_at(c, p.column) + row_at<tile>(c, p.j) / 2 * (int)w.coarse_sj;
    p.offset = in_plane<tile>(c, p.column, p.j);
    p.vector_address = opaque(memory + (p.row * LANES + p.lane) * VECTOR_BYTES);
    p.cell_address = opaque(memory + (p.row * LANES + p.lane) * CELL_BYTES);
    p.high_face = opaque(p.lane == LANES - 1 ? beside_row(p) + tile::BI_END
                                             : p.vector_address + VECTOR_BYTES + tile::BI);
    return p;
}

/* The copies of a thread: its own two cells, and a vector or a cell of what surrounds the tile. */
struct copies {
    int offset, below; /* of its cells in the next plane of u and the one below it, in vectors */
    const real *from;  /* of the vector or cell; the same offsets are to be added */
    unsigned to;       /* its address in the first slot */
};

/* Offsets of the slots that a step's copies go to. */
struct copy_slots {
    unsigned u, step, bk;
};

/* Those of the copies for the step number `a` of a block; a ≤ AHEAD. Slot 0 of u has the plane
 * before the first step's. */
template <class tile>
DEVICE struct copy_slots slots_ahead(int a)
{
    return {(unsigned)(a + 1) * tile::U_BYTES, (unsigned)a * tile::STEP_BYTES,
            (unsigned)a * tile::BK_BYTES};
}

/* Sets the flags of the thread's copies too. */
template <class tile>
DEVICE struct copies initial_copies(const struct fv2_gsrb &w, struct thread_cells &p)
{
    const struct cells &c = w.c;
    const int first_column = p.column - p.lane, first_row = p.j - p.row,
              above = first_row + tile::ROWS, beside = first_row + p.lane,
              after = first_column + LANES;
    const unsigned here = p.vector_address - p.row * ROW_BYTES, cell = here - p.lane * CELL_BYTES;
    /* Ghosts at the high end whose neighbours are needed too. */
    const int beyond = tile::HALO > 1 ? open_high(c, 0) : 0;
    struct copies s = {};
    const real *from = w.f; /* any valid address: for threads that copy nothing beside their own */
    p.flags |= p.column <= p.columns + beyond && p.j <= p.end_j ? COPIES_OWN : 0;
    if (tile::VARIABLE && p.row == 0 && p.column < p.end_column && above <= p.end_j) {
        p.flags |= COPIES_VECTOR;
        s.to = here + tile::STEPS + tile::BJ_ABOVE;
        from = (const real *)vector_of(w.beta_j, in_plane<tile>(c, p.column, above));
    } else if (tile::VARIABLE && p.row == 1 && p.lane < tile::ROWS && after <= p.columns + beyond &&
               beside < p.end_j) {
        p.flags |= COPIES_CELL;
        s.to = cell + tile::STEPS + tile::BI_END;
        from = (const real *)vector_of(w.beta_i, in_plane<tile>(c, after, beside));
    } else if (!tile::ZERO && p.row == 2 && p.column < p.end_column && first_row != 0) {
        p.flags |= COPIES_VECTOR | COPIES_U;
        s.to = here + tile::U;
        from = (const real *)vector_of(w.in, in_plane<tile>(c, p.column, first_row - 1));
    } else if (!tile::ZERO && p.row == 3 && p.column < p.end_column &&
               above < p.end_j + open_high(c, 1)) {
        p.flags |= COPIES_VECTOR | COPIES_U;
        s.to = here + tile::U + tile::U_ABOVE;
        from = (const real *)vector_of(w.in, in_plane<tile>(c, p.column, above));
    } else if (tile::HALO > 1 && p.row == 4 && p.lane < tile::ROWS && first_column != 0 &&
               beside < p.end_j) {
        p.flags |= COPIES_CELL | COPIES_U;
        s.to = cell + tile::U + tile::U_LOW;
        from = (const real *)vector_of(w.in, in_plane<tile>(c, first_column - 1, beside)) + 1;
    } else if (tile::HALO > 1 && p.row == 5 && p.lane < tile::ROWS &&
               after < p.columns + 2 * beyond && beside < p.end_j) {
        p.flags |= COPIES_CELL | COPIES_U;
        s.to = cell + tile::U + tile::U_HIGH;
        from = (const real *)vector_of(w.in, in_plane<tile>(c, after, beside));
    }
    s.from = opaque(from - 2L * p.offset);
    p.flags = opaque(p.flags);
    return s;
}

/* The next plane of u is plane k. */
DEVICE void seek(const struct fv2_gsrb &w, const struct thread_cells &p, int k, struct copies &s)
{
    s.offset = p.offset + plane_at(w.c, k) * w.plane;
    s.below = p.offset + plane_at(w.c, k - 1) * w.plane;
}

/* Copies u of the plane before the first step's, with what surrounds the tile. */
template <class tile>
DEVICE void fetch_u(const struct fv2_gsrb &w, const struct thread_cells &p, const struct copies &s)
{
    if (p.flags & COPIES_OWN)
        copy_vector(p.vector_address + tile::U + tile::U_ROWS, vector_of(w.in, s.offset));
    if ((p.flags & COPIES_U) && (p.flags & COPIES_VECTOR))
        copy_vector(s.to, vector_of(s.from, s.offset));
    if ((p.flags & COPIES_U) && (p.flags & COPIES_CELL))
        copy_cell(s.to, vector_of(s.from, s.offset));
}

/* Copies all of a step. Planes beyond the last ones are ghosts; they are read but not used. */
template <class tile>
DEVICE void fetch(const struct fv2_gsrb &w, const struct thread_cells &p, const struct copies &s,
                  const struct copy_slots &to)
{
    const int own = p.flags & COPIES_OWN;
    const unsigned step = p.vector_address + to.step + tile::STEPS;
    if (!tile::ZERO)
        copy_vector_if(own, p.vector_address + to.u + tile::U + tile::U_ROWS,
                       vector_of(w.in, s.offset));
    copy_vector_if(own, step + tile::F, vector_of(w.f, s.below));
    if (tile::VARIABLE) {
        copy_vector_if(own, p.vector_address + to.bk + tile::BK, vector_of(w.beta_k, s.offset));
        copy_vector_if(own, step + tile::BI, vector_of(w.beta_i, s.below));
        copy_vector_if(own, step + tile::BJ, vector_of(w.beta_j, s.below));
    }
    if (tile::ALPHAS)
        copy_vector_if(own, step + tile::ALPHA, vector_of(w.alpha, s.below));
    if (tile::ZERO && !tile::VARIABLE)
        return;
    const bool of_u = !tile::VARIABLE || (!tile::ZERO && (p.flags & COPIES_U));
    const unsigned other = s.to + (of_u ? to.u : to.step);
    const real2 *from = vector_of(s.from, of_u ? s.offset : s.below);
    copy_vector_if(p.flags & COPIES_VECTOR, other, from);
    if (tile::VARIABLE || tile::HALO > 1)
        copy_cell_if(p.flags & COPIES_CELL, other, from);
}
} // namespace fv2
