/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_CUH
#define CUDA_FV4_GSRB_CUH
/* A red and a black half-sweep of the order-4 operator with variable coefficients, in one pass over
 * memory. */
#include "cuda/core/cells.cuh"

/* The patch has walls on all sides. `in` has its ghosts, or is NULL if u is 0 everywhere; f and the
 * coefficients have the layout of patch c, pointers are at cell (0,0,0); alpha is NULL for poisson.
 * Ghosts of out are overwritten. */
struct pair_fv4 {
    struct cells c;
    const double *in, *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    double scale;
    int colour; /* local cells with even i + j + k + colour are red */
    double *out;
    bool ghosts; /* whether those of out, two layers, are wanted too */
};
void cuda_pair_fv4(const struct pair_fv4 &pair);

/* True if the level's operator is this one, and the level one patch with walls on all sides. */
bool cuda_pair_fv4_fits(const struct level *level, const struct device_limits *device);

/* Black cells so near to a wall in j or k see ghosts behind it, which follow from red cells further
 * in than what a block knows. cuda_pair_fv4 leaves them to this one, once all others are done, and
 * the ghosts of out. */
enum { RIM_LAYERS = 2 };
void cuda_rim_fv4(const struct pair_fv4 &pair);

/* Whether `x` is at least so many cells away from both ends of 0 … n − 1. */
static __device__ __forceinline__ bool is_within(int x, int n, int layers)
{
    return x >= layers && x < n - layers;
}

#endif
