/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The tail's kernel and its launch. */
#include "cuda/coarse/run.cuh"

template <class Op>
static __global__ void __launch_bounds__(TAIL_THREADS, 1)
    tail_kernel(const __grid_constant__ struct tail t,
                const __grid_constant__ struct tail_walls rules)
{
    extern __shared__ __align__(16) double store[];
    run_tail_block<Op>(t, rules, *reinterpret_cast<block_memory<Op> *>(store));
}

template <class Op>
void tail_launch(const struct tail &tail, const struct tail_walls &rules, int blocks, size_t bytes)
{
    static const cudaError_t prepared = cudaFuncSetAttribute(
        tail_kernel<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    CUDA_CALL(prepared);
    void *arguments[] = {(void *)&tail, (void *)&rules};
    CUDA_CALL(cudaLaunchCooperativeKernel((const void *)tail_kernel<Op>, blocks, TAIL_THREADS,
                                          arguments, bytes, cuda_stream()));
}
