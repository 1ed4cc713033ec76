/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the experiments on a GPU. */
#include <cooperative_groups.h>
#include "base/library.h"
#include "cuda/core/launch.cuh"
#include "lab/method_kernels.cuh"

/* --- machine
 * -------------------------------------------------------------------------------------- */

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

template <class T>
static void peak(const struct bench_operands *o)
{
    const unsigned blocks = (unsigned)(o->n / THREADS);
    peak_kernel<T><<<blocks, THREADS, 0, cuda_stream()>>>((T)CHAIN_C, (T)CHAIN_D, OUT_DOUBLES);
    CUDA_LAUNCHED();
}

void gpu_peak_f64(const struct bench_operands *o)
{
    peak<double>(o);
}

void gpu_peak_f32(const struct bench_operands *o)
{
    peak<float>(o);
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

/* --- memory
 * --------------------------------------------------------------------------------------- */

static void move(void *to, const void *from, long doubles, cudaStream_t stream)
{
    CUDA_CALL(
        cudaMemcpyAsync(to, from, (size_t)doubles * sizeof(double), cudaMemcpyDefault, stream));
}

void gpu_copy_library(const struct bench_operands *o)
{
    move(o->out, o->in[0], o->n, cuda_stream());
}

/* Between host and device, waited for. */
void gpu_transfer(const struct bench_operands *o)
{
    move(o->out, o->in[0], o->n, cuda_stream());
    cuda_synchronise();
}

/* in[0]: managed memory; the host first writes a value in every page, so that it comes to
 * the host, and then back to the GPU. */
void gpu_managed(const struct bench_operands *o)
{
    enum { PAGE = 512 }; /* doubles */
    double *in = (double *)o->in[0];
    for (long x = 0; x < o->n; x += PAGE)
        in[x] = input_value(0, x);
    const double *from = DOUBLES(0);
    double *to = OUT_DOUBLES;
    for_range(o->n, [=] __device__(long x) { to[x] = from[x]; });
    cuda_synchronise();
}

/* Planes first to last of a field of a^3 points. */
#define CELL_KERNEL(name)                                                                          \
    static void name##_planes(const struct bench_operands *operands, long first, long last,        \
                              cudaStream_t stream)                                                 \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        const int side = (int)o.a, planes = (int)(last - first);                                   \
        const dim3 block(64, 4), grid((side + 63) / 64, (side + 3) / 4, planes);                   \
        for_cells_kernel<<<grid, block, 0, stream>>>(                                              \
            side, side, planes, [=] __device__(int i, int j, int layer) {                          \
                cell_##name(&o, i, j, (int)first + layer, 0);                                      \
            });                                                                                    \
        CUDA_LAUNCHED();                                                                           \
    }                                                                                              \
    static void gpu_##name(const struct bench_operands *o)                                         \
    {                                                                                              \
        name##_planes(o, 0, o->a, cuda_stream());                                                  \
    }
CELLS(CELL_KERNEL)

/* A stream and an event for each piece that is done there. */
struct lane {
    enum { PIECES = 16 };
    cudaStream_t stream;
    cudaEvent_t done[PIECES];
    lane()
    {
        CUDA_CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        for (int piece = 0; piece < PIECES; piece++)
            CUDA_CALL(cudaEventCreateWithFlags(&done[piece], cudaEventDisableTiming));
    }
    ~lane()
    {
        CUDA_CALL(cudaStreamSynchronize(stream));
        for (int piece = 0; piece < PIECES; piece++)
            CUDA_CALL(cudaEventDestroy(done[piece]));
        CUDA_CALL(cudaStreamDestroy(stream));
    }
    void finish(int piece)
    {
        CUDA_CALL(cudaEventRecord(done[piece], stream));
    }
    void await(const lane &other, int piece)
    {
        CUDA_CALL(cudaStreamWaitEvent(stream, other.done[piece], 0));
    }
};

/* The field from in[1] in host memory to in[0]; the result from `out` to in[2], in host memory. */
static void field_up(const struct bench_operands *o, long first, long last, cudaStream_t stream)
{
    const long plane = o->a * o->a;
    move((double *)DOUBLES(0) + first * plane, DOUBLES(1) + first * plane, (last - first) * plane,
         stream);
}

static void result_down(const struct bench_operands *o, long first, long last, cudaStream_t stream)
{
    const long plane = o->a * o->a;
    for (int component = 0; component < (o->b ? 3 : 1); component++) {
        const long at = (component * o->a + first) * plane;
        move((double *)DOUBLES(2) + at, OUT_DOUBLES + at, (last - first) * plane, stream);
    }
}

/* Pieces of planes: one comes while the one before is worked on and that before it leaves. The
 * gradient of a piece's last plane needs the next piece. */
static void overlapped(const struct bench_operands *o)
{
    enum { PIECES = lane::PIECES };
    lane up, work, down;
    for (int piece = 0; piece < PIECES; piece++) {
        field_up(o, o->a * piece / PIECES, o->a * (piece + 1) / PIECES, up.stream);
        up.finish(piece);
    }
    for (int piece = 0; piece < PIECES; piece++) {
        const long first = o->a * piece / PIECES, last = o->a * (piece + 1) / PIECES;
        work.await(up, piece + 1 < PIECES ? piece + 1 : piece);
        (o->b ? gradient_planes : pass_through_planes)(o, first, last, work.stream);
        work.finish(piece);
        down.await(work, piece);
        result_down(o, first, last, down.stream);
    }
}

/* A field of a^3 points, b: its gradient or the field itself; c: enum points_transfers. */
void gpu_points_transfers(const struct bench_operands *o)
{
    if (o->c == POINTS_OVERLAPPED)
        return overlapped(o);
    field_up(o, 0, o->a, cuda_stream());
    (o->b ? gpu_gradient : gpu_pass_through)(o);
    if (o->c == POINTS_BOTH_WAYS)
        result_down(o, 0, o->a, cuda_stream());
    cuda_synchronise();
}

int gpu_fetch_bytes()
{
    enum { SECTOR_BYTES = 32 };
    size_t bytes = 0;
    if (cudaDeviceGetLimit(&bytes, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError(); /* a device without this limit */
    return bytes > SECTOR_BYTES ? (int)bytes : SECTOR_BYTES;
}

double *gpu_managed_create(long length)
{
    double *data = NULL;
    CUDA_CALL(cudaMallocManaged(&data, (size_t)length * sizeof(double)));
    return data;
}

void gpu_managed_destroy(double *data)
{
    cuda_synchronise();
    CUDA_CALL(cudaFree(data));
}

/* --- one element at a time
 * ------------------------------------------------------------------------ */

#define KERNEL(name, statement)                                                                    \
    static void gpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        for_range(o.n, [=] __device__(long x) { body_##name(&o, x); });                            \
    }
ELEMENTS(KERNEL)

/* --- interpolation ---------------------------------------------------------------------------- */

struct gpu_textures {
    cudaArray_t array;
    cudaTextureObject_t objects[2]; /* fetched by cells; with the hardware's linear filter */
};

struct gpu_textures *gpu_textures_create(const double *field, int side)
{
    struct gpu_textures *t = new struct gpu_textures();
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaExtent extent = make_cudaExtent(side, side, side);
    CUDA_CALL(cudaMalloc3DArray(&t->array, &format, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)field, side * sizeof(float), side, side);
    copy.dstArray = t->array;
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToDevice;
    CUDA_CALL(cudaMemcpy3DAsync(&copy, cuda_stream()));
    cuda_synchronise();
    for (int linear = 0; linear < 2; linear++) {
        cudaResourceDesc resource = {};
        cudaTextureDesc description = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = t->array;
        for (int d = 0; d < 3; d++)
            description.addressMode[d] = cudaAddressModeClamp;
        description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
        CUDA_CALL(cudaCreateTextureObject(&t->objects[linear], &resource, &description, NULL));
    }
    return t;
}

unsigned long long gpu_texture(const struct gpu_textures *t, bool linear)
{
    return t->objects[linear];
}

void gpu_textures_destroy(struct gpu_textures *t)
{
    cuda_synchronise();
    for (const cudaTextureObject_t object : t->objects)
        CUDA_CALL(cudaDestroyTextureObject(object));
    CUDA_CALL(cudaFreeArray(t->array));
    delete t;
}

/* Device code only: the formulas of method_bodies.h are for the host too. */
#undef FORMULA
#define FORMULA static __device__ __forceinline__
#define READ_ONLY_CELL(i, j, k) __ldg(FLOATS(4) + (i) + o->a * ((j) + o->a * (long)(k)))
#define TEXTURE_CELL(i, j, k)                                                                      \
    tex3D<float>(o->texture, (float)(i) + 0.5f, (float)(j) + 0.5f, (float)(k) + 0.5f)
TRILINEAR(trilinear_read_only, READ_ONLY_CELL)
TRICUBIC(tricubic_read_only, READ_ONLY_CELL)
TRILINEAR(trilinear_texture_cells, TEXTURE_CELL)
TRICUBIC(tricubic_texture_cells, TEXTURE_CELL)

static __device__ float texture_at(const struct bench_operands *o, float x, float y, float z)
{
    return tex3D<float>(o->texture, x + 0.5f, y + 0.5f, z + 0.5f);
}

static __device__ float trilinear_filter(const struct bench_operands *o, struct point p)
{
    return texture_at(o, p.coordinate[0], p.coordinate[1], p.coordinate[2]);
}

/* Eight filtered fetches: two neighbouring cells with positive weights a and b are one fetch with
 * weight a + b at b/(a + b) between them (C. Sigg and M. Hadwiger, GPU Gems 2, chapter 20). */
static __device__ float tricubic_filter(const struct bench_operands *o, struct point p)
{
    float weight[3][2], at[3][2], sum = 0.0f;
    for (int d = 0; d < 3; d++) {
        const float cell = floorf(p.coordinate[d]);
        float w[4];
        spline_weights(p.coordinate[d] - cell, w);
        for (int half = 0; half < 2; half++) {
            weight[d][half] = w[2 * half] + w[2 * half + 1];
            at[d][half] = cell + (float)(2 * half - 1) + w[2 * half + 1] / weight[d][half];
        }
    }
    for (int c = 0; c < 2; c++)
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 2; a++)
                sum = fmaf(weight[0][a] * weight[1][b] * weight[2][c],
                           texture_at(o, at[0][a], at[1][b], at[2][c]), sum);
    return sum;
}

#define INTERPOLATION(name)                                                                        \
    void gpu_##name(const struct bench_operands *operands)                                         \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        for_range(o.n,                                                                             \
                  [=] __device__(long x) { ((float *)o.out)[x] = name(&o, point_of(&o, x)); });    \
    }
INTERPOLATION(trilinear_read_only)
INTERPOLATION(tricubic_read_only)
INTERPOLATION(trilinear_texture_cells)
INTERPOLATION(tricubic_texture_cells)
INTERPOLATION(trilinear_filter)
INTERPOLATION(tricubic_filter)

/* --- convolution ------------------------------------------------------------------------------ */

/* c images of a x b. */
void gpu_convolve_rolling(const struct bench_operands *o)
{
    const dim3 grid((unsigned)((o->a + COLUMN_THREADS - 1) / COLUMN_THREADS),
                    (unsigned)((o->b - 2 * RADIUS + STRIP_ROWS - 1) / STRIP_ROWS), (unsigned)o->c);
    rolling_kernel<<<grid, COLUMN_THREADS, 0, cuda_stream()>>>(*o);
    CUDA_LAUNCHED();
}

/* --- batches of LU ---------------------------------------------------------------------------- */

template <int SIZE, int WIDTH>
static void lu_by_lanes(const struct bench_operands *o)
{
    const unsigned blocks = (unsigned)((o->n * WIDTH + LU_THREADS - 1) / LU_THREADS);
    lu_kernel<SIZE, WIDTH><<<blocks, LU_THREADS, 0, cuda_stream()>>>(DOUBLES(4), OUT_DOUBLES, o->n);
    CUDA_LAUNCHED();
}

#define LU(name, size, width)                                                                      \
    void gpu_##name(const struct bench_operands *o)                                                \
    {                                                                                              \
        lu_by_lanes<size, width>(o);                                                               \
    }
LU(lu_4_lanes, 4, 4)
LU(lu_8_lanes, 8, 8)
LU(lu_16_lanes, 16, 16)
LU(lu_4_warp, 4, 32)
LU(lu_8_warp, 8, 32)
LU(lu_16_warp, 16, 32)

/* cuBLAS, if this machine has it: the program is built without. The functions' types are those of
 * cublas_v2.h. */
static struct {
    void *handle;
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*factorise)(void *handle, int n, double *const a[], int lda, int *pivots, int *info,
                     int batch);
    double **matrices; /* on the device: where each matrix is */
    int *info;
} cublas;

static __global__ void point_at_matrices(double **matrices, double *first, long n, int elements)
{
    const long m = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (m < n)
        matrices[m] = first + m * elements;
}

static bool find_cublas()
{
    static const char *const files[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
                                        NULL};
    const struct library_function functions[] = {{"cublasCreate_v2", &cublas.create},
                                                 {"cublasDestroy_v2", &cublas.destroy},
                                                 {"cublasSetStream_v2", &cublas.set_stream},
                                                 {"cublasDgetrfBatched", &cublas.factorise}};
    return library_load(files, functions, 4);
}

bool gpu_cublas_open(double *first, long n, int size)
{
    if (!find_cublas() || cublas.create(&cublas.handle) != 0)
        return false;
    CHECK(cublas.set_stream(cublas.handle, cuda_stream()) == 0);
    CUDA_CALL(cudaMalloc(&cublas.matrices, (size_t)n * sizeof *cublas.matrices));
    CUDA_CALL(cudaMalloc(&cublas.info, (size_t)n * sizeof *cublas.info));
    point_at_matrices<<<(unsigned)((n + 255) / 256), 256, 0, cuda_stream()>>>(
        cublas.matrices, first, n, size * size);
    CUDA_LAUNCHED();
    return true;
}

void gpu_cublas_close()
{
    cuda_synchronise();
    CUDA_CALL(cudaFree(cublas.matrices));
    CUDA_CALL(cudaFree(cublas.info));
    CHECK(cublas.destroy(cublas.handle) == 0);
}

/* It works in place, on a copy: size a. */
void gpu_lu_cublas(const struct bench_operands *o)
{
    CUDA_CALL(cudaMemcpyAsync(o->out, o->in[4], (size_t)(o->n * o->a * o->a) * sizeof(double),
                              cudaMemcpyDeviceToDevice, cuda_stream()));
    CHECK(cublas.factorise(cublas.handle, (int)o->a, cublas.matrices, (int)o->a, NULL, cublas.info,
                           (int)o->n) == 0);
}

/* --- transforms ------------------------------------------------------------------------------- */

/* cuFFT, likewise; types and numbers are those of cufft.h. */
enum { REAL_TO_COMPLEX = 0x6a, COMPLEX_TO_REAL = 0x6c }; /* CUFFT_D2Z, CUFFT_Z2D */
static struct {
    int there, back; /* plans */
    int (*plan)(int *plan, int planes, int rows, int columns, int type);
    int (*destroy)(int plan);
    int (*set_stream)(int plan, cudaStream_t stream);
    int (*forward)(int plan, double *in, double *out);
    int (*inverse)(int plan, double *in, double *out);
} cufft;

const char *gpu_fft_open(double *, double *, int side)
{
    static const char *const files[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", NULL};
    const struct library_function functions[] = {{"cufftPlan3d", &cufft.plan},
                                                 {"cufftDestroy", &cufft.destroy},
                                                 {"cufftSetStream", &cufft.set_stream},
                                                 {"cufftExecD2Z", &cufft.forward},
                                                 {"cufftExecZ2D", &cufft.inverse}};
    if (!library_load(files, functions, 5))
        return "libcufft.so is not available";
    CHECK(cufft.plan(&cufft.there, side, side, side, REAL_TO_COMPLEX) == 0);
    CHECK(cufft.plan(&cufft.back, side, side, side, COMPLEX_TO_REAL) == 0);
    CHECK(cufft.set_stream(cufft.there, cuda_stream()) == 0);
    CHECK(cufft.set_stream(cufft.back, cuda_stream()) == 0);
    return NULL;
}

void gpu_fft_close()
{
    cuda_synchronise();
    CHECK(cufft.destroy(cufft.there) == 0);
    CHECK(cufft.destroy(cufft.back) == 0);
}

void gpu_fft(const struct bench_operands *o)
{
    CHECK(cufft.forward(cufft.there, (double *)DOUBLES(0), OUT_DOUBLES) == 0);
}

void gpu_inverse_fft(const struct bench_operands *o)
{
    CHECK(cufft.inverse(cufft.back, (double *)DOUBLES(0), OUT_DOUBLES) == 0);
}

/* --- all of them
 * ---------------------------------------------------------------------------------- */

#define ENTRY(name) gpu_##name,
#define ELEMENT_ENTRY(name, statement) ENTRY(name)
extern "C" {
extern bench_kernel_fn *const gpu_kernels[KERNEL_COUNT] = {
    NULL, ELEMENTS(ELEMENT_ENTRY) CELLS(ENTRY) OWN_KERNELS(ENTRY) GPU_KERNELS(ENTRY)};
}
