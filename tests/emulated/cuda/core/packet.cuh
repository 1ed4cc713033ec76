/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Packets arrive at once. */
#include <cuda/atomic>
#include "cuda/core/launch.cuh"

struct alignas(16) packet {
    double value;
    unsigned long long number;
};

template <cuda::thread_scope>
static inline void store_packet(struct packet *at, struct packet p)
{
    emulated::moved = true;
    *at = p;
}

template <cuda::thread_scope>
static inline struct packet load_packet(const struct packet *at)
{
    return *at;
}
