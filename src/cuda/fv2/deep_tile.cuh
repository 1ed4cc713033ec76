/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The tile of a block of the deep kernel in shared memory, and the copies of planes to it. */
#include <cuda_pipeline.h>
#include "cuda/core/cluster.cuh"
#include "cuda/core/fences.cuh"
#include "cuda/core/shared_memory.cuh"
#include "cuda/core/tiles.cuh"
#include "cuda/fv2/cells.cuh"
#include "cuda/pass.cuh"

/* One launch of the deep kernel: half-sweeps of `in` to `out`, and the residual after them if it is
 * to be restricted or reduced to its norm. All fields have the layout of patch c; pointers are at
 * cell (0,0,0). in and out differ. Variants that begin at zero do not read `in`. Beyond open sides
 * as many layers of ghosts are there as half-sweeps and the residual read (in i an even number, of
 * which the last one may hold anything), in wrapped directions none. What is computed in ghosts is
 * not stored. At most one of coarse and norm is set. */
struct fv2_deep : operands {
    struct cells c;
    const real *in;
    real *out;
    int parity; /* of the global index of cell (0,0,0): the first half-sweep updates even cells */
    enum pass_region region; /* all if there is a norm */
    real *coarse;            /* at cell (0,0,0): the residual is restricted to this */
    long coarse_sj, coarse_sk;
    unsigned long long *norm; /* atomic maximum of the bits of the residual's magnitudes */
    int back;                 /* from the last plane to the first, in cells */
};

namespace fv2
{
/* Cells of a tile in i: two warps; how many of them are the tile's own, so that its rows begin at
 * multiples of 128 bytes. */
enum { DEEP_WIDTH = 64, DEEP_OWN = 48 };
enum { BARRIER_BYTES = sizeof(barrier_word) };

/* The fewest slots, at least `least`, that the steps of a loop take in turn which is unrolled so
 * many times. */
constexpr int deep_slots(int unrolled, int least)
{
    return unrolled % least == 0 ? least : deep_slots(unrolled, least + 1);
}

/* How often the loop over the planes is unrolled: so that slots are constants, and few more than
 * these are needed. The code must fit into the instruction cache. In a cluster two barriers, each
 * with two parities, take turns. */
constexpr int deep_unrolled(int slots, bool cluster)
{
    return slots == 4 ? 4 : slots > 6 ? 8 : cluster ? 12 : 6;
}

static __host__ __device__ constexpr int deep_even(int x)
{
    return (x + 1) / 2 * 2;
}

/* A variant of the kernel for the operator Op: its number of half-sweeps, and what follows them. A
 * block has 64 threads for each pair of rows. `blocks` blocks, one above the other in j, are a
 * cluster, and have a tile together. What is not its own in the tile repeats its neighbours.
 *
 * In step t half-sweep s updates plane t − s. Slot t holds u of plane t + 1 (U), β in i and j, and
 * α, of plane t (STEP), which all half-sweeps read, and f of plane t with β_k above it (F), which
 * only step t reads. Row 0 of a slot of u is the one below the block. NEW holds the values that
 * half-sweeps of the last step and of this one have computed, one row for each pair, between those
 * of the block below and of the block above. */
template <class Op, bool zero, finish then, int sweeps, int pairs, int blocks>
struct deep_tile {
    using op = Op;
    static constexpr bool VARIABLE = Op::VARIABLE, ALPHAS = Op::READS_ALPHA, ZERO = zero;
    static constexpr finish FINISH = then;
    static constexpr bool FINISHES = then != ONLY_SWEEPS;
    static constexpr int SWEEPS = sweeps, PAIRS = pairs, BLOCKS = blocks;
    static constexpr int DEPTH = SWEEPS + FINISHES; /* planes that are worked on at a time */
    /* How many steps before they are needed copies are issued. */
    static constexpr int COPIES_AHEAD = DEPTH <= 6 && !ALPHAS ? 2 : 1;
    static constexpr int UNROLLED = deep_unrolled(DEPTH + COPIES_AHEAD, BLOCKS > 1);
    static constexpr int ROWS = 2 * PAIRS, THREADS = DEEP_WIDTH * PAIRS;
    /* The first half-sweep is right in all rows, each later one, and the residual, in one row less
     * at either end. Pairs of rows that are restricted are not divided. */
    static constexpr int HALO_I = (DEEP_WIDTH - DEEP_OWN) / 2,
                         HALO_J = FINISH == RESTRICTS ? deep_even(DEPTH - 1) : DEPTH - 1;
    static constexpr int OWN_I = DEEP_OWN, OWN_J = BLOCKS * ROWS - 2 * HALO_J;
    static_assert(DEPTH <= HALO_I && OWN_J > 0, "tile");

    static constexpr int U_SLOTS = deep_slots(UNROLLED, COPIES_AHEAD + 2);
    static constexpr int STEP_SLOTS = deep_slots(UNROLLED, DEPTH + COPIES_AHEAD);
    static constexpr int F_SLOTS = deep_slots(UNROLLED, COPIES_AHEAD + 1);

    static constexpr int PLANE = ROWS * ROW_BYTES;
    static constexpr int U_BYTES = ZERO ? 0 : PLANE + 2 * ROW_BYTES;
    static constexpr int BI_ROW = ROW_BYTES + VECTOR_BYTES; /* with the face after the last cell */
    static constexpr int BI = 0, BJ = VARIABLE ? ROWS * BI_ROW : 0;
    static constexpr int ALPHA = BJ + (VARIABLE ? PLANE + ROW_BYTES : 0);
    static constexpr int STEP_BYTES = ALPHA + (ALPHAS ? PLANE : 0);
    static constexpr int BK = PLANE, F_BYTES = PLANE + (VARIABLE ? PLANE : 0);
    static constexpr int SENT = DEPTH - 1; /* half-sweeps whose values others read */
    static constexpr int NEW_BYTES = (PAIRS + 2) * ROW_BYTES;

    static constexpr int U = 0, STEP = U + U_SLOTS * U_BYTES;
    static constexpr int F = STEP + STEP_SLOTS * STEP_BYTES, NEW = F + F_SLOTS * F_BYTES;
    static constexpr int ALL_NEW_BYTES = SENT * NEW_BYTES; /* of one step */
    /* Two barriers, of even and of odd steps, for values from below, and two from above. */
    static constexpr int BARRIERS = NEW + 2 * ALL_NEW_BYTES, FROM_ABOVE = 2 * BARRIER_BYTES;
    static constexpr int BYTES = BARRIERS + 4 * BARRIER_BYTES;
    static_assert(BYTES <= 227 * 1024, "more than compute capability 9.0 has");
    /* In a step every other cell of a row is sent. */
    static constexpr int BYTES_PER_STEP = DEEP_WIDTH / 2 * CELL_BYTES * SENT;
};

/* Cells of its tile that a tile repeats of its neighbours, at either end. */
template <class tile>
static __host__ __device__ constexpr int deep_halo(int d)
{
    return d == 0 ? tile::HALO_I : tile::HALO_J;
}

/* How far the first tile of a direction begins before the patch: pairs of rows begin at even ones.
 */
template <class tile>
static __host__ __device__ int deep_before(const struct cells &c, int d)
{
    return c.wall[d][0] ? 0 : deep_even(deep_halo<tile>(d));
}

template <class tile>
static __host__ __device__ constexpr int deep_own(int d)
{
    return d == 0 ? tile::OWN_I : tile::OWN_J;
}

/* Tiles across a direction. Tiles begin and end at walls, and beyond other sides. */
template <class tile>
static int deep_tiles(const struct cells &c, int d)
{
    const int halo = deep_halo<tile>(d),
              rest = c.n[d] + deep_before<tile>(c, d) - halo * (c.wall[d][1] ? 2 : 1);
    return max(1, cuda_divided(rest, deep_own<tile>(d)));
}

/* The tiles of a patch, for a given number of planes per block, and the cells that they read. */
struct deep_grid {
    int n[3];
    struct tile_reads reads[3];
};

template <class tile>
static struct deep_grid deep_grid_of(const struct cells &c, int planes)
{
    return {{deep_tiles<tile>(c, 0), deep_tiles<tile>(c, 1), cuda_divided(c.n[2], planes)},
            {{-deep_before<tile>(c, 0), tile::OWN_I, DEEP_WIDTH + 2},
             {-deep_before<tile>(c, 1) - 1, tile::OWN_J, tile::BLOCKS * tile::ROWS + 2},
             {-tile::DEPTH, planes, planes + 2 * tile::DEPTH}}};
}

/* The first cell of tile number `number` in direction d. */
template <class tile>
DEVICE int deep_first(const struct cells &c, int d, int number)
{
    return number * deep_own<tile>(d) - deep_before<tile>(c, d);
}

/* Index x around the patch if direction d wraps; else the nearest that fields have: up to the face
 * at a wall, and as many layers beyond an open side as are read. Columns are copied by twos. */
template <class tile>
DEVICE int deep_index(const struct cells &c, int d, int x)
{
    const int n = c.n[d], layers = d == 0 ? deep_even(tile::DEPTH) : tile::DEPTH;
    if (c.wrap[d])
        return (x % n + n) % n;
    return max(c.wall[d][0] ? 0 : -layers,
               min(x, c.wall[d][1] ? n : n + layers - (d == 0 ? 2 : 1)));
}

/* What a thread copies of each plane: two cells, and two more of what surrounds the tile. Offsets
 * are from cell (0,0,0), in cells, without the plane's. */
struct deep_copies {
    int own, other;
    unsigned to, other_to; /* addresses in slot 0 */
    int kind;
    int plane; /* of the next step's copies: the offset of its plane */
};
enum deep_copy { DEEP_NOTHING, DEEP_U, DEEP_STEP };

template <class tile>
DEVICE struct deep_copies deep_initial_copies(const struct fv2_deep &w, int x0, int y0, int start)
{
    const struct cells &c = w.c;
    const int lane = threadIdx.x % 32, row = threadIdx.x / 32, sj = (int)c.sj;
    const int column = deep_index<tile>(c, 0, x0 + 2 * lane);
    const auto row_at = [&](int j) { return deep_index<tile>(c, 1, j) * sj; };
    const unsigned here = (unsigned)shared_begin() + lane * VECTOR_BYTES;
    struct deep_copies s = {};
    s.own = row_at(y0 + row) + column;
    s.to = here;
    if (row < 2 && !tile::ZERO) {
        s.kind = DEEP_U;
        s.other = row_at(y0 + (row ? tile::ROWS : -1)) + column;
        s.other_to = here + tile::U + (row ? (tile::ROWS + 1) * ROW_BYTES : 0);
    } else if (row == 2 && tile::VARIABLE) {
        s.kind = DEEP_STEP;
        s.other = row_at(y0 + tile::ROWS) + column;
        s.other_to = here + tile::STEP + tile::BJ + tile::PLANE;
    } else if (row == 3 && lane < tile::ROWS && tile::VARIABLE) {
        s.kind = DEEP_STEP;
        s.other = row_at(y0 + lane) + deep_index<tile>(c, 0, x0 + DEEP_WIDTH);
        s.other_to =
            (unsigned)shared_begin() + tile::STEP + tile::BI + lane * tile::BI_ROW + ROW_BYTES;
    }
    s.plane = (c.wrap[2] ? deep_index<tile>(c, 2, start) : start) * (int)c.sk;
    return s;
}

/* Copies for step t, which is number `q` in the unrolled loop. */
template <class tile>
DEVICE void deep_copy(const struct fv2_deep &w, struct deep_copies &s, int t, const int q)
{
    const int row = threadIdx.x / 32 * ROW_BYTES, faces = threadIdx.x / 32 * tile::BI_ROW;
    const unsigned u = s.to + (q + 1) % tile::U_SLOTS * tile::U_BYTES + tile::U + ROW_BYTES + row,
                   step = s.to + q % tile::STEP_SLOTS * tile::STEP_BYTES + tile::STEP,
                   f = s.to + q % tile::F_SLOTS * tile::F_BYTES + tile::F + row;
    const bool turn = w.c.wrap[2] && (t + 1 == 0 || t + 1 == w.c.n[2]);
    const int plane = s.plane, above = plane + (turn ? w.back : (int)w.c.sk);
    if (!tile::ZERO)
        copy_vector(u, w.in + (above + s.own));
    copy_vector(f, w.f + (plane + s.own));
    if (tile::VARIABLE) {
        copy_vector(f + tile::BK, w.beta_k + (above + s.own));
        copy_vector(step + tile::BI + faces, w.beta_i + (plane + s.own));
        copy_vector(step + tile::BJ + row, w.beta_j + (plane + s.own));
    }
    if (tile::ALPHAS)
        copy_vector(step + tile::ALPHA + row, w.alpha + (plane + s.own));
    if (!tile::ZERO && s.kind == DEEP_U)
        copy_vector(s.other_to + (q + 1) % tile::U_SLOTS * tile::U_BYTES, w.in + (above + s.other));
    if (tile::VARIABLE && s.kind == DEEP_STEP)
        copy_vector(s.other_to + q % tile::STEP_SLOTS * tile::STEP_BYTES,
                    (threadIdx.x / 32 == 2 ? w.beta_j : w.beta_i) + (plane + s.other));
    s.plane = above;
}

/* Copies u of the plane before the first step's. */
template <class tile>
DEVICE void deep_copy_first(const struct fv2_deep &w, const struct deep_copies &s)
{
    if (tile::ZERO)
        return;
    copy_vector(s.to + tile::U + ROW_BYTES + threadIdx.x / 32 * ROW_BYTES,
                w.in + (s.plane + s.own));
    if (s.kind == DEEP_U)
        copy_vector(s.other_to, w.in + (s.plane + s.other));
}
} // namespace fv2
