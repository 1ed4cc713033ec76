/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of one operation for GPUs with less shared memory and without TMA. */
#include "cuda/fv4/sweep_rows.cuh"

extern const struct kernel kernel_fv4_sweep_medium = fv4::sweep_row<fv4::medium_sweep>(
    "fv4/sweep-medium", "the same without TMA, with tiles of 14 rows instead of 16");
extern const struct kernel kernel_fv4_sweep_small = fv4::sweep_row<fv4::small_sweep>(
    "fv4/sweep-small", "the same without TMA, with tiles of 6 rows");

extern const struct kernel kernel_fv4_residual_medium = fv4::residual_row<fv4::medium_sweep>(
    "fv4/residual-medium", "the same without TMA, with tiles of 14 rows instead of 16");
extern const struct kernel kernel_fv4_residual_small = fv4::residual_row<fv4::small_sweep>(
    "fv4/residual-small", "the same without TMA, with tiles of 6 rows");
