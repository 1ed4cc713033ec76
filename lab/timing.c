/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/timing.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"

enum { TRIALS = 3, MAX_RUNS_IN_GRAPH = 256, MAX_RUNS = 4096 };
/* Longer on a CPU, where a thread may lose its processor for a few milliseconds. */
static const double GPU_SAMPLE_SECONDS = 2e-3, CPU_SAMPLE_SECONDS = 20e-3;

/* The slowest rank's seconds, on all ranks, so that all make as many runs. */
static double slowest(double seconds)
{
    comm_max_f64(comm_world(), &seconds, 1);
    return seconds;
}

static double host_seconds(const struct backend *backend, work_fn *work, void *data, int runs)
{
    backend->memory->synchronise();
    comm_barrier(comm_world());
    const double start = timer_seconds();
    for (int run = 0; run < runs; run++)
        work(data);
    backend->memory->synchronise();
    return slowest(timer_seconds() - start);
}

static double batch_seconds(struct gpu_batch *batch)
{
    comm_barrier(comm_world());
    return slowest(gpu_batch_seconds(batch));
}

/* The fastest of some trials, which warm up as well. */
static double min_seconds(const struct backend *backend, work_fn *work, void *data, int runs)
{
    double least = host_seconds(backend, work, data, runs);
    for (int trial = 1; trial < TRIALS; trial++) {
        const double seconds = host_seconds(backend, work, data, runs);
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* Runs per sample, so that a sample lasts long enough. The number is even: out-of-place passes swap
 * two buffers in every run, and a graph must leave them where it found them. */
static int runs_per_sample(const struct backend *backend, work_fn *work, void *data)
{
    const double wanted = backend->on_device ? GPU_SAMPLE_SECONDS : CPU_SAMPLE_SECONDS;
    const int most = backend->on_device ? MAX_RUNS_IN_GRAPH : MAX_RUNS;
    double runs = 2.0, seconds = min_seconds(backend, work, data, 2);
    while (seconds < 0.5 * wanted && runs < most) {
        const double more = runs * wanted / (seconds > 1e-9 ? seconds : 1e-9);
        runs = more > 16.0 * runs ? 16.0 * runs : more; /* the first runs may be slow or cold */
        runs = runs > most ? most : runs;
        seconds = min_seconds(backend, work, data, (int)runs);
    }
    return (int)(runs / 2.0 + 0.5) * 2;
}

static struct spread summarise(double *seconds, int samples)
{
    const double median = timer_median(seconds, samples);
    return (struct spread){median, seconds[0], seconds[samples - 1], samples};
}

struct spread time_work(const struct backend *backend, enum timed_by by, work_fn *work, void *data,
                        int samples)
{
    CHECK(samples >= 1);
    const int runs = runs_per_sample(backend, work, data);
    const bool by_events = by == TIMED_BY_BACKEND && backend->on_device;
    struct gpu_batch *batch = by_events ? gpu_batch_create(work, data, runs) : NULL;
    double *seconds = memory_alloc((size_t)samples * sizeof *seconds, "samples");
    if (batch)
        gpu_batch_seconds(batch); /* the first launch of a graph uploads it */
    for (int s = 0; s < samples; s++)
        seconds[s] =
            (batch ? batch_seconds(batch) : host_seconds(backend, work, data, runs)) / runs;
    if (batch)
        gpu_batch_destroy(batch);
    const struct spread spread = summarise(seconds, samples);
    memory_free(seconds);
    return spread;
}
