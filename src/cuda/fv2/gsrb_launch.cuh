/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* This folder holds the tuned kernels of the order-2 operator; docs/KERNELS.md explains them.
 * deep.cu, gsrb.cu, sweeps.cu and residual.cu each have an entry of the table of kernels.
 * deep_kernel.cuh makes any number of half-sweeps in one pass, in the shared memory of
 * deep_tile.cuh. gsrb_kernel.cuh is the fused red-black kernel, and gsrb_tile.cuh its shared
 * memory; sweeps_kernel.cuh is the kernel of fused sweeps. cells.cuh has what both know of a
 * thread's cells. */
#include "cuda/pass.cuh"

/* One launch of the fused red-black kernel: a red and then a black half-sweep of `in` to `out`, and
 * the residual after them if it is to be restricted or reduced to its norm. All fields have the
 * layout of patch c; pointers are at cell (0,0,0). in and out differ. α and β are not read where
 * the operator has none. Beyond open sides two layers of ghosts are read, three if a residual
 * follows; in wrapped directions, which have more than 4 cells, none. What is computed in ghosts is
 * not stored. At most one of coarse and norm is set, and then zero_guess is not. */
struct fv2_gsrb : operands {
    struct cells c;
    const real *in;
    real *out;
    int parity;              /* of the global index of cell (0,0,0): red is even */
    bool zero_guess;         /* u is 0; `in` is not read */
    enum pass_region region; /* all if there is a norm */
    real *coarse;            /* at cell (0,0,0): the residual is restricted to this */
    long coarse_sj, coarse_sk;
    unsigned long long *norm; /* atomic maximum of the bits of the residual's magnitudes */
    /* By set_tiles, which knows the layout of the tiles: */
    int plane, back; /* vectors from a plane to the next one, and from the last to the first */
    int wrap_step;   /* in a wrapped direction k, the plane copied after this step is plane 0 */
    int low_wall, high_wall; /* a wall in k is near up to low_wall and from high_wall on */
    int first_parity;        /* of row 0 as tiles count rows */
};
