/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_TUNING_CUH
#define CUDA_TUNING_CUH
#include "cuda/core/cells.cuh"
#include "cuda/tuning.h"

/* The choice that holds for such a stage on patch c, which counts as used; where there is none, the
 * default rows and 0 planes. */
struct cuda_tuning cuda_tuned(int order, enum cuda_tuned_stage stage, bool helmholtz,
                              const struct cells &c);
/* Planes per block of a kernel that sweeps through planes: `tuned`, or where that is 0 the even
 * number between the bounds with which all blocks are done soonest. One block runs per
 * multiprocessor and takes `extra` steps more than it has planes; a plane has `tiles` tiles. */
int cuda_choose_planes(int tuned, int n2, int tiles, int least, int most, int extra);

#endif
