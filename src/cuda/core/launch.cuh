/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_LAUNCH_CUH
#define CUDA_CORE_LAUNCH_CUH
/* Launches of the tuned kernels. */
#include "cuda/core/wave_partition.h"
#include "cuda/internal.cuh"

/* Launches KERNEL with `bytes` of dynamic shared memory, which may exceed the 48 KiB that a kernel
 * gets without opting in. */
template <auto KERNEL, class... Arguments>
static void launch_kernel(dim3 grid, dim3 block, int bytes, const Arguments &...arguments)
{
    static const cudaError_t opted_in =
        cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    CUDA_CALL(opted_in);
    KERNEL<<<grid, block, bytes, cuda_stream()>>>(arguments...);
    CUDA_LAUNCHED();
}

/* Planes per block of a k-streaming sweep over n2 planes of `tiles` tiles: `tuned`, or where that
 * is 0 the even number up to `most` with the least estimated completion time. One block runs per
 * multiprocessor, and takes `extra` steps more than it has planes. */
static inline int planes_per_block(int tuned, int n2, int tiles, int most, int extra)
{
    return tuned > 0
               ? tuned
               : wave_partition_best_planes(tiles, n2, 2, most, extra, cuda_multiprocessors());
}

#endif
