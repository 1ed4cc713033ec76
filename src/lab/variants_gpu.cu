/* SPDX-License-Identifier: BSD-3-Clause */
/* The experimental kernels. To add one: a file with its struct variant, and its name here, twice.
 */
#include "cuda/core/launch.cuh"
#include "cuda/pass.cuh"
#include "lab/gpu.h"

extern "C" {
extern const struct variant variant_example;

extern const struct variant *const gpu_variants[] = {
    &variant_example,
    NULL,
};
}

void gpu_run_baseline(const struct pass *pass)
{
    cuda_run_baseline(pass);
}
