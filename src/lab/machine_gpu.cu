/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments as kernels. */
#include <cooperative_groups.h>
#include "cuda/cuda.h"
#include "cuda/core/launch.cuh"
#include "lab/gpu.h"

enum { THREADS = 256, PER_THREAD = COPY_PER_THREAD, BLOCKS_PER_MULTIPROCESSOR = 8 };

/* out[x] = f(x) for 0 <= x < n, EACH values per thread, so that several loads of a thread are in
 * flight at once; neighbouring threads have neighbouring x. T is double or double2. */
template <int EACH, class T, class F>
static __global__ void __launch_bounds__(THREADS) stream_kernel(T *out, long n, F f)
{
    const long first = (long)blockIdx.x * THREADS * EACH + threadIdx.x;
    T value[EACH];
#pragma unroll
    for (int p = 0; p < EACH; p++)
        if (first + p * THREADS < n)
            value[p] = f(first + p * THREADS);
#pragma unroll
    for (int p = 0; p < EACH; p++)
        if (first + p * THREADS < n)
            out[first + p * THREADS] = value[p];
}

template <int EACH = PER_THREAD, class T, class F>
static void stream(T *out, long n, F f)
{
    const long piece = THREADS * EACH;
    stream_kernel<EACH>
        <<<(unsigned)((n + piece - 1) / piece), THREADS, 0, cuda_stream()>>>(out, n, f);
    CUDA_LAUNCHED();
}

static __device__ double2 pair_sum(double2 a, double2 b)
{
    return make_double2(a.x + b.x, a.y + b.y);
}

static void write_value(const struct experiment *e)
{
    const double2 value = make_double2(e->value, e->value);
    stream((double2 *)e->out, e->n / 2, [=] __device__(long) { return value; });
}

/* n is even, as all lengths but those of transfers are; e->a values of 16 bytes per thread. */
static void copy(const struct experiment *e)
{
    const double2 *from = (const double2 *)e->in[0];
    const auto value = [=] __device__(long x) { return from[x]; };
    if (e->a == 1)
        stream<1>((double2 *)e->out, e->n / 2, value);
    else
        stream((double2 *)e->out, e->n / 2, value);
}

static void triad(const struct experiment *e)
{
    const double2 *a = (const double2 *)e->in[0], *b = (const double2 *)e->in[1];
    stream((double2 *)e->out, e->n / 2, [=] __device__(long x) {
        return make_double2(a[x].x + 3.0 * b[x].x, a[x].y + 3.0 * b[x].y);
    });
}

static void five_reads(const struct experiment *e)
{
    const double2 *a = (const double2 *)e->in[0], *b = (const double2 *)e->in[1],
                  *c = (const double2 *)e->in[2], *d = (const double2 *)e->in[3],
                  *f = (const double2 *)e->in[4];
    stream((double2 *)e->out, e->n / 2, [=] __device__(long x) {
        return pair_sum(pair_sum(pair_sum(pair_sum(a[x], b[x]), c[x]), d[x]), f[x]);
    });
}

/* Blocks that fill the GPU once. */
static int resident_blocks()
{
    return cuda_device()->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
}

/* The sum of a warp's values is one of the results. */
static __device__ void store_warp_sum(double sum, double *out)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x % 32 == 0)
        out[((long)blockIdx.x * THREADS + threadIdx.x) / 32] = sum;
}

/* Each warp's sum of its share of `in`, `sweeps` times over, past the first-level cache. */
static __global__ void __launch_bounds__(THREADS)
    read_kernel(const double2 *in, long pairs, int sweeps, double *out)
{
    const long thread = (long)blockIdx.x * THREADS + threadIdx.x;
    const long threads = (long)gridDim.x * THREADS;
    double sums[PER_THREAD] = {};
    for (int sweep = 0; sweep < sweeps; sweep++)
        for (long x = thread; x < pairs; x += threads * PER_THREAD) {
            double2 value[PER_THREAD];
#pragma unroll
            for (int p = 0; p < PER_THREAD; p++)
                value[p] =
                    x + p * threads < pairs ? __ldcg(in + x + p * threads) : make_double2(0.0, 0.0);
#pragma unroll
            for (int p = 0; p < PER_THREAD; p++)
                sums[p] += value[p].x + value[p].y;
        }
    store_warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3]), out);
}

static void read_all(const struct experiment *e, int sweeps)
{
    CHECK(resident_blocks() * (THREADS / 32) <= MAX_PARTIALS);
    read_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>((const double2 *)e->in[0],
                                                                  e->n / 2, sweeps, e->out);
    CUDA_LAUNCHED();
}

/* Each warp's sum of what it reads of the block's shared memory, 16 bytes per load. Each sweep
 * begins elsewhere, so that no value can stay in a register. */
static __global__ void __launch_bounds__(THREADS) shared_read_kernel(const double2 *in, double *out)
{
    enum { PAIRS = SHARED_DOUBLES / 2, LOADS = PAIRS / THREADS };
    __shared__ double2 pairs[PAIRS];
    double sums[LOADS] = {};
    for (int x = threadIdx.x; x < PAIRS; x += THREADS)
        pairs[x] = in[x];
    __syncthreads();
#pragma unroll 4
    for (int sweep = 0; sweep < SHARED_SWEEPS; sweep++)
#pragma unroll
        for (int p = 0; p < LOADS; p++) {
            const double2 value = pairs[(threadIdx.x + sweep + p * THREADS) % PAIRS];
            sums[p] += value.x + value.y;
        }
    store_warp_sum((sums[0] + sums[1]) + (sums[2] + sums[3]), out);
}

static void shared_read(struct experiment *e)
{
    e->results = resident_blocks();
    shared_read_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>((const double2 *)e->in[0],
                                                                         e->out);
    CUDA_LAUNCHED();
}

static __global__ void __launch_bounds__(THREADS)
    copy_again_kernel(const double2 *in, long pairs, double2 *out)
{
    const long threads = (long)gridDim.x * THREADS;
    for (int sweep = 0; sweep < CACHE_SWEEPS; sweep++)
        for (long x = (long)blockIdx.x * THREADS + threadIdx.x; x < pairs; x += threads)
            __stcg(out + x, __ldcg(in + x));
}

static void copy_again(const struct experiment *e)
{
    copy_again_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>(
        (const double2 *)e->in[0], e->n / 2, (double2 *)e->out);
    CUDA_LAUNCHED();
}

template <int FMAS>
static void intensity_of(const struct experiment *e)
{
    const double2 *in = (const double2 *)e->in[0];
    const double c = CHAIN_C, d = CHAIN_D;
    stream((double2 *)e->out, e->n / 2, [=] __device__(long x) {
        double2 value = in[x];
#pragma unroll
        for (int step = 0; step < FMAS; step++) {
            value.x = fma(value.x, c, d);
            value.y = fma(value.y, c, d);
        }
        return value;
    });
}

static void intensity(const struct experiment *e)
{
    static void (*const sizes[])(const struct experiment *) = {
        intensity_of<1>,  intensity_of<2>,  intensity_of<4>,   intensity_of<8>,  intensity_of<16>,
        intensity_of<32>, intensity_of<64>, intensity_of<128>, intensity_of<256>};
    int size = 0;
    while (1 << size < e->a)
        size++;
    sizes[size](e);
}

/* PEAK_CHAINS independent chains per thread; their sum is its result. T is double or float. */
template <class T>
static __global__ void __launch_bounds__(THREADS) peak_kernel(T c, T d, double *out)
{
    const long result = (long)blockIdx.x * THREADS + threadIdx.x;
    T x[PEAK_CHAINS];
#pragma unroll
    for (int chain = 0; chain < PEAK_CHAINS; chain++)
        x[chain] = (T)chain_start(result * PEAK_CHAINS + chain);
#pragma unroll 16
    for (int step = 0; step < PEAK_STEPS; step++)
#pragma unroll
        for (int chain = 0; chain < PEAK_CHAINS; chain++)
            x[chain] = fma(x[chain], c, d); /* of floats: the single-precision one */
    double sum = 0.0;
#pragma unroll
    for (int chain = 0; chain < PEAK_CHAINS; chain++)
        sum += (double)x[chain];
    out[result] = sum;
}

static void peak(struct experiment *e)
{
    const long most = e->n / THREADS, wanted = resident_blocks();
    const int blocks = (int)(wanted < most ? wanted : most);
    e->results = (long)blocks * THREADS;
    if (e->work == WORK_PEAK_64)
        peak_kernel<double><<<blocks, THREADS, 0, cuda_stream()>>>(CHAIN_C, CHAIN_D, e->out);
    else
        peak_kernel<float>
            <<<blocks, THREADS, 0, cuda_stream()>>>((float)CHAIN_C, (float)CHAIN_D, e->out);
    CUDA_LAUNCHED();
}

static void transfer(void *to, const void *from, long doubles, cudaMemcpyKind kind)
{
    CUDA_CALL(cudaMemcpyAsync(to, from, (size_t)doubles * sizeof(double), kind, cuda_stream()));
}

static __global__ void empty_kernel()
{
}

static void launches(bool wait)
{
    for (int event = 0; event < EVENTS; event++) {
        empty_kernel<<<1, 32, 0, cuda_stream()>>>();
        if (wait)
            cuda_synchronise();
    }
    CUDA_LAUNCHED();
}

static __global__ void sync_kernel(int events, double *out)
{
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int passed = 0;
    for (int event = 0; event < events; event++) {
        grid.sync();
        passed++;
    }
    if (grid.thread_rank() == 0)
        *out = passed;
}

/* One block per multiprocessor, as the kernel of all small levels has. */
static void grid_syncs(const struct experiment *e)
{
    int events = EVENTS;
    double *out = e->out;
    void *arguments[] = {&events, &out};
    CUDA_CALL(cudaLaunchCooperativeKernel((const void *)sync_kernel,
                                          dim3(cuda_device()->multiprocessors), dim3(THREADS),
                                          arguments, 0, cuda_stream()));
}

void machine_run_gpu(void *experiment)
{
    struct experiment *e = (struct experiment *)experiment;
    switch (e->work) {
    case WORK_WRITE:
        return write_value(e);
    case WORK_READ:
        return read_all(e, 1);
    case WORK_COPY:
        return copy(e);
    case WORK_TRIAD:
        return triad(e);
    case WORK_FIVE_READS:
        return five_reads(e);
    case WORK_CACHE_READ:
        return read_all(e, CACHE_SWEEPS);
    case WORK_SHARED_READ:
        return shared_read(e);
    case WORK_CACHE_COPY:
        return copy_again(e);
    case WORK_INTENSITY:
        return intensity(e);
    case WORK_PEAK_64:
    case WORK_PEAK_32:
        return peak(e);
    case WORK_LAUNCH:
        return launches(false);
    case WORK_LAUNCH_WAIT:
        return launches(true);
    case WORK_NOTHING:
        empty_kernel<<<1, 32, 0, cuda_stream()>>>();
        return CUDA_LAUNCHED();
    case WORK_SYNC:
        return grid_syncs(e);
    case WORK_TO_DEVICE:
        transfer(e->out, e->host_in, e->n, cudaMemcpyHostToDevice);
        return cuda_synchronise();
    case WORK_TO_HOST:
        transfer(e->host_out, e->in[0], e->n, cudaMemcpyDeviceToHost);
        return cuda_synchronise();
    }
    CHECK(!"an experiment that the GPU knows");
}
