/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `hpgmg-lab memory`. */
#include <math.h>
#include "base/memory.h"
#include "lab/bodies.h"
#include "lab/experiments.h"

enum { DOUBLE = sizeof(double) };

/* A case over all of the arrays: doubles of in[0] or floats of in[3]; one body takes `share`
 * elements. a and b: of the kernel. */
static struct bench_case case_over_all(const struct bench *bench, enum bench_kernel kernel,
                                       bool single, long share, long a, long b)
{
    const long length = bench->pool.n * (single ? 2 : 1);
    struct bench_case c = bench_case_of(bench, kernel, length / share, "%s", "");
    c.single = single;
    c.steps[0].o.input = single ? 3 : 0;
    c.steps[0].o.a = a;
    c.steps[0].o.b = b;
    return c;
}
#define NAME(c, ...) snprintf((c).name, sizeof(c).name, __VA_ARGS__)

/* Cases on doubles that differ in little. */
struct plain_case {
    const char *name;
    enum bench_kernel kernel;
    long bodies, a;      /* how often the kernel's body runs; a = b = c of the kernel */
    double bytes, flops; /* of an element */
    expected_fn *expected;
    const double *table;
};

static void measure_plain(struct bench *bench, long elements, const struct plain_case *list,
                          int count)
{
    for (const struct plain_case *p = list; p < list + count; p++) {
        struct bench_case c = bench_case_of(bench, p->kernel, elements, "%s", p->name);
        struct bench_operands *o = &c.steps[0].o;
        o->n = p->bodies;
        o->a = o->b = o->c = p->a;
        o->table = p->table;
        c.bytes = p->bytes * c.elements;
        c.flops = p->flops * c.elements;
        c.expected = p->expected;
        bench_measure(bench, &c);
    }
}

/* --- strides ---------------------------------------------------------------------------------- */

/* table: what becomes of each value of the input's period. */
EXPECTED(strided, o->table[(int)input_value(o->input, x * o->a)])

void memory_strides(struct bench *bench)
{
    static const enum bench_kernel kernels[2][4] = {{KERNEL_strided_f64_1, KERNEL_strided_f64_16,
                                                     KERNEL_strided_f64_64, KERNEL_strided_f64_256},
                                                    {KERNEL_strided_f32_1, KERNEL_strided_f32_16,
                                                     KERNEL_strided_f32_64,
                                                     KERNEL_strided_f32_256}};
    static const int fmas[] = {1, 16, 64, 256}, strides[] = {1, 2, 3, 4, 8, 16, 32};
    double table[PERIOD];
    for (int single = 0; single < 2; single++)
        for (int f = 0; f < BENCH_COUNT(fmas); f++)
            for (int s = 0; s < BENCH_COUNT(strides); s++) {
                const int size = single ? sizeof(float) : DOUBLE, stride = strides[s];
                struct bench_case c =
                    case_over_all(bench, kernels[single][f], single, stride, stride, 0);
                bench_fill_chain_ends(table, fmas[f], single);
                NAME(c, "%s, stride %d, %d FMA%s", single ? "float" : "double", stride, fmas[f],
                     f > 0 ? "s" : "");
                BENCH_PARAMETERS(c, {"stride", stride}, {"fmas", fmas[f]}, {"element_bytes", size});
                c.steps[0].o.table = table;
                c.bytes = 2.0 * size * c.elements;
                c.moved_bytes = (size + bench_moved_by_reads(bench, stride, size)) * c.elements;
                c.flops = 2.0 * fmas[f] * c.elements;
                c.expected = expected_strided;
                bench_measure(bench, &c);
            }
}

/* --- access ----------------------------------------------------------------------------------- */

EXPECTED(spread, x % o->b == 0 && x / o->b < o->n ? input_value(0, x / o->b * o->a) : NAN)

/* Reads and writes of doubles at a stride. 16 of them are a line of a GPU's
 * caches. */
void memory_access(struct bench *bench)
{
    for (int a = 1; a <= STRIDE; a *= 2)
        for (int b = 1; b <= STRIDE; b *= 2) {
            struct bench_case c = case_over_all(bench, KERNEL_spread, false, a > b ? a : b, a, b);
            NAME(c, "reads %d apart, writes %d apart", a, b);
            BENCH_PARAMETERS(c, {"read_stride", a}, {"write_stride", b});
            c.bytes = 2.0 * DOUBLE * c.elements;
            c.moved_bytes =
                (bench_moved_by_reads(bench, a, DOUBLE) + bench_moved_by_writes(bench, b, DOUBLE)) *
                c.elements;
            c.results = bench->pool.n;
            c.expected = expected_spread;
            bench_measure(bench, &c);
        }
}

/* --- alignment -------------------------------------------------------------------------------- */

EXPECTED(shifted, x < o->b ? NAN : input_value(o->input, x - o->b + o->a))

void memory_alignment(struct bench *bench)
{
    static const int shifts[][2] = {{0, 0}, {8, 0},  {32, 0}, {64, 0},
                                    {0, 8}, {0, 32}, {0, 64}, {8, 8}}; /* reads, writes */
    for (int single = 0; single < 2; single++)
        for (int s = 0; s < BENCH_COUNT(shifts); s++) {
            const int size = single ? sizeof(float) : DOUBLE;
            const int from = shifts[s][0], to = shifts[s][1];
            struct bench_case c =
                case_over_all(bench, single ? KERNEL_shifted_f32 : KERNEL_shifted_f64, single, 1,
                              from / size, to / size);
            NAME(c, "%s, reads from byte %d, writes from %d", single ? "float" : "double", from,
                 to);
            BENCH_PARAMETERS(c, {"element_bytes", size}, {"read_offset", from},
                             {"write_offset", to});
            c.steps[0].o.n -= STRIDE;
            c.elements = (double)c.steps[0].o.n;
            c.results = c.steps[0].o.n + c.steps[0].o.b;
            c.bytes = 2.0 * size * c.elements;
            c.expected = expected_shifted;
            bench_measure(bench, &c);
        }
}

/* --- records ---------------------------------------------------------------------------------- */

/* b: fields of a record that change, of a in memory. The others of a padded record are copied. */
EXPECTED(record, x % o->a < o->b ? input_value(o->input, x) + 1.0 : NAN)
EXPECTED(padded, input_value(o->input, x) + (x % o->a < o->b))

void memory_records(struct bench *bench)
{
    static const struct {
        const char *name;
        enum bench_kernel kernel;
        bool single;
        int stored, used; /* fields: one record's distance from the next, and those that change */
        int separate;     /* arrays of a structure of arrays; 1: an array of structures */
    } list[] = {
        {"3 floats, structure of arrays", KERNEL_soa_3_floats, true, 1, 1, 3},
        {"3 floats, array of structures", KERNEL_aos_3_floats, true, 3, 3, 1},
        {"3 floats padded to 16 bytes", KERNEL_padded_3_floats, true, 4, 3, 1},
        {"1 float of 3, structure of arrays", KERNEL_soa_1_float, true, 1, 1, 1},
        {"1 float of 3, array of structures", KERNEL_aos_1_float, true, 3, 1, 1},
        {"8 doubles, structure of arrays", KERNEL_soa_8_doubles, false, 1, 1, FIELDS},
        {"8 doubles, array of structures", KERNEL_aos_8_doubles, false, FIELDS, FIELDS, 1},
        {"1 double of 8, structure of arrays", KERNEL_soa_1_double, false, 1, 1, 1},
        {"1 double of 8, array of structures", KERNEL_aos_1_double, false, FIELDS, 1, 1},
    };
    for (int r = 0; r < BENCH_COUNT(list); r++) {
        const int size = list[r].single ? sizeof(float) : DOUBLE;
        const int stored = list[r].stored, separate = list[r].separate;
        const int fields = separate * list[r].used, distance = separate * stored;
        const bool padded = list[r].kernel == KERNEL_padded_3_floats;
        struct bench_case c =
            case_over_all(bench, list[r].kernel, list[r].single, distance, stored, list[r].used);
        NAME(c, "%s", list[r].name);
        BENCH_PARAMETERS(c, {"element_bytes", size}, {"stored_fields", distance},
                         {"used_fields", fields}, {"separate_arrays", separate});
        c.results *= distance;
        c.bytes = 2.0 * size * fields * c.elements;
        if (padded) /* is written whole */
            c.moved_bytes = 2.0 * size * stored * c.elements;
        else if (list[r].used < stored)
            c.moved_bytes = (bench_moved_by_reads(bench, stored, size) +
                             bench_moved_by_writes(bench, stored, size)) *
                            c.elements;
        c.expected = padded ? expected_padded : expected_record;
        bench_measure(bench, &c);
    }
}

/* --- copy ------------------------------------------------------------------------------------- */

void memory_copy(struct bench *bench)
{
    const bool gpu = bench_on_gpu(bench);
    const long n = bench->pool.n, a = COPY_PER_THREAD;
    expected_fn *const copied = bench_expected_copy;
    const struct plain_case list[] = {
        {"4 bytes per thread", KERNEL_copy_4_bytes, 2 * n, a, 16, 0, copied, NULL},
        {"8 bytes per thread", KERNEL_copy_8_bytes, n, a, 16, 0, copied, NULL},
        {"16 bytes per thread", KERNEL_copy_16_bytes, n / 2, a, 16, 0, copied, NULL},
        {gpu ? "4 x 16 bytes per thread" : "vector loop", KERNEL_copy, n, a, 16, 0, copied, NULL},
        {gpu ? "cudaMemcpy" : "memcpy", KERNEL_copy_library, n, a, 16, 0, copied, NULL},
    };
    measure_plain(bench, n, list, BENCH_COUNT(list));
}

/* --- switch ----------------------------------------------------------------------------------- */

/* table: each operation's results for the values of the input's period. a: log2 of the neighbours
 * that have one operation. */
EXPECTED(operation, o->table[operation_of(x, o->a) * PERIOD + x % PERIOD])

void memory_switch(struct bench *bench)
{
    static double t[OPERATIONS * PERIOD];
    const long n = bench->pool.n;
    const enum bench_kernel by_element = KERNEL_operation_by_element;
    expected_fn *const first = bench_expected_in_table, *const each = expected_operation;
    const struct plain_case list[] = {
        {"kernel for one operation", KERNEL_operation_0, n, 0, 16, 0, first, t},
        {"switch, one operation for all", KERNEL_operation_uniform, n, 0, 16, 0, first, t},
        {"switch, 256 neighbours agree", by_element, n, 8, 16, 0, each, t},
        {"switch, 32 neighbours agree", by_element, n, 5, 16, 0, each, t},
        {"switch, 8 neighbours agree", by_element, n, 3, 16, 0, each, t},
        {"switch, 2 neighbours agree", by_element, n, 1, 16, 0, each, t},
        {"switch, none agree", by_element, n, 0, 16, 0, each, t},
    };
    for (int at = 0; at < OPERATIONS * PERIOD; at++)
        t[at] = operate(at / PERIOD, at % PERIOD);
    measure_plain(bench, n, list, BENCH_COUNT(list));
}

/* --- index ------------------------------------------------------------------------------------ */

EXPECTED(sum, input_value(0, x) + input_value(1, x) + input_value(2, x))

void memory_index(struct bench *bench)
{
    const long side = (long)floor(cbrt((double)bench->pool.n) + 1e-6), plane = side * side,
               all = plane * side;
    expected_fn *const sum = expected_sum;
    const struct plain_case list[] = {
        {"columns, index kept", KERNEL_column_kept, plane, side, 32, 0, sum, NULL},
        {"columns, index computed at each access", KERNEL_column_recomputed, plane, side, 32, 0,
         sum, NULL},
        {"points, index is the thread's number", KERNEL_cell_direct, all, side, 32, 0, sum, NULL},
        {"points, index by divisions", KERNEL_cell_divided, all, side, 32, 0, sum, NULL},
    };
    measure_plain(bench, all, list, BENCH_COUNT(list));
}

/* --- unroll ----------------------------------------------------------------------------------- */

void memory_unroll(struct bench *bench)
{
    double plus_one[PERIOD], horner[PERIOD];
    const long n = bench->pool.n, each = n / UNROLLED;
    const double flops = 2.0 * (DEGREE + 1);
    expected_fn *const in_table = bench_expected_in_table;
    const struct plain_case list[] = {
        {"8 elements per thread, a loop", KERNEL_looped_loads, each, 0, 16, 0, in_table, plus_one},
        {"8 elements per thread, unrolled", KERNEL_unrolled_loads, each, 0, 16, 0, in_table,
         plus_one},
        {"polynomial of degree 16, a loop", KERNEL_looped_horner, n, 0, 16, flops, in_table,
         horner},
        {"polynomial of degree 16, unrolled", KERNEL_unrolled_horner, n, 0, 16, flops, in_table,
         horner},
    };
    for (int value = 0; value < PERIOD; value++) {
        plus_one[value] = value + 1.0;
        horner[value] = 0.0;
        for (int degree = DEGREE; degree >= 0; degree--)
            horner[value] = fma(horner[value], 1.0 / 1024 * value, degree);
    }
    measure_plain(bench, n, list, BENCH_COUNT(list));
}

/* --- fusion ----------------------------------------------------------------------------------- */

EXPECTED(fusion,
         (input_value(0, x) + 3.0 * input_value(1, x)) * input_value(2, x) + input_value(0, x))

/* The array between is in[4]: as large as the others, or so small that all stay in a cache. */
void memory_fusion(struct bench *bench)
{
    const struct pool *p = &bench->pool;
    for (int cached = 0; cached < 2; cached++)
        for (int kernels = 2; kernels > 0; kernels--) {
            const long n = cached ? p->cache_n / 4 : p->n;
            struct bench_case c =
                bench_case_of(bench, kernels == 2 ? KERNEL_first_half : KERNEL_both_halves, n,
                              "%s, arrays of %.1f MB", kernels == 2 ? "two kernels" : "one kernel",
                              8e-6 * (double)n);
            BENCH_PARAMETERS(c, {"kernels", kernels}, {"array_bytes", 8.0 * (double)n});
            if (kernels == 2) {
                c.steps[1] = c.steps[0];
                c.steps[1].kernel = KERNEL_second_half;
                c.steps[1].o.in[3] = c.steps[0].o.out = p->in[4];
            }
            c.bytes = 8.0 * (kernels == 2 ? 7 : 4) * c.elements;
            c.flops = 4.0 * c.elements;
            c.expected = expected_fusion;
            bench_measure(bench, &c);
        }
}

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

static void managed(struct bench *bench, const char *name, long n)
{
    if (!bench->lab->options.managed) {
        bench_skip(name, "only with --managed");
    } else if (bench_has_room(bench, name, (double)n, (double)n)) {
        double *data = gpu_managed_create(n);
        for (long x = 0; x < n; x++)
            data[x] = input_value(0, x);
        one_transfer(bench, name, KERNEL_managed, data, bench->pool.out, n, false);
        gpu_managed_destroy(data);
    }
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
    managed(bench, "managed, to the device", largest);
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
    char name[64];
    snprintf(name, sizeof name, "%.3g M points", 1e-6 * (double)p.count);
    if (!bench_has_room(bench, name, 4.0 * (double)p.count, host ? 4.0 * (double)p.count : 0.0))
        return;
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
    fields_of(bench, wanted > 0 ? wanted : 10000000);
    if (wanted == 0)
        fields_of(bench, 100000000);
}
