/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* One launch of the kernel of fused sweeps: two or three sweeps of a smoother that updates all
 * cells.
 *
 * All fields have the layout of patch c; pointers are at cell (0,0,0). No output may be an input.
 * α and β are not read where the operator has none, nor D⁻¹ but where it is the l1 weight. The
 * sweeps read as many layers of ghosts beyond open sides as there are sweeps, and `extent` more. */
#include "cuda/pass.cuh"

enum { MAX_FUSED_SWEEPS = 3 };

struct fv2_sweeps : operands {
    struct cells c;
    const real *in;
    const real *before; /* one sweep earlier than `in`; NULL if the first sweep is one step */
    real *out;
    real *out_before; /* one sweep earlier than `out`, with one more layer; NULL if not wanted */
    int extent;       /* layers of ghosts beyond open sides in `out` */
    bool zero_guess;  /* `in` is 0 and not read */
    enum pass_region region;
    struct relaxation sweeps[MAX_FUSED_SWEEPS];
};
