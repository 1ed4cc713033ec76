/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Maxima of bit patterns (magnitude_bits) over the threads of a kernel. */
#include "cuda/core/cells.cuh"

DEVICE unsigned long long larger(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

/* The maximum of a warp's values, in its first lane. */
DEVICE unsigned long long warp_max(unsigned long long value)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        value = larger(value, __shfl_down_sync(0xffffffffu, value, lanes));
    return value;
}

/* Atomic maximum of *word and all values of the warp. Blocks are multiples of 32 threads wide. */
DEVICE void warp_atomic_max(unsigned long long *word, unsigned long long value)
{
    value = warp_max(value);
    if (threadIdx.x % 32 == 0)
        atomicMax(word, value);
}
