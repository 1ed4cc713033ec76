/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `hpgmg-lab memory`; those of host memory are in transfer_cases.c. */
#include <math.h>
#include <stdio.h>
#include "lab/bodies.h"
#include "lab/experiments.h"

/* --- strides ---------------------------------------------------------------------------------- */

/* table: what becomes of each value of the input's period. */
static double expected_strided(const struct bench_operands *o, long x)
{
    return o->table[(x * o->a) % PERIOD];
}

static double expected_strided_floats(const struct bench_operands *o, long x)
{
    return o->table[(x * o->a + 7 * 3) % PERIOD];
}

static void fill_chain_ends(double *table, int fmas, bool single)
{
    for (int value = 0; value < PERIOD; value++) {
        double x = value;
        for (int step = 0; step < fmas; step++)
            x = single ? (double)fmaf((float)x, (float)CHAIN_C, (float)CHAIN_D)
                       : fma(x, CHAIN_C, CHAIN_D);
        table[value] = x;
    }
}

static void one_stride(struct bench *bench, enum bench_kernel kernel, int stride, int fmas,
                       bool single)
{
    double table[PERIOD];
    const int size = single ? sizeof(float) : sizeof(double);
    const long length = bench->pool.n * (long)sizeof(double) / size;
    struct bench_case c = bench_case_of(bench, kernel, length / stride);
    fill_chain_ends(table, fmas, single);
    snprintf(c.name, sizeof c.name, "%s, stride %d, %d FMA%s", single ? "float" : "double", stride,
             fmas, fmas > 1 ? "s" : "");
    c.parameters[0] = (struct json_number){"stride", stride};
    c.parameters[1] = (struct json_number){"fmas", fmas};
    c.parameters[2] = (struct json_number){"element_bytes", size};
    c.steps[0].o.a = stride;
    c.steps[0].o.table = table;
    c.bytes = 2.0 * size * c.elements;
    c.moved_bytes = (size + bench_moved_by_reads(bench, stride, size)) * c.elements;
    c.flops = 2.0 * fmas * c.elements;
    c.single = single;
    c.expected = single ? expected_strided_floats : expected_strided;
    bench_measure(bench, &c);
}

void memory_strides(struct bench *bench)
{
    static const int strides[] = {1, 2, 3, 4, 8, 16, 32};
    static const struct {
        int fmas;
        enum bench_kernel kernels[2]; /* of doubles, of floats */
    } chains[] = {
        {1, {KERNEL_strided_f64_1, KERNEL_strided_f32_1}},
        {16, {KERNEL_strided_f64_16, KERNEL_strided_f32_16}},
        {64, {KERNEL_strided_f64_64, KERNEL_strided_f32_64}},
        {256, {KERNEL_strided_f64_256, KERNEL_strided_f32_256}},
    };
    for (int single = 0; single < 2; single++)
        for (int chain = 0; chain < BENCH_COUNT(chains); chain++)
            for (int s = 0; s < BENCH_COUNT(strides); s++)
                one_stride(bench, chains[chain].kernels[single], strides[s], chains[chain].fmas,
                           single);
}

/* --- access ----------------------------------------------------------------------------------- */

static double expected_spread(const struct bench_operands *o, long x)
{
    return x % o->b == 0 && x / o->b < o->n ? input_value(0, x / o->b * o->a) : NAN;
}

/* Reads and writes of doubles that lie so many doubles apart. 16 of them are a line of a GPU's
 * caches. */
void memory_access(struct bench *bench)
{
    static const int apart[] = {1, 2, 4, 8, STRIDE};
    const int size = sizeof(double);
    for (int r = 0; r < BENCH_COUNT(apart); r++)
        for (int w = 0; w < BENCH_COUNT(apart); w++) {
            const int a = apart[r], b = apart[w];
            struct bench_case c =
                bench_case_of(bench, KERNEL_spread, bench->pool.n / (a > b ? a : b));
            snprintf(c.name, sizeof c.name, "reads %d apart, writes %d apart", a, b);
            c.parameters[0] = (struct json_number){"read_stride", a};
            c.parameters[1] = (struct json_number){"write_stride", b};
            c.steps[0].o.a = a;
            c.steps[0].o.b = b;
            c.bytes = 2.0 * size * c.elements;
            c.moved_bytes =
                (bench_moved_by_reads(bench, a, size) + bench_moved_by_writes(bench, b, size)) *
                c.elements;
            c.results = bench->pool.n;
            c.expected = expected_spread;
            bench_measure(bench, &c);
        }
}

/* --- alignment -------------------------------------------------------------------------------- */

static double expected_shifted(const struct bench_operands *o, long x)
{
    return x < o->b ? NAN : input_value(0, x - o->b + o->a);
}

static double expected_shifted_floats(const struct bench_operands *o, long x)
{
    return x < o->b ? NAN : input_value(3, x - o->b + o->a);
}

void memory_alignment(struct bench *bench)
{
    static const struct {
        int read_bytes, write_bytes;
    } shifts[] = {{0, 0}, {8, 0}, {32, 0}, {64, 0}, {0, 8}, {0, 32}, {0, 64}, {8, 8}};
    for (int single = 0; single < 2; single++)
        for (int s = 0; s < BENCH_COUNT(shifts); s++) {
            const int size = single ? sizeof(float) : sizeof(double);
            const long length = bench->pool.n * (long)sizeof(double) / size - STRIDE;
            struct bench_case c =
                bench_case_of(bench, single ? KERNEL_shifted_f32 : KERNEL_shifted_f64, length);
            snprintf(c.name, sizeof c.name, "%s, reads from byte %d, writes from %d",
                     single ? "float" : "double", shifts[s].read_bytes, shifts[s].write_bytes);
            c.parameters[0] = (struct json_number){"element_bytes", size};
            c.parameters[1] = (struct json_number){"read_offset", shifts[s].read_bytes};
            c.parameters[2] = (struct json_number){"write_offset", shifts[s].write_bytes};
            c.steps[0].o.a = shifts[s].read_bytes / size;
            c.steps[0].o.b = shifts[s].write_bytes / size;
            c.results = length + c.steps[0].o.b;
            c.bytes = 2.0 * size * c.elements;
            c.single = single;
            c.expected = single ? expected_shifted_floats : expected_shifted;
            bench_measure(bench, &c);
        }
}

/* --- records ---------------------------------------------------------------------------------- */

/* b: fields of a record that change, of a in memory. */
static double expected_record(const struct bench_operands *o, long x)
{
    return x % o->a < o->b ? input_value(0, x) + 1.0 : NAN;
}

static double expected_record_floats(const struct bench_operands *o, long x)
{
    return x % o->a < o->b ? input_value(3, x) + 1.0 : NAN;
}

static double expected_padded(const struct bench_operands *o, long x)
{
    return input_value(3, x) + (x % o->a < o->b);
}

struct record_row {
    const char *name;
    enum bench_kernel kernel;
    bool single;
    int stored, used; /* fields: one record's distance from the next, and those that change */
    int separate;     /* arrays of a structure of arrays; 1: an array of structures */
};

static void one_record(struct bench *bench, const struct record_row *row)
{
    const int size = row->single ? sizeof(float) : sizeof(double);
    const long length = bench->pool.n * (long)sizeof(double) / size;
    const long records = length / (row->separate * row->stored);
    struct bench_case c = bench_case_of(bench, row->kernel, records);
    snprintf(c.name, sizeof c.name, "%s", row->name);
    c.parameters[0] = (struct json_number){"element_bytes", size};
    c.parameters[1] = (struct json_number){"stored_fields", row->separate * row->stored};
    c.parameters[2] = (struct json_number){"used_fields", row->separate * row->used};
    c.parameters[3] = (struct json_number){"separate_arrays", row->separate};
    c.steps[0].o.a = row->stored;
    c.steps[0].o.b = row->used;
    c.results = records * row->separate * row->stored;
    c.bytes = 2.0 * size * row->separate * row->used * c.elements;
    if (row->used < row->stored) /* a padded record is written whole */
        c.moved_bytes = row->kernel == KERNEL_padded_3_floats
                            ? 2.0 * size * row->stored * c.elements
                            : (bench_moved_by_reads(bench, row->stored, size) +
                               bench_moved_by_writes(bench, row->stored, size)) *
                                  c.elements;
    c.single = row->single;
    c.expected = row->kernel == KERNEL_padded_3_floats ? expected_padded
                 : row->single                         ? expected_record_floats
                                                       : expected_record;
    bench_measure(bench, &c);
}

void memory_records(struct bench *bench)
{
    static const struct record_row list[] = {
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
    for (int row = 0; row < BENCH_COUNT(list); row++)
        one_record(bench, &list[row]);
}

/* --- copy ------------------------------------------------------------------------------------- */

void memory_copy(struct bench *bench)
{
    const bool gpu = bench_on_gpu(bench);
    const struct {
        const char *name;
        enum bench_kernel kernel;
        int bytes; /* of an element */
    } list[] = {
        {"4 bytes per thread", KERNEL_copy_4_bytes, 4},
        {"8 bytes per thread", KERNEL_copy_8_bytes, 8},
        {"16 bytes per thread", KERNEL_copy_16_bytes, 16},
        {gpu ? "4 x 16 bytes per thread" : "vector loop", KERNEL_copy_ceiling, 8},
        {gpu ? "cudaMemcpy" : "memcpy", KERNEL_copy_library, 8},
    };
    for (int row = 0; row < BENCH_COUNT(list); row++) {
        struct bench_case c =
            bench_case_of(bench, list[row].kernel, bench->pool.n * 8 / list[row].bytes);
        snprintf(c.name, sizeof c.name, "%s", list[row].name);
        c.elements = (double)bench->pool.n;
        c.bytes = 16.0 * c.elements;
        c.results = bench->pool.n;
        c.expected = bench_expected_copy;
        bench_measure(bench, &c);
    }
}

/* --- switch ----------------------------------------------------------------------------------- */

/* table: each operation's results for the values of the input's period. */
static double expected_operation(const struct bench_operands *o, long x)
{
    return o->table[o->b * PERIOD + x % PERIOD];
}

static double expected_operation_by_element(const struct bench_operands *o, long x)
{
    return o->table[operation_of(x & 0xffff, o->a) * PERIOD + x % PERIOD];
}

void memory_switch(struct bench *bench)
{
    static double table[OPERATIONS * PERIOD];
    static const struct {
        const char *name;
        enum bench_kernel kernel;
        int run; /* log2 of the neighbours with one operation */
    } list[] = {
        {"kernel for one operation", KERNEL_operation_0, 0},
        {"switch, one operation for all", KERNEL_operation_uniform, 0},
        {"switch, 256 neighbours agree", KERNEL_operation_by_element, 8},
        {"switch, 32 neighbours agree", KERNEL_operation_by_element, 5},
        {"switch, 8 neighbours agree", KERNEL_operation_by_element, 3},
        {"switch, 2 neighbours agree", KERNEL_operation_by_element, 1},
        {"switch, none agree", KERNEL_operation_by_element, 0},
    };
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int value = 0; value < PERIOD; value++)
            table[operation * PERIOD + value] = operate(operation, value);
    for (int row = 0; row < BENCH_COUNT(list); row++) {
        struct bench_case c = bench_case_of(bench, list[row].kernel, bench->pool.n);
        snprintf(c.name, sizeof c.name, "%s", list[row].name);
        c.steps[0].o.a = list[row].run;
        c.steps[0].o.table = table;
        c.bytes = 16.0 * c.elements;
        c.expected = list[row].kernel == KERNEL_operation_by_element ? expected_operation_by_element
                                                                     : expected_operation;
        bench_measure(bench, &c);
    }
}

/* --- index ------------------------------------------------------------------------------------ */

static double expected_sum(const struct bench_operands *o, long x)
{
    (void)o;
    return input_value(0, x) + input_value(1, x) + input_value(2, x);
}

void memory_index(struct bench *bench)
{
    static const struct {
        const char *name;
        enum bench_kernel kernel;
        bool columns;
    } list[] = {
        {"columns, index kept", KERNEL_column_kept, true},
        {"columns, index computed at each access", KERNEL_column_recomputed, true},
        {"points, index is the thread's number", KERNEL_cell_direct, false},
        {"points, index by divisions", KERNEL_cell_divided, false},
    };
    const long side = (long)floor(cbrt((double)bench->pool.n) + 1e-6);
    for (int row = 0; row < BENCH_COUNT(list); row++) {
        const long points = side * side * side;
        struct bench_case c =
            bench_case_of(bench, list[row].kernel, list[row].columns ? side * side : points);
        snprintf(c.name, sizeof c.name, "%s", list[row].name);
        c.steps[0].o.a = c.steps[0].o.b = c.steps[0].o.c = side;
        c.elements = (double)points;
        c.bytes = 32.0 * c.elements;
        c.results = points;
        c.expected = expected_sum;
        bench_measure(bench, &c);
    }
}

/* --- unroll ----------------------------------------------------------------------------------- */

static double expected_plus_one(const struct bench_operands *o, long x)
{
    (void)o;
    return input_value(0, x) + 1.0;
}

static double expected_polynomial(const struct bench_operands *o, long x)
{
    return o->table[x % PERIOD];
}

void memory_unroll(struct bench *bench)
{
    double table[PERIOD];
    static const struct {
        const char *name;
        enum bench_kernel kernel;
        bool polynomial;
    } list[] = {
        {"8 elements per thread, a loop", KERNEL_looped_loads, false},
        {"8 elements per thread, unrolled", KERNEL_unrolled_loads, false},
        {"polynomial of degree 16, a loop", KERNEL_looped_horner, true},
        {"polynomial of degree 16, unrolled", KERNEL_unrolled_horner, true},
    };
    for (int value = 0; value < PERIOD; value++) {
        table[value] = 0.0;
        for (int degree = DEGREE; degree >= 0; degree--)
            table[value] = fma(table[value], 1.0 / 1024 * value, degree);
    }
    for (int row = 0; row < BENCH_COUNT(list); row++) {
        const bool polynomial = list[row].polynomial;
        struct bench_case c =
            bench_case_of(bench, list[row].kernel, bench->pool.n / (polynomial ? 1 : UNROLLED));
        snprintf(c.name, sizeof c.name, "%s", list[row].name);
        c.steps[0].o.table = table;
        c.elements = (double)bench->pool.n;
        c.results = bench->pool.n;
        c.bytes = 16.0 * c.elements;
        c.flops = polynomial ? 2.0 * (DEGREE + 1) * c.elements : 0.0;
        c.expected = polynomial ? expected_polynomial : expected_plus_one;
        bench_measure(bench, &c);
    }
}

/* --- fusion ----------------------------------------------------------------------------------- */

static double expected_fusion(const struct bench_operands *o, long x)
{
    (void)o;
    return (input_value(0, x) + 3.0 * input_value(1, x)) * input_value(2, x) + input_value(0, x);
}

/* The array between is in[4]: as large as the others, or so small that all stay in a cache. */
void memory_fusion(struct bench *bench)
{
    const struct pool *p = &bench->pool;
    for (int cached = 0; cached < 2; cached++)
        for (int kernels = 2; kernels > 0; kernels--) {
            const long n = cached ? p->cache_n / 4 : p->n;
            struct bench_case c =
                bench_case_of(bench, kernels == 2 ? KERNEL_first_half : KERNEL_both_halves, n);
            snprintf(c.name, sizeof c.name, "%s, arrays of %.1f MB",
                     kernels == 2 ? "two kernels" : "one kernel", 8e-6 * (double)n);
            c.parameters[0] = (struct json_number){"kernels", kernels};
            c.parameters[1] = (struct json_number){"array_bytes", 8.0 * (double)n};
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
