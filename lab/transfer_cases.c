/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `hpgmg-lab memory` that are about host memory and transfers. */
#include <math.h>
#include "base/memory.h"
#include "lab/bodies.h"
#include "lab/experiments.h"

/* --- host memory ------------------------------------------------------------------------------ */

/* One way, by cudaMemcpy or by a kernel that reaches host memory itself. */
static void one_transfer(struct bench *bench, const char *name, enum bench_kernel kernel,
                         const void *from, void *to, long n, bool to_host)
{
    const bool large = n * 8 >= 1 << 20;
    struct bench_case c = bench_case_of(bench, kernel, n, "%s, %ld %s", name,
                                        n * 8 >> (large ? 20 : 10), large ? "MiB" : "KiB");
    BENCH_PARAMETERS(c, {"transfer_bytes", 8.0 * (double)n}, {"to_host", to_host});
    c.steps[0].o.in[0] = from;
    c.steps[0].o.out = to;
    c.bytes = 8.0 * (double)n;
    c.elements = 0.0;
    c.on_host = to_host;
    c.expected = bench_expected_copy;
    c.by = TIMED_BY_HOST;
    bench_measure(bench, &c);
}

static void managed(struct bench *bench, long n)
{
    if (!bench->lab->options.managed) {
        bench_skip(bench, "managed, to the device", "only with --managed");
        return;
    }
    if (!bench_has_room(bench, (double)n, (double)n)) {
        bench_skip(bench, "managed, to the device", "not that much memory is free");
        return;
    }
    double *data = gpu_managed_create(n);
    for (long x = 0; x < n; x++)
        data[x] = input_value(0, x);
    one_transfer(bench, "managed, to the device", KERNEL_managed, data, bench->pool.out, n, false);
    gpu_managed_destroy(data);
}

void memory_host(struct bench *bench)
{
    static const long most = 1 << 24, least = 1 << 9; /* 128 MiB, 4 KiB */
    const struct pool *p = &bench->pool;
    const long largest = p->n < most ? p->n : most;
    double *pageable = memory_alloc((size_t)largest * sizeof(double), "pageable memory");
    for (long x = 0; x < largest; x++)
        pageable[x] = input_value(0, x);
    for (long n = least; n <= largest; n *= 32) {
        one_transfer(bench, "pageable, to the device", KERNEL_transfer, pageable, p->out, n, false);
        one_transfer(bench, "pinned, to the device", KERNEL_transfer, p->pinned[0], p->out, n,
                     false);
        one_transfer(bench, "pageable, to the host", KERNEL_transfer, p->in[0], pageable, n, true);
        one_transfer(bench, "pinned, to the host", KERNEL_transfer, p->in[0], p->pinned[1], n,
                     true);
    }
    one_transfer(bench, "mapped, read by a kernel", KERNEL_copy_8_bytes, p->pinned[0], p->out,
                 largest, false);
    one_transfer(bench, "mapped, written by a kernel", KERNEL_copy_8_bytes, p->in[0], p->pinned[1],
                 largest, true);
    managed(bench, largest);
    memory_free(pageable);
}

/* --- points ----------------------------------------------------------------------------------- */

static double expected_gradient(const struct bench_operands *o, long x)
{
    const long side = o->a, all = side * side * side, at = x % all;
    const long stride[3] = {1, side, side * side};
    const long index[3] = {at % side, at / side % side, at / side / side};
    const int d = (int)(x / all);
    const long low = index[d] > 0, high = index[d] < side - 1;
    const double rise =
        input_value(0, at + high * stride[d]) - input_value(0, at - low * stride[d]);
    return rise / (double)(low + high);
}

/* Where a field of side^3 points and its gradient are. */
struct points {
    long side, count;
    double *field, *result;           /* on the backend */
    double *host_field, *host_result; /* pinned; NULL on a CPU */
};

static void one_field(struct bench *bench, const struct points *p, bool gradient, int transfers)
{
    static const char *const names[] = {[POINTS_KERNEL] = "kernel alone",
                                        [POINTS_ONE_WAY] = "field to the device",
                                        [POINTS_BOTH_WAYS] = "to the device and back",
                                        [POINTS_OVERLAPPED] = "both ways, overlapped"};
    const enum bench_kernel alone = gradient ? KERNEL_gradient : KERNEL_pass_through;
    const int components = gradient ? 3 : 1;
    struct bench_case c =
        bench_case_of(bench, transfers == POINTS_KERNEL ? alone : KERNEL_points_transfers, p->count,
                      "%s, %.3g M, %s", gradient ? "gradient" : "pass-through",
                      1e-6 * (double)p->count, names[transfers]);
    struct bench_operands *o = &c.steps[0].o;
    const bool back = transfers == POINTS_BOTH_WAYS || transfers == POINTS_OVERLAPPED;
    BENCH_PARAMETERS(c, {"points", (double)p->count}, {"gradient", gradient},
                     {"transfers", transfers});
    *o = (struct bench_operands){.n = p->count, .out = p->result, .a = p->side};
    o->in[0] = p->field;
    o->in[1] = p->host_field;
    o->in[2] = p->host_result;
    o->b = gradient;
    o->c = transfers;
    c.bytes = 8.0 * (transfers == POINTS_ONE_WAY ? 1 : 1 + components) * (double)p->count;
    c.results = p->count * components;
    c.results_at = back ? p->host_result : NULL;
    c.on_host = back;
    c.expected = gradient ? expected_gradient : bench_expected_copy;
    c.by = transfers == POINTS_KERNEL ? TIMED_BY_BACKEND : TIMED_BY_HOST;
    bench_measure(bench, &c);
}

static void fields_of(struct bench *bench, long wanted)
{
    struct points p = {.side = (long)floor(cbrt((double)wanted) + 0.5)};
    const struct backend *backend = bench->pool.backend;
    const struct backend *host = backend->staging;
    const long count = p.count = p.side * p.side * p.side;
    if (!bench_has_room(bench, 4.0 * (double)p.count, host ? 4.0 * (double)p.count : 0.0)) {
        char name[64];
        snprintf(name, sizeof name, "%.3g M points", 1e-6 * (double)p.count);
        bench_skip(bench, name, "not that much memory is free");
        return;
    }
    const struct backend *filled = host ? host : backend;
    double *values = filled->memory->allocate(p.count, "a field of points");
#pragma omp parallel for schedule(static)
    for (long x = 0; x < count; x++)
        values[x] = input_value(0, x);
    p.field = host ? backend->memory->allocate(p.count, "a field of points") : values;
    if (host) {
        backend->memory->upload(p.field, values, p.count);
        p.host_field = values;
        p.host_result = host->memory->allocate(3 * p.count, "a gradient");
    }
    p.result = backend->memory->allocate(3 * p.count, "a gradient");
    for (int gradient = 0; gradient < 2; gradient++)
        for (int transfers = 0; transfers < (host ? POINTS_MODES : 1); transfers++)
            one_field(bench, &p, gradient, transfers);
    backend->memory->release(p.result);
    backend->memory->release(p.field);
    if (host) {
        host->memory->release(p.host_result);
        host->memory->release(p.host_field);
    }
}

void memory_points(struct bench *bench)
{
    const long wanted = bench->lab->options.points;
    if (wanted > 0) {
        fields_of(bench, wanted);
    } else {
        fields_of(bench, 10000000);
        fields_of(bench, 100000000);
    }
}
