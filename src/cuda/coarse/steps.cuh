/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_STEPS_CUH
#define CUDA_COARSE_STEPS_CUH
/* Parts of a pass that levels with several subdomains and single-block levels share. */
#include <cuda/std/type_traits>
#include "cuda/fv4/gather.cuh"
#include "cuda/coarse/barrier.cuh"
#include "cuda/core/interpolation.cuh"

DEVICE bool prolongs(const struct tail_step &step)
{
    return step.start == START_PROLONG_SET || step.start == START_PROLONG_ADD;
}

/* Keeps a value in a register. Otherwise the compiler reads it again in every sweep, which then
 * waits for it. */
DEVICE void keep(int &x)
{
    asm volatile("" : "+r"(x));
}

DEVICE void keep(double &x)
{
    asm volatile("" : "+d"(x));
}

/* Order 2: replaces the neighbour beyond a wall (bit 0 low, bit 1 high) by its ghost. Levels have
 * two cells or more per side, so at most one bit is set. The ghost is always computed and then
 * selected, since a branch takes longer. */
DEVICE void fold_wall(unsigned walls, double here, double *low, double *high)
{
    const double ghost = wall_quadratic(here, walls & 1 ? *high : *low);
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
    return Op::residual_at(seven + 3, 2, 3, faces, faces + 2, faces + 4, 1, 1, f, alpha, scale);
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
    if (Op::ORDER == 4 && relaxes_zero) {
        swap();
        sweep++;
    }
#pragma unroll 1
    for (; sweep < nsweeps; sweep++) {
        if (Op::ORDER == 4) {
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

/* Calls f(i,j,k) for the cells c of a coarse side, and the ghosts that prolongation reads. */
template <int THREADS, class F>
DEVICE void each_coarse(const struct divider &padded, const struct cells &c, F f)
{
    const int width = padded.n, layers = (width - c.n[0]) / 2;
    const int all = width * width * (c.n[2] + 2 * layers);
    for (int x = threadIdx.x; x < all; x += THREADS) {
        int i, j, k;
        cube_cell(x, padded, &i, &j, &k);
        f(i - layers, j - layers, k - layers);
    }
}

/* What a direction has to do with a cell's value: if the cell lies beyond a wall there, it follows
 * from the cells inward, else (then beyond is false, and the step is 0) from the cell itself. */
struct way_inward {
    bool beyond;
    int layer, place, step;
};

DEVICE struct way_inward way_of(const struct cells &c, int d, int at, int stride)
{
    struct way_inward w = {};
    int first = at, step = 0;
    w.beyond = beyond_wall(c, d, at, &w.layer, &first, &step);
    w.place = first * stride;
    w.step = step * stride;
    return w;
}

template <int RULE>
DEVICE double value_along(const struct way_inward &w, const double v[4])
{
    const double ghost = extrapolate(v, RULE, w.layer);
    return w.beyond ? ghost : v[0];
}

/* The ghost at (i,j,k), from cells inside: in i, then in j, then in k. Without a branch, since
 * lanes beside each other are behind different walls. */
template <int RULE>
DEVICE double ghost_value(const struct wall_view &x, int i, int j, int k)
{
    const struct way_inward in_i = way_of(x.c, 0, i, 1), in_j = way_of(x.c, 1, j, (int)x.c.sj),
                            in_k = way_of(x.c, 2, k, (int)x.c.sk);
    const double *from = x.x + in_i.place + in_j.place + in_k.place;
    double column[4];
#pragma unroll
    for (int o = 0; o < RULE; o++) {
        double row[4];
#pragma unroll
        for (int n = 0; n < RULE; n++) {
            double v[4];
#pragma unroll
            for (int m = 0; m < RULE; m++)
                v[m] = from[m * in_i.step + n * in_j.step + o * in_k.step];
            row[n] = value_along<RULE>(in_i, v);
        }
        column[o] = value_along<RULE>(in_j, row);
    }
    return value_along<RULE>(in_k, column);
}

/* Those ghosts of the coarse side that lie behind walls. */
template <int THREADS, int RULE>
DEVICE void extend_by_rule(const struct divider &padded, const struct wall_view &coarse)
{
    each_coarse<THREADS>(padded, coarse.c, [&](int i, int j, int k) {
        if (behind_wall(coarse.c, i, j, k))
            coarse.x[i + j * coarse.c.sj + k * coarse.c.sk] = ghost_value<RULE>(coarse, i, j, k);
    });
    group_sync<THREADS>();
}

/* Wall rules that a level may have. */
template <int... RULES>
struct wall_rules {
};

/* Calls f with the rule, one of these, as a constant, since what is extrapolated from then needs no
 * selection. */
template <int RULE, int... OTHERS, class F>
DEVICE void with_rule(wall_rules<RULE, OTHERS...>, int rule, F f)
{
    if constexpr (sizeof...(OTHERS) == 0) {
        f(cuda::std::integral_constant<int, RULE>{});
    } else {
        if (rule == RULE)
            f(cuda::std::integral_constant<int, RULE>{});
        else
            with_rule(wall_rules<OTHERS...>{}, rule, f);
    }
}

template <class Op, int THREADS>
DEVICE void extend_coarse(int rule, const struct divider &padded, const struct wall_view &coarse)
{
    using all = cuda::std::conditional_t<Op::ORDER == 4, wall_rules<4, 2, 1>, wall_rules<2, 1>>;
    with_rule(all{}, rule, [&](auto constant) {
        extend_by_rule<THREADS, decltype(constant)::value>(padded, coarse);
    });
}

#endif
