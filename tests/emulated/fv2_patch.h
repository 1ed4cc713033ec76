/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The operator of order 2 on a patch with walls, wrapped directions and open sides, cell by cell.
 */
#include <cmath>
#include "cuda/core/operators.cuh"
#include "operators/boundary.h"
#include "patch.h"

namespace fv2
{
using emulated::values;

/* The sides in one direction; those after NUM_SIDES have Neumann walls: both, the low, or the high
 * one. */
enum ends {
    WALLS,
    WRAPPED,
    OPEN,
    WALL_BELOW,
    WALL_ABOVE,
    NUM_SIDES,
    NEUMANN,
    NEUMANN_BELOW,
    NEUMANN_ABOVE
};

inline emulated::box make_patch(const int n[3], const enum ends sides[3])
{
    emulated::box b = emulated::make_box(n[0], n[1], n[2]);
    static const enum wall walls[][2] = {{WALL_DIRICHLET, WALL_DIRICHLET}, /* by enum ends */
                                         {NO_WALL, NO_WALL},
                                         {NO_WALL, NO_WALL},
                                         {WALL_DIRICHLET, NO_WALL},
                                         {NO_WALL, WALL_DIRICHLET},
                                         {NO_WALL, NO_WALL},
                                         {WALL_NEUMANN, WALL_NEUMANN},
                                         {WALL_NEUMANN, WALL_DIRICHLET},
                                         {WALL_DIRICHLET, WALL_NEUMANN}};
    for (int d = 0; d < 3; d++) {
        std::copy_n(walls[sides[d]], 2, b.c.wall[d]);
        b.c.wrap[d] = sides[d] == WRAPPED;
    }
    return b;
}

struct coefficients {
    values f, alpha, beta[3];
    double scale; /* of struct operands */
};

/* Random values; none in ghosts where a direction wraps: they are NaN. */
inline values make_values(const emulated::box &b, std::mt19937 &random, real least, real most)
{
    values x = emulated::random_field(b, random, least, most);
    emulated::for_box(b, [&](const int p[3], long place) {
        for (int d = 0; d < 3; d++)
            if (b.c.wrap[d] && (p[d] < 0 || p[d] >= b.c.n[d]))
                x[place] = (real)NAN;
    });
    return x;
}

/* β is 0 on Neumann walls. */
inline struct coefficients make_coefficients(const emulated::box &b, std::mt19937 &random)
{
    const auto positive = [&] { return make_values(b, random, 0.5, 1.5); };
    struct coefficients a = {
        make_values(b, random, -1.0, 1.0), positive(), {positive(), positive(), positive()}, 0.37};
    emulated::for_box(b, [&](const int p[3], long place) {
        for (int d = 0; d < 3; d++)
            if ((b.c.wall[d][0] == WALL_NEUMANN && p[d] == 0) ||
                (b.c.wall[d][1] == WALL_NEUMANN && p[d] == b.c.n[d]))
                a.beta[d][place] = 0.0;
    });
    return a;
}

/* Wrapped directions continue the patch. */
inline long place_of(const emulated::box &b, const int p[3])
{
    int q[3];
    for (int d = 0; d < 3; d++)
        q[d] = b.c.wrap[d] ? (p[d] + b.c.n[d]) % b.c.n[d] : p[d];
    return b.origin + q[0] + q[1] * b.c.sj + q[2] * b.c.sk;
}

/* The neighbour of p in direction d: a cell or the ghost behind a wall. */
inline real beside_cell(const emulated::box &b, const values &x, const int p[3], int d, int step)
{
    int q[3] = {p[0], p[1], p[2]};
    const bool wall = b.c.wall[d][step > 0] && p[d] == (step > 0 ? b.c.n[d] - 1 : 0);
    q[d] += wall ? -step : step;
    if (!wall)
        return x[place_of(b, q)];
    const real v[4] = {x[place_of(b, p)], x[place_of(b, q)]};
    return wall_ghost(b.c.wall[d][step > 0], WALL_QUADRATIC, 0, v);
}

template <class Op>
real sum_at(const emulated::box &b, const struct coefficients &a, const values &u, const int p[3])
{
    const long here = place_of(b, p);
    real v[6], beta[6];
    for (int side = 0; side < 6; side++) {
        v[side] = beside_cell(b, u, p, side / 2, side % 2 ? 1 : -1);
        int face[3] = {p[0], p[1], p[2]};
        face[side / 2] += side % 2;
        beta[side] = a.beta[side / 2][place_of(b, face)];
    }
    return Op::VARIABLE ? fv2_sum(u[here], v[0], v[1], v[2], v[3], v[4], v[5], beta[0], beta[1],
                                  beta[2], beta[3], beta[4], beta[5])
                        : fv2_constant_sum(u[here], v[0], v[1], v[2], v[3], v[4], v[5]);
}

template <class Op>
real alpha_at(const struct coefficients &a, long place)
{
    return !Op::HELMHOLTZ ? (real)0.0 : Op::VARIABLE ? a.alpha[place] : (real)1.0;
}

template <class Op>
real residual_at(const emulated::box &b, const struct coefficients &a, const values &u,
                 const int p[3])
{
    const long here = place_of(b, p);
    return Op::residual_from(a.f[here], alpha_at<Op>(a, here), u[here], (real)a.scale,
                             sum_at<Op>(b, a, u, p));
}

/* The operator's diagonal is what it makes of 1 in the cell and 0 in all others. `zeros` is a
 * field.
 */
template <class Op>
real diagonal_at(const emulated::box &b, const struct coefficients &a, const int p[3],
                 values &zeros)
{
    const long here = place_of(b, p);
    zeros[here] = 1.0;
    const real diagonal = fma((real)-a.scale, sum_at<Op>(b, a, zeros, p), alpha_at<Op>(a, here));
    zeros[here] = 0.0;
    return diagonal;
}

/* Calls check(sides, number) for mixtures with Neumann walls. */
template <class Check>
void each_neumann_mixture(const Check &check)
{
    for (int mixture = 0; mixture < 64; mixture++) {
        const enum ends one = mixture & 16 ? NEUMANN_BELOW : NEUMANN_ABOVE,
                        kinds[4] = {NEUMANN, WALLS, one, WRAPPED};
        const enum ends sides[3] = {kinds[mixture % 4], kinds[mixture / 4 % 4],
                                    kinds[mixture / 16]};
        check(sides, mixture);
    }
}

/* True for the patch and `layers` beyond its open sides. */
inline bool is_extended(const struct cells &c, const int p[3], int layers)
{
    bool inside = true;
    for (int d = 0; d < 3; d++)
        inside = inside && p[d] >= (is_open(c, d, 0) ? -layers : 0) &&
                 p[d] < c.n[d] + (is_open(c, d, 1) ? layers : 0);
    return inside;
}
} // namespace fv2
