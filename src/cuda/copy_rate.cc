/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate at which the device copies memory, to compare stages with. */
#include <algorithm>
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"

enum { COPY_BYTES = 256 << 20, SAMPLES = 7, WARM_UP = 2 };

double cuda_copy_rate(void)
{
    size_t free_bytes, all_bytes;
    double seconds[SAMPLES];
    CUDA_CALL(cudaMemGetInfo(&free_bytes, &all_bytes));
    const size_t bytes = std::min((size_t)COPY_BYTES, free_bytes / 4);
    char *memory = (char *)cuda_allocate_bytes(2 * bytes, "a copy to compare with");
    CUDA_CALL(cudaMemsetAsync(memory, 1, 2 * bytes, cuda_stream()));
    for (int i = -WARM_UP; i < SAMPLES; i++) {
        cuda_events.record(0);
        CUDA_CALL(cudaMemcpyAsync(memory, memory + bytes, bytes, cudaMemcpyDeviceToDevice,
                                  cuda_stream()));
        cuda_events.record(1);
        const double sample = cuda_events.seconds_between(0, 1);
        if (i >= 0)
            seconds[i] = sample;
    }
    cuda_release_bytes(memory);
    std::sort(seconds, seconds + SAMPLES);
    return 2.0 * (double)bytes / seconds[SAMPLES / 2];
}
