/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_CLUSTER_CUH
#define CUDA_CORE_CLUSTER_CUH
/* Thread-block clusters (compute capability 9.0): the shared memory of the blocks of a cluster, by
 * addresses, stores to it, and barriers that count the bytes of such stores. */
#include "cuda/core/launch.cuh"

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

/* A barrier of 8 bytes whose phases end after one arrival and the bytes that it expects. */
DEVICE void byte_barrier_create(unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(barrier) : "memory");
#endif
}

/* Makes new barriers visible to the cluster, before it synchronises. */
DEVICE void byte_barriers_created()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* The one arrival of a phase. */
DEVICE void byte_barrier_expect(unsigned barrier, unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :
                 : "r"(barrier), "r"(bytes)
                 : "memory");
#endif
}

/* Waits for the end of the phase of this parity; the first phase has parity 0. */
DEVICE void byte_barrier_wait(unsigned barrier, unsigned parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n.reg .pred done;\n"
                 "again_%=:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again_%=;\n}"
                 :
                 : "r"(barrier), "r"(parity)
                 : "memory");
#endif
}

/* Stores a cell in the shared memory of a block of the cluster and counts its bytes at a barrier
 * there. */
DEVICE void store_async(unsigned to, double value, unsigned barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];"
                 :
                 : "r"(to), "l"(__double_as_longlong(value)), "r"(barrier)
                 : "memory");
#endif
}

/* Reads and writes of the block's own shared memory, which the compiler leaves in their order. */
DEVICE double load_cell(unsigned address)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address) : "memory");
    return value;
}

DEVICE void store_cell(unsigned address, double value)
{
    asm volatile("st.shared.f64 [%0], %1;" : : "r"(address), "d"(value) : "memory");
}

#endif
