/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_PEER_PEER_CUH
#define CUDA_PEER_PEER_CUH
/* Messages between GPUs of one host without host synchronisation; cuda.h says how the program gets
 * this transport. peer.cc maps ranks' receive buffers by CUDA IPC and turns routes into lists of
 * tasks. exchange.cu has the kernel, which executes such a list.
 * No deadlock: all ranks execute the same plans in the same order, all blocks of a kernel are
 * resident, and each sends before it waits. Ranks must not share a GPU. */
#include "cuda/core/packet.cuh"
#include "cuda/device.cuh"
extern "C" {
#include "backend/backend.h"
}

/* A block copies units: three cells per thread, in two packets. */
enum { PEER_BLOCK = 256, UNIT_CELLS = 3 * PEER_BLOCK, UNIT_PACKETS = 2 * PEER_BLOCK };

/* One block's part of a copy in every exchange: units first to end − 1. */
struct alignas(16) peer_task {
    struct copy copy;
    struct packet *packets[2]; /* of the whole copy; exchanges alternate between them */
    unsigned first, end;
    unsigned number; /* exchanges so far */
};

/* Blocks of the exchange kernel that the GPU can hold at once. */
unsigned peer_resident_blocks();
/* Executes tasks, in device memory, of an exchange between levels with `longest` cells along a
 * side. Those that send or copy come first. */
void peer_exchange(struct peer_task *tasks, int count, const double *from, double *to, int longest);

#endif
