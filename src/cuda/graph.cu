/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings are CUDA graphs: struct recording is what a cudaGraphExec_t points to. */
#include "cuda/backend.cuh"
#include "cuda/pass.cuh"

void cuda_record_begin()
{
    cuda_synchronise();
    CUDA_CALL(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeThreadLocal));
}

struct recording *cuda_record_end()
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CUDA_CALL(cudaStreamEndCapture(cuda_stream(), &graph));
    CUDA_CALL(cudaGraphInstantiate(&executable, graph, 0));
    CUDA_CALL(cudaGraphDestroy(graph));
    return (struct recording *)executable;
}

void cuda_replay(struct recording *r, uint64_t *norm)
{
    CUDA_CALL(cudaGraphLaunch((cudaGraphExec_t)r, cuda_stream()));
    cuda_synchronise();
    cuda_deliver_norm(norm);
}

void cuda_record_destroy(struct recording *r)
{
    CUDA_CALL(cudaGraphExecDestroy((cudaGraphExec_t)r));
}
