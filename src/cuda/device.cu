/* SPDX-License-Identifier: BSD-3-Clause */
/* The device: choice, stream, memory with a ledger, copies, and the backend's tables. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include "cuda/cuda.h"
#include "cuda/internal.cuh"
#include "cuda/core/wave_partition.h"
#include "cuda/peer/peer.cuh"
extern "C" {
#include "operators/backend_cpu.h"
}

static struct cuda_device device;
static bool opened;
static struct device_limits limits;
/* What is begun, a thing after the other; and a second line of it beside the first. */
enum { FIRST, SECOND, NUM_STREAMS };
static cudaStream_t streams[NUM_STREAMS], stream; /* the latter is that of what is begun now */
static cudaEvent_t branched, joined, prepared;
static std::map<void *, size_t> blocks; /* device memory by address */
static size_t live_bytes, peak_bytes;

void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    cuda_peer_report_timeout();
    die(STATUS_SYSTEM, "%s:%d: %s: %s", file, line, call, cudaGetErrorString(error));
}

cudaStream_t cuda_stream()
{
    return stream;
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

static void read_limits(const cudaDeviceProp &properties)
{
    limits.capability = 10 * properties.major + properties.minor;
    limits.multiprocessors = properties.multiProcessorCount;
    limits.shared_per_block = properties.sharedMemPerBlockOptin;
    limits.shared_per_multiprocessor = properties.sharedMemPerMultiprocessor;
    limits.cache = (size_t)properties.l2CacheSize;
    limits.tile_copies = properties.major >= 9;
}

int cuda_choose_planes(int tuned, int n2, int tiles, int least, int most, int extra)
{
    return tuned > 0 ? tuned
                     : parts_best_planes(tiles, n2, least, most, extra, device.multiprocessors);
}

void cuda_synchronise()
{
    CUDA_CALL(cudaStreamSynchronize(stream));
}

static void branch()
{
    CUDA_CALL(cudaEventRecord(branched, streams[FIRST]));
    CUDA_CALL(cudaStreamWaitEvent(streams[SECOND], branched, 0));
}

static void aside(bool on)
{
    stream = streams[on ? SECOND : FIRST];
}

static void join()
{
    CUDA_CALL(cudaEventRecord(joined, streams[SECOND]));
    CUDA_CALL(cudaStreamWaitEvent(streams[FIRST], joined, 0));
}

void cuda_inner_prepared()
{
    CUDA_CALL(cudaEventRecord(prepared, streams[FIRST]));
}

void cuda_await_inner_prepared()
{
    CUDA_CALL(cudaStreamWaitEvent(streams[SECOND], prepared, 0));
}

static bool refuse(char *message, int size, const char *what, cudaError_t error)
{
    snprintf(message, (size_t)size, "%s: %s", what, cudaGetErrorString(error));
    return false;
}

/* What is short and waited for goes before what is long. */
static void create_streams()
{
    int lowest, highest;
    CUDA_CALL(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    CUDA_CALL(cudaStreamCreateWithPriority(&streams[FIRST], cudaStreamNonBlocking, lowest));
    CUDA_CALL(cudaStreamCreateWithPriority(&streams[SECOND], cudaStreamNonBlocking, highest));
    for (cudaEvent_t *event : {&branched, &joined, &prepared})
        CUDA_CALL(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    stream = streams[FIRST];
}

static void destroy_streams()
{
    for (cudaEvent_t event : {branched, joined, prepared})
        CUDA_CALL(cudaEventDestroy(event));
    for (cudaStream_t s : streams)
        CUDA_CALL(cudaStreamDestroy(s));
}

bool cuda_open(int local_rank, char *message, int message_size)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return refuse(message, message_size, "no GPU is visible", error);
    device.count = count;
    device.number = local_rank % count;
    if ((error = cudaSetDevice(device.number)) != cudaSuccess)
        return refuse(message, message_size, "the GPU cannot be used", error);
    cudaDeviceProp properties;
    CUDA_CALL(cudaGetDeviceProperties(&properties, device.number));
    cudaFuncAttributes attributes;
    error = cudaFuncGetAttributes(&attributes, for_range_kernel<void (*)(long)>);
    if (error != cudaSuccess)
        return refuse(message, message_size, "this build has no code for the GPU (make ARCH=...)",
                      error);
    snprintf(device.name, sizeof device.name, "%.*s", (int)sizeof device.name - 1, properties.name);
    device.multiprocessors = properties.multiProcessorCount;
    read_limits(properties);
    if (!lower_limits(message, message_size))
        return false;
    CUDA_CALL(cudaMemGetInfo(&device.free_bytes, &device.memory_bytes));
    CUDA_CALL(cudaDriverGetVersion(&device.driver));
    CUDA_CALL(cudaRuntimeGetVersion(&device.runtime));
    create_streams();
    opened = true;
    return true;
}

void cuda_close(void)
{
    if (!opened)
        return;
    cuda_release_marks();
    cuda_tail_close();
    destroy_streams();
    opened = false;
}

const struct cuda_device *cuda_device(void)
{
    return opened ? &device : NULL;
}

size_t cuda_live_bytes(void)
{
    return live_bytes;
}

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

static double *allocate(long length, const char *what)
{
    const size_t bytes = (size_t)length * sizeof(double);
    double *data = (double *)cuda_allocate_bytes(bytes, what);
    CUDA_CALL(cudaMemsetAsync(data, 0, bytes, stream));
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

/* The copies of a list, one block of threads a piece of rows; the list itself is kept on the device
 * from its first use. */
static __global__ void __launch_bounds__(256)
    copy_kernel(const struct copy *copies, const double *from, double *to)
{
    const struct copy c = copies[blockIdx.x];
    const long cells = (long)c.n[0] * c.n[1] * c.n[2];
    for (long x = (long)blockIdx.y * blockDim.x + threadIdx.x; x < cells;
         x += (long)gridDim.y * blockDim.x) {
        const long i = x % c.n[0], j = x / c.n[0] % c.n[1], k = x / c.n[0] / c.n[1];
        to[c.to + i + j * c.to_sj + k * c.to_sk] = from[c.from + i + j * c.from_sj + k * c.from_sk];
    }
}

static std::map<const struct copy *, struct copy *> prepared_lists;

static const struct copy *on_device(const struct copy_list *list)
{
    struct copy *&copies = prepared_lists[list->copies];
    if (!copies) {
        const size_t bytes = (size_t)list->count * sizeof *copies;
        copies = (struct copy *)cuda_allocate_bytes(bytes, "a plan");
        CUDA_CALL(cudaMemcpyAsync(copies, list->copies, bytes, cudaMemcpyHostToDevice, stream));
        cuda_synchronise();
    }
    return copies;
}

static void copy(const struct copy_list *list, const double *from, double *to)
{
    if (list->count == 0)
        return;
    long most = 0;
    for (int c = 0; c < list->count; c++) {
        const long cells = (long)list->copies[c].n[0] * list->copies[c].n[1] * list->copies[c].n[2];
        most = cells > most ? cells : most;
    }
    const long pieces = (most + 1023) / 1024;
    const dim3 grid((unsigned)list->count, (unsigned)(pieces < 1024 ? pieces : 1024));
    copy_kernel<<<grid, 256, 0, stream>>>(on_device(list), from, to);
    CUDA_LAUNCHED();
}

/* A plan goes; its lists on the device with it. */
static void forget(const struct copy_list *list)
{
    const auto found = prepared_lists.find(list->copies);
    if (found == prepared_lists.end())
        return;
    cuda_synchronise();
    cuda_release_bytes(found->second);
    prepared_lists.erase(found);
}

static void upload(double *field, const double *values, long count)
{
    CUDA_CALL(cudaMemcpyAsync(field, values, (size_t)count * sizeof *field, cudaMemcpyHostToDevice,
                              stream));
    cuda_synchronise(); /* the caller may reuse values */
}

static void download(const double *field, double *values, long count)
{
    CUDA_CALL(cudaMemcpyAsync(values, field, (size_t)count * sizeof *field, cudaMemcpyDeviceToHost,
                              stream));
    cuda_synchronise();
}

static const struct passes cuda_passes = {
    .run = cuda_run,
    .splits = cuda_splits,
    .bytes = cuda_bytes,
    .kernels = cuda_kernels,
    .restrict_cells = cuda_restrict_cells,
    .apply = cuda_apply,
    .combine = cuda_combine,
    .multiply = cuda_multiply,
    .add_constant = cuda_add_constant,
    .subtract_mean = cuda_subtract_mean,
    .norm = cuda_norm,
    .product_norm = cuda_product_norm,
    .product_digits = cuda_product_digits,
    .checksum = cuda_checksum,
    .bottom_solve = cuda_bottom_solve,
    .bottom_counts = cuda_bottom_counts,
    .step_fits = cuda_step_fits,
    .run_steps = cuda_run_steps,
    .fill_fv = cuda_fill_fv,
    .restrict_face = cuda_restrict_face,
    .extrapolate_beta = cuda_extrapolate_beta,
    .diagonal = cuda_diagonal,
};

/* Recordings are CUDA graphs. */
struct recording {
    cudaGraphExec_t graph;
};

static void record_begin()
{
    cuda_synchronise();
    CUDA_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

static struct recording *record_end()
{
    cudaGraph_t graph;
    struct recording *r = new struct recording();
    CUDA_CALL(cudaStreamEndCapture(stream, &graph));
    CUDA_CALL(cudaGraphInstantiate(&r->graph, graph, 0));
    CUDA_CALL(cudaGraphDestroy(graph));
    return r;
}

static void replay(struct recording *r)
{
    CUDA_CALL(cudaGraphLaunch(r->graph, stream));
    cuda_synchronise();
    cuda_deliver_norms();
}

static void record_destroy(struct recording *r)
{
    CUDA_CALL(cudaGraphExecDestroy(r->graph));
    delete r;
}

bool cuda_recording()
{
    cudaStreamCaptureStatus status;
    CUDA_CALL(cudaStreamIsCapturing(stream, &status));
    return status == cudaStreamCaptureStatusActive;
}

enum { ROW_ALIGN = 16 }; /* 128 bytes: one line of the GPU's caches */

extern "C" {
extern const struct backend backend_cuda = {
    .name = "gpu",
    .row_align = ROW_ALIGN,
    .on_device = true,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .forget = forget,
    .staging = &backend_cuda_host,
    .upload = upload,
    .download = download,
    .synchronise = cuda_synchronise,
    .record_begin = record_begin,
    .record_end = record_end,
    .replay = replay,
    .record_destroy = record_destroy,
    .branch = branch,
    .aside = aside,
    .join = join,
    .mark = cuda_mark,
    .seconds_between = cuda_seconds_between,
    .passes = &cuda_passes,
};
}

/* Copies between host fields; those with a device at one end are the device's. */
static void copy_on_host(const struct copy_list *list, const double *from, double *to)
{
    backend_cpu.copy(list, from, to);
}

static void upload_on_host(double *field, const double *values, long count)
{
    memcpy(field, values, (size_t)count * sizeof *field);
}

static void download_on_host(const double *field, double *values, long count)
{
    memcpy(values, field, (size_t)count * sizeof *field);
}

extern "C" {
extern const struct backend backend_cuda_host = {
    .name = "cpu",
    .row_align = ROW_ALIGN,
    .on_device = false,
    .allocate = allocate_host,
    .release = release_host,
    .copy = copy_on_host,
    .forget = forget,
    .upload = upload_on_host,
    .download = download_on_host,
    .synchronise = cuda_synchronise,
    .passes = &cpu_passes,
};
}
