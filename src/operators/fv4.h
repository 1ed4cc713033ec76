#ifndef OPERATORS_FV4_H
#define OPERATORS_FV4_H
/* Fourth-order finite volumes, 25 points (NUMERICS, Operators). The sums S below make A u = aαu −
 * (b/(12h²))·S. */
#include "operators/formula.h"

/* 12h times the flux through the face between cell a (here) and cell b (across it); a2 and b2 are
 * the next cells on either side. For the two tangential directions s and t: dbeta = β(t+1) − β(t−1)
 * on the face, da and db = u(t+1) − u(t−1) at cell a and at cell b. Exactly odd under exchange of a
 * and b, so a flux computed once and negated for the other cell is bitwise the flux computed twice.
 */
FORMULA double fv4_flux(double beta, double b2, double b1, double a1, double a2, double dbeta_s,
                        double db_s, double da_s, double dbeta_t, double db_t, double da_t)
{
    const double normal = fma(15.0, b1 - a1, -(b2 - a2));
    const double cross = fma(dbeta_s, db_s - da_s, dbeta_t * (db_t - da_t));
    return fma(beta, normal, 0.25 * cross);
}

/* The six fluxes of a cell, always added in this order. */
FORMULA double fv4_sum(double i_low, double i_high, double j_low, double j_high, double k_low,
                       double k_high)
{
    return ((i_low + i_high) + (j_low + j_high)) + (k_low + k_high);
}

/* Flux through one face, gathered. u points at the cell, b at the face's β; `across` is the stride
 * of u to the cell across the face, (ss,st) the strides of u in the tangential directions, (bs,bt)
 * those of β. */
FORMULA double fv4_face(const double *u, long across, long ss, long st, const double *b, long bs,
                        long bt)
{
    return fv4_flux(b[0], u[2 * across], u[across], u[0], u[-across], b[bs] - b[-bs],
                    u[across + ss] - u[across - ss], u[ss] - u[-ss], b[bt] - b[-bt],
                    u[across + st] - u[across - st], u[st] - u[-st]);
}

/* Gather at the cell that u and the β point to; (sj,sk) are strides of u, (bsj,bsk) of β. */
FORMULA double fv4_gather(const double *u, long sj, long sk, const double *bi, const double *bj,
                          const double *bk, long bsj, long bsk)
{
    return fv4_sum(fv4_face(u, -1, sj, sk, bi, bsj, bsk), fv4_face(u, 1, sj, sk, bi + 1, bsj, bsk),
                   fv4_face(u, -sj, 1, sk, bj, 1, bsk), fv4_face(u, sj, 1, sk, bj + bsj, 1, bsk),
                   fv4_face(u, -sk, 1, sj, bk, 1, bsj), fv4_face(u, sk, 1, sj, bk + bsk, 1, bsj));
}

/* Σ over the directions for β = 1, 13 points: 16·(near neighbours) − (far neighbours), then −90 u.
 */
FORMULA double fv4_constant_sum(double u, double near_i, double far_i, double near_j, double far_j,
                                double near_k, double far_k)
{
    const double s =
        (fma(16.0, near_i, -far_i) + fma(16.0, near_j, -far_j)) + fma(16.0, near_k, -far_k);
    return fma(-90.0, u, s);
}

FORMULA double fv4_constant_gather(const double *u, long sj, long sk)
{
    return fv4_constant_sum(u[0], u[-1] + u[1], u[-2] + u[2], u[-sj] + u[sj],
                            u[-2 * sj] + u[2 * sj], u[-sk] + u[sk], u[-2 * sk] + u[2 * sk]);
}

#endif
