/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV2_GSRB_CUH
#define CUDA_FV2_GSRB_CUH
/* Red and black of one order-2 Gauss-Seidel step in one pass over memory, and with the residual
 * that follows them, if it is restricted or reduced to its norm. */
#include "cuda/pass.cuh"

/* Writes to `out` what a red and then a black half-sweep make of `in` (zero_guess: of 0). f, the
 * coefficients and both fields have the layout of patch c; pointers are at cell (0,0,0); alpha is
 * NULL for poisson. in and out must differ. Beyond sides that are no wall two layers of ghosts are
 * read, three where a residual follows; what is computed in them is not stored. */
struct pair_fv2 {
    struct cells c;
    const double *in, *f, *alpha, *beta_i, *beta_j, *beta_k;
    double *out;
    double scale;
    int parity; /* of the global index of cell (0,0,0): red is even */
    bool zero_guess;
    bool few_rows;       /* smaller tiles, for devices with less shared memory */
    enum pass_part part; /* all where there is a norm */
    /* At most one of these is not NULL, and then there is a guess; see cuda_pair_fv2_finishes. */
    double *coarse; /* the residual is restricted to this, at cell (0,0,0) */
    long coarse_sj, coarse_sk;
    unsigned long long *norm; /* this is raised to the bits of its largest magnitude */
};
void cuda_pair_fv2(const struct pair_fv2 &pair);

/* True if the level's passes may use it on such a device / also with a residual. */
bool cuda_pair_fv2_fits(const struct level *level, const struct device_limits *device,
                        bool few_rows);
bool cuda_pair_fv2_finishes(const struct level *level, const struct device_limits *device);

#endif
