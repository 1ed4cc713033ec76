/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How long something takes: median and spread of repeated samples; and what of it only a GPU can
 * tell. */
#include "backend/backend.h"
#include "base/linkage.h"

C_BEGIN

/* Seconds of one run. */
struct spread {
    double median, min, max;
    int samples;
};

/* Begins the work to be timed; it need not wait for it. */
typedef void work_fn(void *data);

/* Which clock measures. */
enum timed_by {
    TIMED_BY_BACKEND, /* a GPU's events around a graph of runs, as the solver runs its kernels; the
                      host's clock on a CPU. The work must be on the backend's stream. */
    TIMED_BY_HOST,    /* the host's clock, until the backend has finished */
};

/* Warms up, then takes `samples` samples. A sample is as many runs as fill a few milliseconds, so
 * that neither a clock's resolution nor a launch matters. Collective over the world: where several
 * ranks do the work together, each time is the slowest one's. Dies if samples < 1. */
struct spread time_work(const struct backend *backend, enum timed_by by, work_fn *work, void *data,
                        int samples);

/* What only builds with CUDA define. Others link without it: there no GPU can be opened, so nothing
 * calls it. */
#define GPU_ONLY __attribute__((weak))

/* Runs recorded as one CUDA graph. */
struct gpu_batch;
GPU_ONLY struct gpu_batch *gpu_batch_create(work_fn *work, void *data, int runs);
GPU_ONLY double gpu_batch_seconds(struct gpu_batch *batch); /* launches it; by events */
GPU_ONLY void gpu_batch_destroy(struct gpu_batch *batch);

/* One kernel that some work launches. */
struct gpu_kernel {
    char name[48];    /* without template arguments */
    int launches;     /* per run */
    int threads;      /* per block */
    long blocks;      /* per launch: the most */
    int registers;    /* per thread */
    int shared_bytes; /* per block, static and dynamic */
    int local_bytes;  /* per thread: spilled registers and indexed arrays */
    double occupancy; /* resident warps over the most that a multiprocessor holds */
};
/* The kernels of one run, found by recording it; their number, at most `most`. 0 where CUDA does
 * not tell. */
GPU_ONLY int gpu_kernels_of(work_fn *work, void *data, struct gpu_kernel *kernels, int most);

/* Bytes of L2. */
GPU_ONLY long gpu_cache_bytes(void);

C_END
