/* SPDX-License-Identifier: BSD-3-Clause */
/* The residual norm on its way to the host. Kernels raise a word of device memory, 0 in between,
 * from which it goes to a word of host memory that is read once the stream is idle. The device has
 * one of each, since one norm at a time is on its way. */
#include "cuda/device.cuh"
#include "cuda/pass.cuh"

static unsigned long long *on_device, *on_host;

unsigned long long *cuda_norm_word()
{
    if (!on_host) {
        CUDA_CALL(cudaHostAlloc((void **)&on_host, sizeof *on_host, cudaHostAllocMapped));
        *on_host = 0;
    }
    return (unsigned long long *)cuda_keep_bytes((void **)&on_device, sizeof *on_device, "a norm");
}

void cuda_release_norm()
{
    CUDA_CALL(cudaFreeHost(on_host));
    on_host = NULL;
}

/* A kernel of one thread, since in a recording a copy and a memset take 2 µs longer. */
static __global__ void take_norm_kernel(unsigned long long *from, unsigned long long *to)
{
    *to = *from;
    *from = 0;
}

void cuda_fetch_norm(uint64_t *norm)
{
    cudaStreamCaptureStatus status;
    take_norm_kernel<<<1, 1, 0, cuda_stream()>>>(on_device, on_host);
    CUDA_LAUNCHED();
    CUDA_CALL(cudaStreamIsCapturing(cuda_stream(), &status));
    if (status == cudaStreamCaptureStatusActive)
        return;
    cuda_synchronise();
    cuda_deliver_norm(norm);
}

void cuda_deliver_norm(uint64_t *norm)
{
    if (!on_host)
        return;
    *norm = *on_host > *norm ? *on_host : *norm;
    *on_host = 0;
}
