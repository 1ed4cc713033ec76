/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A patch with random fields for kernels of order 4, and the plain formulas on it. */
#include <cstring>
#include "cuda/fv4/gsrb_launch.cuh"
#include "operators/boundary.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "patch.h"

using emulated::make_box;
using emulated::random_field;
using emulated::values;

struct fields {
    values u, f, alpha, dinv, beta_i, beta_j, beta_k, out;
};

static struct fields make_fields(const emulated::box &b, std::mt19937 &random)
{
    const auto any = [&] { return random_field(b, random, -1.0, 1.0); };
    const auto positive = [&] { return random_field(b, random, 0.5, 1.5); };
    return {any(),      any(),      positive(), positive(),
            positive(), positive(), positive(), values(b.size, (real)NAN)};
}

/* The guess: u as it is in the fields; or 0 everywhere, which is written to the field, and the pass
 * gets no field. */
enum guess { ANY, ZERO };

/* A patch with walls on these sides, as bits: low i, high i, low j, …, of which some are Neumann
 * walls. */
static emulated::box make_walled_box(int n0, int n1, int n2, unsigned walls, unsigned neumann = 0)
{
    emulated::box b = make_box(n0, n1, n2);
    for (int side = 0; side < 6; side++)
        b.c.wall[side / 2][side % 2] = !(walls >> side & 1)  ? NO_WALL
                                       : neumann >> side & 1 ? WALL_NEUMANN
                                                             : WALL_DIRICHLET;
    return b;
}

/* Calls act(i, j, k, offset) for the patch and, if `updated`, for ghosts that are updated too. */
template <class Do>
static void for_cells(const struct cells &c, bool updated, const Do &act)
{
    int lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        lo[d] = updated && !c.wall[d][0] ? -1 : 0;
        hi[d] = c.n[d] + (updated && !c.wall[d][1]);
    }
    for (int k = lo[2]; k < hi[2]; k++)
        for (int j = lo[1]; j < hi[1]; j++)
            for (int i = lo[0]; i < hi[0]; i++)
                act(i, j, k, i + j * c.sj + k * c.sk);
}

/* Whether index x of direction d is in no boundary layer. */
static bool away_from_walls(const struct cells &c, int d, int x)
{
    return (!c.wall[d][0] || x >= BOUNDARY_LAYERS) &&
           (!c.wall[d][1] || x < c.n[d] - BOUNDARY_LAYERS);
}

/* D⁻¹ of cells away from walls, which follows from the nearest faces alone. */
template <class Op>
static real inner_dinv(const struct fv4_gsrb &w, long cell)
{
    return Op::VARIABLE
               ? (real)1.0 / fv4_inner_diagonal(
                                 w.scale, READS_ALPHA<Op> ? w.alpha[cell] : (real)0.0,
                                 w.beta_i[cell], w.beta_i[cell + 1], w.beta_j[cell],
                                 w.beta_j[cell + w.c.sj], w.beta_k[cell], w.beta_k[cell + w.c.sk])
               : w.inner_dinv;
}

template <class Op>
static struct fv4_gsrb make_pass(const emulated::box &b, struct fields &x, int colour,
                                 enum guess guess)
{
    const auto first = [&](values &v) { return v.data() + b.origin; };
    struct fv4_gsrb w = {};
    if (guess == ZERO)
        x.u.assign(x.u.size(), 0.0);
    w.c = b.c;
    w.in = guess == ZERO ? NULL : first(x.u);
    w.f = first(x.f);
    w.alpha = READS_ALPHA<Op> ? first(x.alpha) : w.f;
    w.dinv = first(x.dinv);
    w.beta_i = Op::VARIABLE ? first(x.beta_i) : w.f;
    w.beta_j = Op::VARIABLE ? first(x.beta_j) : w.f;
    w.beta_k = Op::VARIABLE ? first(x.beta_k) : w.f;
    w.scale = 0.37;
    w.inner_dinv = (real)1.0 / fv4_inner_diagonal(w.scale, Op::HELMHOLTZ, 1, 1, 1, 1, 1, 1);
    w.colour = colour;
    w.out = first(x.out);
    w.walls = emulated::weights_of(b.c, WALL_QUARTIC);
    set_bounds(w);
    for_cells(w.c, true, [&](int i, int j, int k, long place) {
        if (away_from_walls(w.c, 0, i) && away_from_walls(w.c, 1, j) && away_from_walls(w.c, 2, k))
            x.dinv[b.origin + place] = inner_dinv<Op>(w, place);
    });
    return w;
}

static inline bool is_red(const struct fv4_gsrb &w, int i, int j, int k)
{
    return ((i + j + k + w.colour) & 1) == 0;
}

/* Whether the boundary-layer update has this cell, if it is black. */
static inline bool in_boundary_layer(const struct fv4_gsrb &w, int j, int k)
{
    return !away_from_walls(w.c, 1, j) || !away_from_walls(w.c, 2, k);
}

/* Sets both ghosts behind a wall in direction d, whose stride is given; x is the first cell. */
static inline void put_ghosts_behind(const struct cells &c, int d, bool high, real *x, long stride)
{
    const long inward = high ? -stride : stride;
    const real v[4] = {x[0], x[inward], x[2 * inward], x[3 * inward]};
    x[-inward] = wall_ghost(c.wall[d][high], WALL_QUARTIC, 0, v);
    x[-2 * inward] = wall_ghost(c.wall[d][high], WALL_QUARTIC, 1, v);
}

/* The updated value of cell (i,j,k) of u. */
template <class Op>
static real relaxed(const struct fv4_gsrb &w, const real *u, int i, int j, int k)
{
    const long sj = w.c.sj, sk = w.c.sk, cell = i + j * sj + k * sk;
    const struct view v = {w, u, sj, sk};
    return update_weighted(u[cell], w.dinv[cell], Op::residual(v, cell), 1.0);
}
