/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The residual at one cell of the tail kernel's tiles, by one thread, and the order of half-sweeps.
 */
#include "cuda/coarse/tail_launch.cuh"
#include "cuda/core/operators.cuh"

/* Order 2: replaces the neighbour beyond a wall (bit 0 low, bit 1 high) by its ghost. Levels have
 * two cells or more per side, so at most one bit is set. The ghost is always computed and then
 * selected, since a branch takes longer. */
template <class Op>
DEVICE void fold_wall(const struct tail_walls &rules, int d, unsigned walls, double here,
                      double *low, double *high)
{
    const double v[MAX_WALL_CELLS] = {here, walls & 1 ? *high : *low, 0.0, 0.0},
                 ghost = ghost_behind<Op, WALL_QUADRATIC>(rules, 2 * d + (walls >> 1 & 1), 0, v);
    *low = walls & 1 ? ghost : *low;
    *high = walls & 2 ? ghost : *high;
}

/* The same in all directions, of the neighbours low in k, j and i, the cell, and those high in i, j
 * and k. */
template <class Op>
DEVICE void fold_walls(const struct tail_walls &rules, unsigned walls, double seven[7])
{
#pragma unroll
    for (int d = 0; d < 3; d++)
        fold_wall<Op>(rules, d, walls >> (2 * d), seven[3], &seven[2 - d], &seven[4 + d]);
}

/* Order 2: f − A u at the middle one of these seven values, with β on the six faces of its cell. */
template <class Op>
DEVICE double residual_fv2(const double seven[7], const double faces[6], double f, double alpha,
                           double scale)
{
    const struct near near = {seven + 3, {1, 2, 3}, {faces, faces + 2, faces + 4}, {1, 1, 1}};
    return Op::residual_near(near, f, alpha, scale);
}

/* Loads β on the faces of a cell, low and high in i, j and k, from three successive tiles. */
template <int SJ, int SK, int LENGTH>
DEVICE void load_faces(const double *beta, double faces[6])
{
#pragma unroll
    for (int side = 0; side < 6; side++)
        faces[side] = beta[side / 2 * LENGTH + (side & 1) * (side < 2 ? 1 : side < 4 ? SJ : SK)];
}

/* f − A u by order 4's operator at the cell that u and the β point to, by whole warps. Issues all
 * loads of a direction before it waits for the first, which the compiler alone does not. */
template <class Op>
DEVICE double residual_fv4(const double *u, int sj, int sk, const double *bi, const double *bj,
                           const double *bk, double f, double alpha, double scale)
{
    const struct near near = near_at(u, bi, bj, bk, sj, sk);
    if constexpr (Op::VARIABLE) {
        const struct fv4_cells cells = fv4_cells_near(near);
        const struct fv4_faces i = fv4_faces_near(near, 0);
        __syncwarp();
        const struct fv4_faces j = fv4_faces_near(near, 1), k = fv4_faces_near(near, 2);
        return Op::residual_from(f, alpha, cells.here, scale, fv4_sum_of(&cells, &i, &j, &k));
    } else {
        return Op::residual_near(near, f, alpha, scale);
    }
}

/* Calls half_sweep(half, sweep) for all sweeps of one colour each; `half` says which half of a
 * thread's cells. Order 4 has one copy of the code for both colours, since two do not fit into the
 * instruction cache: swap() then exchanges the halves. */
template <class Op, class HalfSweep, class Swap>
DEVICE void each_half_sweep(int nsweeps, bool relaxes_zero, HalfSweep half_sweep, Swap swap)
{
    int sweep = 0;
    if (Op::RADIUS > 1 && relaxes_zero) {
        swap();
        sweep++;
    }
#pragma unroll 1
    for (; sweep < nsweeps; sweep++) {
        if (Op::RADIUS > 1) {
            half_sweep(0, sweep);
            swap();
        } else {
            if (sweep > 0 || !relaxes_zero)
                half_sweep(0, sweep);
            sweep++;
            half_sweep(1, sweep);
        }
    }
}
