/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of `hpgmg-lab methods` that only a GPU has, or that are different there. */
#include "base/library.h"
#include "cuda/core/launch.cuh"
#include "lab/method_kernels.cuh"

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
