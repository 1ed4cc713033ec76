/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_STEPS_CUH
#define CUDA_COARSE_STEPS_CUH
/* Parts of a pass that levels in bricks and solo levels have in common. */
#include <cuda/std/type_traits>
#include "cuda/fv4/gather.cuh"
#include "cuda/coarse/thread_group.cuh"
#include "cuda/core/interpolation.cuh"

static __device__ __forceinline__ bool prolongs(const struct tail_step &step)
{
    return step.start == START_PROLONG_SET || step.start == START_PROLONG_ADD;
}

/* Keeps a value in a register: the compiler would otherwise read it again in every sweep, which
 * would wait for it. */
static __device__ __forceinline__ void keep(int &x)
{
    asm volatile("" : "+r"(x));
}

static __device__ __forceinline__ void keep(double &x)
{
    asm volatile("" : "+d"(x));
}

/* Order 2: the neighbours in one direction, with a ghost in place of one that lies beyond a wall
 * (bit 0 low, 1 high; of two cells or more at most one is at a given wall). It is computed in any
 * case and then chosen or not, since a branch would take longer. */
static __device__ __forceinline__ void fold_wall(unsigned walls, double here, double *low,
                                                 double *high)
{
    const double ghost = wall_quadratic(here, walls & 1 ? *high : *low);
    *low = walls & 1 ? ghost : *low;
    *high = walls & 2 ? ghost : *high;
}

/* The same in all directions: the neighbours low in k, j and i, the cell, those high in i, j and k.
 */
static __device__ __forceinline__ void fold_walls(unsigned walls, double seven[7])
{
    fold_wall(walls, seven[3], &seven[2], &seven[4]);
    fold_wall(walls >> 2, seven[3], &seven[1], &seven[5]);
    fold_wall(walls >> 4, seven[3], &seven[0], &seven[6]);
}

/* f − A u by order 4's operator at the cell that u and the β point to, by whole warps. What a
 * direction needs is asked for before the first of it is waited for, which the compiler else does
 * not do. */
template <class Op>
static __device__ __forceinline__ double
residual_fv4(const double *u, int sj, int sk, const double *bi, const double *bj, const double *bk,
             double f, double alpha, double scale)
{
    if constexpr (Op::VARIABLE) {
        const struct fv4_cells cells =
            gather_fv4([=](int i, int j, int k) { return u[i + j * sj + k * sk]; });
        const struct fv4_faces i = fv4_faces_at(bi, 1, sj, sk);
        __syncwarp();
        const struct fv4_faces j = fv4_faces_at(bj, sj, 1, sk), k = fv4_faces_at(bk, sk, 1, sj);
        return Op::residual_from(f, alpha, cells.here, scale, fv4_sum_of(&cells, &i, &j, &k));
    } else {
        return Op::residual_at(u, sj, sk, bi, bj, bk, sj, sk, f, alpha, scale);
    }
}

/* Calls f(i,j,k) for the coarse cells under a brick, and for the ghosts that prolongation reads. */
template <int TEAM, class F>
static __device__ __forceinline__ void each_coarse(const struct divider &framed,
                                                   const walled_cells<int> &coarse, F f)
{
    const int width = framed.n, layers = (width - coarse.n[0]) / 2;
    const int all = width * width * (coarse.n[2] + 2 * layers);
    for (int x = threadIdx.x; x < all; x += TEAM) {
        int i, j, k;
        cube_cell(x, framed, &i, &j, &k);
        f(i - layers, j - layers, k - layers);
    }
}

/* Copies them, except ghosts behind walls, from the coarse level's field. */
template <int TEAM>
static __device__ __forceinline__ void fetch_coarse(const struct divider &framed,
                                                    const walled_cells<int> &coarse,
                                                    const double *from, int sj, int sk)
{
    each_coarse<TEAM>(framed, coarse, [&](int i, int j, int k) {
        if (!behind_wall(coarse, i, j, k))
            coarse.store(i + j * coarse.sj + k * coarse.sk, from[i + j * sj + k * sk]);
    });
}

/* Stores the ghosts behind walls. */
template <class Op, int TEAM>
static __device__ __forceinline__ void extend_coarse(int rule, const struct divider &framed,
                                                     const walled_cells<int> &coarse)
{
    using all = cuda::std::conditional_t<Op::ORDER == 4, wall_rules<4, 2, 1>, wall_rules<2, 1>>;
    with_rule(all{}, rule, [&](auto constant) {
        each_coarse<TEAM>(framed, coarse, [&](int i, int j, int k) {
            if (behind_wall(coarse, i, j, k))
                coarse.store(i + j * coarse.sj + k * coarse.sk,
                             ghost_value<decltype(constant)::value>(coarse, i, j, k));
        });
        meet<TEAM>();
    });
}

#endif
