/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Handing over to the host within a recording; docs/ARCHITECTURE.md (The CUDA backend) explains it
 * and why it cannot deadlock. One kernel writes the coarse right-hand side into pinned memory
 * and raises a number there. The CPU thread that launched the recording waits for the number,
 * works, and raises another one, for which the kernel waits before it reads the coarse solution. */
#include <cuda/atomic>
#include "base/timer.h"
#include "cuda/core/clock.cuh"
#include "cuda/core/launch.cuh"
#include "cuda/core/pause.h"
#include "cuda/hand_over_launch.cuh"
#include "cuda/timeout.cuh"

/* Of a block; LOADS of a thread at once. */
enum { THREADS = 512, MAX_BLOCKS = 64, LOADS = 8 };

/* The copy of one cell. */
struct move {
    const double *from;
    double *to;
};

/* On cache lines of their own, as each has one writer. */
struct hand_over_words {
    alignas(
        128) unsigned device[MAX_BLOCKS]; /* the last replay whose cells the block has written */
    alignas(128) unsigned host;           /* the last replay that the host has answered */
};

struct hand_over_counts {
    unsigned begun[MAX_BLOCKS];     /* replays that each block has begun */
    unsigned answered;              /* the last one that the host has answered */
    unsigned long long nanoseconds; /* that the first block has taken in all */
};

template <cuda::thread_scope SCOPE>
static __device__ unsigned load(unsigned *word)
{
    return cuda::atomic_ref<unsigned, SCOPE>(*word).load(cuda::memory_order_acquire);
}

template <cuda::thread_scope SCOPE>
static __device__ void store(unsigned *word, unsigned number)
{
    cuda::atomic_ref<unsigned, SCOPE>(*word).store(number, cuda::memory_order_release);
}

static __device__ void wait_for_host(unsigned *word, unsigned number, struct wait_timeout *t,
                                     int longest)
{
    const unsigned long long start = nanoseconds(), limit = t->limit_ns;
    while (load<cuda::thread_scope_system>(word) != number)
        if (nanoseconds() - start > limit)
            give_up(t, WAITED_FOR_HOST, longest);
}

/* Makes the moves x, x + all, …; all loads are under way before the first store. */
static __device__ void make(const struct move moves[LOADS], unsigned x, unsigned count)
{
    const unsigned all = gridDim.x * THREADS;
    double values[LOADS];
#pragma unroll
    for (int a = 0; a < LOADS; a++)
        if (x + a * all < count)
            values[a] = *moves[a].from;
#pragma unroll
    for (int a = 0; a < LOADS; a++)
        if (x + a * all < count)
            *moves[a].to = values[a];
}

static __device__ void read_moves(struct move moves[LOADS], const struct move *list, unsigned x,
                                  unsigned count)
{
    const unsigned all = gridDim.x * THREADS;
#pragma unroll
    for (int a = 0; a < LOADS; a++)
        if (x + a * all < count)
            moves[a] = list[x + a * all];
}

/* The device counts replays, so the number need not be an argument. */
static __global__ void __launch_bounds__(THREADS)
    hand_over_kernel(const struct move *list, unsigned ndown, unsigned nup,
                     struct hand_over_counts *counts, struct hand_over_words *words,
                     struct wait_timeout *t, int longest)
{
    const unsigned x = blockIdx.x * THREADS + threadIdx.x;
    if (x == 0) /* in memory, as registers are full */
        atomicAdd(&counts->nanoseconds, 0 - nanoseconds());
    struct move moves[LOADS];
    const unsigned number = counts->begun[blockIdx.x] + 1;
    read_moves(moves, list, x, ndown);
    make(moves, x, ndown);
    __syncthreads();
    if (threadIdx.x == 0) {
        counts->begun[blockIdx.x] = number;
        store<cuda::thread_scope_system>(&words->device[blockIdx.x], number);
    }
    read_moves(moves, list + ndown, x, nup); /* while the host works */
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) {
            wait_for_host(&words->host, number, t, longest);
            store<cuda::thread_scope_device>(&counts->answered, number);
        } else
            while (load<cuda::thread_scope_device>(&counts->answered) != number)
                ;
    }
    __syncthreads();
    make(moves, x, nup);
    if (x == 0)
        atomicAdd(&counts->nanoseconds, nanoseconds());
}

/* The number never comes if the device has failed, so now and then this looks. */
static void wait_for_device(const unsigned *word, unsigned number)
{
    enum { LOOK_EVERY = 1 << 14 };
    for (long spins = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != number; spins++) {
        pause_thread();
        if (spins % LOOK_EVERY != 0)
            continue;
        const cudaError_t status = cudaStreamQuery(cuda_stream());
        if (status == cudaErrorNotReady)
            continue;
        CUDA_CALL(status);
        const bool handed_over = __atomic_load_n(word, __ATOMIC_ACQUIRE) == number;
        CHECK(handed_over);
    }
}

void cuda_hand_over_answer(struct cuda_hand_over &c, unsigned replay)
{
    for (unsigned b = 0; b < c.blocks; b++)
        wait_for_device(&c.words->device[b], replay);
    const double start = timer_seconds();
    c.work(c.data, c.first);
    const double end = timer_seconds();
    __atomic_store_n(&c.words->host, replay, __ATOMIC_RELEASE);
    c.host_seconds += end - start;
}
