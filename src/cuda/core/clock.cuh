/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_CLOCK_CUH
#define CUDA_CORE_CLOCK_CUH
/* The device's clock, for kernels that wait and give up. */

static __device__ inline unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

#endif
