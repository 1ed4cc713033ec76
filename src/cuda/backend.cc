/* SPDX-License-Identifier: BSD-3-Clause */
/* The backend's tables, and the memory of its fields. */
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>
#include "cuda/backend.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
extern "C" {
#include "cpu/cpu.h"
}

static real *allocate(long length, const char *what)
{
    const size_t bytes = (size_t)length * sizeof(real);
    real *data = (real *)cuda_allocate_bytes(bytes, what);
    CUDA_CALL(cudaMemsetAsync(data, 0, bytes, cuda_stream()));
    return data;
}

static void release(real *data)
{
    cuda_synchronise();
    cuda_release_bytes(data);
}

/* Page-locked: kernels access this memory, and the MPI library takes it as host memory. */
static real *allocate_host(long length, const char *what)
{
    void *data = NULL;
    if (cudaHostAlloc(&data, (size_t)length * sizeof(real), cudaHostAllocMapped) != cudaSuccess)
        die(STATUS_MEMORY, "no page-locked memory for %ld doubles of %s", length, what);
    memset(data, 0, (size_t)length * sizeof(real));
    return (real *)data;
}

static void release_host(real *data)
{
    cuda_synchronise();
    CUDA_CALL(cudaFreeHost(data));
}

/* Kernels access this memory by the host's pointer. */
static bool lock_pages(real *data, size_t bytes)
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

static void unlock_pages(real *data)
{
    cuda_synchronise();
    CUDA_CALL(cudaHostUnregister(data));
}

static void upload(real *field, const double *values, long count)
{
    if (std::is_same<real, double>::value)
        return cuda_upload(field, values, (size_t)count * sizeof *field);
    const std::vector<real> converted(values, values + count);
    cuda_upload(field, converted.data(), (size_t)count * sizeof *field);
}

static void download(const real *field, double *values, long count)
{
    if (std::is_same<real, double>::value)
        return cuda_download(field, values, (size_t)count * sizeof *field);
    std::vector<real> own((size_t)count);
    cuda_download(field, own.data(), (size_t)count * sizeof *field);
    std::copy(own.begin(), own.end(), values);
}

/* Levels of single precision are large: no bottom solve and no tail works on them. */
#ifdef SINGLE
#define ONLY_DOUBLE(function) NULL
#define SINGLE_OF(backend) NULL
#else
#define ONLY_DOUBLE(function) function
#define SINGLE_OF(backend) &backend##_single
#endif

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
    .bottom_solve = ONLY_DOUBLE(cuda_bottom_solve),
    .bottom_counts = ONLY_DOUBLE(cuda_bottom_counts),
    .run_stages = ONLY_DOUBLE(cuda_run_stages),
    .diagonal = cuda_diagonal,
};

enum { ROW_ALIGN = 128 / sizeof(real) }; /* one line of the GPU's caches */

static const struct backend_memory cuda_memory = {
    .allocate = allocate,
    .release = release,
    .copy = cuda_copy,
    .forget = cuda_forget,
    .upload = upload,
    .download = download,
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
    .real_bytes = sizeof(real),
    .row_align = ROW_ALIGN,
    .on_device = true,
    .wraps = true,
    .staging = &backend_cuda_host,
    .single = SINGLE_OF(backend_cuda),
    .memory = &cuda_memory,
    .passes = &cuda_passes,
    .recorder = &cuda_recorder,
    .streams = &cuda_streams,
    .events = &cuda_events,
};

extern const struct backend backend_cuda_host = {
    .name = "cpu",
    .real_bytes = sizeof(real),
    .row_align = backend_cpu.row_align, /* which its loops are made for */
    .on_device = false,
    .single = SINGLE_OF(backend_cuda_host),
    .memory = &host_memory,
    .passes = &cpu_passes,
};
}
