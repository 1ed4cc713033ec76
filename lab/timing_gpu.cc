/* SPDX-License-Identifier: BSD-3-Clause */
/* Timing on the GPU: runs are recorded as a graph, as the solver's programs are, and timed by
 * events around it; and what CUDA says of the kernels in such a graph. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <vector>
#include "cuda/core/launch.cuh"
#include "lab/timing.h"

struct gpu_batch {
    cudaGraphExec_t graph;
    cudaEvent_t start, stop;
};

static cudaGraph_t record(work_fn *work, void *data, int runs)
{
    cudaGraph_t graph;
    cuda_synchronise();
    CUDA_CALL(cudaStreamBeginCapture(cuda_stream(), cudaStreamCaptureModeThreadLocal));
    for (int run = 0; run < runs; run++)
        work(data);
    CUDA_CALL(cudaStreamEndCapture(cuda_stream(), &graph));
    return graph;
}

struct gpu_batch *gpu_batch_create(work_fn *work, void *data, int runs)
{
    struct gpu_batch *batch = new struct gpu_batch();
    const cudaGraph_t graph = record(work, data, runs);
    CUDA_CALL(cudaGraphInstantiate(&batch->graph, graph, 0));
    CUDA_CALL(cudaGraphDestroy(graph));
    CUDA_CALL(cudaEventCreate(&batch->start));
    CUDA_CALL(cudaEventCreate(&batch->stop));
    return batch;
}

double gpu_batch_seconds(struct gpu_batch *batch)
{
    float milliseconds;
    CUDA_CALL(cudaEventRecord(batch->start, cuda_stream()));
    CUDA_CALL(cudaGraphLaunch(batch->graph, cuda_stream()));
    CUDA_CALL(cudaEventRecord(batch->stop, cuda_stream()));
    cuda_synchronise();
    CUDA_CALL(cudaEventElapsedTime(&milliseconds, batch->start, batch->stop));
    return 1e-3 * milliseconds;
}

void gpu_batch_destroy(struct gpu_batch *batch)
{
    CUDA_CALL(cudaGraphExecDestroy(batch->graph));
    CUDA_CALL(cudaEventDestroy(batch->start));
    CUDA_CALL(cudaEventDestroy(batch->stop));
    delete batch;
}

long gpu_cache_bytes()
{
    int device, bytes;
    CUDA_CALL(cudaGetDevice(&device));
    CUDA_CALL(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
    return bytes;
}

/* The kernel's name as the source has it: no return type, no template arguments. */
static void name_kernel(const void *function, char *name, size_t size)
{
    const char *mangled = NULL;
    snprintf(name, size, "kernel");
    if (cudaFuncGetName(&mangled, function) != cudaSuccess || !mangled)
        return;
    char *plain = abi::__cxa_demangle(mangled, NULL, NULL, NULL);
    const char *text = plain ? plain : mangled;
    if (strncmp(text, "void ", 5) == 0)
        text += 5;
    snprintf(name, size, "%.*s", (int)strcspn(text, "<("), text);
    free(plain);
}

/* False if CUDA has no attributes of the kernel. */
static bool describe(const cudaKernelNodeParams &node, struct gpu_kernel *k)
{
    cudaFuncAttributes attributes;
    cudaDeviceProp device;
    int number = 0, resident = 0;
    if (cudaFuncGetAttributes(&attributes, node.func) != cudaSuccess)
        return false;
    memset(k, 0, sizeof *k);
    name_kernel(node.func, k->name, sizeof k->name);
    k->launches = 1;
    k->threads = (int)(node.blockDim.x * node.blockDim.y * node.blockDim.z);
    k->blocks = (long)node.gridDim.x * node.gridDim.y * node.gridDim.z;
    k->registers = attributes.numRegs;
    k->shared_bytes = (int)(attributes.sharedSizeBytes + node.sharedMemBytes);
    k->local_bytes = (int)attributes.localSizeBytes;
    CUDA_CALL(cudaGetDevice(&number));
    CUDA_CALL(cudaGetDeviceProperties(&device, number));
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, node.func, k->threads,
                                                      node.sharedMemBytes) == cudaSuccess)
        k->occupancy = (double)resident * k->threads / device.maxThreadsPerMultiProcessor;
    return true;
}

/* Adds to the list, or to the launches of the same kernel in it. Returns the new length. */
static int add_kernel(struct gpu_kernel *kernels, int count, int most, const struct gpu_kernel &k)
{
    for (int i = 0; i < count; i++)
        if (strcmp(kernels[i].name, k.name) == 0 && kernels[i].threads == k.threads &&
            kernels[i].registers == k.registers && kernels[i].shared_bytes == k.shared_bytes) {
            kernels[i].launches++;
            kernels[i].blocks = k.blocks > kernels[i].blocks ? k.blocks : kernels[i].blocks;
            return count;
        }
    if (count < most)
        kernels[count++] = k;
    return count;
}

int gpu_kernels_of(work_fn *work, void *data, struct gpu_kernel *kernels, int most)
{
    const cudaGraph_t graph = record(work, data, 2) /* even, see timing.c */;
    size_t nodes = 0;
    int count = 0;
    CUDA_CALL(cudaGraphGetNodes(graph, NULL, &nodes));
    std::vector<cudaGraphNode_t> list(nodes);
    CUDA_CALL(cudaGraphGetNodes(graph, list.data(), &nodes));
    for (const cudaGraphNode_t node : list) {
        cudaGraphNodeType type;
        cudaKernelNodeParams parameters;
        struct gpu_kernel k;
        CUDA_CALL(cudaGraphNodeGetType(node, &type));
        if (type == cudaGraphNodeTypeKernel &&
            cudaGraphKernelNodeGetParams(node, &parameters) == cudaSuccess &&
            describe(parameters, &k))
            count = add_kernel(kernels, count, most, k);
    }
    cudaGetLastError(); /* a failed query is no error of the run */
    for (int i = 0; i < count; i++)
        kernels[i].launches /= 2;
    CUDA_CALL(cudaGraphDestroy(graph));
    return count;
}
