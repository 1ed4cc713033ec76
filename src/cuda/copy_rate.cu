/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device's memory gives, to compare stages with. */
#include <algorithm>
#include "cuda/cuda.h"
#include "cuda/internal.cuh"

enum { COPY_BYTES = 256 << 20, SAMPLES = 7, WARM_UP = 2 };

static double copy_seconds(char *to, const char *from, size_t bytes, cudaEvent_t before,
                           cudaEvent_t after)
{
    float milliseconds;
    CUDA_CALL(cudaEventRecord(before, cuda_stream()));
    CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda_stream()));
    CUDA_CALL(cudaEventRecord(after, cuda_stream()));
    CUDA_CALL(cudaEventSynchronize(after));
    CUDA_CALL(cudaEventElapsedTime(&milliseconds, before, after));
    return 1e-3 * milliseconds;
}

double cuda_copy_rate(void)
{
    size_t free_bytes, all_bytes;
    CUDA_CALL(cudaMemGetInfo(&free_bytes, &all_bytes));
    const size_t bytes = std::min((size_t)COPY_BYTES, free_bytes / 4);
    char *memory = (char *)cuda_allocate_bytes(2 * bytes, "a copy to compare with");
    CUDA_CALL(cudaMemsetAsync(memory, 1, 2 * bytes, cuda_stream()));
    cudaEvent_t before, after;
    CUDA_CALL(cudaEventCreate(&before));
    CUDA_CALL(cudaEventCreate(&after));
    double seconds[SAMPLES];
    for (int i = -WARM_UP; i < SAMPLES; i++) {
        const double now = copy_seconds(memory, memory + bytes, bytes, before, after);
        if (i >= 0)
            seconds[i] = now;
    }
    CUDA_CALL(cudaEventDestroy(before));
    CUDA_CALL(cudaEventDestroy(after));
    cuda_release_bytes(memory);
    std::sort(seconds, seconds + SAMPLES);
    return 2.0 * (double)bytes / seconds[SAMPLES / 2];
}
