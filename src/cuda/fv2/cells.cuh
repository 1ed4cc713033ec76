/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The operator on a thread's two cells, for the kernels of order 2 that stream through the planes.
 * A thread owns two neighbouring cells in i, as one real2. Walls are folded in: a ghost follows
 * from the cell itself and the next one inward. */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/core/reciprocal.cuh"
#include "cuda/core/shared_memory.cuh"
#include "operators/fv2.h"

namespace fv2
{
/* Blocks are 32 threads wide. They copy planes AHEAD steps before they are needed. */
enum { LANES = 32, AHEAD = 2 };
/* What follows the sweeps of a pass. */
enum finish { ONLY_SWEEPS, RESTRICTS, REDUCES };
enum { VECTOR_BYTES = sizeof(real2), CELL_BYTES = sizeof(real), ROW_BYTES = LANES * VECTOR_BYTES };

/* True if these kernels fit the level: rows consist of whole pairs of cells, and no cell is near
 * both ends of a direction. */
static inline bool has_even_rows(const struct level *level)
{
    const int *n = level->n;
    bool even = n[0] % 2 == 0 && n[1] % 2 == 0 && n[2] % 2 == 0 && extent_shortest(n) > 4;
    for (int q = 0; q < level->npatches; q++)
        even = even && level->patches[q].n[0] % 2 == 0;
    return even;
}

/* What an update reads of a cell besides u: f, α, and β on its low and high faces. */
struct cell_data {
    real f, alpha, bi0, bi1, bj0, bj1, bk0, bk1;
};

/* Values of the six neighbours. */
struct neighbours {
    real im, ip, jm, jp, km, kp;
};

/* The walls next to a cell. A thread's two cells have the same in j and k; in i only the end cells
 * of a row have one. */
struct walls {
    bool j0, j1, k0, k1, i0 = false, i1 = false;
};

/* Whether ghosts depend on the kind of their wall. β is 0 on Neumann walls, where there is β: the
 * flux is 0 whatever the ghost, and zeros of either sign leave the same residual (except of cells
 * where u and f are −0). So only operators without β have to tell the kinds apart. */
template <class Op>
static constexpr bool READS_KINDS = !Op::VARIABLE;

/* The weight of cell m inward from a wall in the ghost behind it. Constants: weights that are
 * parameters take registers. Rules of two cells have the factor 1. */
template <class Op>
DEVICE real ghost_weight(int wall, int m)
{
    return READS_KINDS<Op> && wall == WALL_NEUMANN
               ? side_weights_of(WALL_NEUMANN, WALL_QUADRATIC).row[0].weight[m]
               : side_weights_of(WALL_DIRICHLET, WALL_QUADRATIC).row[0].weight[m];
}

template <class Op>
DEVICE real ghost_behind(int wall, real u, real inward)
{
    return fma(ghost_weight<Op>(wall, 0), u, ghost_weight<Op>(wall, 1) * inward);
}

/* The wall at the ends of rows: WALLS is true wherever its kind matters. */
template <bool WALLS>
DEVICE int wall_at_end(const struct cells &c, int side)
{
    return WALLS ? c.wall[0][side] : (int)WALL_DIRICHLET;
}

/* True for all lanes if rows of the warp end at a wall whose kind matters. */
template <class Op>
DEVICE bool needs_kinds(const struct cells &c, int column)
{
    return READS_KINDS<Op> &&
           __any_sync(~0u, (column == 0 && c.wall[0][0] == WALL_NEUMANN) ||
                               (column == c.n[0] / 2 - 1 && c.wall[0][1] == WALL_NEUMANN));
}

/* Of the walls next to a thread's cells those next to cell E. WALLS: the warp is next to walls in j
 * or k, or needs_kinds(). */
template <int E, bool WALLS>
DEVICE struct walls walls_of_cell(bool end_of_row, const struct walls &w)
{
    return {WALLS && w.j0, WALLS && w.j1,        WALLS && w.k0,
            WALLS && w.k1, E == 0 && end_of_row, E == 1 && end_of_row};
}

/* Replaces each neighbour behind a wall by its ghost. */
template <class Op, bool WALLS>
DEVICE struct neighbours with_ghosts(struct neighbours n, real u, const struct walls &walls,
                                     const struct cells &c)
{
    const struct neighbours m = n;
    if (walls.i0)
        n.im = ghost_behind<Op>(wall_at_end<WALLS>(c, 0), u, m.ip);
    if (walls.i1)
        n.ip = ghost_behind<Op>(wall_at_end<WALLS>(c, 1), u, m.im);
    if (walls.j0)
        n.jm = ghost_behind<Op>(c.wall[1][0], u, m.jp);
    if (walls.j1)
        n.jp = ghost_behind<Op>(c.wall[1][1], u, m.jm);
    if (walls.k0)
        n.km = ghost_behind<Op>(c.wall[2][0], u, m.kp);
    if (walls.k1)
        n.kp = ghost_behind<Op>(c.wall[2][1], u, m.km);
    return n;
}

/* The ghosts beside a cell where u is 1 there and 0 elsewhere. */
template <class Op, bool WALLS>
DEVICE struct neighbours ghosts_of_unit(const struct walls &walls, const struct cells &c)
{
    const auto ghost = [](bool is_there, int wall) {
        return is_there ? ghost_weight<Op>(wall, 0) : (real)0.0;
    };
    return {ghost(walls.i0, wall_at_end<WALLS>(c, 0)),
            ghost(walls.i1, wall_at_end<WALLS>(c, 1)),
            ghost(walls.j0, c.wall[1][0]),
            ghost(walls.j1, c.wall[1][1]),
            ghost(walls.k0, c.wall[2][0]),
            ghost(walls.k1, c.wall[2][1])};
}

template <class Op>
DEVICE real operator_sum(real u, const neighbours &n, const cell_data &d)
{
    if (!Op::VARIABLE)
        return fv2_constant_sum(u, n.im, n.ip, n.jm, n.jp, n.km, n.kp);
    return fv2_sum(u, n.im, n.ip, n.jm, n.jp, n.km, n.kp, d.bi0, d.bi1, d.bj0, d.bj1, d.bk0, d.bk1);
}

template <class Op>
DEVICE real residual_of(real u, const neighbours &n, const cell_data &d, real scale)
{
    return Op::residual_from(d.f, d.alpha, u, scale, operator_sum<Op>(u, n, d));
}

/* 1 / A_ii: the diagonal is the operator's sum for 1 in the cell and 0 in all others. `unit` holds
 * the values beside the cell: 0, or ghosts that follow from the 1. */
template <class Op>
DEVICE real inverse_diagonal(const neighbours &unit, const cell_data &d, real scale)
{
    return reciprocal(fma(-scale, operator_sum<Op>(1.0, unit, d), d.alpha));
}

/* What updates read of a thread's cells in a plane besides u and β_k. `bi_end` is β on the high
 * face in i. */
struct plane_data {
    real2 f, alpha, bi, bj0, bj1;
    real bi_end;
};

/* α where no field holds it: a·α. */
template <class Op>
DEVICE real2 constant_alpha()
{
    const real alpha = (real)0.0 - Op::rhs(0.0, 1.0, 1.0);
    return make_real2(alpha, alpha);
}

/* Both cells' data; bk0 and bk1 are β below and above the plane. */
DEVICE void divide_data(const struct plane_data &d, real2 bk0, real2 bk1, cell_data *low,
                        cell_data *high)
{
    *low = {d.f.x, d.alpha.x, d.bi.x, d.bi.y, d.bj0.x, d.bj1.x, bk0.x, bk1.x};
    *high = {d.f.y, d.alpha.y, d.bi.y, d.bi_end, d.bj0.y, d.bj1.y, bk0.y, bk1.y};
}

/* Whether a row or lane is the block's own: tiles repeat the outermost `halo` of their neighbours.
 */
DEVICE bool is_own(int index, int size, int halo, bool first_tile, bool last_tile)
{
    return (index >= halo || first_tile) && (index < size - halo || last_tile);
}

DEVICE real component(real2 v, int e)
{
    return e ? v.y : v.x;
}

/* The neighbour in i of component E that is not the thread's own: the next lane's. */
template <int E>
DEVICE real beside(real2 u)
{
    return E ? __shfl_down_sync(0xffffffffu, u.x, 1) : __shfl_up_sync(0xffffffffu, u.y, 1);
}

DEVICE real2 beside_both(real2 u)
{
    return make_real2(beside<0>(u), beside<1>(u));
}

template <int E>
DEVICE neighbours gather(real2 u, real next, real jm, real jp, real km, real kp)
{
    return E ? neighbours{u.x, next, jm, jp, km, kp} : neighbours{next, u.y, jm, jp, km, kp};
}

/* Residuals of both cells: `beside` holds the neighbours in i that are not the thread's own, and
 * the other vectors the neighbours in j and k. */
template <class Op, bool WALLS>
DEVICE real2 residual_vector(const struct plane_data &d, real2 bk0, real2 bk1, real2 u,
                             real2 beside, real2 jm, real2 jp, real2 km, real2 kp, bool low_i,
                             bool high_i, const struct walls &walls, const struct cells &c,
                             real scale)
{
    cell_data low, high;
    divide_data(d, bk0, bk1, &low, &high);
    const neighbours x = with_ghosts<Op, WALLS>(gather<0>(u, beside.x, jm.x, jp.x, km.x, kp.x), u.x,
                                                walls_of_cell<0, WALLS>(low_i, walls), c);
    const neighbours y = with_ghosts<Op, WALLS>(gather<1>(u, beside.y, jm.y, jp.y, km.y, kp.y), u.y,
                                                walls_of_cell<1, WALLS>(high_i, walls), c);
    return make_real2(residual_of<Op>(u.x, x, low, scale), residual_of<Op>(u.y, y, high, scale));
}

/* The plane that plane k stands for. */
DEVICE int plane_at(const struct cells &c, int k)
{
    return c.wrap[2] ? wrapped(k, c.n[2]) : k;
}

/* The offset of the slot after this one. */
template <int BYTES, int SLOTS>
DEVICE unsigned next_slot(unsigned slot)
{
    if constexpr (BYTES == 0) /* a field that the operator lacks */
        return 0;
    else
        return slot < (SLOTS - 1) * BYTES ? slot + BYTES : 0;
}
} // namespace fv2
