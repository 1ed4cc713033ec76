/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_BARRIER_CUH
#define CUDA_COARSE_BARRIER_CUH
/* All blocks of a tail kernel wait for each other. A word in device memory counts: in its lower
 * half the blocks that have come, in its upper half how often all had. The first block adds what
 * makes all others' ones up to a whole, so nobody needs to know who is last, and nothing is ever
 * reset. Each block knows how often they have met, so it only has to look; the grid.sync() of
 * cooperative groups asks for the old value first, which takes as long as the look itself. */
#include <cuda/atomic>
#include "cuda/coarse/tail.cuh"

enum { BARRIER_ROUND = 1 << 16 };
static_assert(TAIL_BLOCKS + 1 < BARRIER_ROUND, "one round's blocks in the lower half");

static __device__ __forceinline__ auto barrier_word(struct sync_context *sync)
{
    return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(sync->arrivals);
}

/* How often all blocks have met since the program began, as this block knows. */
static __device__ __forceinline__ unsigned long long &rounds_met()
{
    __shared__ unsigned long long rounds;
    return rounds;
}

/* By all threads, before they wait for the first time. No round can end before that. */
static __device__ __forceinline__ void open_barrier(struct sync_context *sync)
{
    if (threadIdx.x == 0)
        rounds_met() = barrier_word(sync).load(cuda::memory_order_relaxed) / BARRIER_ROUND;
}

/* By all threads of all blocks. What any thread wrote before is seen by all afterwards. */
static __device__ __forceinline__ void wait_for_all_blocks(struct sync_context *sync)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned long long before = rounds_met();
        barrier_word(sync).fetch_add(blockIdx.x == 0 ? BARRIER_ROUND - (gridDim.x - 1) : 1,
                                 cuda::memory_order_release);
        while (barrier_word(sync).load(cuda::memory_order_acquire) / BARRIER_ROUND == before)
            ;
        rounds_met() = before + 1;
    }
    __syncthreads();
}

#endif
