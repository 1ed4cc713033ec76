/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Launching kernels: checked calls, the stream, one thread per cell, tuned kernels. */
#include <cuda_runtime.h>
#include <cstdint>
#include "cuda/core/cells.cuh"
#include "cuda/core/wave_partition.h"
#include "base/check.h"

/* Every CUDA call is checked; a failure ends the job with the call and CUDA's text. */
void cuda_check(cudaError_t error, const char *call, const char *file, int line);
#define CUDA_CALL(call) cuda_check((call), #call, __FILE__, __LINE__)
/* After a launch. */
#define CUDA_LAUNCHED() cuda_check(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)

/* The stream on which the backend begins all work, in order: the first one, or the second one
 * (struct backend_streams). */
cudaStream_t cuda_stream();
void cuda_create_streams();
void cuda_destroy_streams();
void cuda_synchronise(); /* waits for that stream */
/* Work begun on the second stream after cuda_await() waits for the work begun on the first one
 * before cuda_mark(): the interior's, of a pass that is split. */
enum cuda_mark { INNER_PREPARED, INNER_DONE, NUM_MARKS };
void cuda_mark(enum cuda_mark mark);
void cuda_await(enum cuda_mark mark);

int cuda_multiprocessors();

/* Planes per block of a k-streaming sweep over n2 planes of `tiles` tiles: `tuned`, or where that
 * is 0 the even number up to `most` with the least estimated completion time. So many blocks run at
 * once, and each takes `extra` steps more than it has planes. */
static inline int planes_per_block(int tuned, int n2, int tiles, int most, int extra,
                                   int at_once = cuda_multiprocessors())
{
    return tuned > 0 ? tuned : wave_partition_best_planes(tiles, n2, 2, most, extra, at_once);
}

#ifdef __CUDACC__ /* files without kernels are compiled by the host's compiler */
/* Calls f(i,j,k) for 0 <= i < n[0], …; one thread per cell. */
template <class F>
__global__ void __launch_bounds__(256) for_cells_kernel(int n0, int n1, int n2, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
              k = blockIdx.z;
    if (i < n0 && j < n1)
        f(i, j, k);
}

template <class F>
void for_cells(int n0, int n1, int n2, F f)
{
    if (n0 <= 0 || n1 <= 0 || n2 <= 0)
        return;
    const dim3 block(64, 4), grid((n0 + 63) / 64, (n1 + 3) / 4, n2);
    for_cells_kernel<<<grid, block, 0, cuda_stream()>>>(n0, n1, n2, f);
    CUDA_LAUNCHED();
}

/* Calls f(x) for 0 <= x < n. */
template <class F>
__global__ void __launch_bounds__(256) for_range_kernel(long n, F f)
{
    const long x = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n)
        f(x);
}

template <class F>
void for_range(long n, F f)
{
    if (n <= 0)
        return;
    for_range_kernel<<<(unsigned)((n + 255) / 256), 256, 0, cuda_stream()>>>(n, f);
    CUDA_LAUNCHED();
}

/* Lets KERNEL have `bytes` of dynamic shared memory per block, which may exceed the 48 KiB that it
 * gets without opting in. */
template <auto KERNEL>
static void opt_in(int bytes)
{
    static const cudaError_t opted_in =
        cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    CUDA_CALL(opted_in);
}

/* Launches KERNEL with so much dynamic shared memory. */
template <auto KERNEL, class... Arguments>
static void launch_kernel(dim3 grid, dim3 block, int bytes, const Arguments &...arguments)
{
    opt_in<KERNEL>(bytes);
    KERNEL<<<grid, block, bytes, cuda_stream()>>>(arguments...);
    CUDA_LAUNCHED();
}

/* Resident blocks of KERNEL on the GPU, by threads and bytes of shared memory per block. */
template <auto KERNEL>
static int cuda_blocks_at_once(int threads, int bytes)
{
    static int per_multiprocessor;
    if (per_multiprocessor == 0) {
        opt_in<KERNEL>(bytes);
        CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, KERNEL,
                                                                threads, (size_t)bytes));
    }
    return max(per_multiprocessor, 1) * cuda_multiprocessors();
}

static inline cudaLaunchConfig_t cluster_configuration(dim3 grid, dim3 block, int cluster,
                                                       int bytes, cudaLaunchAttribute *attribute)
{
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = 1;
    attribute->val.clusterDim.y = (unsigned)cluster;
    attribute->val.clusterDim.z = 1;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = grid;
    configuration.blockDim = block;
    configuration.dynamicSmemBytes = (size_t)bytes;
    configuration.stream = cuda_stream();
    configuration.attrs = attribute;
    configuration.numAttrs = 1;
    return configuration;
}

/* launch_kernel() in clusters of `cluster` blocks in j. */
template <auto KERNEL, class... Arguments>
static void launch_cluster_kernel(dim3 grid, dim3 block, int cluster, int bytes,
                                  const Arguments &...arguments)
{
    opt_in<KERNEL>(bytes);
    cudaLaunchAttribute attribute = {};
    const cudaLaunchConfig_t configuration =
        cluster_configuration(grid, block, cluster, bytes, &attribute);
    CUDA_CALL(cudaLaunchKernelEx(&configuration, KERNEL, arguments...));
}

/* Resident clusters of KERNEL on the GPU; 0 if it has no room for one, as a part of a GPU may. */
template <auto KERNEL>
static int cuda_clusters_at_once(int threads, int bytes, int cluster)
{
    static int clusters = -1;
    if (clusters < 0) {
        opt_in<KERNEL>(bytes);
        cudaLaunchAttribute attribute = {};
        const cudaLaunchConfig_t configuration =
            cluster_configuration(dim3(1, cluster), threads, cluster, bytes, &attribute);
        CUDA_CALL(cudaOccupancyMaxActiveClusters(&clusters, KERNEL, &configuration));
    }
    return clusters;
}
#endif
