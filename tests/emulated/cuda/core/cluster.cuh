/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_CLUSTER_CUH
#define EMULATED_CLUSTER_CUH
/* Addresses in other blocks of the cluster have the block's rank, plus 1, in their upper bits.
 * Stores to them arrive later, in a random order. */
#include "cuda/core/launch.cuh"
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

static inline emulated::counted_barrier &byte_barrier_at(emulated::block &b, unsigned address)
{
    uint64_t number;
    memcpy(&number, b.shared + address, sizeof number);
    return b.barriers[number];
}

static inline void byte_barrier_create(unsigned barrier)
{
    const uint64_t number = emulated::now->barriers.size();
    memcpy(shared_memory + barrier, &number, sizeof number);
    emulated::now->barriers.push_back({1, 1, 0, 0, {}, {}});
}

static inline void byte_barriers_created()
{
}

static inline void byte_barrier_expect(unsigned barrier, unsigned bytes)
{
    emulated::arrive_before_copies(byte_barrier_at(*emulated::now, barrier), bytes);
}

static inline void byte_barrier_wait(unsigned barrier, unsigned parity)
{
    emulated::await_phase(byte_barrier_at(*emulated::now, barrier), (int)parity);
}

static inline void store_async(unsigned to, double value, unsigned barrier)
{
    const unsigned mask = (1u << CLUSTER_ADDRESS_BITS) - 1;
    emulated::block &b = (*emulated::now->cluster)[(to >> CLUSTER_ADDRESS_BITS) - 1];
    emulated::sent.push_back(
        {(double *)(b.shared + (to & mask)), value, &byte_barrier_at(b, barrier & mask)});
}

static inline double load_cell(unsigned address)
{
    return at((int)address);
}

static inline void store_cell(unsigned address, double value)
{
    put((int)address, value);
}

#endif
