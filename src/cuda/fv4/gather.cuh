/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GATHER_CUH
#define CUDA_FV4_GATHER_CUH
#include "cuda/core/launch.cuh"
#include "operators/fv4.h"

/* What the order-4 operator reads of u, from u(i,j,k), that of the cell so far away. */
template <class Cells>
DEVICE struct fv4_cells gather_fv4(const Cells &u)
{
    struct fv4_cells x;
    x.here = u(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        const int away = side ? 1 : -1;
        x.near_i[side] = u(away, 0, 0);
        x.near_j[side] = u(0, away, 0);
        x.near_k[side] = u(0, 0, away);
        x.far_i[side] = u(2 * away, 0, 0);
        x.far_j[side] = u(0, 2 * away, 0);
        x.far_k[side] = u(0, 0, 2 * away);
        for (int other = 0; other < 2; other++) {
            const int across = other ? 1 : -1;
            x.ij[2 * other + side] = u(away, across, 0);
            x.ik[2 * other + side] = u(away, 0, across);
            x.jk[2 * other + side] = u(0, away, across);
        }
    }
    return x;
}

#endif
