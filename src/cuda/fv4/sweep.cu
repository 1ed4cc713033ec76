/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows fv4/sweep and fv4/residual. */
#include "cuda/fv4/sweep_rows.cuh"

extern const struct kernel kernel_fv4_sweep =
    fv4::sweep_row<fv4::large_sweep>("fv4/sweep", "one sweep of any smoother; order 4");
extern const struct kernel kernel_fv4_residual = fv4::residual_row<fv4::large_sweep>(
    "fv4/residual", "the residual, stored, restricted or reduced to its norm; order 4");
