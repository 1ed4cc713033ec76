/* SPDX-License-Identifier: BSD-3-Clause */
/* The lab without CUDA: nothing of this is called, since no GPU can be opened. */
#include <stddef.h>
#include "base/check.h"
#include "lab/gpu.h"
#include "lab/kernels.h"

bench_kernel_fn *const gpu_kernels[KERNEL_COUNT] = {NULL};

static void absent(void)
{
    CHECK(!"a build with CUDA");
}

struct gpu_batch *gpu_batch_create(work_fn *work, void *data, int runs)
{
    (void)work, (void)data, (void)runs;
    absent();
    return NULL;
}

double gpu_batch_seconds(struct gpu_batch *batch)
{
    (void)batch;
    absent();
    return 0.0;
}

void gpu_batch_destroy(struct gpu_batch *batch)
{
    (void)batch;
    absent();
}

int gpu_kernels_of(work_fn *work, void *data, struct gpu_kernel *kernels, int most)
{
    (void)work, (void)data, (void)kernels, (void)most;
    return 0;
}

long gpu_cache_bytes(void)
{
    absent();
    return 0;
}

void machine_run_gpu(void *experiment)
{
    (void)experiment;
    absent();
}

void gpu_run_rung(struct level *level, const struct rung *rung, const struct rung_shape *shape)
{
    (void)level, (void)rung, (void)shape;
    absent();
}

bool gpu_prepare_rung(const struct rung *rung, const struct rung_shape *shape, int *most_bytes)
{
    (void)rung, (void)shape, (void)most_bytes;
    absent();
    return false;
}

int gpu_fetch_bytes(void)
{
    absent();
    return 0;
}

double *gpu_managed_create(long length)
{
    (void)length;
    absent();
    return NULL;
}

void gpu_managed_destroy(double *data)
{
    (void)data;
    absent();
}

struct gpu_textures *gpu_textures_create(const double *field, int side)
{
    (void)field, (void)side;
    absent();
    return NULL;
}

unsigned long long gpu_texture(const struct gpu_textures *textures, bool linear)
{
    (void)textures, (void)linear;
    absent();
    return 0;
}

void gpu_textures_destroy(struct gpu_textures *textures)
{
    (void)textures;
    absent();
}

bool gpu_cublas_open(double *first, long n, int size)
{
    (void)first, (void)n, (void)size;
    absent();
    return false;
}

void gpu_cublas_close(void)
{
    absent();
}
