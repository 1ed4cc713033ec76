/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Messages between GPUs of one host without host synchronisation; cuda.h says how the program gets
 * this transport. peer.cc maps ranks' receive buffers by CUDA IPC and turns routes into lists of
 * tasks. exchange.cu has the kernel, which executes such a list.
 * No deadlock: all ranks execute the same plans in the same order, all blocks of a kernel are
 * resident, and each sends before it waits. Ranks must not share a GPU. */
#include "cuda/core/packet.cuh"
#include "cuda/device.cuh"
extern "C" {
#include "level/route.h"
}

/* A block copies units: three cells per thread. A packet holds three words of 4 bytes, so they are
 * one packet in single precision and two in double. */
enum { PEER_BLOCK = 256, UNIT_CELLS = 3 * PEER_BLOCK };

static inline HD long packets_per_unit(int value_bytes)
{
    return value_bytes / (int)sizeof(float) * (long)PEER_BLOCK;
}

/* One block's part of a copy in every exchange: units first to end − 1. */
struct alignas(16) peer_task {
    struct copy copy;
    struct packet *packets[2]; /* of the whole copy; exchanges alternate between them */
    unsigned first, end;
    unsigned number; /* exchanges so far */
};

/* Blocks of the exchange kernel that the GPU can hold at once. */
unsigned peer_resident_blocks();
/* Executes a route's tasks, in device memory. Those that send or copy come first. */
void peer_exchange(const struct route *route, struct peer_task *tasks, int count, const void *from,
                   void *to);
