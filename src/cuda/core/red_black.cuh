/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_RED_BLACK_CUH
#define CUDA_CORE_RED_BLACK_CUH
/* Which relaxations the kernels that fuse a red and a black half-sweep are for: those of one colour
 * with this weight, by which the compiler then knows that nothing need be multiplied. */
#include "operators/smoothers.h"
extern "C" {
#include "operators/stencil.h"
}

constexpr double RED_BLACK_WEIGHT = 1.0;

static inline bool is_red_black(const struct relaxation &r)
{
    return r.coloured && r.weight == RED_BLACK_WEIGHT;
}

#endif
