/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_GPU_H
#define LAB_GPU_H
/* What the lab's C files see of the GPU. */
#include "lab/gpu_only.h"
#include "lab/rungs.h"
#include "lab/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Runs a rung of `ladder`: both half-sweeps. */
GPU_ONLY void gpu_run_rung(struct level *level, const struct rung *rung,
                           const struct rung_shape *shape);
/* Makes its kernel ready for that shape. False if a block needs more shared memory than it can
 * have; *max_bytes is that. */
GPU_ONLY bool gpu_prepare_rung(const struct rung *rung, const struct rung_shape *shape,
                               int *max_bytes);

#ifdef __cplusplus
}
#endif
#endif
