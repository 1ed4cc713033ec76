/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Kernels of `hpgmg-lab methods` whose threads work together, or keep more than one element. */
#include "cuda/core/launch.cuh"
#include "lab/bodies.h"

/* --- convolution ------------------------------------------------------------------------------ */

/* One thread per column of a strip of rows. It keeps the last TAPS filtered rows in registers. */
enum { STRIP_ROWS = 64, COLUMN_THREADS = 128 };

static __global__ void __launch_bounds__(COLUMN_THREADS)
    rolling_kernel(const struct bench_operands o)
{
    const long i = blockIdx.x * COLUMN_THREADS + threadIdx.x;
    const long first = RADIUS + (long)blockIdx.y * STRIP_ROWS;
    const long last = min(first + STRIP_ROWS, o.b - RADIUS);
    const float *in = (const float *)o.in[3] + blockIdx.z * o.a * o.b + i;
    float *out = (float *)o.out + blockIdx.z * o.a * o.b + i;
    float ring[TAPS];
    if (i < RADIUS || i >= o.a - RADIUS)
        return;
#pragma unroll
    for (int t = 1; t < TAPS; t++)
        ring[t] = filtered(in + (first + t - 1 - RADIUS) * o.a, 1);
#pragma unroll(TAPS) /* then no register moves */
    for (long j = first; j < last; j++) {
#pragma unroll
        for (int t = 1; t < TAPS; t++)
            ring[t - 1] = ring[t];
        ring[TAPS - 1] = filtered(in + (j + RADIUS) * o.a, 1);
        out[j * o.a] = filtered(ring + RADIUS, 1);
    }
}

/* --- batches of LU ---------------------------------------------------------------------------- */

enum { LU_THREADS = 128, WARP_LANES = 32 };

/* WIDTH lanes per matrix; each of the first SIZE lanes holds one row in registers. */
template <int SIZE, int WIDTH>
static __global__ void __launch_bounds__(LU_THREADS)
    lu_kernel(const double *in, double *out, long n)
{
    const long m = ((long)blockIdx.x * LU_THREADS + threadIdx.x) / WIDTH;
    const int row = threadIdx.x % WIDTH, first = threadIdx.x % WARP_LANES / WIDTH * WIDTH;
    const bool works = m < n && row < SIZE;
    const long at = m * SIZE * SIZE + row;
    double a[SIZE];
#pragma unroll
    for (int j = 0; j < SIZE; j++)
        a[j] = works ? in[at + j * SIZE] : 1.0;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
        const double pivot = __shfl_sync(0xffffffffu, a[k], first + k);
        if (row > k)
            a[k] /= pivot;
#pragma unroll
        for (int j = k + 1; j < SIZE; j++) {
            const double u = __shfl_sync(0xffffffffu, a[j], first + k);
            if (row > k)
                a[j] -= a[k] * u;
        }
    }
#pragma unroll
    for (int j = 0; j < SIZE; j++)
        if (works)
            out[at + j * SIZE] = a[j];
}
