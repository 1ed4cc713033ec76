/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* One launch of a kernel of one operation: sweep_kernel.cuh, and with constant coefficients
 * residual_constant_kernel.cuh. */
#include "cuda/core/operators.cuh"
#include "operators/pass.h"

namespace fv4
{
enum sweep_kind {
    SWEEP_COLOURED, /* u + weight·D⁻¹r in cells of one colour; the others are copied */
    SWEEP_WEIGHTED, /* the same in all cells */
    SWEEP_TWO_STEP, /* u + c1 (u − out) + weight·D⁻¹r */
    SWEEP_RESIDUAL, /* out = r; from here on also with constant coefficients */
    SWEEP_RESTRICT, /* coarse = R r, on the coarse level; every extent of the patch is even */
    SWEEP_DEFECT,   /* f of the correction level, and *norm unless it is NULL */
    SWEEP_NORM,     /* *norm: atomic maximum of the bits of r's magnitudes */
};

/* u with two layers of ghosts, f, the coefficients and out have the layout of patch c; pointers are
 * at cell (0,0,0). out is not u. */
struct fv4_sweep : operands {
    struct cells c;
    enum sweep_kind kind;
    enum pass_region region; /* not of SWEEP_NORM */
    const real *u;
    real weight, c1;
    int colour; /* local cells with even i + j + k + colour are updated */
    /* SWEEP_COLOURED: cells within these bounds in every direction have no wall, and no repeated
     * image, within the stencil's reach; even numbers in i and j. */
    int inner_lo[3], inner_hi[3];
    real *out;
    real *coarse; /* of SWEEP_RESTRICT; its layout is its own */
    long coarse_sj, coarse_sk;
    unsigned long long *norm;
    struct correction_cells defect; /* of SWEEP_DEFECT */
};
} // namespace fv4
