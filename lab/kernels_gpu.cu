/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the experiments on a GPU. */
#include "cuda/core/launch.cuh"
#include "lab/method_bodies.h"

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

#define KERNEL(name)                                                                               \
    static void gpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        for_range(o.n, [=] __device__(long x) { body_##name(&o, x); });                            \
    }
BODIES(KERNEL)

#define ENTRY(name) gpu_##name,
extern "C" {
extern bench_kernel_fn *const gpu_kernels[KERNEL_COUNT] = {
    NULL, BODIES(ENTRY) CELLS(ENTRY) OWN_KERNELS(ENTRY) GPU_KERNELS(ENTRY)};
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
