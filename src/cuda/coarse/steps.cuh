/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_STEPS_CUH
#define CUDA_COARSE_STEPS_CUH
/* Parts of a pass that levels with several subdomains and single-block levels share. */
#include <cuda/std/type_traits>
#include "cuda/core/fences.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/coarse/barrier.cuh"
#include "cuda/core/interpolation.cuh"

/* The index of the cell whose periodic image is at index `at`, which is less than n cells outside
 * of n; an index inside stays. */
DEVICE int wrapped(int at, int n)
{
    return at < 0 ? at + n : at >= n ? at - n : at;
}

DEVICE bool prolongs(const struct tail_step &step)
{
    return step.start == START_PROLONG_SET || step.start == START_PROLONG_ADD;
}

/* Order 2: replaces the neighbour beyond a wall (bit 0 low, bit 1 high) by its ghost. Levels have
 * two cells or more per side, so at most one bit is set. The ghost is always computed and then
 * selected, since a branch takes longer. */
DEVICE void fold_wall(unsigned walls, double here, double *low, double *high)
{
    const double ghost = quadratic_ghost(here, walls & 1 ? *high : *low);
    *low = walls & 1 ? ghost : *low;
    *high = walls & 2 ? ghost : *high;
}

/* The same in all directions, of the neighbours low in k, j and i, the cell, and those high in i, j
 * and k. */
DEVICE void fold_walls(unsigned walls, double seven[7])
{
    fold_wall(walls, seven[3], &seven[2], &seven[4]);
    fold_wall(walls >> 2, seven[3], &seven[1], &seven[5]);
    fold_wall(walls >> 4, seven[3], &seven[0], &seven[6]);
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

/* The coarse u under a subdomain of so many coarse cells, in shared memory at x. */
DEVICE walled_cells<int> coarse_cells(double *x, int n, int depth, unsigned walls, int sj, int sk)
{
    walled_cells<int> c = {x, {n, n, depth}, {}, sj, sk};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++)
            c.wall[d][side] = walls >> (2 * d + side) & 1;
    return c;
}

/* Calls f(i,j,k) for these cells, and for the ghosts that prolongation reads. */
template <int THREADS, class F>
DEVICE void each_coarse(const struct divider &padded, const walled_cells<int> &coarse, F f)
{
    const int width = padded.n, layers = (width - coarse.n[0]) / 2;
    const int all = width * width * (coarse.n[2] + 2 * layers);
    for (int x = threadIdx.x; x < all; x += THREADS) {
        int i, j, k;
        cube_cell(x, padded, &i, &j, &k);
        f(i - layers, j - layers, k - layers);
    }
}

/* A level's cells in its field, of which those that begin at (i,j,k) are copied. */
struct source_cells {
    const double *field;
    int n, sj, sk; /* cells per side */
    int i, j, k;
};

/* The element of cell (i,j,k) of the copy; of the cell inside, if that is a periodic image. */
DEVICE int source_element(const struct source_cells &from, int i, int j, int k)
{
    return wrapped(from.i + i, from.n) + wrapped(from.j + j, from.n) * from.sj +
           wrapped(from.k + k, from.n) * from.sk;
}

/* Copies them, except ghosts behind walls, from the coarse level's field. */
template <int THREADS>
DEVICE void fetch_coarse(const struct divider &padded, const walled_cells<int> &coarse,
                         const struct source_cells &from)
{
    each_coarse<THREADS>(padded, coarse, [&](int i, int j, int k) {
        if (!behind_wall(coarse, i, j, k))
            coarse.store(i + j * coarse.sj + k * coarse.sk,
                         from.field[source_element(from, i, j, k)]);
    });
}

/* The value at (i,j,k): a ghost behind some wall, or a periodic image of a cell of the level. */
template <int RULE>
DEVICE double value_beyond(const walled_cells<int> &c, int i, int j, int k)
{
    const int n = c.n[0];
    if constexpr (RULE == PERIODIC_IMAGES)
        return c.load(wrapped(i, n) + wrapped(j, n) * c.sj + wrapped(k, n) * c.sk);
    else
        return ghost_value<RULE>(c, i, j, k);
}

/* Stores the ghosts behind walls, or periodic images beyond what are given as the walls. */
template <int THREADS, int RULE>
DEVICE void extend_by_rule(const struct divider &padded, const walled_cells<int> &coarse)
{
    each_coarse<THREADS>(padded, coarse, [&](int i, int j, int k) {
        if (behind_wall(coarse, i, j, k))
            coarse.store(i + j * coarse.sj + k * coarse.sk, value_beyond<RULE>(coarse, i, j, k));
    });
    group_sync<THREADS>();
}

template <class Op, int THREADS>
DEVICE void extend_coarse(int rule, const struct divider &padded, const walled_cells<int> &coarse)
{
    using all = cuda::std::conditional_t<
        (Op::RADIUS > 1), wall_rules<WALL_QUARTIC, WALL_QUADRATIC, WALL_LINEAR, PERIODIC_IMAGES>,
        wall_rules<WALL_QUADRATIC, WALL_LINEAR, PERIODIC_IMAGES>>;
    with_rule(all{}, rule, [&](auto constant) {
        extend_by_rule<THREADS, decltype(constant)::value>(padded, coarse);
    });
}

#endif
