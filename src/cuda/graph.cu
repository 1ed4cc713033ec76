/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings are CUDA graphs. */
#include "cuda/backend.cuh"
#include "cuda/pass.cuh"

struct recording {
    cudaGraphExec_t graph;
    uint64_t *norm; /* where a replay adds the norm; NULL if it has none */
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
    r->norm = cuda_take_recorded_norm();
    return r;
}

void cuda_replay(struct recording *r)
{
    CUDA_CALL(cudaGraphLaunch(r->graph, cuda_stream()));
    cuda_synchronise();
    if (r->norm)
        cuda_deliver_norm(r->norm);
}

void cuda_record_destroy(struct recording *r)
{
    CUDA_CALL(cudaGraphExecDestroy(r->graph));
    delete r;
}
