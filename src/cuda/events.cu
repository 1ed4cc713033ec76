/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of backend.h. The device writes the time of each as it gets there, so that work is timed
 * without the host waiting after every piece of it. */
#include <vector>
#include "cuda/backend.cuh"
#include "cuda/core/launch.cuh"

static std::vector<cudaEvent_t> events;

void cuda_record_event(int number)
{
    while ((int)events.size() <= number) {
        cudaEvent_t event;
        CUDA_CALL(cudaEventCreate(&event));
        events.push_back(event);
    }
    CUDA_CALL(cudaEventRecord(events[number], cuda_stream()));
}

double cuda_seconds_between(int from, int to)
{
    float milliseconds;
    CUDA_CALL(cudaEventSynchronize(events[to]));
    CUDA_CALL(cudaEventElapsedTime(&milliseconds, events[from], events[to]));
    return 1e-3 * milliseconds;
}

void cuda_release_events()
{
    for (cudaEvent_t event : events)
        CUDA_CALL(cudaEventDestroy(event));
    events.clear();
}
