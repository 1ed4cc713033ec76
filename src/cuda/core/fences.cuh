/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_FENCES_CUH
#define CUDA_CORE_FENCES_CUH
/* What compilers must not see through. */

/* The same value, from which the compiler cannot tell that it is; what follows from it is found
 * anew in each step instead of kept in registers. */
static __device__ __forceinline__ int hidden(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* Has x be computed here, and not in a branch that uses it. */
static __device__ __forceinline__ void computed_here(double &x)
{
    asm("" : "+d"(x));
}

#endif
