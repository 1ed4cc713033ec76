/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Fourth-order finite volumes, 25 points (NUMERICS, Operators). The sums S below make A u = aαu −
 * (b/(12h²))·S. */
#include "operators/near.h"

/* 12h times the flux through the face between cell a (here) and cell b (across it). a2 and b2 are
 * the next cells on either side. For the two tangential directions s and t: dbeta = β(t+1) − β(t−1)
 * on the face, da and db = u(t+1) − u(t−1) at cells a and b. The flux is exactly odd under exchange
 * of a and b. So a flux computed once and negated is bitwise the flux computed twice. */
FORMULA real fv4_flux(real beta, real b2, real b1, real a1, real a2, real dbeta_s, real db_s,
                      real da_s, real dbeta_t, real db_t, real da_t)
{
    const real normal = madd(15.0, b1 - a1, -(b2 - a2));
    const real cross = madd(dbeta_s, db_s - da_s, dbeta_t * (db_t - da_t));
    return madd(beta, normal, (real)0.25 * cross);
}

/* The average of β ∂u/∂n over a wall's face, from the averages of β and of g = ∂u/∂n there and
 * their differences (+1) − (−1) in the two tangential directions. */
FORMULA real fv4_wall_flux(real beta, real g, real dbeta_s, real dg_s, real dbeta_t, real dg_t)
{
    return madd(beta, g, madd(dbeta_s, dg_s, dbeta_t * dg_t) / (real)48.0);
}

/* S: the six fluxes of a cell, always added in this order. */
FORMULA real fv4_sum(real i_low, real i_high, real j_low, real j_high, real k_low, real k_high)
{
    return ((i_low + i_high) + (j_low + j_high)) + (k_low + k_high);
}

/* S from the directions' sums, in fv4_sum's order. */
FORMULA real fv4_sum_directions(real i, real j, real k)
{
    return (i + j) + k;
}

/* The 25 values of u that the operator reads: the cell's own; by direction those of the next cells
 * (low, high) and of the cells after them; by two directions those of the diagonal neighbours,
 * (−,−) (+,−) (−,+) (+,+). */
struct fv4_cells {
    real here, near_i[2], near_j[2], near_k[2], far_i[2], far_j[2], far_k[2];
    real ij[4], ik[4], jk[4];
};

/* β on the low and the high face in one direction, and its differences β(+1) − β(−1) in the two
 * other directions, the lower direction first. */
struct fv4_faces {
    real beta[2], d_first[2], d_second[2];
};

NEAR_FORMULA struct fv4_cells fv4_cells_near(NEAR x)
{
    const struct fv4_cells c = {
        near_u(x, 0, 0, 0),
        {near_u(x, -1, 0, 0), near_u(x, 1, 0, 0)},
        {near_u(x, 0, -1, 0), near_u(x, 0, 1, 0)},
        {near_u(x, 0, 0, -1), near_u(x, 0, 0, 1)},
        {near_u(x, -2, 0, 0), near_u(x, 2, 0, 0)},
        {near_u(x, 0, -2, 0), near_u(x, 0, 2, 0)},
        {near_u(x, 0, 0, -2), near_u(x, 0, 0, 2)},
        {near_u(x, -1, -1, 0), near_u(x, 1, -1, 0), near_u(x, -1, 1, 0), near_u(x, 1, 1, 0)},
        {near_u(x, -1, 0, -1), near_u(x, 1, 0, -1), near_u(x, -1, 0, 1), near_u(x, 1, 0, 1)},
        {near_u(x, 0, -1, -1), near_u(x, 0, 1, -1), near_u(x, 0, -1, 1), near_u(x, 0, 1, 1)},
    };
    return c;
}

NEAR_FORMULA struct fv4_faces fv4_faces_near(NEAR x, int d)
{
    const struct fv4_faces f = {
        {near_beta(x, d, 0, 0, 0), near_beta(x, d, 1, 0, 0)},
        {near_beta(x, d, 0, 1, 0) - near_beta(x, d, 0, -1, 0),
         near_beta(x, d, 1, 1, 0) - near_beta(x, d, 1, -1, 0)},
        {near_beta(x, d, 0, 0, 1) - near_beta(x, d, 0, 0, -1),
         near_beta(x, d, 1, 0, 1) - near_beta(x, d, 1, 0, -1)},
    };
    return f;
}

/* One direction's part of S: both fluxes, the low one first. `first` and `second` are u(+1) − u(−1)
 * in the two other directions, at the cell and at the next ones. */
FORMULA real fv4_direction_sum(real here, const real near[2], const real far[2],
                               const struct fv4_faces *faces, real first, real first_low,
                               real first_high, real second, real second_low, real second_high)
{
    return fv4_flux(faces->beta[0], far[0], near[0], here, near[1], faces->d_first[0], first_low,
                    first, faces->d_second[0], second_low, second) +
           fv4_flux(faces->beta[1], far[1], near[1], here, near[0], faces->d_first[1], first_high,
                    first, faces->d_second[1], second_high, second);
}

FORMULA real fv4_difference(const real sides[2])
{
    return sides[1] - sides[0];
}

FORMULA real fv4_sum_in_i(const struct fv4_cells *c, const struct fv4_faces *i)
{
    return fv4_direction_sum(c->here, c->near_i, c->far_i, i, fv4_difference(c->near_j),
                             c->ij[2] - c->ij[0], c->ij[3] - c->ij[1], fv4_difference(c->near_k),
                             c->ik[2] - c->ik[0], c->ik[3] - c->ik[1]);
}

/* S of a cell from values. */
FORMULA real fv4_sum_of(const struct fv4_cells *c, const struct fv4_faces *i,
                        const struct fv4_faces *j, const struct fv4_faces *k)
{
    const real di = fv4_difference(c->near_i), dj = fv4_difference(c->near_j),
               dk = fv4_difference(c->near_k);
    return fv4_sum_directions(
        fv4_sum_in_i(c, i),
        fv4_direction_sum(c->here, c->near_j, c->far_j, j, di, c->ij[1] - c->ij[0],
                          c->ij[3] - c->ij[2], dk, c->jk[2] - c->jk[0], c->jk[3] - c->jk[1]),
        fv4_direction_sum(c->here, c->near_k, c->far_k, k, di, c->ik[1] - c->ik[0],
                          c->ik[3] - c->ik[2], dj, c->jk[1] - c->jk[0], c->jk[3] - c->jk[2]));
}

/* S of a cell. */
NEAR_FORMULA real sum_fv4(NEAR x)
{
    const struct fv4_cells c = fv4_cells_near(x);
    const struct fv4_faces i = fv4_faces_near(x, 0), j = fv4_faces_near(x, 1),
                           k = fv4_faces_near(x, 2);
    return fv4_sum_of(&c, &i, &j, &k);
}

/* The diagonal of A if no wall is within the operator's reach: A applied to 1 in the cell and 0
 * elsewhere, where each flux is −15β. */
FORMULA real fv4_inner_diagonal(real scale, real alpha, real i_low, real i_high, real j_low,
                                real j_high, real k_low, real k_high)
{
    const real sum = fv4_sum((real)-15.0 * i_low, (real)-15.0 * i_high, (real)-15.0 * j_low,
                             (real)-15.0 * j_high, (real)-15.0 * k_low, (real)-15.0 * k_high);
    return madd(-scale, sum, alpha);
}

/* β = 1, 13 points: one direction's part of S, from the sums of its near and its far neighbours. */
FORMULA real fv4_constant_direction(real near, real far)
{
    return madd(16.0, near, -far);
}

/* S from the directions' parts. */
FORMULA real fv4_constant_sum_directions(real u, real i, real j, real k)
{
    return madd(-90.0, u, (i + j) + k);
}

FORMULA real fv4_constant_sum(real u, real near_i, real far_i, real near_j, real far_j, real near_k,
                              real far_k)
{
    return fv4_constant_sum_directions(u, fv4_constant_direction(near_i, far_i),
                                       fv4_constant_direction(near_j, far_j),
                                       fv4_constant_direction(near_k, far_k));
}

/* S of a cell from values. */
FORMULA real fv4_constant_sum_of(const struct fv4_cells *c)
{
    return fv4_constant_sum(c->here, c->near_i[0] + c->near_i[1], c->far_i[0] + c->far_i[1],
                            c->near_j[0] + c->near_j[1], c->far_j[0] + c->far_j[1],
                            c->near_k[0] + c->near_k[1], c->far_k[0] + c->far_k[1]);
}

NEAR_FORMULA real sum_fv4_constant(NEAR x)
{
    return fv4_constant_sum(
        near_u(x, 0, 0, 0), near_u(x, -1, 0, 0) + near_u(x, 1, 0, 0),
        near_u(x, -2, 0, 0) + near_u(x, 2, 0, 0), near_u(x, 0, -1, 0) + near_u(x, 0, 1, 0),
        near_u(x, 0, -2, 0) + near_u(x, 0, 2, 0), near_u(x, 0, 0, -1) + near_u(x, 0, 0, 1),
        near_u(x, 0, 0, -2) + near_u(x, 0, 0, 2));
}
