/* SPDX-License-Identifier: BSD-3-Clause */
/* The two streams, and events: those that order work of the two, and those that time work. */
#include <vector>
#include "cuda/backend.cuh"
#include "cuda/core/launch.cuh"

enum { FIRST, SECOND, NUM_STREAMS };
static cudaStream_t streams[NUM_STREAMS], stream; /* the one on which work is begun now */
enum { FORKED = NUM_MARKS, JOINED, NUM_EVENTS };
static cudaEvent_t events[NUM_EVENTS];

cudaStream_t cuda_stream()
{
    return stream;
}

void cuda_synchronise()
{
    CUDA_CALL(cudaStreamSynchronize(stream));
}

/* The second stream has the higher priority: its work is short, and other work waits for it. */
void cuda_create_streams()
{
    int lowest, highest;
    CUDA_CALL(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA_CALL(cudaStreamCreateWithPriority(&streams[FIRST], cudaStreamNonBlocking, lowest));
    CUDA_CALL(cudaStreamCreateWithPriority(&streams[SECOND], cudaStreamNonBlocking, highest));
    for (cudaEvent_t &event : events)
        CUDA_CALL(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    stream = streams[FIRST];
}

static void use_second(bool on)
{
    stream = streams[on ? SECOND : FIRST];
}

static void fork_stream()
{
    CUDA_CALL(cudaEventRecord(events[FORKED], streams[FIRST]));
    CUDA_CALL(cudaStreamWaitEvent(streams[SECOND], events[FORKED], 0));
}

static void join_stream()
{
    CUDA_CALL(cudaEventRecord(events[JOINED], streams[SECOND]));
    CUDA_CALL(cudaStreamWaitEvent(streams[FIRST], events[JOINED], 0));
}

void cuda_mark(enum cuda_mark mark)
{
    CUDA_CALL(cudaEventRecord(events[mark], streams[FIRST]));
}

void cuda_await(enum cuda_mark mark)
{
    CUDA_CALL(cudaStreamWaitEvent(streams[SECOND], events[mark], 0));
}

/* The device writes the time of each event as it gets there, so that work is timed without the host
 * waiting after every piece of it. */
static std::vector<cudaEvent_t> timing_events; /* by number; grows with use */

static void record(int number)
{
    while ((int)timing_events.size() <= number) {
        cudaEvent_t event;
        CUDA_CALL(cudaEventCreate(&event));
        timing_events.push_back(event);
    }
    CUDA_CALL(cudaEventRecord(timing_events[number], cuda_stream()));
}

static double seconds_between(int from, int to)
{
    float milliseconds;
    CUDA_CALL(cudaEventSynchronize(timing_events[to]));
    CUDA_CALL(cudaEventElapsedTime(&milliseconds, timing_events[from], timing_events[to]));
    return 1e-3 * milliseconds;
}

extern const struct backend_streams cuda_streams = {fork_stream, use_second, join_stream};
extern const struct backend_events cuda_events = {record, seconds_between};

void cuda_destroy_streams()
{
    for (cudaEvent_t event : events)
        CUDA_CALL(cudaEventDestroy(event));
    for (cudaEvent_t event : timing_events)
        CUDA_CALL(cudaEventDestroy(event));
    timing_events.clear();
    for (cudaStream_t s : streams)
        CUDA_CALL(cudaStreamDestroy(s));
}
