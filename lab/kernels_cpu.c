/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the experiments as OpenMP loops. */
#include <omp.h>
#include <string.h>
#include "base/check.h"
#include "lab/method_bodies.h"

void cpu_copy_library(const struct bench_operands *o)
{
#pragma omp parallel
    {
        const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
        const long low = o->n * thread / threads, high = o->n * (thread + 1) / threads;
        memcpy(OUT_DOUBLES + low, DOUBLES(0) + low, (size_t)(high - low) * sizeof(double));
    }
}

/* A row of an image, filtered along the row. */
static void filter_row(const float *in, float *out, long width)
{
#pragma omp simd
    for (long i = RADIUS; i < width - RADIUS; i++)
        out[i] = filtered(in + i, 1);
}

/* The sum of TAPS filtered rows. */
static void filter_rows(float *const rows[TAPS], float *out, long width)
{
    for (long i = RADIUS; i < width - RADIUS; i++)
        out[i] = tap(0) * rows[0][i];
    for (int t = 1; t < TAPS; t++)
#pragma omp simd
        for (long i = RADIUS; i < width - RADIUS; i++)
            out[i] = fmaf(tap(t), rows[t][i], out[i]);
}

/* One image of a x b: the last TAPS filtered rows are in a buffer, which the cache holds. */
static void roll_through(const struct bench_operands *o, const float *in, float *out)
{
    float buffer[TAPS][MAX_WIDTH];
    for (long j = 0; j < o->b; j++) {
        float *rows[TAPS];
        filter_row(in + j * o->a, buffer[j % TAPS], o->a);
        for (int t = 0; t < TAPS; t++)
            rows[t] = buffer[(j + 1 + t) % TAPS];
        if (j >= TAPS - 1)
            filter_rows(rows, out + (j - RADIUS) * o->a, o->a);
    }
}

/* c images. */
void cpu_convolve_rolling(const struct bench_operands *o)
{
    CHECK(o->a <= MAX_WIDTH);
#pragma omp parallel for schedule(static)
    for (long image = 0; image < o->c; image++)
        roll_through(o, FLOATS(3) + image * o->a * o->b, OUT_FLOATS + image * o->a * o->b);
}

#define LOOP(name)                                                                                 \
    static void cpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        _Pragma("omp parallel for schedule(static)") for (long x = 0; x < o.n; x++)                \
            body_##name(&o, x);                                                                    \
    }
BODIES(LOOP)

#define CELL_LOOP(name)                                                                            \
    static void cpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        const int side = (int)o.a;                                                                 \
        _Pragma("omp parallel for collapse(2) schedule(static) firstprivate(o)") for (             \
            int k = 0; k < side; k++) for (int j = 0; j < side; j++)                               \
        {                                                                                          \
            for (int i = 0; i < CELL_EDGE; i++) {                                                  \
                cell_##name(&o, i, j, k, 0);                                                       \
                cell_##name(&o, side - 1 - i, j, k, 0);                                            \
            }                                                                                      \
            _Pragma("omp simd") for (int i = CELL_EDGE; i < side - CELL_EDGE; i++)                 \
                cell_##name(&o, i, j, k, 1);                                                       \
        }                                                                                          \
    }
CELLS(CELL_LOOP)

#define ENTRY(name) [KERNEL_##name] = cpu_##name,
bench_kernel_fn *const cpu_kernels[KERNEL_COUNT] = {BODIES(ENTRY) CELLS(ENTRY) OWN_KERNELS(ENTRY)};
