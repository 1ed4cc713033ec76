/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings are CUDA graphs, and the hand-overs to the host in them. */
#include "cuda/backend.cuh"
#include "cuda/hand_over_launch.cuh"
#include "cuda/pass.cuh"

struct recording {
    cudaGraphExec_t graph;
    std::vector<struct cuda_hand_over> hand_overs;
    unsigned replays; /* begun */
};

static struct recording *begun;

/* Before the capture, which forbids allocations. */
static bool begin(const struct hand_over *hand_overs, int count)
{
    if (!cuda_hand_overs_fit(hand_overs, count))
        return false;
    begun = new struct recording();
    for (int h = 0; h < count; h++)
        begun->hand_overs.push_back(cuda_hand_over_create(&hand_overs[h]));
    cuda_synchronise();
    CUDA_CALL(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeThreadLocal));
    return true;
}

static void record_hand_over(int index)
{
    cuda_hand_over_launch(begun->hand_overs[index]);
}

static struct recording *end()
{
    cudaGraph_t graph;
    CUDA_CALL(cudaStreamEndCapture(cuda_stream(), &graph));
    CUDA_CALL(cudaGraphInstantiate(&begun->graph, graph, 0));
    CUDA_CALL(cudaGraphDestroy(graph));
    return begun;
}

static void replay(struct recording *r, uint64_t *norm)
{
    CUDA_CALL(cudaGraphLaunch(r->graph, cuda_stream()));
    r->replays++;
    for (struct cuda_hand_over &h : r->hand_overs)
        cuda_hand_over_answer(h, r->replays);
    cuda_synchronise();
    cuda_deliver_norm(norm);
}

static struct hand_over_times times_of(const struct recording *r)
{
    struct hand_over_times times = {};
    for (const struct cuda_hand_over &h : r->hand_overs) {
        times.total += cuda_hand_over_seconds(h);
        times.host += h.host_seconds;
    }
    return times;
}

static void destroy(struct recording *r)
{
    CUDA_CALL(cudaGraphExecDestroy(r->graph));
    for (struct cuda_hand_over &h : r->hand_overs)
        cuda_hand_over_destroy(&h);
    delete r;
}

extern const struct backend_recorder cuda_recorder = {
    .begin = begin,
    .hand_over = record_hand_over,
    .end = end,
    .replay = replay,
    .times = times_of,
    .destroy = destroy,
    .can_wait_for_host = cuda_can_wait_for_host,
};
