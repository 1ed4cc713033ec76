/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums S of operators/variants.def at a cell of one colour, where the cells of that colour in a
 * row are neighbours in memory. A layout includes this file once it has defined
 *     CELL             the parameters that say which cell
 *     U(i, j, k)       u as many cells on in each direction
 *     BETA(d, high)    β on its low or high face in direction d
 *     FACES(d)         its struct fv4_faces in direction d */
#include "operators/fv2.h"
#include "operators/fv4.h"

INLINE real sum_fv2_half(CELL)
{
    return fv2_sum(U(0, 0, 0), U(-1, 0, 0), U(1, 0, 0), U(0, -1, 0), U(0, 1, 0), U(0, 0, -1),
                   U(0, 0, 1), BETA(0, 0), BETA(0, 1), BETA(1, 0), BETA(1, 1), BETA(2, 0),
                   BETA(2, 1));
}

INLINE real sum_fv2_constant_half(CELL)
{
    return fv2_constant_sum(U(0, 0, 0), U(-1, 0, 0), U(1, 0, 0), U(0, -1, 0), U(0, 1, 0),
                            U(0, 0, -1), U(0, 0, 1));
}

/* In this order the values fit into 32 registers. */
INLINE real sum_fv4_half(CELL)
{
    const real here = U(0, 0, 0);
    const real i[2] = {U(-1, 0, 0), U(1, 0, 0)}, j[2] = {U(0, -1, 0), U(0, 1, 0)},
               k[2] = {U(0, 0, -1), U(0, 0, 1)};
    const real di = i[1] - i[0], dj = j[1] - j[0], dk = k[1] - k[0];
    const real ik[4] = {U(-1, 0, -1), U(1, 0, -1), U(-1, 0, 1), U(1, 0, 1)},
               jk[4] = {U(0, -1, -1), U(0, 1, -1), U(0, -1, 1), U(0, 1, 1)};
    const real far_k[2] = {U(0, 0, -2), U(0, 0, 2)};
    const struct fv4_faces faces_k = FACES(2);
    const real sum_k = fv4_direction_sum(here, k, far_k, &faces_k, di, ik[1] - ik[0], ik[3] - ik[2],
                                         dj, jk[1] - jk[0], jk[3] - jk[2]);
    const real ij[4] = {U(-1, -1, 0), U(1, -1, 0), U(-1, 1, 0), U(1, 1, 0)};
    const real far_j[2] = {U(0, -2, 0), U(0, 2, 0)};
    const struct fv4_faces faces_j = FACES(1);
    const real sum_j = fv4_direction_sum(here, j, far_j, &faces_j, di, ij[1] - ij[0], ij[3] - ij[2],
                                         dk, jk[2] - jk[0], jk[3] - jk[1]);
    const real far_i[2] = {U(-2, 0, 0), U(2, 0, 0)};
    const struct fv4_faces faces_i = FACES(0);
    const real sum_i = fv4_direction_sum(here, i, far_i, &faces_i, dj, ij[2] - ij[0], ij[3] - ij[1],
                                         dk, ik[2] - ik[0], ik[3] - ik[1]);
    return fv4_sum_directions(sum_i, sum_j, sum_k);
}

INLINE real sum_fv4_constant_half(CELL)
{
    return fv4_constant_sum(U(0, 0, 0), U(-1, 0, 0) + U(1, 0, 0), U(-2, 0, 0) + U(2, 0, 0),
                            U(0, -1, 0) + U(0, 1, 0), U(0, -2, 0) + U(0, 2, 0),
                            U(0, 0, -1) + U(0, 0, 1), U(0, 0, -2) + U(0, 0, 2));
}

typedef real half_sum_fn(CELL);
