/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_TUNING_CUH
#define CUDA_TUNING_CUH
#include "cuda/internal.cuh"
#include "cuda/tuning.h"

/* The choice that holds for such a stage on patch c, which counts as used; where there is none, the
 * default rows and 0 planes. */
struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const struct cells &c);

#endif
