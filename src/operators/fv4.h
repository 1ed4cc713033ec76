/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_FV4_H
#define OPERATORS_FV4_H
/* Fourth-order finite volumes, 25 points (NUMERICS, Operators). The sums S below make A u = aαu −
 * (b/(12h²))·S. */
#include "operators/formula.h"

/* 12h times the flux through the face between cell a (here) and cell b (across it). a2 and b2 are
 * the next cells on either side. For the two tangential directions s and t: dbeta = β(t+1) − β(t−1)
 * on the face, da and db = u(t+1) − u(t−1) at cells a and b. The flux is exactly odd under exchange
 * of a and b. So a flux computed once and negated is bitwise the flux computed twice. */
FORMULA double fv4_flux(double beta, double b2, double b1, double a1, double a2, double dbeta_s,
                        double db_s, double da_s, double dbeta_t, double db_t, double da_t)
{
    const double normal = fma(15.0, b1 - a1, -(b2 - a2));
    const double cross = fma(dbeta_s, db_s - da_s, dbeta_t * (db_t - da_t));
    return fma(beta, normal, 0.25 * cross);
}

/* S: the six fluxes of a cell, always added in this order. */
FORMULA double fv4_sum(double i_low, double i_high, double j_low, double j_high, double k_low,
                       double k_high)
{
    return ((i_low + i_high) + (j_low + j_high)) + (k_low + k_high);
}

/* The flux through one face, gathered. u points at the cell, b at the face's β. `across` is the
 * stride of u to the cell across the face. (ss,st) are the strides of u in the tangential
 * directions, (bs,bt) those of β. */
FORMULA double fv4_face(const double *u, long across, long ss, long st, const double *b, long bs,
                        long bt)
{
    return fv4_flux(b[0], u[2 * across], u[across], u[0], u[-across], b[bs] - b[-bs],
                    u[across + ss] - u[across - ss], u[ss] - u[-ss], b[bt] - b[-bt],
                    u[across + st] - u[across - st], u[st] - u[-st]);
}

/* What one direction's part of S reads: u of the cell, of the next cells and of the cells after
 * them, by side (low, high). By tangential direction and side: u beside the cell, u beside the next
 * cells (by their side first), and β beside the faces. */
struct fv4_direction {
    double here, near[2], far[2], beta[2];
    double beside[2][2], beside_near[2][2][2], beside_face[2][2][2];
};

/* Gathered. b points at the low face's β. u and β have the same strides: `across` and the
 * tangential ss and st. */
FORMULA struct fv4_direction fv4_direction_at(const double *u, const double *b, long across,
                                              long ss, long st)
{
    struct fv4_direction d;
    const long tangential[2] = {ss, st};
    d.here = u[0];
    for (int side = 0; side < 2; side++) {
        const long next = side ? across : -across;
        d.near[side] = u[next];
        d.far[side] = u[2 * next];
        d.beta[side] = b[side * across];
        for (int t = 0; t < 2; t++)
            for (int high = 0; high < 2; high++) {
                const long beside = high ? tangential[t] : -tangential[t];
                d.beside_near[t][side][high] = u[next + beside];
                d.beside_face[t][side][high] = b[side * across + beside];
            }
    }
    for (int t = 0; t < 2; t++) {
        d.beside[t][0] = u[-tangential[t]];
        d.beside[t][1] = u[tangential[t]];
    }
    return d;
}

/* The sum of both fluxes, the low one first. */
FORMULA double fv4_direction_sum(const struct fv4_direction *d)
{
    double flux[2];
    for (int side = 0; side < 2; side++) {
        double dbeta[2], dnear[2], dhere[2];
        for (int t = 0; t < 2; t++) {
            dbeta[t] = d->beside_face[t][side][1] - d->beside_face[t][side][0];
            dnear[t] = d->beside_near[t][side][1] - d->beside_near[t][side][0];
            dhere[t] = d->beside[t][1] - d->beside[t][0];
        }
        flux[side] = fv4_flux(d->beta[side], d->far[side], d->near[side], d->here, d->near[!side],
                              dbeta[0], dnear[0], dhere[0], dbeta[1], dnear[1], dhere[1]);
    }
    return flux[0] + flux[1];
}

/* S from the directions' sums, in fv4_sum's order. */
FORMULA double fv4_sum_directions(double i, double j, double k)
{
    return (i + j) + k;
}

/* S gathered at the cell that u and the β point to. (sj,sk) are strides of u, (bsj,bsk) of β. */
FORMULA double fv4_gather(const double *u, long sj, long sk, const double *bi, const double *bj,
                          const double *bk, long bsj, long bsk)
{
    return fv4_sum(fv4_face(u, -1, sj, sk, bi, bsj, bsk), fv4_face(u, 1, sj, sk, bi + 1, bsj, bsk),
                   fv4_face(u, -sj, 1, sk, bj, 1, bsk), fv4_face(u, sj, 1, sk, bj + bsj, 1, bsk),
                   fv4_face(u, -sk, 1, sj, bk, 1, bsj), fv4_face(u, sk, 1, sj, bk + bsk, 1, bsj));
}

/* The 25 values of u that the operator reads: the cell's own; by direction those of the next cells
 * (low, high) and of the cells after them; by two directions those of the diagonal neighbours,
 * (−,−) (+,−) (−,+) (+,+). */
struct fv4_cells {
    double here, near_i[2], near_j[2], near_k[2], far_i[2], far_j[2], far_k[2];
    double ij[4], ik[4], jk[4];
};

/* β on the low and the high face in one direction, and its differences β(+1) − β(−1) in the two
 * other directions, the lower direction first. */
struct fv4_faces {
    double beta[2], d_first[2], d_second[2];
};

/* Gathered. b points at the low face's β. `across` is the stride to the high face, (first,second)
 * the strides in the two other directions. */
FORMULA struct fv4_faces fv4_faces_at(const double *b, long across, long first, long second)
{
    struct fv4_faces x;
    for (int side = 0; side < 2; side++) {
        const double *face = b + side * across;
        x.beta[side] = face[0];
        x.d_first[side] = face[first] - face[-first];
        x.d_second[side] = face[second] - face[-second];
    }
    return x;
}

/* S of a cell from values. */
FORMULA double fv4_sum_of(const struct fv4_cells *c, const struct fv4_faces *i,
                          const struct fv4_faces *j, const struct fv4_faces *k)
{
    const double di = c->near_i[1] - c->near_i[0], dj = c->near_j[1] - c->near_j[0],
                 dk = c->near_k[1] - c->near_k[0];
    return fv4_sum(
        fv4_flux(i->beta[0], c->far_i[0], c->near_i[0], c->here, c->near_i[1], i->d_first[0],
                 c->ij[2] - c->ij[0], dj, i->d_second[0], c->ik[2] - c->ik[0], dk),
        fv4_flux(i->beta[1], c->far_i[1], c->near_i[1], c->here, c->near_i[0], i->d_first[1],
                 c->ij[3] - c->ij[1], dj, i->d_second[1], c->ik[3] - c->ik[1], dk),
        fv4_flux(j->beta[0], c->far_j[0], c->near_j[0], c->here, c->near_j[1], j->d_first[0],
                 c->ij[1] - c->ij[0], di, j->d_second[0], c->jk[2] - c->jk[0], dk),
        fv4_flux(j->beta[1], c->far_j[1], c->near_j[1], c->here, c->near_j[0], j->d_first[1],
                 c->ij[3] - c->ij[2], di, j->d_second[1], c->jk[3] - c->jk[1], dk),
        fv4_flux(k->beta[0], c->far_k[0], c->near_k[0], c->here, c->near_k[1], k->d_first[0],
                 c->ik[1] - c->ik[0], di, k->d_second[0], c->jk[1] - c->jk[0], dj),
        fv4_flux(k->beta[1], c->far_k[1], c->near_k[1], c->here, c->near_k[0], k->d_first[1],
                 c->ik[3] - c->ik[2], di, k->d_second[1], c->jk[3] - c->jk[2], dj));
}

/* The diagonal of A if no wall is within the operator's reach: A applied to 1 in the cell and 0
 * elsewhere, where each flux is −15β. */
FORMULA double fv4_inner_diagonal(double scale, double alpha, double i_low, double i_high,
                                  double j_low, double j_high, double k_low, double k_high)
{
    const double sum = fv4_sum(-15.0 * i_low, -15.0 * i_high, -15.0 * j_low, -15.0 * j_high,
                               -15.0 * k_low, -15.0 * k_high);
    return fma(-scale, sum, alpha);
}

/* β = 1, 13 points: one direction's part of S, from the sums of its near and its far neighbours. */
FORMULA double fv4_constant_direction(double near, double far)
{
    return fma(16.0, near, -far);
}

/* S from the directions' parts. */
FORMULA double fv4_constant_sum_directions(double u, double i, double j, double k)
{
    return fma(-90.0, u, (i + j) + k);
}

FORMULA double fv4_constant_sum(double u, double near_i, double far_i, double near_j, double far_j,
                                double near_k, double far_k)
{
    return fv4_constant_sum_directions(u, fv4_constant_direction(near_i, far_i),
                                       fv4_constant_direction(near_j, far_j),
                                       fv4_constant_direction(near_k, far_k));
}

FORMULA double fv4_constant_gather(const double *u, long sj, long sk)
{
    return fv4_constant_sum(u[0], u[-1] + u[1], u[-2] + u[2], u[-sj] + u[sj],
                            u[-2 * sj] + u[2 * sj], u[-sk] + u[sk], u[-2 * sk] + u[2 * sk]);
}

/* From values. */
FORMULA double fv4_constant_sum_of(const struct fv4_cells *c)
{
    return fv4_constant_sum(c->here, c->near_i[0] + c->near_i[1], c->far_i[0] + c->far_i[1],
                            c->near_j[0] + c->near_j[1], c->far_j[0] + c->far_j[1],
                            c->near_k[0] + c->near_k[1], c->far_k[0] + c->far_k[1]);
}

#endif
