/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend's tables, and the memory of its fields. */
#include <cstring>
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
extern "C" {
#include "cpu/cpu.h"
}

static double *allocate(long length, const char *what)
{
    const size_t bytes = (size_t)length * sizeof(double);
    double *data = (double *)cuda_allocate_bytes(bytes, what);
    CUDA_CALL(cudaMemsetAsync(data, 0, bytes, cuda_stream()));
    return data;
}

static void release(double *data)
{
    cuda_synchronise();
    cuda_release_bytes(data);
}

/* Page-locked: kernels access this memory, and the MPI library takes it as host memory. */
static double *allocate_host(long length, const char *what)
{
    void *data = NULL;
    if (cudaHostAlloc(&data, (size_t)length * sizeof(double), cudaHostAllocMapped) != cudaSuccess)
        die(STATUS_MEMORY, "no page-locked memory for %ld doubles of %s", length, what);
    memset(data, 0, (size_t)length * sizeof(double));
    return (double *)data;
}

static void release_host(double *data)
{
    cuda_synchronise();
    CUDA_CALL(cudaFreeHost(data));
}

/* Kernels access this memory by the host's pointer. */
static bool lock_pages(double *data, size_t bytes)
{
    void *pointer = NULL;
    if (cudaHostRegister(data, bytes, cudaHostRegisterMapped) == cudaSuccess) {
        if (cudaHostGetDevicePointer(&pointer, data, 0) == cudaSuccess && pointer == data)
            return true;
        CUDA_CALL(cudaHostUnregister(data));
    }
    cudaGetLastError(); /* forgets the failure */
    return false;
}

static void unlock_pages(double *data)
{
    cuda_synchronise();
    CUDA_CALL(cudaHostUnregister(data));
}

static const struct passes cuda_passes = {
    .run = cuda_run,
    .fill_ghosts = cuda_fill_ghosts,
    .splits = cuda_splits,
    .smooths_at_once = cuda_smooths_at_once,
    .bytes = cuda_bytes,
    .kernels = cuda_kernels,
    .visit = cuda_visit,
    .reduce = cuda_reduce,
    .apply = cuda_apply,
    .subtract_mean = cuda_subtract_mean,
    .bottom_solve = cuda_bottom_solve,
    .bottom_counts = cuda_bottom_counts,
    .run_stages = cuda_run_stages,
    .diagonal = cuda_diagonal,
};

enum { ROW_ALIGN = 16 }; /* 128 bytes: one line of the GPU's caches */

static const struct backend_memory cuda_memory = {
    .allocate = allocate,
    .release = release,
    .copy = cuda_copy,
    .forget = cuda_forget,
    .upload = cuda_upload,
    .download = cuda_download,
    .synchronise = cuda_synchronise,
};

static const struct backend_memory host_memory = {
    .allocate = allocate_host,
    .release = release_host,
    .copy = backend_cpu.memory->copy, /* between host fields; others are the device's */
    .forget = cuda_forget,
    .upload = backend_cpu.memory->upload,
    .download = backend_cpu.memory->download,
    .synchronise = cuda_synchronise,
    .lock_pages = lock_pages,
    .unlock_pages = unlock_pages,
};

extern "C" {
extern const struct backend backend_cuda = {
    .name = "gpu",
    .row_align = ROW_ALIGN,
    .on_device = true,
    .wraps = true,
    .staging = &backend_cuda_host,
    .memory = &cuda_memory,
    .passes = &cuda_passes,
    .recorder = &cuda_recorder,
    .streams = &cuda_streams,
    .events = &cuda_events,
};

extern const struct backend backend_cuda_host = {
    .name = "cpu",
    .row_align = backend_cpu.row_align, /* which its loops are made for */
    .on_device = false,
    .memory = &host_memory,
    .passes = &cpu_passes,
};
}
