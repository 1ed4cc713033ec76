/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_BODIES_H
#define LAB_BODIES_H
/* What the kernels of `hpgmg-lab memory` do for element x: one thread of a GPU, one iteration of a
 * CPU's loop. */
#include "lab/kernels.h"
#include "operators/formula.h"

enum {
    PERIOD = 1021,       /* of the input's values */
    STRIDE = 16,         /* doubles: 128 bytes, a line of a GPU's caches */
    COPY_PER_THREAD = 4, /* times 16 bytes, where a copy is fastest */
};

/* Inputs: small integers, so that sums are exact in any order. */
FORMULA double input_value(int array, long x)
{
    return (double)((x + 7 * array) % PERIOD);
}

/* Links x = fma(x, c, d) of the chains that measure arithmetic keep values near 1. */
#define CHAIN_C 0.999
#define CHAIN_D 0.001

#define DOUBLES(array) ((const double *)o->in[array])
#define FLOATS(array) ((const float *)o->in[array])
#define OUT_DOUBLES ((double *)o->out)
#define OUT_FLOATS ((float *)o->out)

/* --- strides: in, one element of every a; FMAs in a chain ------------------------------------- */

#define FMAS_1(x, fused, c, d) x = fused(x, c, d)
#define FMAS_4(x, fused, c, d)                                                                     \
    FMAS_1(x, fused, c, d), FMAS_1(x, fused, c, d), FMAS_1(x, fused, c, d), FMAS_1(x, fused, c, d)
#define FMAS_16(x, fused, c, d)                                                                    \
    FMAS_4(x, fused, c, d), FMAS_4(x, fused, c, d), FMAS_4(x, fused, c, d), FMAS_4(x, fused, c, d)
#define FMAS_64(x, fused, c, d)                                                                    \
    FMAS_16(x, fused, c, d), FMAS_16(x, fused, c, d), FMAS_16(x, fused, c, d),                     \
        FMAS_16(x, fused, c, d)
#define FMAS_256(x, fused, c, d)                                                                   \
    FMAS_64(x, fused, c, d), FMAS_64(x, fused, c, d), FMAS_64(x, fused, c, d),                     \
        FMAS_64(x, fused, c, d)
#define STRIDED_BODY(name, type, in, result, fused, fmas)                                          \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        const type c = (type)CHAIN_C, d = (type)CHAIN_D;                                           \
        type value = in[x * o->a];                                                                 \
        fmas(value, fused, c, d);                                                                  \
        result[x] = value;                                                                         \
    }
STRIDED_BODY(strided_f64_1, double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_1)
STRIDED_BODY(strided_f64_16, double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_16)
STRIDED_BODY(strided_f64_64, double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_64)
STRIDED_BODY(strided_f64_256, double, DOUBLES(0), OUT_DOUBLES, fma, FMAS_256)
STRIDED_BODY(strided_f32_1, float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_1)
STRIDED_BODY(strided_f32_16, float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_16)
STRIDED_BODY(strided_f32_64, float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_64)
STRIDED_BODY(strided_f32_256, float, FLOATS(3), OUT_FLOATS, fmaf, FMAS_256)

/* --- access: reads a apart, writes b apart ---------------------------------------------------- */

FORMULA void body_spread(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x * o->b] = DOUBLES(0)[x * o->a];
}

/* --- alignment: reads begin at element a, writes at element b --------------------------------- */

FORMULA void body_shifted_f64(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x + o->b] = DOUBLES(0)[x + o->a];
}

FORMULA void body_shifted_f32(const struct bench_operands *o, long x)
{
    OUT_FLOATS[x + o->b] = FLOATS(3)[x + o->a];
}

enum { FIELDS = 8 }; /* of a record of doubles: 64 bytes */

/* --- records: n records, every field plus 1 --------------------------------------------------- */

#define SOA_BODY(name, in, result, fields)                                                         \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        for (int field = 0; field < (fields); field++)                                             \
            result[field * o->n + x] = in[field * o->n + x] + 1;                                   \
    }
/* Of `fields` fields the first `used` ones. */
#define AOS_BODY(name, in, result, fields, used)                                                   \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        for (int field = 0; field < (used); field++)                                               \
            result[x * (fields) + field] = in[x * (fields) + field] + 1;                           \
    }
SOA_BODY(soa_3_floats, FLOATS(3), OUT_FLOATS, 3)
AOS_BODY(aos_3_floats, FLOATS(3), OUT_FLOATS, 3, 3)
SOA_BODY(soa_1_float, FLOATS(3), OUT_FLOATS, 1)
AOS_BODY(aos_1_float, FLOATS(3), OUT_FLOATS, 3, 1)
SOA_BODY(soa_8_doubles, DOUBLES(0), OUT_DOUBLES, FIELDS)
AOS_BODY(aos_8_doubles, DOUBLES(0), OUT_DOUBLES, FIELDS, FIELDS)
SOA_BODY(soa_1_double, DOUBLES(0), OUT_DOUBLES, 1)
AOS_BODY(aos_1_double, DOUBLES(0), OUT_DOUBLES, FIELDS, 1)

/* Memory instructions take at most 16 bytes, at addresses that are multiples of 16. */
struct __attribute__((aligned(16))) four_floats {
    float value[4];
};

FORMULA void body_padded_3_floats(const struct bench_operands *o, long x)
{
    struct four_floats record = ((const struct four_floats *)o->in[3])[x];
    for (int field = 0; field < 3; field++)
        record.value[field] += 1;
    ((struct four_floats *)o->out)[x] = record;
}

/* --- copy ------------------------------------------------------------------------------------- */

FORMULA void body_copy_4_bytes(const struct bench_operands *o, long x)
{
    OUT_FLOATS[x] = ((const float *)o->in[0])[x];
}

FORMULA void body_copy_8_bytes(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = DOUBLES(0)[x];
}

FORMULA void body_copy_16_bytes(const struct bench_operands *o, long x)
{
    ((struct four_floats *)o->out)[x] = ((const struct four_floats *)o->in[0])[x];
}

/* --- points ----------------------------------------------------------------------------------- */

/* Each of n = a^3 points of a field by its place. `inside`: i is at least CELL_EDGE from the
 * ends of its row, which a compiler knows of most of a CPU's row. */
enum { CELL_EDGE = 2 };

FORMULA void cell_pass_through(const struct bench_operands *o, int i, int j, int k, int inside)
{
    const long at = i + o->a * (j + o->a * k);
    (void)inside;
    OUT_DOUBLES[at] = DOUBLES(0)[at];
}

/* Central differences of a field of side^3 points inside, one-sided ones at its ends; h = 1. */
FORMULA double point_difference(const double *u, long stride, int at, int side, int inside)
{
    const int low = inside || at > 0, high = inside || at < side - 1;
    return (low + high == 2 ? 0.5 : 1.0) * (u[high * stride] - u[-low * stride]);
}

/* The slopes of a point, which RESULT turns into what is stored; as a gradient, its components are
 * one field after the other. */
#define GRADIENT_CELL(name, slope, RESULT)                                                         \
    FORMULA void cell_##name(const struct bench_operands *o, int i, int j, int k, int inside)      \
    {                                                                                              \
        const int side = (int)o->a;                                                                \
        const long plane = o->a * o->a, at = i + o->a * j + plane * k;                             \
        const double *u = DOUBLES(0) + at;                                                         \
        const double x = slope(u, 1, i, side, inside), y = slope(u, side, j, side, 0),             \
                     z = slope(u, plane, k, side, 0);                                              \
        RESULT(at, x, y, z);                                                                       \
    }
#define COMPONENTS(at, x, y, z)                                                                    \
    OUT_DOUBLES[at] = (x), OUT_DOUBLES[o->n + (at)] = (y), OUT_DOUBLES[2 * o->n + (at)] = (z)
GRADIENT_CELL(gradient, point_difference, COMPONENTS)

/* --- switch: one of eight operations per element -------------------------------- */

enum { OPERATIONS = 8, OPERATION_STEPS = 16 };

/* Every case keeps values within a few times their size. */
FORMULA double operate(int operation, double value)
{
    const double c = CHAIN_C, d = CHAIN_D;
    for (int step = 0; step < OPERATION_STEPS; step++)
        switch (operation) {
        case 0:
            value = fma(value, c, d);
            break;
        case 1:
            value = (value + d) * c;
            break;
        case 2:
            value = value * c - d;
            break;
        case 3:
            value = (value - d) * c;
            break;
        case 4:
            value = d - value * c;
            break;
        case 5:
            value = fma(value, -c, d);
            break;
        case 6:
            value = (d - value) * c;
            break;
        default:
            value = fma(d, c, -value);
        }
    return value;
}

FORMULA void body_operation_0(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = operate(0, DOUBLES(0)[x]);
}

/* Operation a for all elements, unknown to the compiler. */
FORMULA void body_operation_uniform(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = operate((int)o->a, DOUBLES(0)[x]);
}

/* The operation of `run` neighbours, in turn: a = log2 of run. */
FORMULA int operation_of(long x, long a)
{
    return (int)(x >> a) % OPERATIONS;
}

FORMULA void body_operation_by_element(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = operate(operation_of(x & 0xffff, o->a), DOUBLES(0)[x]);
}

/* --- index: a field of a^3 points, the sum of three arrays ------------------------------------ */

FORMULA double sum_at(const struct bench_operands *o, long at)
{
    return DOUBLES(0)[at] + DOUBLES(1)[at] + DOUBLES(2)[at];
}

/* x is a column of a points; the index of the next point follows from that of the last. */
FORMULA void body_column_kept(const struct bench_operands *o, long x)
{
    const long plane = o->a * o->a;
    long at = x;
    for (long k = 0; k < o->a; k++, at += plane)
        OUT_DOUBLES[at] = sum_at(o, at);
}

/* Each index follows from the point's three coordinates. */
FORMULA void body_column_recomputed(const struct bench_operands *o, long x)
{
    const long side = o->a, i = x % side, j = x / side;
    for (long k = 0; k < side; k++)
        OUT_DOUBLES[i + side * (j + side * k)] = DOUBLES(0)[i + side * (j + side * k)] +
                                                 DOUBLES(1)[i + side * (j + side * k)] +
                                                 DOUBLES(2)[i + side * (j + side * k)];
}

/* x is a point. */
FORMULA void body_cell_direct(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = sum_at(o, x);
}

/* x is a point, whose coordinates come from divisions by a. Rows are b apart and planes b c: were
 * they a and a a, a compiler would see that the index is x. */
FORMULA void body_cell_divided(const struct bench_operands *o, long x)
{
    const long side = o->a, i = x % side, j = x / side % side, k = x / side / side;
    const long at = i + o->b * (j + o->c * k);
    OUT_DOUBLES[at] = sum_at(o, at);
}

/* --- unroll: a elements per thread, n apart --------------------------------------------------- */

enum { UNROLLED = 8, DEGREE = 16 };

FORMULA void body_unrolled_loads(const struct bench_operands *o, long x)
{
    double value[UNROLLED];
    for (int e = 0; e < UNROLLED; e++)
        value[e] = DOUBLES(0)[e * o->n + x];
    for (int e = 0; e < UNROLLED; e++)
        OUT_DOUBLES[e * o->n + x] = value[e] + 1.0;
}

FORMULA void body_looped_loads(const struct bench_operands *o, long x)
{
    LOOP_KEPT
    for (int e = 0; e < UNROLLED; e++)
        OUT_DOUBLES[e * o->n + x] = DOUBLES(0)[e * o->n + x] + 1.0;
}

/* A polynomial whose coefficients are computed on the way. */
FORMULA double horner_step(double value, double x, int degree)
{
    return fma(value, x, (double)degree);
}

FORMULA void body_unrolled_horner(const struct bench_operands *o, long x)
{
    const double at = 1.0 / 1024 * DOUBLES(0)[x];
    double value = 0.0;
    for (int degree = DEGREE; degree >= 0; degree--)
        value = horner_step(value, at, degree);
    OUT_DOUBLES[x] = value;
}

FORMULA void body_looped_horner(const struct bench_operands *o, long x)
{
    const double at = 1.0 / 1024 * DOUBLES(0)[x];
    double value = 0.0;
    LOOP_KEPT
    for (int degree = DEGREE; degree >= 0; degree--)
        value = horner_step(value, at, degree);
    OUT_DOUBLES[x] = value;
}

/* --- fusion: (in0 + 3 in1) * in2 + in0 -------------------------------------------------------- */

FORMULA void body_first_half(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = DOUBLES(0)[x] + 3.0 * DOUBLES(1)[x];
}

/* in[3]: what the first half wrote. */
FORMULA void body_second_half(const struct bench_operands *o, long x)
{
    OUT_DOUBLES[x] = DOUBLES(3)[x] * DOUBLES(2)[x] + DOUBLES(0)[x];
}

FORMULA void body_both_halves(const struct bench_operands *o, long x)
{
    const double between = DOUBLES(0)[x] + 3.0 * DOUBLES(1)[x];
    OUT_DOUBLES[x] = between * DOUBLES(2)[x] + DOUBLES(0)[x];
}

#endif
