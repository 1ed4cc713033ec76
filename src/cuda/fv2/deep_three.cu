/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/gsrb-deep3. */
#include "cuda/fv2/deep_rows.cuh"

extern const struct kernel kernel_fv2_deep_three = {
    .name = "fv2/gsrb-deep3",
    .summary = "three half-sweeps in one pass over memory, with the residual; order 2",
    .covers = fv2::deep_covers<3>,
    .run = fv2::deep_run<3>,
    .bytes = fv2::deep_bytes,
    .splits = fv2::deep_splits,
};
