/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_LAUNCH_CUH
#define TAIL_LAUNCH_CUH
/* The parts of CUDA C++ that the tail's kernel needs and C++ lacks. */
#include "grid.h"
#include "base/check.h"
#include "cuda/core/cells.cuh"

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __noinline__
#define threadIdx (grid::now->index)
#define blockIdx (grid::now->block->index)
#define gridDim (grid::size)

using std::max;
using std::min;

int cuda_multiprocessors();

static inline void __syncthreads()
{
    grid::meet(grid::now->block->all, (int)grid::now->block->threads.size());
}

static inline void __barrier_sync_count(unsigned id, unsigned count)
{
    grid::meet(grid::now->block->named[id], (int)count);
}

static inline void __syncwarp()
{
    grid::meet(grid::my_warp().all, grid::WARP);
}

static inline int lane_of_thread()
{
    return (int)threadIdx.x % grid::WARP;
}

template <class T>
static inline T __shfl_sync(unsigned, T value, int lane)
{
    return grid::exchange(value)[lane % grid::WARP];
}

template <class T>
static inline T __shfl_xor_sync(unsigned, T value, int lanes)
{
    return grid::exchange(value)[lane_of_thread() ^ lanes];
}

template <class T>
static inline T __shfl_down_sync(unsigned, T value, int lanes)
{
    const int lane = lane_of_thread() + lanes;
    return grid::exchange(value)[lane < grid::WARP ? lane : lane_of_thread()];
}

static inline bool __any_sync(unsigned, bool value)
{
    const auto all = grid::exchange(value);
    return std::find(all.begin(), all.end(), true) != all.end();
}

static inline bool __all_sync(unsigned, bool value)
{
    return !__any_sync(0, !value);
}

static inline unsigned __reduce_max_sync(unsigned, unsigned value)
{
    const auto all = grid::exchange(value);
    return *std::max_element(all.begin(), all.end());
}

static inline int __reduce_add_sync(unsigned, int value)
{
    int sum = 0;
    for (const int x : grid::exchange(value))
        sum += x;
    return sum;
}

template <class T>
static inline T atomicAdd(T *at, T value)
{
    const T old = *at;
    *at += value;
    return old;
}

template <class T>
static inline T atomicMax(T *at, T value)
{
    const T old = *at;
    *at = max(*at, value);
    return old;
}

struct double2 {
    double x, y;
};

static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

#endif
