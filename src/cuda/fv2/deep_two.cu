/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/gsrb-deep2. */
#include "cuda/fv2/deep_rows.cuh"

extern const struct kernel kernel_fv2_deep_two = {
    .name = "fv2/gsrb-deep2",
    .summary = "two half-sweeps in one pass over memory, with the residual; order 2",
    .covers = fv2::deep_covers<2>,
    .run = fv2::deep_run<2>,
    .bytes = fv2::deep_bytes,
    .splits = fv2::deep_splits,
};
