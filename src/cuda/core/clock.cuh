/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The device's clock, for kernels that wait and give up. */

static __device__ inline unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}
