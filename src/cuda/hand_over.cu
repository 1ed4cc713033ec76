/* SPDX-License-Identifier: BSD-3-Clause */
/* Handing over to the host within a recording; docs/ARCHITECTURE.md (The CUDA backend) explains it
 * and why it cannot deadlock. One kernel writes the coarse right-hand side into page-locked memory
 * and raises a number there. The CPU thread that launched the recording waits for the number,
 * works, and raises another one, for which the kernel waits before it reads the coarse solution. */
#include "cuda/hand_over.cuh"
#include <algorithm>
#include <cuda/atomic>
#include "base/timer.h"
#include "cuda/device.cuh"
#include "cuda/core/clock.cuh"
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

/* All blocks must be on the device together. */
static unsigned most_blocks()
{
    return (unsigned)std::min((int)MAX_BLOCKS, cuda_multiprocessors());
}

static long cells_in(const struct plan_copies copies[MAX_PLAN_COPIES])
{
    long cells = 0;
    for (int p = 0; p < MAX_PLAN_COPIES; p++)
        for (int c = 0; c < copies[p].list->count; c++) {
            const int *n = copies[p].list->copies[c].n;
            cells += (long)n[0] * n[1] * n[2];
        }
    return cells;
}

/* Larger levels take so long that the hand-over does not matter. */
bool cuda_hand_overs_fit(const struct hand_over *hand_overs, int count)
{
    const long most = (long)most_blocks() * THREADS * LOADS;
    for (int h = 0; h < count; h++)
        if (std::max(cells_in(hand_overs[h].down), cells_in(hand_overs[h].up)) > most)
            return false;
    return true;
}

static void add_moves(std::vector<struct move> &moves, const struct plan_copies &copies)
{
    for (int n = 0; n < copies.list->count; n++) {
        const struct copy &c = copies.list->copies[n];
        for (int k = 0; k < c.n[2]; k++)
            for (int j = 0; j < c.n[1]; j++)
                for (int i = 0; i < c.n[0]; i++)
                    moves.push_back({copies.from + c.from + i + j * c.from_sj + k * c.from_sk,
                                     copies.to + c.to + i + j * c.to_sj + k * c.to_sk});
    }
}

struct cuda_hand_over cuda_hand_over_create(const struct hand_over *h)
{
    struct cuda_hand_over c = {};
    c.work = h->work;
    c.data = h->data;
    c.first = h->first;
    c.longest = h->longest;
    std::vector<struct move> moves;
    for (const struct plan_copies &copies : h->down)
        add_moves(moves, copies);
    c.ndown = (unsigned)moves.size();
    for (const struct plan_copies &copies : h->up)
        add_moves(moves, copies);
    c.nup = (unsigned)moves.size() - c.ndown;
    c.blocks = std::clamp((std::max(c.ndown, c.nup) + THREADS - 1) / THREADS, 1u, most_blocks());
    c.moves = (struct move *)cuda_allocate_bytes(moves.size() * sizeof moves[0], "a hand-over");
    c.counts = (struct hand_over_counts *)cuda_allocate_bytes(sizeof *c.counts, "a hand-over");
    if (!moves.empty()) /* a rank may have no cells */
        CUDA_CALL(cudaMemcpyAsync(c.moves, moves.data(), moves.size() * sizeof moves[0],
                                  cudaMemcpyHostToDevice, cuda_stream()));
    CUDA_CALL(cudaMemsetAsync(c.counts, 0, sizeof *c.counts, cuda_stream()));
    cuda_synchronise();
    CUDA_CALL(cudaHostAlloc((void **)&c.words, sizeof *c.words, cudaHostAllocMapped));
    *c.words = {};
    return c;
}

void cuda_hand_over_destroy(struct cuda_hand_over *c)
{
    cuda_release_bytes(c->moves);
    cuda_release_bytes(c->counts);
    CUDA_CALL(cudaFreeHost(c->words));
}

void cuda_hand_over_launch(const struct cuda_hand_over &c)
{
    hand_over_kernel<<<c.blocks, THREADS, 0, cuda_stream()>>>(
        c.moves, c.ndown, c.nup, c.counts, c.words, cuda_wait_timeout(), c.longest);
    CUDA_LAUNCHED();
}

static void pause_thread()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
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

double cuda_hand_over_seconds(const struct cuda_hand_over &c)
{
    struct hand_over_counts counts;
    CUDA_CALL(
        cudaMemcpyAsync(&counts, c.counts, sizeof counts, cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
    return 1e-9 * (double)counts.nanoseconds;
}

/* Waits up to a second for the host. */
static __global__ void try_kernel(unsigned *word, unsigned *late)
{
    const unsigned long long start = nanoseconds();
    while (load<cuda::thread_scope_system>(word) == 0)
        if (nanoseconds() - start > 1000000000ull) {
            *late = 1;
            return;
        }
}

static bool try_to_wait()
{
    unsigned *words;
    CUDA_CALL(cudaHostAlloc((void **)&words, 2 * sizeof *words, cudaHostAllocMapped));
    words[0] = words[1] = 0;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CALL(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeThreadLocal));
    try_kernel<<<1, 1, 0, cuda_stream()>>>(&words[0], &words[1]);
    CUDA_LAUNCHED();
    CUDA_CALL(cudaStreamEndCapture(cuda_stream(), &graph));
    CUDA_CALL(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_CALL(cudaGraphLaunch(executable, cuda_stream()));
    __atomic_store_n(&words[0], 1, __ATOMIC_RELEASE);
    cuda_synchronise();
    const bool late = words[1];
    CUDA_CALL(cudaGraphExecDestroy(executable));
    CUDA_CALL(cudaGraphDestroy(graph));
    CUDA_CALL(cudaFreeHost(words));
    return !late;
}

bool cuda_can_wait_for_host()
{
    static const bool can = try_to_wait();
    return can;
}
