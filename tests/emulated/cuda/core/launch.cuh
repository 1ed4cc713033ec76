/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The parts of CUDA C++ that the emulated kernels need and C++ lacks. */
#include "base/check.h"
#include "grid.h"

#define __device__
#define __host__
#define __global__
#define __shared__ static /* written alike by all blocks */
#define __forceinline__ inline
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define threadIdx (emulated::self().index)
#define blockIdx (emulated::now->index)
#define gridDim (emulated::now->grid)
#define blockDim (emulated::now->extent)

/* As aligned as the GPU requires. */
struct alignas(8) float2 {
    float x, y;
};

struct alignas(16) double2 {
    double x, y;
};

static inline float2 make_float2(float x, float y)
{
    return {x, y};
}

static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

/* It is written in the words above. */
#include "cuda/core/cells.cuh"

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned i, unsigned j = 1, unsigned k = 1) : x(i), y(j), z(k)
    {
    }
    dim3(const emulated::index3 &index) : x(index.x), y(index.y), z(index.z)
    {
    }
};

using std::max;
using std::min;

int cuda_multiprocessors();

static inline void __syncthreads()
{
    emulated::meet(emulated::now->all, (int)emulated::now->threads.size(), true);
}

static inline void __barrier_sync_count(unsigned id, unsigned count)
{
    emulated::meet(emulated::now->named[id], (int)count, true);
}

static inline void __syncwarp()
{
    emulated::meet(emulated::my_warp().all, emulated::WARP, true);
}

template <class T>
static inline T __ldg(const T *x)
{
    return *x;
}

static inline int lane_of_thread()
{
    return emulated::now->running % emulated::WARP;
}

template <class T>
static inline T __shfl_sync(unsigned, T value, int lane)
{
    return emulated::exchange(value)[lane % emulated::WARP];
}

/* The value of another lane, or the own one where there is none. */
template <class T>
static inline T shuffled(T value, int lane)
{
    const auto all = emulated::exchange(value);
    return lane >= 0 && lane < emulated::WARP ? all[lane] : value;
}

template <class T>
static inline T __shfl_xor_sync(unsigned, T value, int lanes)
{
    return shuffled(value, lane_of_thread() ^ lanes);
}

template <class T>
static inline T __shfl_up_sync(unsigned, T value, int lanes)
{
    return shuffled(value, lane_of_thread() - lanes);
}

template <class T>
static inline T __shfl_down_sync(unsigned, T value, int lanes)
{
    return shuffled(value, lane_of_thread() + lanes);
}

static inline bool __any_sync(unsigned, bool value)
{
    const auto all = emulated::exchange(value);
    return std::find(all.begin(), all.end(), true) != all.end();
}

static inline bool __all_sync(unsigned, bool value)
{
    return !__any_sync(0, !value);
}

static inline unsigned __reduce_max_sync(unsigned, unsigned value)
{
    const auto all = emulated::exchange(value);
    return *std::max_element(all.begin(), all.end());
}

static inline int __reduce_add_sync(unsigned, int value)
{
    const auto all = emulated::exchange(value);
    return std::accumulate(all.begin(), all.end(), 0);
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

/* A launch whose threads run one after the other, in a random order. */
template <class F>
static inline void for_range(long n, F f)
{
    static std::mt19937 random;
    for (const long x : emulated::any_order(n, random))
        f(x);
}
