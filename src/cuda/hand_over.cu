/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-overs to the host: when they are possible, and what they need. The kernel is in
 * hand_over_kernel.cuh. */
#include "cuda/hand_over_kernel.cuh"
#include <algorithm>
#include "cuda/device.cuh"

/* All blocks must be on the device together. */
static unsigned max_blocks()
{
    return (unsigned)std::min((int)MAX_BLOCKS, cuda_multiprocessors());
}

static long cells_in(const struct plan_copies copies[MAX_PLAN_COPIES])
{
    long cells = 0;
    for (int p = 0; p < MAX_PLAN_COPIES; p++)
        for (int c = 0; c < copies[p].list->count; c++)
            cells += copy_cells(&copies[p].list->copies[c]);
    return cells;
}

static bool has_single(const struct plan_copies copies[MAX_PLAN_COPIES])
{
    bool single = false;
    for (int p = 0; p < MAX_PLAN_COPIES; p++)
        single = single || copies[p].list->from_single || copies[p].list->to_single;
    return single;
}

/* Larger levels take so long that the hand-over does not matter. The kernel moves doubles. */
bool cuda_hand_overs_fit(const struct hand_over *hand_overs, int count)
{
    const long most = (long)max_blocks() * THREADS * LOADS;
    for (int h = 0; h < count; h++)
        if (has_single(hand_overs[h].down) || has_single(hand_overs[h].up) ||
            std::max(cells_in(hand_overs[h].down), cells_in(hand_overs[h].up)) > most)
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
    struct cuda_hand_over c = {*h};
    std::vector<struct move> moves;
    for (const struct plan_copies &copies : h->down)
        add_moves(moves, copies);
    c.ndown = (unsigned)moves.size();
    for (const struct plan_copies &copies : h->up)
        add_moves(moves, copies);
    c.nup = (unsigned)moves.size() - c.ndown;
    c.blocks = std::clamp((std::max(c.ndown, c.nup) + THREADS - 1) / THREADS, 1u, max_blocks());
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
