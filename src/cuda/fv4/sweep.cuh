/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_SWEEP_CUH
#define CUDA_FV4_SWEEP_CUH
/* One operation of the order-4 operator with variable coefficients in one pass over memory: a sweep
 * of any smoother, or the residual, restricted or reduced to its norm on the way. */
#include "cuda/pass.cuh"

enum march_kind {
    MARCH_COLOURED, /* u + weight·D⁻¹r in cells of one colour; the others are copied */
    MARCH_WEIGHTED, /* the same in all cells */
    MARCH_TWO_STEP, /* u + c1 (u − out) + weight·D⁻¹r */
    MARCH_STORE,    /* out = r */
    MARCH_RESTRICT, /* out = R r, on the coarse level */
    MARCH_NORM,     /* raises *norm to the largest magnitude's bits of r */
};

/* u with two layers of ghosts, f and the coefficients have the layout of patch c; pointers are at
 * cell (0,0,0); alpha is NULL for poisson. out has the same layout, but for MARCH_RESTRICT its own,
 * and is not u. */
struct march_fv4 {
    struct cells c;
    enum march_kind kind;
    enum pass_part part; /* not of MARCH_NORM */
    const double *u, *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    double scale, weight, c1;
    int colour; /* local cells with even i + j + k + colour are updated */
    /* MARCH_COLOURED: cells within these bounds in every direction have no wall, and no repeated
     * image, within the stencil's reach; even numbers in i and j. */
    int inner_lo[3], inner_hi[3];
    double *out;
    long out_sj, out_sk;
    unsigned long long *norm;
};
void cuda_march_fv4(const struct march_fv4 &march);

/* True if the level's operator is this one; every extent of a patch must be even to restrict. */
bool cuda_march_fv4_fits(const struct level *level, const struct device_limits *device);

#endif
