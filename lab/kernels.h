/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernels of the experiments, by number and by name. */
#include "lab/timing.h"

C_BEGIN

/* clang-format off */
/* X(name, statement): body_NAME() of bodies.h, which does the statement for each element x, by one
 * thread of a GPU or in an OpenMP loop. Its words are those of bodies.h. */
#define ELEMENTS(X)                                                                                \
    X(strided_f64_1, STRIDED(double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_1))                        \
    X(strided_f64_16, STRIDED(double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_16))                      \
    X(strided_f64_64, STRIDED(double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_64))                      \
    X(strided_f64_256, STRIDED(double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_256))                    \
    X(strided_f32_1, STRIDED(float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_1))                          \
    X(strided_f32_16, STRIDED(float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_16))                        \
    X(strided_f32_64, STRIDED(float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_64))                        \
    X(strided_f32_256, STRIDED(float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_256))                      \
    X(spread, OUT_DOUBLES[x * o->b] = DOUBLES(0)[x * o->a])                                        \
    X(shifted_f64, OUT_DOUBLES[x + o->b] = DOUBLES(0)[x + o->a])                                   \
    X(shifted_f32, OUT_FLOATS[x + o->b] = FLOATS(3)[x + o->a])                                     \
    X(soa_3_floats, RECORD(FLOATS(3), OUT_FLOATS, 3, field * o->n + x))                            \
    X(aos_3_floats, RECORD(FLOATS(3), OUT_FLOATS, 3, x * 3 + field))                               \
    X(soa_1_float, RECORD(FLOATS(3), OUT_FLOATS, 1, field * o->n + x))                             \
    X(aos_1_float, RECORD(FLOATS(3), OUT_FLOATS, 1, x * 3 + field))                                \
    X(soa_8_doubles, RECORD(DOUBLES(0), OUT_DOUBLES, FIELDS, field * o->n + x))                    \
    X(aos_8_doubles, RECORD(DOUBLES(0), OUT_DOUBLES, FIELDS, x * FIELDS + field))                  \
    X(soa_1_double, RECORD(DOUBLES(0), OUT_DOUBLES, 1, field * o->n + x))                          \
    X(aos_1_double, RECORD(DOUBLES(0), OUT_DOUBLES, 1, x * FIELDS + field))                        \
    X(padded_3_floats, padded_record(o, x))                                                        \
    X(copy_4_bytes, OUT_FLOATS[x] = ((const float *)o->in[0])[x])                                  \
    X(copy_8_bytes, OUT_DOUBLES[x] = DOUBLES(0)[x])                                                \
    X(copy_16_bytes, OUT_QUADS[x] = QUADS(0)[x])                                                   \
    X(operation_0, OUT_DOUBLES[x] = operate(0, DOUBLES(0)[x]))                                     \
    X(operation_uniform, OUT_DOUBLES[x] = operate((int)o->a, DOUBLES(0)[x]))                       \
    X(operation_by_element, OUT_DOUBLES[x] = operate(operation_of(x, o->a), DOUBLES(0)[x]))        \
    X(column_kept, column_kept(o, x))                                                              \
    X(column_recomputed, column_recomputed(o, x))                                                  \
    X(cell_direct, OUT_DOUBLES[x] = sum_at(o, x))                                                  \
    X(cell_divided, cell_divided(o, x))                                                            \
    X(unrolled_loads, unrolled_loads(o, x))                                                        \
    X(looped_loads, looped_loads(o, x))                                                            \
    X(unrolled_horner, HORNER())                                                                   \
    X(looped_horner, HORNER(LOOP_KEPT))                                                            \
    X(first_half, OUT_DOUBLES[x] = DOUBLES(0)[x] + 3.0 * DOUBLES(1)[x])                            \
    X(second_half, OUT_DOUBLES[x] = DOUBLES(3)[x] * DOUBLES(2)[x] + DOUBLES(0)[x])                 \
    X(both_halves, both_halves(o, x))                                                              \
    X(trilinear, OUT_FLOATS[x] = trilinear_array(o, point_of(o, x)))                               \
    X(tricubic, OUT_FLOATS[x] = tricubic_array(o, point_of(o, x)))                                 \
    X(convolve_at_once, convolve_at_once(o, x))                                                    \
    X(convolve_rows, if (is_inner(o, x, 0)) OUT_FLOATS[x] = filtered(FLOATS(3) + x, 1))            \
    X(convolve_columns, if (is_inner(o, x, 1)) OUT_FLOATS[x] = filtered(FLOATS(4) + x, o->a))      \
    X(lu_4_thread, LU_IN_REGISTERS(4, 1, x * 16))                                                  \
    X(lu_8_thread, LU_IN_REGISTERS(8, 1, x * 64))                                                  \
    X(lu_16_thread, lu_in_memory(o, 1, x * 256))                                                   \
    X(lu_4_interleaved, LU_IN_REGISTERS(4, o->n, x))                                               \
    X(lu_8_interleaved, LU_IN_REGISTERS(8, o->n, x))                                               \
    X(lu_16_interleaved, lu_in_memory(o, o->n, x))                                                 \
    X(masked_branch, if (MASK[x]) OUT_DOUBLES[x] = masked_work(DOUBLES(0)[x]))                     \
    X(masked_blend, masked_blend(o, x))                                                            \
    X(masked_list, masked_at(o, ((const int *)o->in[4])[x]))                                       \
    X(square, square(o, x))                                                                        \
    X(square_added, square_added(o, x))                                                            \
    X(wave_slope, wave_slope(o, x))
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
#define ELEMENT_NUMBER(name, statement) NUMBER(name)
enum bench_kernel {
    KERNEL_none, /* ends the steps of a case */
    ELEMENTS(ELEMENT_NUMBER) CELLS(NUMBER) OWN_KERNELS(NUMBER) GPU_KERNELS(NUMBER) KERNEL_COUNT
};
#undef NUMBER
#undef ELEMENT_NUMBER

/* Of the experiments of `machine`. */
enum {
    CACHE_SWEEPS = 32,
    SHARED_DOUBLES = 2048, /* of a block */
    SHARED_SWEEPS = 512,
    EVENTS = 1000,
    PEAK_CHAINS = 4, /* independent ones per result */
    PEAK_PERIOD = 64,
    PEAK_STEPS = 4096,
    PEAK_FLOPS = 2 * PEAK_STEPS * PEAK_CHAINS,
    GPU_BLOCK = 256, /* threads per block; blocks that fill the GPU once: */
    BLOCKS_PER_MULTIPROCESSOR = 8,
};

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

C_END
