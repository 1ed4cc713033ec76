/* SPDX-License-Identifier: BSD-3-Clause */
/* The cases of `hpgmg-lab memory`; those of host memory are in transfer_cases.c. */
#include <math.h>
#include "lab/bodies.h"
#include "lab/experiments.h"

enum { DOUBLE = sizeof(double) };

/* A case over all of the arrays: doubles of in[0] or floats of in[3]; one body takes `share`
 * elements. */
static struct bench_case case_over_all(const struct bench *bench, enum bench_kernel kernel,
                                       bool single, long share, const char *name)
{
    const long length = bench->pool.n * (single ? 2 : 1);
    struct bench_case c = bench_case_of(bench, kernel, length / share, "%s", name);
    c.single = single;
    c.steps[0].o.input = single ? 3 : 0;
    return c;
}

/* --- strides ---------------------------------------------------------------------------------- */

/* table: what becomes of each value of the input's period. */
static double expected_strided(const struct bench_operands *o, long x)
{
    return o->table[(int)input_value(o->input, x * o->a)];
}

static void one_stride(struct bench *bench, enum bench_kernel kernel, long stride, int fmas,
                       bool single)
{
    double table[PERIOD];
    const int size = single ? sizeof(float) : DOUBLE;
    struct bench_case c = case_over_all(bench, kernel, single, stride, "");
    bench_fill_chain_ends(table, fmas, single);
    BENCH_NAME(c, "%s, stride %ld, %d FMA%s", single ? "float" : "double", stride, fmas,
               fmas > 1 ? "s" : "");
    BENCH_PARAMETERS(c, {"stride", (double)stride}, {"fmas", fmas}, {"element_bytes", size});
    c.steps[0].o.a = stride;
    c.steps[0].o.table = table;
    c.bytes = 2.0 * size * c.elements;
    c.moved_bytes = (size + bench_moved_by_reads(bench, stride, size)) * c.elements;
    c.flops = 2.0 * fmas * c.elements;
    c.expected = expected_strided;
    bench_measure(bench, &c);
}

void memory_strides(struct bench *bench)
{
    static const struct {
        enum bench_kernel kernel;
        int fmas;
        bool single;
    } chains[] = {
        {KERNEL_strided_f64_1, 1, false},   {KERNEL_strided_f64_16, 16, false},
        {KERNEL_strided_f64_64, 64, false}, {KERNEL_strided_f64_256, 256, false},
        {KERNEL_strided_f32_1, 1, true},    {KERNEL_strided_f32_16, 16, true},
        {KERNEL_strided_f32_64, 64, true},  {KERNEL_strided_f32_256, 256, true},
    };
    static const long strides[] = {1, 2, 3, 4, 8, 16, 32};
    for (int c = 0; c < BENCH_COUNT(chains); c++)
        for (int s = 0; s < BENCH_COUNT(strides); s++)
            one_stride(bench, chains[c].kernel, strides[s], chains[c].fmas, chains[c].single);
}

/* --- access ----------------------------------------------------------------------------------- */

static double expected_spread(const struct bench_operands *o, long x)
{
    return x % o->b == 0 && x / o->b < o->n ? input_value(0, x / o->b * o->a) : NAN;
}

/* Reads and writes of doubles at a stride. 16 of them are a line of a GPU's
 * caches. */
void memory_access(struct bench *bench)
{
    for (int a = 1; a <= STRIDE; a *= 2)
        for (int b = 1; b <= STRIDE; b *= 2) {
            struct bench_case c = case_over_all(bench, KERNEL_spread, false, a > b ? a : b, "");
            BENCH_NAME(c, "reads %d apart, writes %d apart", a, b);
            BENCH_PARAMETERS(c, {"read_stride", a}, {"write_stride", b});
            c.steps[0].o.a = a;
            c.steps[0].o.b = b;
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

static double expected_shifted(const struct bench_operands *o, long x)
{
    return x < o->b ? NAN : input_value(o->input, x - o->b + o->a);
}

void memory_alignment(struct bench *bench)
{
    static const struct {
        int read_bytes, write_bytes;
    } shifts[] = {{0, 0}, {8, 0}, {32, 0}, {64, 0}, {0, 8}, {0, 32}, {0, 64}, {8, 8}};
    for (int single = 0; single < 2; single++)
        for (int s = 0; s < BENCH_COUNT(shifts); s++) {
            const int size = single ? sizeof(float) : DOUBLE;
            const int from = shifts[s].read_bytes, to = shifts[s].write_bytes;
            struct bench_case c = case_over_all(
                bench, single ? KERNEL_shifted_f32 : KERNEL_shifted_f64, single, 1, "");
            BENCH_NAME(c, "%s, reads from byte %d, writes from %d", single ? "float" : "double",
                       from, to);
            BENCH_PARAMETERS(c, {"element_bytes", size}, {"read_offset", from},
                             {"write_offset", to});
            c.steps[0].o.n -= STRIDE;
            c.elements = (double)c.steps[0].o.n;
            c.steps[0].o.a = from / size;
            c.steps[0].o.b = to / size;
            c.results = c.steps[0].o.n + c.steps[0].o.b;
            c.bytes = 2.0 * size * c.elements;
            c.expected = expected_shifted;
            bench_measure(bench, &c);
        }
}

/* --- records ---------------------------------------------------------------------------------- */

/* b: fields of a record that change, of a in memory. The others of a padded record are copied. */
static double expected_record(const struct bench_operands *o, long x)
{
    return x % o->a < o->b ? input_value(o->input, x) + 1.0 : NAN;
}

static double expected_padded(const struct bench_operands *o, long x)
{
    return input_value(o->input, x) + (x % o->a < o->b);
}

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
            case_over_all(bench, list[r].kernel, list[r].single, distance, list[r].name);
        BENCH_PARAMETERS(c, {"element_bytes", size}, {"stored_fields", distance},
                         {"used_fields", fields}, {"separate_arrays", separate});
        c.steps[0].o.a = stored;
        c.steps[0].o.b = list[r].used;
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
    const struct {
        const char *name;
        enum bench_kernel kernel;
        int bytes; /* of an element */
    } list[] = {
        {"4 bytes per thread", KERNEL_copy_4_bytes, 4},
        {"8 bytes per thread", KERNEL_copy_8_bytes, 8},
        {"16 bytes per thread", KERNEL_copy_16_bytes, 16},
        {gpu ? "4 x 16 bytes per thread" : "vector loop", KERNEL_copy, 8},
        {gpu ? "cudaMemcpy" : "memcpy", KERNEL_copy_library, 8},
    };
    for (int r = 0; r < BENCH_COUNT(list); r++) {
        struct bench_case c = case_over_all(bench, list[r].kernel, false, 1, list[r].name);
        c.steps[0].o.n = bench->pool.n * 8 / list[r].bytes;
        c.steps[0].o.a = COPY_PER_THREAD;
        c.bytes = 16.0 * c.elements;
        c.expected = bench_expected_copy;
        bench_measure(bench, &c);
    }
}

/* --- switch ----------------------------------------------------------------------------------- */

/* table: each operation's results for the values of the input's period. */
static double expected_operation(const struct bench_operands *o, long x)
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
    for (int r = 0; r < BENCH_COUNT(list); r++) {
        struct bench_case c = case_over_all(bench, list[r].kernel, false, 1, list[r].name);
        const bool changes = list[r].kernel == KERNEL_operation_by_element;
        c.steps[0].o.a = list[r].run;
        c.steps[0].o.table = table;
        c.bytes = 16.0 * c.elements;
        c.expected = changes ? expected_operation : bench_expected_in_table;
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
    for (int r = 0; r < BENCH_COUNT(list); r++) {
        struct bench_case c =
            bench_case_of(bench, list[r].kernel, side * side * side, "%s", list[r].name);
        c.steps[0].o.n = list[r].columns ? side * side : side * side * side;
        c.steps[0].o.a = c.steps[0].o.b = c.steps[0].o.c = side;
        c.bytes = 32.0 * c.elements;
        c.expected = expected_sum;
        bench_measure(bench, &c);
    }
}

/* --- unroll ----------------------------------------------------------------------------------- */

void memory_unroll(struct bench *bench)
{
    double plus_one[PERIOD], polynomial[PERIOD];
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
        plus_one[value] = value + 1.0;
        polynomial[value] = 0.0;
        for (int degree = DEGREE; degree >= 0; degree--)
            polynomial[value] = fma(polynomial[value], 1.0 / 1024 * value, degree);
    }
    for (int r = 0; r < BENCH_COUNT(list); r++) {
        struct bench_case c = case_over_all(bench, list[r].kernel, false, 1, list[r].name);
        c.steps[0].o.n /= list[r].polynomial ? 1 : UNROLLED;
        c.steps[0].o.table = list[r].polynomial ? polynomial : plus_one;
        c.bytes = 16.0 * c.elements;
        c.flops = list[r].polynomial ? 2.0 * (DEGREE + 1) * c.elements : 0.0;
        c.expected = bench_expected_in_table;
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
