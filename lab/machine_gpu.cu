/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of `machine` as kernels. */
#include <cooperative_groups.h>
#include "cuda/core/launch.cuh"
#include "lab/machine.h"

enum { THREADS = GPU_BLOCK, PER_THREAD = COPY_PER_THREAD };

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

void gpu_write(const struct bench_operands *o)
{
    const double2 value = make_double2(1.0, 1.0);
    stream((double2 *)o->out, o->n / 2, [=] __device__(long) { return value; });
}

/* n is even, as all lengths but those of transfers are; a values of 16 bytes per thread. */
void gpu_copy(const struct bench_operands *o)
{
    const double2 *from = (const double2 *)o->in[0];
    const auto value = [=] __device__(long x) { return from[x]; };
    if (o->a == 1)
        stream<1>((double2 *)o->out, o->n / 2, value);
    else
        stream((double2 *)o->out, o->n / 2, value);
}

void gpu_triad(const struct bench_operands *o)
{
    const double2 *a = (const double2 *)o->in[0], *b = (const double2 *)o->in[1];
    stream((double2 *)o->out, o->n / 2, [=] __device__(long x) {
        return make_double2(a[x].x + 3.0 * b[x].x, a[x].y + 3.0 * b[x].y);
    });
}

void gpu_five_reads(const struct bench_operands *o)
{
    const double2 *a = (const double2 *)o->in[0], *b = (const double2 *)o->in[1],
                  *c = (const double2 *)o->in[2], *d = (const double2 *)o->in[3],
                  *e = (const double2 *)o->in[4];
    stream((double2 *)o->out, o->n / 2, [=] __device__(long x) {
        return pair_sum(pair_sum(pair_sum(pair_sum(a[x], b[x]), c[x]), d[x]), e[x]);
    });
}

/* Blocks that fill the GPU once. */
static int resident_blocks()
{
    return cuda_multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
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

/* a times. */
void gpu_read(const struct bench_operands *o)
{
    read_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>((const double2 *)o->in[0],
                                                                  o->n / 2, (int)o->a, OUT_DOUBLES);
    CUDA_LAUNCHED();
}

/* Each warp's sum of what it reads of the block's shared memory, 16 bytes per load. Each sweep
 * begins elsewhere, so that no value can stay in a register. */
static __global__ void __launch_bounds__(THREADS) read_shared_kernel(const double2 *in, double *out)
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

void gpu_read_shared(const struct bench_operands *o)
{
    read_shared_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>((const double2 *)o->in[0],
                                                                         OUT_DOUBLES);
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

void gpu_copy_again(const struct bench_operands *o)
{
    copy_again_kernel<<<resident_blocks(), THREADS, 0, cuda_stream()>>>(
        (const double2 *)o->in[0], o->n / 2, (double2 *)o->out);
    CUDA_LAUNCHED();
}

template <int FMAS>
static void intensity_of(const struct bench_operands *o)
{
    const double2 *in = (const double2 *)o->in[0];
    const double c = CHAIN_C, d = CHAIN_D;
    stream((double2 *)o->out, o->n / 2, [=] __device__(long x) {
        double2 value = in[x];
#pragma unroll
        for (int step = 0; step < FMAS; step++) {
            value.x = fma(value.x, c, d);
            value.y = fma(value.y, c, d);
        }
        return value;
    });
}

void gpu_intensity(const struct bench_operands *o)
{
    static bench_kernel_fn *const sizes[] = {
        intensity_of<1>,  intensity_of<2>,  intensity_of<4>,   intensity_of<8>,  intensity_of<16>,
        intensity_of<32>, intensity_of<64>, intensity_of<128>, intensity_of<256>};
    sizes[__builtin_ctzl((unsigned long)o->a)](o);
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

void gpu_peak_f64(const struct bench_operands *o)
{
    const unsigned blocks = (unsigned)(o->n / THREADS);
    peak_kernel<double><<<blocks, THREADS, 0, cuda_stream()>>>(CHAIN_C, CHAIN_D, OUT_DOUBLES);
    CUDA_LAUNCHED();
}

void gpu_peak_f32(const struct bench_operands *o)
{
    const unsigned blocks = (unsigned)(o->n / THREADS);
    peak_kernel<float>
        <<<blocks, THREADS, 0, cuda_stream()>>>((float)CHAIN_C, (float)CHAIN_D, OUT_DOUBLES);
    CUDA_LAUNCHED();
}

static __global__ void empty_kernel()
{
}

static void launch(int events, bool wait)
{
    for (int event = 0; event < events; event++) {
        empty_kernel<<<1, 32, 0, cuda_stream()>>>();
        if (wait)
            cuda_synchronise();
    }
    CUDA_LAUNCHED();
}

void gpu_nothing(const struct bench_operands *)
{
    launch(1, false);
}

void gpu_launches(const struct bench_operands *)
{
    launch(EVENTS, false);
}

void gpu_awaited_launches(const struct bench_operands *)
{
    launch(EVENTS, true);
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
void gpu_synchronisations(const struct bench_operands *o)
{
    int events = EVENTS;
    double *out = OUT_DOUBLES;
    void *arguments[] = {&events, &out};
    CUDA_CALL(cudaLaunchCooperativeKernel((const void *)sync_kernel, dim3(cuda_multiprocessors()),
                                          dim3(THREADS), arguments, 0, cuda_stream()));
}
