/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_FV4_PATCH_H
#define EMULATED_FV4_PATCH_H
/* A patch with random fields for kernels of order 4, and the plain formulas on it. */
#include <cstring>
#include "block.h"
#include "cuda/fv4/gsrb.cuh"
#include "operators/boundary.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "patch.h"

using emulated::box;
using emulated::field;
using emulated::make_box;
using emulated::random_field;

struct fields {
    field u, f, alpha, dinv, beta_i, beta_j, beta_k, out;
};

static struct fields make_fields(const struct box &b, std::mt19937 &random)
{
    const auto any = [&] { return random_field(b, random, -1.0, 1.0); };
    const auto positive = [&] { return random_field(b, random, 0.5, 1.5); };
    return {any(),      any(),      positive(), positive(),
            positive(), positive(), positive(), field(b.size, std::nan(""))};
}

/* The guess: u as it is in the fields; or 0 everywhere, which is written to the field, and the pass
 * gets no field. */
enum guess { ANY, ZERO };

static constexpr double SCALE = 0.37;

template <class Op>
static struct fv4_gsrb make_pass(const struct box &b, struct fields &x, int colour,
                                 enum guess guess)
{
    if (guess == ZERO)
        x.u.assign(x.u.size(), 0.0);
    const auto first = [&](field &v) { return v.data() + b.origin; };
    return {b.c,
            guess == ZERO ? NULL : first(x.u),
            first(x.f),
            READS_ALPHA<Op> ? first(x.alpha) : NULL,
            first(x.dinv),
            Op::VARIABLE ? first(x.beta_i) : NULL,
            Op::VARIABLE ? first(x.beta_j) : NULL,
            Op::VARIABLE ? first(x.beta_k) : NULL,
            SCALE,
            1.0 / fv4_inner_diagonal(SCALE, Op::HELMHOLTZ, 1, 1, 1, 1, 1, 1),
            colour,
            first(x.out),
            false};
}

/* Sets both ghosts behind a wall; x is the first cell. */
static void put_ghosts_behind(double *x, long inward)
{
    const double v[4] = {x[0], x[inward], x[2 * inward], x[3 * inward]};
    x[-inward] = wall_quartic(v[0], v[1], v[2], v[3]);
    x[-2 * inward] = wall_quartic_second(v[0], v[1], v[2], v[3]);
}

/* Whether D⁻¹ of cell x of n follows from the nearest faces alone. */
static bool away_from_walls(int x, int n)
{
    return x >= BOUNDARY_LAYERS && x < n - BOUNDARY_LAYERS;
}

/* The updated value of cell (i,j,k) of u. */
template <class Op>
static double relaxed(const struct fv4_gsrb &w, const double *u, int i, int j, int k)
{
    const long sj = w.c.sj, sk = w.c.sk, cell = i + j * sj + k * sk;
    const double *alpha = READS_ALPHA<Op> ? w.alpha : w.f;
    const struct view v = {u, w.f, alpha, w.dinv, w.beta_i, w.beta_j, w.beta_k, sj, sk, w.scale};
    const bool inner = away_from_walls(i, w.c.n[0]) && away_from_walls(j, w.c.n[1]) &&
                       away_from_walls(k, w.c.n[2]);
    double dinv = inner ? w.inner_dinv : w.dinv[cell];
    if (inner && Op::VARIABLE)
        dinv = 1.0 / fv4_inner_diagonal(w.scale, READS_ALPHA<Op> ? alpha[cell] : 0.0,
                                        v.beta_i[cell], v.beta_i[cell + 1], v.beta_j[cell],
                                        v.beta_j[cell + sj], v.beta_k[cell], v.beta_k[cell + sk]);
    return update_weighted(u[cell], dinv, Op::residual(v, cell), 1.0);
}

template <class Do>
static void for_cells(const struct cells &c, const Do &act)
{
    for (int k = 0; k < c.n[2]; k++)
        for (int j = 0; j < c.n[1]; j++)
            for (int i = 0; i < c.n[0]; i++)
                act(i, j, k, i + j * c.sj + k * c.sk);
}

#endif
