/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The relaxations of the fused red-black kernels: coloured sweeps with this weight. It is a
 * constant, so that the compiler drops the multiplication. */
#include "operators/smoothers.h"
#include "operators/stencil.h"

constexpr real RED_BLACK_WEIGHT = 1;

static inline bool is_red_black(const struct relaxation &r)
{
    return r.coloured && r.weight == (double)RED_BLACK_WEIGHT;
}
