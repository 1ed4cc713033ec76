/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_KERNELS_H
#define LAB_KERNELS_H
/* The kernels of the experiments, by number and by name. */
#include "lab/gpu_only.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* body_NAME() of bodies.h or method_bodies.h, once for each element: by one thread of a GPU, or in
 * an OpenMP loop. */
#define BODIES(X)                                                                                  \
    X(strided_f64_1) X(strided_f64_16) X(strided_f64_64) X(strided_f64_256) X(strided_f32_1)       \
    X(strided_f32_16) X(strided_f32_64) X(strided_f32_256) X(spread) X(shifted_f64)                \
    X(shifted_f32) X(soa_3_floats) X(aos_3_floats) X(padded_3_floats) X(soa_8_doubles)             \
    X(aos_8_doubles) X(soa_1_float) X(aos_1_float) X(soa_1_double) X(aos_1_double)                 \
    X(copy_4_bytes) X(copy_8_bytes) X(copy_16_bytes) X(operation_0) X(operation_uniform)           \
    X(operation_by_element) X(column_kept) X(column_recomputed) X(cell_direct) X(cell_divided)     \
    X(unrolled_loads) X(looped_loads) X(unrolled_horner) X(looped_horner) X(first_half)            \
    X(second_half) X(both_halves) X(trilinear) X(tricubic) X(convolve_at_once) X(convolve_rows)    \
    X(convolve_columns) X(lu_4_thread) X(lu_8_thread) X(lu_16_thread) X(lu_4_interleaved)          \
    X(lu_8_interleaved) X(lu_16_interleaved) X(masked_branch) X(masked_blend) X(masked_list) \
    X(square) X(square_added) X(wave_slope)
/* cell_NAME() likewise, once for each of a^3 points by its coordinates. */
#define CELLS(X)                                                                                   \
    X(pass_through) X(gradient) X(gradient_2) X(gradient_4) X(square_2) X(square_4)
/* gpu_NAME() and cpu_NAME(), a kernel of its own for each. */
#define OWN_KERNELS(X)                                                                             \
    X(write) X(read) X(copy) X(triad) X(five_reads) X(copy_again) X(intensity) X(peak_f64)         \
    X(peak_f32) X(launches) X(synchronisations) X(copy_library) X(convolve_rolling) X(fft) X(inverse_fft)
/* gpu_NAME() alone. */
#define GPU_KERNELS(X)                                                                             \
    X(read_shared) X(nothing) X(awaited_launches) X(transfer) X(managed) X(points_transfers)       \
    X(trilinear_read_only) X(tricubic_read_only) X(trilinear_texture_cells)                        \
    X(tricubic_texture_cells) X(trilinear_filter) X(tricubic_filter) X(lu_4_lanes) X(lu_8_lanes)   \
    X(lu_16_lanes) X(lu_4_warp) X(lu_8_warp) X(lu_16_warp) X(lu_cublas)
/* clang-format on */

#define NUMBER(name) KERNEL_##name,
enum bench_kernel {
    KERNEL_none, /* ends the steps of a case */
    BODIES(NUMBER) CELLS(NUMBER) OWN_KERNELS(NUMBER) GPU_KERNELS(NUMBER) KERNEL_COUNT
};
#undef NUMBER

enum { INPUTS = 5 };
/* What a kernel gets. The meaning of a, b and c is the kernel's. */
struct bench_operands {
    long n; /* how often its body runs: for 0 <= x < n */
    const void *in[INPUTS];
    void *out;
    long a, b, c;
    int input;                  /* the array that is read, for `expected` */
    const double *table;        /* in host memory, for `expected` */
    unsigned long long texture; /* of a GPU */
};
typedef void bench_kernel_fn(const struct bench_operands *o);

/* By number; NULL where there is none. */
extern bench_kernel_fn *const cpu_kernels[KERNEL_COUNT];
GPU_ONLY extern bench_kernel_fn *const gpu_kernels[KERNEL_COUNT];
#define DECLARE_CPU(name) bench_kernel_fn cpu_##name;
#define DECLARE_GPU(name) GPU_ONLY bench_kernel_fn gpu_##name;
OWN_KERNELS(DECLARE_CPU)
OWN_KERNELS(DECLARE_GPU)
GPU_KERNELS(DECLARE_GPU)
#undef DECLARE_CPU
#undef DECLARE_GPU

/* Of the kernel points_transfers: what goes between host and device. */
enum points_transfers {
    POINTS_KERNEL, /* nothing */
    POINTS_ONE_WAY,
    POINTS_BOTH_WAYS,
    POINTS_OVERLAPPED,
    POINTS_MODES
};

/* A field of side^3 floats, which are on the device, as a 3-D texture. */
struct gpu_textures;
GPU_ONLY struct gpu_textures *gpu_textures_create(const double *field, int side);
/* `linear`: a fetch is filtered by the hardware, else it is one cell. */
GPU_ONLY unsigned long long gpu_texture(const struct gpu_textures *textures, bool linear);
GPU_ONLY void gpu_textures_destroy(struct gpu_textures *textures);

/* Prepares the kernel lu_cublas for n matrices of size^2 doubles; false without cuBLAS. */
GPU_ONLY bool gpu_cublas_open(double *first, long n, int size);
GPU_ONLY void gpu_cublas_close(void);

/* Prepares the kernels fft (in[0], a field of side^3 doubles, to `out`, side^2 (side/2 + 1) complex
 * numbers) and inverse_fft, which overwrites what it reads. Whoever opens them fills the arrays
 * afterwards. NULL, or which library is missing. */
const char *cpu_fft_open(double *field, double *transform, int side);
void cpu_fft_close(void);
GPU_ONLY const char *gpu_fft_open(double *field, double *transform, int side);
GPU_ONLY void gpu_fft_close(void);

/* Bytes by which L2 reads from memory. */
GPU_ONLY int gpu_fetch_bytes(void);

/* `length` doubles of managed memory, which moves to where it is used. */
GPU_ONLY double *gpu_managed_create(long length);
GPU_ONLY void gpu_managed_destroy(double *data);

#ifdef __cplusplus
}
#endif
#endif
