/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The coarse u that a step of the tail kernel prolongs, in shared memory with its ghosts. */
#include <cuda/std/type_traits>
#include "cuda/core/fences.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/coarse/barrier.cuh"
#include "operators/transfers.h"

DEVICE bool prolongs(const struct tail_step &step)
{
    return step.start == START_PROLONG_SET || step.start == START_PROLONG_ADD;
}

/* The coarse u under a subdomain with these walls, in shared memory at x. */
DEVICE walled_cells<int> coarse_cells(double *x, const struct cuboid &n, unsigned walls, int sj,
                                      int sk)
{
    walled_cells<int> c = {x, {n.i.n, n.j.n, n.planes}, {}, sj, sk};
#pragma unroll
    for (int side = 0; side < 6; side++)
        c.wall[side / 2][side % 2] = walls >> side & 1;
    return c;
}

/* The coarse cells under a subdomain, with the ghosts that the step's prolongation reads. */
DEVICE const struct cuboid &padded_coarse(const struct tail_level &l, const struct tail_step &step)
{
    return l.coarse_padded[step.prolongation == 4];
}

/* Calls f(i,j,k) for these cells and ghosts. */
template <int THREADS, class F>
DEVICE void each_coarse(const struct cuboid &padded, const walled_cells<int> &coarse, F f)
{
    const int layers = (padded.planes - coarse.n[2]) / 2, all = cuboid_cells(padded);
    for (int x = threadIdx.x; x < all; x += THREADS) {
        int i, j, k;
        cuboid_cell(x, padded, &i, &j, &k);
        f(i - layers, j - layers, k - layers);
    }
}

/* A level's cells in its field; those from (i,j,k) on are copied. */
struct source_cells {
    const double *field;
    int sj, sk;
    int n[3]; /* of the level */
    int i, j, k;
};

/* The element of cell (i,j,k) of the copy; of the cell inside, if that is a periodic image. */
template <class Op>
DEVICE int source_element(const struct source_cells &from, int i, int j, int k)
{
    i += from.i;
    j += from.j;
    k += from.k;
    if (has_any_sides<Op>) {
        i = wrapped(i, from.n[0]);
        j = wrapped(j, from.n[1]);
        k = wrapped(k, from.n[2]);
    }
    return i + j * from.sj + k * from.sk;
}

/* Copies them, except ghosts behind walls, from the coarse level's field, where the subdomain
 * begins with cell (ci,cj,ck). */
template <class Op, int THREADS>
DEVICE void fetch_coarse(const struct tail_level &l, const struct tail_step &step,
                         const walled_cells<int> &coarse, int ci, int cj, int ck)
{
    const int ni = (l.n[0] + 1) / 2, nj = (l.n[1] + 1) / 2, nk = (l.n[2] + 1) / 2;
    const struct source_cells from = {
        step.coarse_u, l.coarse_sj, l.coarse_sk, {ni, nj, nk}, ci, cj, ck};
    each_coarse<THREADS>(padded_coarse(l, step), coarse, [&](int i, int j, int k) {
        if (!behind_wall(coarse, i, j, k))
            coarse.store(i + j * coarse.sj + k * coarse.sk,
                         from.field[source_element<Op>(from, i, j, k)]);
    });
}

/* Stores the ghosts behind walls. */
template <class Op, int THREADS, int RULE>
DEVICE void extend_by_rule(const struct tail_walls &rules, const struct cuboid &padded,
                           const walled_cells<int> &coarse)
{
    const auto behind = [&](int side, int layer, const double *v) {
        return ghost_behind<Op, RULE>(rules, side, layer, v);
    };
    each_coarse<THREADS>(padded, coarse, [&](int i, int j, int k) {
        if (behind_wall(coarse, i, j, k))
            coarse.x[i + j * (long)coarse.sj + k * (long)coarse.sk] =
                ghost_value<RULE>(coarse, i, j, k, behind);
    });
    group_sync<THREADS>();
}

/* Stores periodic images around a whole coarse level, except ghosts behind walls. */
template <int THREADS>
DEVICE void copy_images(const struct cuboid &padded, const walled_cells<int> &coarse)
{
    each_coarse<THREADS>(padded, coarse, [&](int i, int j, int k) {
        const int x = wrapped(i, coarse.n[0]), y = wrapped(j, coarse.n[1]),
                  z = wrapped(k, coarse.n[2]);
        if ((x != i || y != j || z != k) && !behind_wall(coarse, i, j, k))
            coarse.store(i + j * coarse.sj + k * coarse.sk,
                         coarse.load(x + y * coarse.sj + z * coarse.sk));
    });
    group_sync<THREADS>();
}

template <class Op, int THREADS>
DEVICE void extend_coarse(const struct tail_walls &rules, int rule, const struct cuboid &padded,
                          const walled_cells<int> &coarse)
{
    using all = cuda::std::conditional_t<(Op::RADIUS > 1),
                                         wall_rules<WALL_QUARTIC, WALL_QUADRATIC, WALL_LINEAR>,
                                         wall_rules<WALL_QUADRATIC, WALL_LINEAR>>;
    with_rule(all{}, rule, [&](auto constant) {
        extend_by_rule<Op, THREADS, decltype(constant)::value>(rules, padded, coarse);
    });
}
