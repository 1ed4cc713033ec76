/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_TILE_COPY_CUH
#define CUDA_CORE_TILE_COPY_CUH
/* Copies of tiles of a field to shared memory by the Tensor Memory Accelerator (TMA) of compute
 * capability 9.0 and later. One thread issues the copy of a whole tile; what lies outside the field
 * arrives as zeros; a barrier in shared memory counts the bytes that have arrived. */
#include <cuda.h>
#include <cuda/ptx>
#include "cuda/core/launch.cuh"

/* A map of tiles of width × rows cells of one plane, in a field with patch c's layout whose cell
 * (0,0,0) is at x. */
CUtensorMap cuda_tile_map(const double *x, const struct cells &c, int width, int rows);

/* True if the code of `kernel` that this GPU will run was compiled with these copies. */
bool cuda_has_tile_copies(const void *kernel);

/* Kernels are compiled for older GPUs too, but never run there: see cuda_has_tile_copies. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define WITH_TILE_COPIES(...) __VA_ARGS__
#else
#define WITH_TILE_COPIES(...) __trap()
#endif

/* True in one lane of a whole warp, always the same one. */
DEVICE bool one_lane()
{
    unsigned one = 0;
    WITH_TILE_COPIES(asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff;"
                                  " selp.u32 %0, 1, 0, one; }"
                                  : "=r"(one)));
    return one;
}

typedef uint64_t barrier_word;

DEVICE void barrier_create(barrier_word *barrier, int arrivals)
{
    WITH_TILE_COPIES(cuda::ptx::mbarrier_init(barrier, arrivals));
}

/* Makes new barriers visible to copies, and after a __syncthreads to other threads. */
DEVICE void barriers_created()
{
    WITH_TILE_COPIES(
        cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster));
}

/* Waits until the barrier has completed its phase of this parity. A new barrier counts as having
 * completed a phase of parity 1. */
DEVICE void barrier_wait(barrier_word *barrier, int parity)
{
    WITH_TILE_COPIES(while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity)));
}

DEVICE void barrier_arrive(barrier_word *barrier)
{
    WITH_TILE_COPIES(cuda::ptx::mbarrier_arrive(barrier));
}

/* Arrives, and lets the phase end only after so many bytes have arrived too. */
DEVICE void barrier_expect(barrier_word *barrier, int bytes)
{
    WITH_TILE_COPIES(cuda::ptx::mbarrier_arrive_expect_tx(
        cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, barrier, bytes));
}

/* Issues the copy of the tile whose first cell is (i,j,k), to a multiple of 128 bytes. */
DEVICE void tile_fetch(void *to, const CUtensorMap &map, int i, int j, int k, barrier_word *barrier)
{
    const int32_t corner[3] = {i + MAP_GHOSTS, j + MAP_GHOSTS, k + MAP_GHOSTS};
    (void)corner;
    WITH_TILE_COPIES(cuda::ptx::cp_async_bulk_tensor(
        cuda::ptx::space_cluster, cuda::ptx::space_global, to, &map, corner, barrier));
}

/* Orders the thread's writes to shared memory before copies that other threads issue later. */
DEVICE void order_before_copies()
{
    WITH_TILE_COPIES(cuda::ptx::fence_proxy_async(cuda::ptx::space_shared));
}

#endif
