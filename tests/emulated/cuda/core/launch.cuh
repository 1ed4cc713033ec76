/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_LAUNCH_CUH
#define EMULATED_LAUNCH_CUH
/* The parts of CUDA C++ that the emulated kernels need and C++ lacks. */
#include "block.h"
#include "cuda/core/cells.cuh"

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define threadIdx (emulated::self().index)
#define blockIdx (emulated::now->index)
#define gridDim (emulated::now->grid)
#define blockDim (emulated::now->extent)

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

static inline void __syncthreads()
{
    emulated::meet(emulated::now->all, 0, emulated::now->count, true);
}

static inline void __syncwarp()
{
    emulated::meet_warp(true);
}

template <class T>
static inline T __ldg(const T *x)
{
    return *x;
}

template <class T>
static inline T __shfl_sync(unsigned, T value, int lane)
{
    return (T)emulated::exchange((double)value)[lane % emulated::WARP];
}

/* The value of another lane, or the own one where there is none. */
static inline double shuffled(double value, int lane)
{
    const auto &all = emulated::exchange(value);
    return lane >= 0 && lane < emulated::WARP ? all[lane] : value;
}

static inline double __shfl_up_sync(unsigned, double value, int lanes)
{
    return shuffled(value, emulated::now->running % emulated::WARP - lanes);
}

static inline double __shfl_down_sync(unsigned, double value, int lanes)
{
    return shuffled(value, emulated::now->running % emulated::WARP + lanes);
}

static inline bool __any_sync(unsigned, bool value)
{
    const auto &all = emulated::exchange(value);
    return std::any_of(all.begin(), all.end(), [](double x) { return x != 0.0; });
}

/* A launch whose threads run one after the other. */
template <class F>
static inline void for_range(long n, F f)
{
    for (long x = 0; x < n; x++)
        f(x);
}

struct double2 {
    double x, y;
};

static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

static inline int __double2hiint(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 32);
}

#endif
