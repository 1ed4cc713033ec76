/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: choice, limits, memory with a ledger. */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
#include "cuda/timeout.cuh"

static struct cuda_device device;
static bool opened;
static struct device_limits limits;

void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    cuda_report_timeout();
    die(STATUS_SYSTEM, "%s:%d: %s: %s", file, line, call, cudaGetErrorString(error));
}

const struct cuda_device *cuda_device(void)
{
    return opened ? &device : NULL;
}

size_t cuda_free_bytes(void)
{
    size_t available = 0, all;
    if (opened)
        CUDA_CALL(cudaMemGetInfo(&available, &all));
    return available;
}

int cuda_use_device(int number)
{
    int before = number;
    if (!opened)
        return number;
    CUDA_CALL(cudaGetDevice(&before));
    CUDA_CALL(cudaSetDevice(number));
    return before;
}

/* Without a GPU all memory is the host's. */
int cuda_device_of(const void *data)
{
    cudaPointerAttributes attributes;
    const cudaError_t error = cudaPointerGetAttributes(&attributes, data);
    cudaGetLastError(); /* forgets the failure */
    return error == cudaSuccess && attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
}

int cuda_multiprocessors()
{
    return device.multiprocessors;
}

const struct device_limits *cuda_limits()
{
    return &limits;
}

/* For tests: the kernels of a smaller GPU on this one. */
static bool lower_limits(char *message, int size)
{
    const char *name = getenv("HPGMG_DEVICE_LIMITS");
    if (!name || device_limits_lower(&limits, name))
        return true;
    snprintf(message, (size_t)size, "HPGMG_DEVICE_LIMITS=%s is none of %s", name,
             device_limits_names());
    return false;
}

/* Those of the device, as far as the code for it uses them: see RUNS_HERE. */
static void read_limits(const cudaDeviceProp &properties, const cudaFuncAttributes &code)
{
    limits.shared_per_block = properties.sharedMemPerBlockOptin;
    limits.tile_copies = properties.major >= 9;
    if (code.ptxVersion < 90)
        device_limits_lower(&limits, "sm_80");
}

static bool refuse(char *message, int size, const char *what, cudaError_t error)
{
    snprintf(message, (size_t)size, "%s: %s", what, cudaGetErrorString(error));
    return false;
}

static std::map<void *, size_t> blocks; /* bytes by address */
static std::vector<void **> kept;       /* until the device is closed */
static size_t live_bytes, peak_bytes;

size_t cuda_peak_bytes(void)
{
    return peak_bytes;
}

void *cuda_allocate_bytes(size_t bytes, const char *what)
{
    void *block = NULL;
    const cudaError_t error = cudaMalloc(&block, bytes ? bytes : 1);
    if (error == cudaErrorMemoryAllocation)
        die(STATUS_MEMORY, "no GPU memory for %zu bytes of %s (%zu are held)", bytes, what,
            live_bytes);
    CUDA_CALL(error);
    blocks[block] = bytes;
    live_bytes += bytes;
    peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
    return block;
}

void cuda_release_bytes(void *block)
{
    if (!block)
        return;
    live_bytes -= blocks[block];
    blocks.erase(block);
    CUDA_CALL(cudaFree(block));
}

void *cuda_keep_bytes(void **block, size_t bytes, const char *what)
{
    if (!*block) {
        *block = cuda_allocate_bytes(bytes, what);
        CUDA_CALL(cudaMemsetAsync(*block, 0, bytes, cuda_stream()));
        kept.push_back(block);
    }
    return *block;
}

/* The build has no code for the GPU. */
static bool refuse_architecture(char *message, int size, const cudaDeviceProp &gpu)
{
    if (gpu.major < 8)
        snprintf(message, (size_t)size, "%s has compute capability %d.%d; 8.0 or later is needed",
                 gpu.name, gpu.major, gpu.minor);
    else
        snprintf(message, (size_t)size, "this build has no code for %s; make ARCH=sm_%d%d adds it",
                 gpu.name, gpu.major, gpu.minor);
    return false;
}

/* "GPU-" and the 16 bytes in groups, as nvidia-smi -L prints them. */
static void write_uuid(char *text, size_t size, const cudaUUID_t &uuid)
{
    size_t length = (size_t)snprintf(text, size, "GPU");
    for (int b = 0; b < 16 && length < size; b++)
        length += (size_t)snprintf(text + length, size - length, "%s%02x",
                                   b == 0 || (b >= 4 && b <= 10 && b % 2 == 0) ? "-" : "",
                                   (unsigned)(unsigned char)uuid.bytes[b]);
}

bool cuda_open(int local_rank, char *message, int message_size)
{
    int count = 0, current = 0;
    if (opened)
        return true;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return refuse(message, message_size, "no GPU is visible", error);
    device.count = count;
    error = cudaGetDevice(&current);
    device.number = error == cudaSuccess && current != 0 ? current : local_rank % count;
    if ((error = cudaSetDevice(device.number)) != cudaSuccess)
        return refuse(message, message_size, "the GPU cannot be used", error);
    cudaDeviceProp properties;
    CUDA_CALL(cudaGetDeviceProperties(&properties, device.number));
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, for_range_kernel<void (*)(long)>) != cudaSuccess)
        return refuse_architecture(message, message_size, properties);
    snprintf(device.name, sizeof device.name, "%.*s", (int)sizeof device.name - 1, properties.name);
    write_uuid(device.uuid, sizeof device.uuid, properties.uuid);
    CUDA_CALL(cudaDeviceGetPCIBusId(device.bus_id, sizeof device.bus_id, device.number));
    device.multiprocessors = properties.multiProcessorCount;
    read_limits(properties, attributes);
    if (!lower_limits(message, message_size) || !cuda_open_timeout(message, message_size))
        return false;
    CUDA_CALL(cudaMemGetInfo(&device.free_bytes, &device.memory_bytes));
    CUDA_CALL(cudaDriverGetVersion(&device.driver));
    CUDA_CALL(cudaRuntimeGetVersion(&device.runtime));
    cuda_create_streams();
    opened = true;
    return true;
}

void cuda_close(void)
{
    if (!opened)
        return;
    for (void **block : kept) {
        cuda_release_bytes(*block);
        *block = NULL;
    }
    kept.clear();
    cuda_release_norm();
    cuda_release_timeout();
    cuda_destroy_streams();
    opened = false;
    CHECK(live_bytes == 0);
}
