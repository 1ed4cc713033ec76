#ifndef CUDA_TAIL_PARTS_CUH
#define CUDA_TAIL_PARTS_CUH
/* Parts of a pass that levels in bricks and solo levels have in common. */
#include "cuda/tail_team.cuh"
#include "cuda/transfers.cuh"

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

static __device__ __forceinline__ double update(int smoother, const struct tail_level &l, int sweep,
                                                double u, double previous, double dinv, double r)
{
    switch (smoother) {
    case SMOOTHER_GSRB:
        return update_gauss_seidel(u, dinv, r);
    case SMOOTHER_CHEBYSHEV:
        return sweep > 0 ? update_chebyshev(u, previous, dinv, r, l.c1[sweep], l.c2[sweep])
                         : update_weighted(u, dinv, r, l.c2[0]);
    case SMOOTHER_JACOBI:
        return update_weighted(u, dinv, r, 2.0 / 3.0);
    case SMOOTHER_L1JACOBI:
        break;
    }
    return update_weighted(u, dinv, r, 1.0);
}

/* Calls f(i,j,k) for the cells c of a coarse side, and the ghosts that prolongation reads. */
template <int TEAM, class F>
static __device__ __forceinline__ void each_coarse(const struct divider &framed,
                                                   const struct cells &c, F f)
{
    const int width = framed.n, layers = (width - c.n[0]) / 2;
    const int all = width * width * (c.n[2] + 2 * layers);
    for (int x = threadIdx.x; x < all; x += TEAM) {
        int i, j, k;
        cube_cell(x, framed, &i, &j, &k);
        f(i - layers, j - layers, k - layers);
    }
}

/* Those ghosts of the coarse side that lie behind walls: in i, then in j, then in k, each from the
 * cells, and the ghosts before, that lie inward. */
template <int TEAM, int RULE>
static __device__ void extend_by_rule(const struct divider &framed, const struct wall_view &coarse)
{
    const struct cells &c = coarse.c;
#pragma unroll
    for (int d = 0; d < 3; d++) {
        each_coarse<TEAM>(framed, c, [&](int i, int j, int k) {
            int layer, first, inward, other;
            if (!beyond_wall(c, d,
                             d == 0   ? i
                             : d == 1 ? j
                                      : k,
                             &layer, &first, &inward) ||
                (d < 1 && beyond_wall(c, 1, j, &other, &other, &other)) ||
                (d < 2 && beyond_wall(c, 2, k, &other, &other, &other)))
                return;
            double *ghost = coarse.x + i + j * c.sj + k * c.sk;
            const int along = inward * (int)(d == 0 ? 1 : d == 1 ? c.sj : c.sk);
            double v[4];
#pragma unroll
            for (int m = 0; m < RULE; m++)
                v[m] = ghost[(layer + 1 + m) * along];
            *ghost = extrapolate(v, RULE, layer);
        });
        meet<TEAM>();
    }
}

template <class Op, int TEAM>
static __device__ __forceinline__ void extend_coarse(int rule, const struct divider &framed,
                                                     const struct wall_view &coarse)
{
    if (Op::ORDER == 4 && rule == 4)
        extend_by_rule<TEAM, 4>(framed, coarse);
    else if (rule == 2)
        extend_by_rule<TEAM, 2>(framed, coarse);
    else
        extend_by_rule<TEAM, 1>(framed, coarse);
}

#endif
