/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_PACKET_CUH
#define TAIL_PACKET_CUH
/* Packets arrive at once. */
#include "cuda/core/launch.cuh"

namespace cuda
{
enum thread_scope { thread_scope_device, thread_scope_system };
}

struct alignas(16) packet {
    double value;
    unsigned long long number;
};

template <cuda::thread_scope>
static inline void store_packet(struct packet *at, struct packet p)
{
    grid::moved = true;
    *at = p;
}

template <cuda::thread_scope>
static inline struct packet load_packet(const struct packet *at)
{
    return *at;
}

#endif
