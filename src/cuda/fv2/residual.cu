/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread owns four cells, a pair in i of two rows, and marches through the planes: neighbours in
 * k are its own registers, in i mostly those of the next lane; the rows on either side are read
 * again, from the cache. No shared memory and no barrier: enough threads wait at once to keep
 * memory busy. */
#include "cuda/fv2/residual.cuh"
#include "cuda/core/atomic_max.cuh"
#include "cuda/device.cuh"
#include "cuda/tuning.cuh"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

enum { LANES = 32 };
enum { MAX_PLANES = 16 }; /* even */

static __device__ double2 pair_at(const double *p)
{
    return *(const double2 *)p;
}

static __device__ double or_ghost(bool wall, double neighbour, double u, double inward)
{
    return wall ? wall_quadratic(u, inward) : neighbour;
}

/* The pair of cells beside a pair's ends: from the next lanes, or from memory at a warp's ends. */
static __device__ double2 beside(const double *row, double2 pair, bool memory_low, bool memory_high)
{
    double2 b = make_double2(__shfl_up_sync(0xffffffffu, pair.y, 1),
                             __shfl_down_sync(0xffffffffu, pair.x, 1));
    if (memory_low)
        b.x = row[-1];
    if (memory_high)
        b.y = row[2];
    return b;
}

/* A thread's four cells: their column and the walls around them. */
struct column {
    long at;
    bool inside, low_i, high_i, low_j, high_j, memory_low, memory_high;
    bool low_k, high_k; /* walls there */
    int n2;
};

/* Residuals of the pair in one row of plane k: u of the rows below, here, above, and in the planes
 * on either side. */
template <bool HELMHOLTZ>
static __device__ double2 residual_pair(const struct residual_fv2 &w, const struct column &t,
                                        long at, int k, double2 below, double2 u, double2 above,
                                        double2 km, double2 kp, bool low_j, bool high_j)
{
    double2 side = beside(w.u + at, u, t.memory_low, t.memory_high);
    double2 bi = make_double2(0.0, 0.0);
    if (t.inside)
        bi = pair_at(w.beta_i + at);
    double bi_end = __shfl_down_sync(0xffffffffu, bi.x, 1);
    if (!t.inside)
        return bi;
    if (t.memory_high || t.high_i)
        bi_end = w.beta_i[at + 2];
    const double2 f = pair_at(w.f + at), bj0 = pair_at(w.beta_j + at),
                  bj1 = pair_at(w.beta_j + at + w.c.sj), bk0 = pair_at(w.beta_k + at),
                  bk1 = pair_at(w.beta_k + at + w.c.sk);
    const double2 alpha = HELMHOLTZ ? pair_at(w.alpha + at) : make_double2(0.0, 0.0);
    const bool low_k = k == 0 && t.low_k, high_k = k == t.n2 - 1 && t.high_k;
    const double sx = fv2_sum(
        u.x, or_ghost(t.low_i, side.x, u.x, u.y), u.y, or_ghost(low_j, below.x, u.x, above.x),
        or_ghost(high_j, above.x, u.x, below.x), or_ghost(low_k, km.x, u.x, kp.x),
        or_ghost(high_k, kp.x, u.x, km.x), bi.x, bi.y, bj0.x, bj1.x, bk0.x, bk1.x);
    const double sy = fv2_sum(
        u.y, u.x, or_ghost(t.high_i, side.y, u.y, u.x), or_ghost(low_j, below.y, u.y, above.y),
        or_ghost(high_j, above.y, u.y, below.y), or_ghost(low_k, km.y, u.y, kp.y),
        or_ghost(high_k, kp.y, u.y, km.y), bi.y, bi_end, bj0.y, bj1.y, bk0.y, bk1.y);
    const double rx = HELMHOLTZ ? rhs_helmholtz(f.x, alpha.x, u.x) : rhs_poisson(f.x, 0.0, u.x);
    const double ry = HELMHOLTZ ? rhs_helmholtz(f.y, alpha.y, u.y) : rhs_poisson(f.y, 0.0, u.y);
    return make_double2(residual_value(rx, w.scale, sx), residual_value(ry, w.scale, sy));
}

static __device__ unsigned long long largest_bits(double2 a, double2 b)
{
    return larger(larger(magnitude_bits(a.x), magnitude_bits(a.y)),
                  larger(magnitude_bits(b.x), magnitude_bits(b.y)));
}

/* GROUPS: groups of two rows a block. */
template <bool HELMHOLTZ, bool RESTRICTS, int GROUPS>
static __global__ void __launch_bounds__(LANES *GROUPS, 16 / GROUPS)
    residual_kernel(const __grid_constant__ struct residual_fv2 w, int planes)
{
    const int pair = blockIdx.x * LANES + threadIdx.x, group = blockIdx.y * GROUPS + threadIdx.y;
    const int first = blockIdx.z * planes, last = min(first + planes, w.c.n[2]);
    const long sj = w.c.sj, sk = w.c.sk;
    struct column t;
    t.at = 2 * pair + 2 * group * sj;
    t.n2 = w.c.n[2];
    t.inside = 2 * pair < w.c.n[0] && 2 * group < w.c.n[1];
    const bool last_pair = 2 * pair + 2 == w.c.n[0];
    t.low_i = pair == 0 && w.c.wall[0][0];
    t.high_i = last_pair && w.c.wall[0][1];
    t.low_j = group == 0 && w.c.wall[1][0];
    t.high_j = 2 * group + 2 == w.c.n[1] && w.c.wall[1][1];
    t.low_k = w.c.wall[2][0];
    t.high_k = w.c.wall[2][1];
    t.memory_low = t.inside && threadIdx.x == 0 && !t.low_i;
    t.memory_high = t.inside && (threadIdx.x == LANES - 1 || last_pair) && !t.high_i;

    const double2 nothing = make_double2(0.0, 0.0);
    double2 km0 = nothing, km1 = nothing, u0 = nothing, u1 = nothing;
    if (t.inside) {
        const double *u = w.u + t.at + first * sk;
        u0 = pair_at(u);
        u1 = pair_at(u + sj);
        if (first > 0 || !t.low_k) {
            km0 = pair_at(u - sk);
            km1 = pair_at(u + sj - sk);
        }
    }
    unsigned long long norm = 0;
    double even_0 = 0.0, even_1 = 0.0;
    for (int k = first; k < last; k++) {
        const long at = t.at + k * sk;
        double2 below = nothing, above = nothing, kp0 = nothing, kp1 = nothing;
        if (t.inside && !t.low_j)
            below = pair_at(w.u + at - sj);
        if (t.inside && !t.high_j)
            above = pair_at(w.u + at + 2 * sj);
        if (t.inside && (k + 1 < t.n2 || !t.high_k)) {
            kp0 = pair_at(w.u + at + sk);
            kp1 = pair_at(w.u + at + sj + sk);
        }
        const double2 r0 =
            residual_pair<HELMHOLTZ>(w, t, at, k, below, u0, u1, km0, kp0, t.low_j, false);
        const double2 r1 =
            residual_pair<HELMHOLTZ>(w, t, at + sj, k, u0, u1, above, km1, kp1, false, t.high_j);
        if (RESTRICTS && k % 2 == 0) {
            even_0 = r0.x + r0.y;
            even_1 = r1.x + r1.y;
        } else if (RESTRICTS && t.inside) {
            w.coarse[pair + group * w.coarse_sj + k / 2 * w.coarse_sk] =
                restrict_cell(even_0, even_1, r0.x + r0.y, r1.x + r1.y);
        }
        if (!RESTRICTS)
            norm = larger(norm, largest_bits(r0, r1));
        km0 = u0;
        km1 = u1;
        u0 = kp0;
        u1 = kp1;
    }
    if (!RESTRICTS)
        raise(w.norm, norm);
}

template <bool HELMHOLTZ, bool RESTRICTS, int GROUPS>
static void launch(const struct residual_fv2 &w, int planes)
{
    const int tiles_i = cuda_divided(w.c.n[0] / 2, LANES),
              tiles_j = cuda_divided(w.c.n[1] / 2, GROUPS);
    for (int most = MAX_PLANES; planes == 0; most /= 2)
        if (most <= 2 ||
            tiles_i * tiles_j * cuda_divided(w.c.n[2], most) >= 4 * cuda_multiprocessors())
            planes = most;
    const dim3 block(LANES, GROUPS), grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    residual_kernel<HELMHOLTZ, RESTRICTS, GROUPS><<<grid, block, 0, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ, bool RESTRICTS>
static void launch_tuned(const struct residual_fv2 &w)
{
    const struct cuda_tuning t =
        cuda_tuned(2, RESTRICTS ? TUNED_RESTRICT : TUNED_NORM, HELMHOLTZ, w.c);
    if (t.rows == TUNED_RESIDUAL_FEW_ROWS)
        launch<HELMHOLTZ, RESTRICTS, TUNED_RESIDUAL_FEW_ROWS / 2>(w, t.planes);
    else
        launch<HELMHOLTZ, RESTRICTS, TUNED_RESIDUAL_MOST_ROWS / 2>(w, t.planes);
}

void cuda_residual_fv2(const struct residual_fv2 &residual)
{
    if (residual.alpha && residual.coarse)
        launch_tuned<true, true>(residual);
    else if (residual.alpha)
        launch_tuned<true, false>(residual);
    else if (residual.coarse)
        launch_tuned<false, true>(residual);
    else
        launch_tuned<false, false>(residual);
}
