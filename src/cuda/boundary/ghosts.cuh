/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The folder boundary/ holds ghosts on the device. walls.cu stores those of a level's lists. This
 * file has what kernels with ghosts in shared memory share: a kernel numbers the cells next to
 * sides (side_cell, edge_cell), or asks about indices that may lie behind walls (behind_wall,
 * ghost_value): see docs/KERNELS.md. Ghosts on edges and corners apply the rule in i, then in j,
 * then in k. */
#include <type_traits>
#include "cuda/core/launch.cuh"
#include "operators/boundary.h"

/* The rules that a kernel's levels may have, as a type. */
template <int... RULES>
struct wall_rules {
};

/* Calls f with the rule, which is one of these, as a constant: then it needs no selection, and the
 * cells that it extrapolates from stay in registers. */
#pragma nv_exec_check_disable
template <int RULE, int... OTHERS, class F>
static __host__ __device__ __forceinline__ void with_rule(wall_rules<RULE, OTHERS...>, int rule,
                                                          const F &f)
{
    if constexpr (sizeof...(OTHERS) == 0) {
        f(std::integral_constant<int, RULE>{});
    } else {
        if (rule == RULE)
            f(std::integral_constant<int, RULE>{});
        else
            with_rule(wall_rules<OTHERS...>{}, rule, f);
    }
}

/* Cells of a box by offsets from cell (0,0,0) at x. Sides are numbered low i, high i, low j, high
 * j, low k, high k. */
template <class Offset>
struct walled_cells {
    enum { UNIT = 1 }; /* the offset of the next cell in i */
    real *x;
    int n[3];
    bool wall[3][2];
    Offset sj, sk;

    DEVICE_MEMBER real load(Offset at) const
    {
        return x[at];
    }
    DEVICE_MEMBER real2 load_pair(Offset at) const
    {
        return *(const real2 *)(x + at);
    }
    DEVICE_MEMBER void store(Offset at, real value) const
    {
        x[at] = value;
    }
    DEVICE_MEMBER void store_pair(Offset at, real2 pair) const
    {
        *(real2 *)(x + at) = pair;
    }
};

/* A cell next to one side or two, which are listed in ascending order. */
struct wall_cell {
    int at[3];
    int side[2];
};

template <class Offset>
DEVICE Offset offset_of(const walled_cells<Offset> &c, const int at[3])
{
    return at[0] + at[1] * c.sj + at[2] * c.sk;
}

template <class Offset>
DEVICE Offset step_inward(int side, Offset sj, Offset sk)
{
    const Offset along = side < 2 ? 1 : side < 4 ? sj : sk;
    return side & 1 ? -along : along;
}

/* Moves a cell one layer outward from a side. */
DEVICE void move_outward(int at[3], int side)
{
#pragma unroll
    for (int d = 0; d < 3; d++)
        at[d] += side / 2 != d ? 0 : side & 1 ? 1 : -1;
}

/* A choice, since registers have no index. */
static __host__ __device__ __forceinline__ int extent_of(const int n[3], int d)
{
    return d == 0 ? n[0] : d == 1 ? n[1] : n[2];
}

/* The cells of both sides in direction d. */
static __host__ __device__ __forceinline__ int cells_across(const int n[3], int d)
{
    return 2 * (d == 0 ? n[1] : n[0]) * (d == 2 ? n[1] : n[2]);
}

static __host__ __device__ __forceinline__ int side_cells(const int n[3])
{
    return cells_across(n, 0) + cells_across(n, 1) + cells_across(n, 2);
}

static __host__ __device__ __forceinline__ int edge_cells(const int n[3])
{
    return 4 * (n[0] + n[1] + n[2]);
}

/* Number x of the cells next to sides, side by side, in rows along the lower one of the directions
 * in a side. divide(x, length) is x / length, of rows. */
template <class Divide>
DEVICE struct wall_cell side_cell(const int n[3], int x, const Divide &divide)
{
    int d = 0, both = cells_across(n, 0);
    while (x >= both) {
        x -= both;
        both = cells_across(n, ++d);
    }
    const int high = x >= both / 2, width = d == 0 ? n[1] : n[0];
    x -= high * both / 2;
    const int b = divide(x, width), a = x - b * width, end = high * (extent_of(n, d) - 1);
    return {{d == 0 ? end : a, d == 0 ? a : d == 1 ? end : b, d == 2 ? end : b}, {2 * d + high}};
}

/* Number x of the cells next to edges: four edges in i, then in j, then in k, cell by cell. */
DEVICE struct wall_cell edge_cell(const int n[3], int x)
{
    int along = 0, length = n[0];
    while (x >= 4 * length) {
        x -= 4 * length;
        length = extent_of(n, ++along);
    }
    const int edge = (x >= length) + (x >= 2 * length) + (x >= 3 * length), high_first = edge & 1,
              high_second = edge >> 1, at = x - edge * length,
              first = high_first * ((along == 0 ? n[1] : n[0]) - 1),
              second = high_second * ((along == 2 ? n[1] : n[2]) - 1);
    return {{along == 0 ? at : first,
             along == 0   ? first
             : along == 1 ? at
                          : second,
             along == 2 ? at : second},
            {(along == 0 ? 2 : 0) + high_first, (along == 2 ? 2 : 4) + high_second}};
}

/* Both ghosts of a line by a quartic rule. */
struct ghosts {
    real first, second;
};

DEVICE real quartic_ghost(const struct side_weights &side, int layer, const real v[4])
{
    return side_ghost(&side, WALL_QUARTIC, layer, v);
}

DEVICE struct ghosts quartic_ghosts(const struct side_weights &side, const real v[4])
{
    return {quartic_ghost(side, 0, v), quartic_ghost(side, 1, v)};
}

/* The cell at an offset and the cells inward from it that a rule uses, then zeros. */
template <class Cells, class Offset>
DEVICE void load_line(const Cells &cells, Offset cell, Offset inward, int count,
                      real v[MAX_WALL_CELLS])
{
#pragma unroll
    for (int m = 0; m < MAX_WALL_CELLS; m++)
        v[m] = m < count ? cells.load(cell + m * inward) : (real)0.0;
}

/* Stores the ghosts behind a cell next to one wall, by a rule of `count` cells. */
template <class Cells, class Offset>
DEVICE void fill_line(const Cells &cells, Offset cell, Offset inward,
                      const struct side_weights &side, int count, int layers)
{
    enum { MAX_LAYERS = 3 };
    real v[MAX_WALL_CELLS];
    load_line(cells, cell, inward, count, v);
#pragma unroll
    for (int layer = 0; layer < MAX_LAYERS; layer++)
        if (layer < layers)
            cells.store(cell - (layer + 1) * inward, side_ghost(&side, count, layer, v));
}

/* The same for both ghosts by a quartic rule behind a wall in i, by pairs of cells: even i must be
 * at multiples of 16 bytes. ghosts(v) are those of the cells v. */
template <class Cells, class Offset, class Ghosts>
DEVICE void fill_row_end(const Cells &cells, Offset cell, bool high, const Ghosts &ghosts)
{
    enum { UNIT = Cells::UNIT };
    const real2 near = cells.load_pair(high ? cell - UNIT : cell),
                far = cells.load_pair(high ? cell - 3 * UNIT : cell + 2 * UNIT);
    const real v[4] = {high ? near.y : near.x, high ? near.x : near.y, high ? far.y : far.x,
                       high ? far.x : far.y};
    const struct ghosts g = ghosts(v);
    cells.store_pair(high ? cell + UNIT : cell - 2 * UNIT,
                     high ? make_real2(g.first, g.second) : make_real2(g.second, g.first));
}

/* The ghost behind a cell next to two walls, in the first layer of both, from load(o,m), the cell o
 * and m cells inward. first(v) and second(v) are the walls' rules, from `count` cells each; that of
 * the first wall comes first. */
template <class Load, class First, class Second>
DEVICE real edge_ghost(int count, const Load &load, const First &first, const Second &second)
{
    real ghosts[MAX_WALL_CELLS];
#pragma unroll
    for (int m = 0; m < MAX_WALL_CELLS; m++) {
        real v[MAX_WALL_CELLS];
#pragma unroll
        for (int o = 0; o < MAX_WALL_CELLS; o++)
            v[o] = max(o, m) < count ? load(o, m) : (real)0.0;
        ghosts[m] = first(v);
    }
    return second(ghosts);
}

/* Whether index `at` of direction d lies behind a wall; then its layer, and the index and step of
 * the cells inward from it. */
template <class Offset>
DEVICE bool beyond_wall(const walled_cells<Offset> &c, int d, int at, int *layer, int *first,
                        int *step)
{
    if (at < 0 && c.wall[d][0]) {
        *layer = -at - 1;
        *first = 0;
        *step = 1;
        return true;
    }
    if (at >= c.n[d] && c.wall[d][1]) {
        *layer = at - c.n[d];
        *first = c.n[d] - 1;
        *step = -1;
        return true;
    }
    return false;
}

template <class Offset>
DEVICE bool behind_wall(const walled_cells<Offset> &c, int i, int j, int k)
{
    int layer, first, step;
    return beyond_wall(c, 0, i, &layer, &first, &step) ||
           beyond_wall(c, 1, j, &layer, &first, &step) ||
           beyond_wall(c, 2, k, &layer, &first, &step);
}

/* What one direction does to a value. Behind a wall in that direction the value is a ghost of cells
 * inward; elsewhere it is the cell itself, and the step is 0. */
template <class Offset>
struct way_inward {
    bool beyond;
    int side, layer;
    Offset first, step;
};

template <class Offset>
DEVICE struct way_inward<Offset> way_of(const walled_cells<Offset> &c, int d, int at,
                                        Offset stride) {
    struct way_inward<Offset> w = {
    };
    int first = at, step = 0;
    w.beyond = beyond_wall(c, d, at, &w.layer, &first, &step);
    w.side = 2 * d + (at > 0);
    w.first = first * stride;
    w.step = step * stride;
    return w;
}

template <class Offset, class Ghost>
DEVICE real value_along(const way_inward<Offset> &w, const real v[4], const Ghost &behind)
{
    const real ghost = behind(w.side, w.layer, v);
    return w.beyond ? ghost : v[0];
}

/* v[m] = value, without an index. */
DEVICE void set(real v[4], int m, real value)
{
#pragma unroll
    for (int x = 0; x < 4; x++)
        v[x] = x == m ? value : v[x];
}

/* The value at (i,j,k), which is a ghost behind some wall. behind(side, layer, v) is the ghost of
 * the cells v inward from a wall. There is no branch, since neighbouring lanes have ghosts behind
 * different walls. The loops of the quartic rule are not unrolled: 64 loads at once need registers
 * that the tail would spill. */
template <int RULE, class Offset, class Ghost>
DEVICE real ghost_value(const walled_cells<Offset> &c, int i, int j, int k, const Ghost &behind)
{
    [[maybe_unused]] constexpr int UNROLL = RULE == WALL_QUARTIC ? 1 : MAX_WALL_CELLS;
    constexpr int count = RULE;
    const struct way_inward<Offset> in_i = way_of<Offset>(c, 0, i, 1), in_j = way_of(c, 1, j, c.sj),
                                    in_k = way_of(c, 2, k, c.sk);
    const real *from = c.x + in_i.first + in_j.first + in_k.first;
    real column[4] = {};
#pragma unroll UNROLL
    for (int o = 0; o < count; o++) {
        real row[4] = {};
#pragma unroll UNROLL
        for (int n = 0; n < count; n++) {
            real v[4];
#pragma unroll
            for (int m = 0; m < count; m++)
                v[m] = from[m * in_i.step + n * in_j.step + o * in_k.step];
            set(row, n, value_along(in_i, v, behind));
        }
        set(column, o, value_along(in_j, row, behind));
    }
    return value_along(in_k, column, behind);
}
