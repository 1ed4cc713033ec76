/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Addresses in other blocks of the cluster have the block's rank, plus 1, in their upper bits.
 * Stores to them arrive later, in a random order. */
#include "cuda/core/copy_instructions.cuh"
#include "cuda/core/shared_memory.cuh"

enum { CLUSTER_ADDRESS_BITS = 20 };

static inline unsigned cluster_address(unsigned address, int rank)
{
    return address + ((unsigned)(rank + 1) << CLUSTER_ADDRESS_BITS);
}

static inline void cluster_synchronise()
{
    std::vector<emulated::block> &blocks = *emulated::now->cluster;
    __syncthreads();
    emulated::meet(emulated::all_blocks, (int)(blocks.size() * blocks[0].threads.size()), false);
}

static inline barrier_word *cluster_barrier(unsigned address)
{
    return (barrier_word *)shared_pointer((int)address);
}

static inline void cluster_barrier_wait(unsigned barrier, unsigned parity)
{
    barrier_wait(cluster_barrier(barrier), (int)parity);
}

static inline void store_async(unsigned to, real value, unsigned barrier)
{
    const unsigned mask = (1u << CLUSTER_ADDRESS_BITS) - 1;
    emulated::block &b = (*emulated::now->cluster)[(to >> CLUSTER_ADDRESS_BITS) - 1];
    const barrier_word number = *(const barrier_word *)(b.shared + (barrier & mask));
    emulated::sent.push_back({(real *)(b.shared + (to & mask)), value, &b.barriers[number], &b});
}

static inline real load_cell(unsigned address)
{
    return at((int)address);
}

static inline void store_cell(unsigned address, real value)
{
    put((int)address, value);
}
