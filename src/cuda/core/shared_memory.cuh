/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_SHARED_MEMORY_CUH
#define CUDA_CORE_SHARED_MEMORY_CUH
/* A block's dynamic shared memory, by places in bytes from where all shared memory begins. */

extern __shared__ __align__(128) unsigned char shared_memory[];

static __device__ __forceinline__ int shared_begin()
{
    return (int)__cvta_generic_to_shared(shared_memory);
}

static __device__ __forceinline__ void *shared_pointer(int place)
{
    return __cvta_shared_to_generic((unsigned)place);
}

static __device__ __forceinline__ double at(int place)
{
    return *(const double *)shared_pointer(place);
}

static __device__ __forceinline__ void put(int place, double value)
{
    *(double *)shared_pointer(place) = value;
}

#endif
