/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_THREAD_GROUP_CUH
#define CUDA_COARSE_THREAD_GROUP_CUH
/* Teams of the tail kernel: the first TEAM threads of a block, which work on something together. */
#include "cuda/coarse/tail.cuh"

static constexpr unsigned WHOLE_WARP = 0xffffffffu;

/* Waits for all of the team, and shows each what the others have written. The number of a barrier
 * that is not the block's own is any but 0. */
template <int TEAM>
static __device__ __forceinline__ void meet()
{
    if constexpr (TEAM == TAIL_THREADS)
        __syncthreads();
    else if constexpr (TEAM == 32)
        __syncwarp();
    else
        __barrier_sync_count(2, TEAM);
}

#endif
