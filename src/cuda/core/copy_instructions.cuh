/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What tile copies ask of the hardware: barriers in shared memory that count arrivals and copied
 * bytes, and the instructions that copy. */
#include <cuda.h>
#include <cuda/ptx>
#include "cuda/core/launch.cuh"

/* True in one lane of a whole warp, always the same one. Compute capability 9.0, as is what has to
 * do with the Tensor Memory Accelerator. */
DEVICE bool one_lane()
{
    unsigned one = 0;
    asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff;"
                 " selp.u32 %0, 1, 0, one; }"
                 : "=r"(one));
    return one;
}

typedef uint64_t barrier_word;

DEVICE void barrier_create(barrier_word *barrier, int arrivals)
{
    cuda::ptx::mbarrier_init(barrier, arrivals);
}

/* Makes new barriers visible to the copy engine, and after a __syncthreads to other threads. */
DEVICE void barriers_created()
{
#if __CUDA_ARCH__ >= 900
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
#endif
}

/* Waits until the barrier has completed its phase of this parity. A new barrier counts as having
 * completed a phase of parity 1. Since compute capability 9.0 the wait suspends the thread. */
DEVICE void barrier_wait(barrier_word *barrier, int parity)
{
#if __CUDA_ARCH__ >= 900
    while (!cuda::ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
#else
    while (!cuda::ptx::mbarrier_test_wait_parity(barrier, parity))
        ;
#endif
}

/* Every lane arrives alone. One could for its warp, but this takes no longer, and race
 * checkers then know which threads have waited for each other. */
DEVICE void barrier_arrive(barrier_word *barrier)
{
    cuda::ptx::mbarrier_arrive(barrier);
}

/* Arrives, and lets the phase end only after `bytes` bytes have arrived too. */
DEVICE void barrier_expect(barrier_word *barrier, int bytes)
{
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, barrier, bytes);
}

/* Issues the copy of a map's tile whose first cell has these indices in the map. */
DEVICE void copy_mapped(void *to, const CUtensorMap &map, const int32_t (&first)[3],
                        barrier_word *barrier)
{
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, &map,
                                    first, barrier);
}

/* Orders the thread's writes to shared memory before copies that the engine begins later. */
DEVICE void order_before_mapped_copies()
{
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

/* Issues the thread's copy of two cells, aligned to their size, or puts zeros there. */
DEVICE void copy_two_cells(int to, const double *from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(to), "l"(from), "r"(inside ? 16 : 0));
}

DEVICE void copy_two_cells(int to, const float *from, bool inside)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"(to), "l"(from), "r"(inside ? 8 : 0));
}

/* Arrives once all copies that the thread has issued so far have arrived. */
DEVICE void barrier_arrive_after_copies(barrier_word *barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
                 :
                 : "r"((int)__cvta_generic_to_shared(barrier))
                 : "memory");
}
