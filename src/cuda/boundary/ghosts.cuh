/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_BOUNDARY_GHOSTS_CUH
#define CUDA_BOUNDARY_GHOSTS_CUH
/* Values of ghost cells behind Dirichlet walls, from the cells inward. */
#include "cuda/core/launch.cuh"
#include "operators/boundary.h"

/* Ghost in layer 0 or 1 from the cells inward from the wall. */
static __device__ __forceinline__ double extrapolate(const double v[4], int rule, int layer)
{
    if (rule == 4)
        return layer == 0 ? wall_quartic(v[0], v[1], v[2], v[3])
                          : wall_quartic_second(v[0], v[1], v[2], v[3]);
    if (layer > 0)
        return 0.0;
    return rule == 2 ? wall_quadratic(v[0], v[1]) : wall_linear(v[0]);
}

/* Both ghosts of an end of a row, by the quartic rule, as they lie in memory: `near` and `far` are
 * the pairs of cells next to the wall and after them, which is on the high side or the low one. */
static __device__ __forceinline__ double2 row_end_ghosts(double2 near, double2 far, bool high)
{
    const double v[4] = {high ? near.y : near.x, high ? near.x : near.y, high ? far.y : far.x,
                         high ? far.x : far.y};
    const double first = extrapolate(v, 4, 0), second = extrapolate(v, 4, 1);
    return high ? make_double2(first, second) : make_double2(second, first);
}

/* The ghosts of one line through a wall: `ghost` is that of the first layer, `inward` the step to
 * the next cell. Where the rule is a constant no cell is read that it does not use. */
static __device__ __forceinline__ void fill_line(double *ghost, long inward, int rule, int layers)
{
    double v[4];
#pragma unroll
    for (int m = 0; m < 4; m++)
        v[m] = m < rule ? ghost[(m + 1) * inward] : 0.0;
    ghost[0] = extrapolate(v, rule, 0);
    if (layers > 1)
        ghost[-inward] = extrapolate(v, rule, 1);
}

/* The ghost on an edge, where the rule is applied in the lower direction first, from cells(o,m),
 * those o and m cells inward from the first one in the two directions. */
template <class Cells>
static __device__ __forceinline__ double edge_value(int rule, const Cells &cells)
{
    double ghosts[4];
#pragma unroll
    for (int m = 0; m < 4; m++) {
        double v[4];
#pragma unroll
        for (int o = 0; o < 4; o++)
            v[o] = o < rule && m < rule ? cells(o, m) : 0.0;
        ghosts[m] = extrapolate(v, rule, 0);
    }
    return extrapolate(ghosts, rule, 0);
}

static __device__ __forceinline__ void fill_edge(double *ghost, long in_first, long in_second,
                                                 int rule)
{
    *ghost = edge_value(
        rule, [&](int o, int m) { return ghost[(o + 1) * in_first + (m + 1) * in_second]; });
}

#endif
