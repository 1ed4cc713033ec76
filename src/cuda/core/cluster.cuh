/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Thread-block clusters (compute capability 9.0): the shared memory of the blocks of a cluster, by
 * addresses, and stores to it, which barriers count. */
#include "cuda/core/copy_instructions.cuh"
#include "cuda/core/shared_memory.cuh"

/* What stands at this address of the block's own shared memory, in the block of that rank. */
DEVICE unsigned cluster_address(unsigned address, int rank)
{
    unsigned there = 0;
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
#endif
    return there;
}

/* Waits for all threads of the cluster. */
DEVICE void cluster_synchronise()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* The barrier at this address of the block's own shared memory. */
DEVICE barrier_word *cluster_barrier(unsigned address)
{
    return (barrier_word *)shared_pointer((int)address);
}

/* barrier_wait() for what other blocks of the cluster have stored. */
DEVICE void cluster_barrier_wait(unsigned barrier, unsigned parity)
{
#if __CUDA_ARCH__ >= 900
    while (!cuda::ptx::mbarrier_try_wait_parity(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster,
                                                cluster_barrier(barrier), parity))
        ;
#endif
}

/* Stores a cell in the shared memory of a block of the cluster and counts its bytes at a barrier
 * there. */
DEVICE void store_async(unsigned to, real value, unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
#ifdef SINGLE
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
                 :
                 : "r"(to), "r"(__float_as_int(value)), "r"(barrier)
                 : "memory");
#else
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                 :
                 : "r"(to), "l"(__double_as_longlong(value)), "r"(barrier)
                 : "memory");
#endif
#endif
}

/* Reads and writes of the block's own shared memory, which the compiler leaves in their order. */
DEVICE real load_cell(unsigned address)
{
    real value;
#ifdef SINGLE
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
#else
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address) : "memory");
#endif
    return value;
}

DEVICE void store_cell(unsigned address, real value)
{
#ifdef SINGLE
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(address), "f"(value) : "memory");
#else
    asm volatile("st.shared.f64 [%0], %1;" : : "r"(address), "d"(value) : "memory");
#endif
}
