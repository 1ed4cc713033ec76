/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Barriers: of all blocks of a tail kernel, and of the first threads of a block.
 *
 * A word in device memory counts arrivals in its lower half and completed barriers in its upper
 * half. Block 0 adds what completes the lower half, so no block need be last and nothing is reset.
 * grid.sync() of cooperative groups reads the old value first, which costs one more latency. */
#include "cuda/coarse/tail_launch.cuh"

enum { BARRIER_ROUND = 1 << 16 };
static_assert(TAIL_BLOCKS + 1 < BARRIER_ROUND, "one round's blocks in the lower half");

DEVICE auto barrier_word(struct sync_context *sync)
{
    return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(sync->arrivals);
}

/* Barriers of all blocks since the program began, as far as this block knows. */
DEVICE unsigned long long &barriers_done()
{
    __shared__ unsigned long long rounds;
    return rounds;
}

/* By all threads, before their first barrier of all blocks, which cannot complete before that. */
DEVICE void open_barrier(struct sync_context *sync)
{
    if (threadIdx.x == 0)
        barriers_done() = barrier_word(sync).load(cuda::memory_order_relaxed) / BARRIER_ROUND;
}

/* By all threads of all blocks. Shows all of them what any has written. */
DEVICE void wait_for_all_blocks(struct sync_context *sync)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned long long before = barriers_done();
        barrier_word(sync).fetch_add(blockIdx.x == 0 ? BARRIER_ROUND - (gridDim.x - 1) : 1,
                                     cuda::memory_order_release);
        while (barrier_word(sync).load(cuda::memory_order_acquire) / BARRIER_ROUND == before)
            ;
        barriers_done() = before + 1;
    }
    __syncthreads();
}

static constexpr unsigned WHOLE_WARP = 0xffffffffu;

/* A barrier of the block's first THREADS threads, which shows each what the others have written.
 * Barrier 0 is the whole block's. */
template <int THREADS>
DEVICE void group_sync()
{
    if constexpr (THREADS == TAIL_THREADS)
        __syncthreads();
    else if constexpr (THREADS == 32)
        __syncwarp();
    else
        __barrier_sync_count(2, THREADS);
}
