/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_BARRIER_CUH
#define TAIL_BARRIER_CUH
#include "cuda/coarse/tail.cuh"

static constexpr unsigned WHOLE_WARP = 0xffffffffu;

static inline unsigned long long &barriers_done()
{
    return grid::now->block->barriers;
}

static inline void open_barrier(struct sync_context *)
{
}

static inline void wait_for_all_blocks(struct sync_context *)
{
    grid::meet(grid::all_blocks, (int)gridDim.x * TAIL_THREADS);
    if (threadIdx.x == 0)
        barriers_done()++;
    __syncthreads();
}

template <int THREADS>
static inline void group_sync()
{
    if (THREADS == TAIL_THREADS)
        __syncthreads();
    else if (THREADS == 32)
        __syncwarp();
    else
        __barrier_sync_count(2, THREADS);
}

#endif
