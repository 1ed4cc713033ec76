/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings are CUDA graphs. */
#include "cuda/backend.cuh"
#include "cuda/pass.cuh"

struct recording {
    cudaGraphExec_t graph;
};

void cuda_record_begin()
{
    cuda_synchronise();
    CUDA_CALL(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeThreadLocal));
}

struct recording *cuda_record_end()
{
    cudaGraph_t graph;
    struct recording *r = new struct recording();
    CUDA_CALL(cudaStreamEndCapture(cuda_stream(), &graph));
    CUDA_CALL(cudaGraphInstantiate(&r->graph, graph, 0));
    CUDA_CALL(cudaGraphDestroy(graph));
    return r;
}

void cuda_replay(struct recording *r, uint64_t *norm)
{
    CUDA_CALL(cudaGraphLaunch(r->graph, cuda_stream()));
    cuda_synchronise();
    cuda_deliver_norm(norm);
}

void cuda_record_destroy(struct recording *r)
{
    CUDA_CALL(cudaGraphExecDestroy(r->graph));
    delete r;
}
