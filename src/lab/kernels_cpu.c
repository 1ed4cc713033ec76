/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the experiments as OpenMP loops. */
#include <omp.h>
#include <string.h>
#include "lab/bodies.h"
#include "lab/experiments.h"

static void cpu_copy_ceiling(const struct operands *o)
{
    struct experiment copy = {.work = WORK_COPY, .n = o->n, .out = o->out};
    copy.in[0] = o->in[0];
    machine_run_cpu(&copy);
}

static void cpu_copy_library(const struct operands *o)
{
#pragma omp parallel
    {
        const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
        const long low = o->n * thread / threads, high = o->n * (thread + 1) / threads;
        memcpy(OUT_DOUBLES + low, DOUBLES(0) + low, (size_t)(high - low) * sizeof(double));
    }
}

/* Of a field of a^3 points. */
static void cpu_gradient(const struct operands *o)
{
    const double *u = DOUBLES(0);
    const long side = o->a, plane = side * side, all = plane * side;
    double *out = OUT_DOUBLES;
#pragma omp parallel for collapse(2) schedule(static)
    for (long k = 0; k < side; k++)
        for (long j = 0; j < side; j++)
            for (long i = 0; i < side; i++) {
                const long at = i + side * j + plane * k;
                out[at] = point_difference(u + at, 1, (int)i, (int)side);
                out[all + at] = point_difference(u + at, side, (int)j, (int)side);
                out[2 * all + at] = point_difference(u + at, plane, (int)k, (int)side);
            }
}

#define BODY(name)                                                                                 \
    static void cpu_##name(const struct operands *operands)                                        \
    {                                                                                              \
        const struct operands o = *operands;                                                       \
        _Pragma("omp parallel for simd schedule(static)") for (long x = 0; x < o.n; x++)           \
            body_##name(&o, x);                                                                    \
    }
#define OWN(name)
#define GPU(name)
#include "lab/kernels.def"

bench_kernel_fn *const cpu_kernels[KERNEL_COUNT] = {
#define BODY(name) [KERNEL_##name] = cpu_##name,
#define OWN(name) [KERNEL_##name] = cpu_##name,
#define GPU(name)
#include "lab/kernels.def"
};
