/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV2_RESIDUAL_CUH
#define CUDA_FV2_RESIDUAL_CUH
/* The order-2 residual in one pass over memory, restricted or reduced to its norm on the way.
 * Ghosts are read beyond sides that are no wall. */
#include "cuda/core/cells.cuh"

/* f, u and the coefficients have the layout of patch c; pointers are at cell (0,0,0); alpha is NULL
 * for poisson. */
struct residual_fv2 { /* every extent of the patch is even */
    struct cells c;
    const double *u, *f, *alpha, *beta_i, *beta_j, *beta_k;
    double scale;
    double *coarse; /* restricts to this, at cell (0,0,0), or */
    long coarse_sj, coarse_sk;
    unsigned long long *norm; /* raises this to the largest magnitude's bits */
};
void cuda_residual_fv2(const struct residual_fv2 &residual);

#endif
