/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the kernels of kernels.h do for element x: one thread of a GPU, one iteration of a CPU's
 * loop. */
#include "lab/kernels.h"
#include "operators/formula.h"
#include "operators/hash.h"

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

/* Where a chain of the peaks starts. */
FORMULA double chain_start(long chain)
{
    return 1.0 + (double)(chain % PEAK_PERIOD);
}

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
#define STRIDED(type, in, result, fused, fmas)                                                     \
    const type c = (type)CHAIN_C, d = (type)CHAIN_D;                                               \
    type value = in[x * o->a];                                                                     \
    fmas(value, fused, c, d);                                                                      \
    result[x] = value

/* --- records: n records, every field plus 1 --------------------------------------------------- */

enum { FIELDS = 8 }; /* of a record of doubles: 64 bytes */

/* Changes the first `used` fields of record x. The index of a field is field * o->n + x in a
 * structure of arrays, and x * fields + field in an array of structures. */
#define RECORD(in, result, used, index)                                                            \
    for (int field = 0; field < (used); field++)                                                   \
    result[index] = in[index] + 1

/* Memory instructions take at most 16 bytes, at addresses that are multiples of 16. */
struct __attribute__((aligned(16))) four_floats {
    float value[4];
};
#define QUADS(array) ((const struct four_floats *)o->in[array])
#define OUT_QUADS ((struct four_floats *)o->out)

FORMULA void padded_record(const struct bench_operands *o, long x)
{
    struct four_floats record = QUADS(3)[x];
    for (int field = 0; field < 3; field++)
        record.value[field] += 1;
    OUT_QUADS[x] = record;
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

/* The operation of `run` neighbours, in turn: a = log2 of run. */
FORMULA int operation_of(long x, long a)
{
    return (int)((x & 0xffff) >> a) % OPERATIONS;
}

/* --- index: a field of a^3 points, the sum of three arrays ------------------------------------ */

FORMULA double sum_at(const struct bench_operands *o, long at)
{
    return DOUBLES(0)[at] + DOUBLES(1)[at] + DOUBLES(2)[at];
}

/* x is a column of a points; the index of the next point follows from that of the last. */
FORMULA void column_kept(const struct bench_operands *o, long x)
{
    const long plane = o->a * o->a;
    long at = x;
    for (long k = 0; k < o->a; k++, at += plane)
        OUT_DOUBLES[at] = sum_at(o, at);
}

/* Each index follows from the point's three coordinates. */
FORMULA void column_recomputed(const struct bench_operands *o, long x)
{
    const long side = o->a, i = x % side, j = x / side;
    for (long k = 0; k < side; k++)
        OUT_DOUBLES[i + side * (j + side * k)] = DOUBLES(0)[i + side * (j + side * k)] +
                                                 DOUBLES(1)[i + side * (j + side * k)] +
                                                 DOUBLES(2)[i + side * (j + side * k)];
}

/* x is a point, whose coordinates come from divisions by a. Rows are b apart and planes b c: were
 * they a and a a, a compiler would see that the index is x. */
FORMULA void cell_divided(const struct bench_operands *o, long x)
{
    const long side = o->a, i = x % side, j = x / side % side, k = x / side / side;
    const long at = i + o->b * (j + o->c * k);
    OUT_DOUBLES[at] = sum_at(o, at);
}

/* --- unroll: a elements per thread, n apart --------------------------------------------------- */

enum { UNROLLED = 8, DEGREE = 16 };

FORMULA void unrolled_loads(const struct bench_operands *o, long x)
{
    double value[UNROLLED];
    for (int e = 0; e < UNROLLED; e++)
        value[e] = DOUBLES(0)[e * o->n + x];
    for (int e = 0; e < UNROLLED; e++)
        OUT_DOUBLES[e * o->n + x] = value[e] + 1.0;
}

FORMULA void looped_loads(const struct bench_operands *o, long x)
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

/* LOOP keeps the loop, or is nothing: a compiler unrolls it. */
#define HORNER(LOOP)                                                                               \
    const double at = 1.0 / 1024 * DOUBLES(0)[x];                                                  \
    double value = 0.0;                                                                            \
    LOOP for (int degree = DEGREE; degree >= 0; degree--) value = horner_step(value, at, degree);  \
    OUT_DOUBLES[x] = value

/* --- fusion: (in0 + 3 in1) * in2 + in0 -------------------------------------------------------- */

/* In two steps in[3] of the second one is what the first one wrote. */
FORMULA void both_halves(const struct bench_operands *o, long x)
{
    const double between = DOUBLES(0)[x] + 3.0 * DOUBLES(1)[x];
    OUT_DOUBLES[x] = between * DOUBLES(2)[x] + DOUBLES(0)[x];
}

/* --- interpolation: a field of a^3 floats at as many points ----------------------------------- */

struct point {
    float coordinate[3];
};

/* The grid of points lies within the field, two cells from its ends, and is a little finer. Along
 * rows of the field neighbouring elements are neighbouring points; across (b = 1) they are a plane
 * of the field apart. */
FORMULA struct point point_of(const struct bench_operands *o, long x)
{
    const unsigned side = (unsigned)o->a, number = (unsigned)x;
    const unsigned i = number % side, j = number / side % side, k = number / side / side;
    const float scale = (float)(side - 4) / (float)side;
    struct point p;
    p.coordinate[0] = fmaf((float)(o->b ? k : i), scale, 1.25f);
    p.coordinate[1] = fmaf((float)j, scale, 1.25f);
    p.coordinate[2] = fmaf((float)(o->b ? i : k), scale, 1.25f);
    return p;
}

FORMULA float blend(float t, float a, float b)
{
    return fmaf(t, b - a, a);
}

/* Weights of the uniform cubic B-spline for the cells -1 to 2 around a point, t behind cell 0. */
FORMULA void spline_weights(float t, float weight[4])
{
    const float s = 1.0f - t, sixth = 1.0f / 6.0f;
    weight[0] = sixth * s * s * s;
    weight[1] = sixth * fmaf(3.0f * t * t, t - 2.0f, 4.0f);
    weight[2] = sixth * fmaf(3.0f * s * s, s - 2.0f, 4.0f);
    weight[3] = sixth * t * t * t;
}

/* The same code for each way to LOAD(i,j,k) a cell. */
#define TRILINEAR(name, LOAD)                                                                      \
    FORMULA float name(const struct bench_operands *o, struct point p)                             \
    {                                                                                              \
        const int i = (int)p.coordinate[0], j = (int)p.coordinate[1], k = (int)p.coordinate[2];    \
        const float s = p.coordinate[0] - (float)i, t = p.coordinate[1] - (float)j,                \
                    r = p.coordinate[2] - (float)k;                                                \
        const float near_low = blend(s, LOAD(i, j, k), LOAD(i + 1, j, k));                         \
        const float near_high = blend(s, LOAD(i, j + 1, k), LOAD(i + 1, j + 1, k));                \
        const float far_low = blend(s, LOAD(i, j, k + 1), LOAD(i + 1, j, k + 1));                  \
        const float far_high = blend(s, LOAD(i, j + 1, k + 1), LOAD(i + 1, j + 1, k + 1));         \
        return blend(r, blend(t, near_low, near_high), blend(t, far_low, far_high));               \
    }
#define TRICUBIC(name, LOAD)                                                                       \
    FORMULA float name(const struct bench_operands *o, struct point p)                             \
    {                                                                                              \
        float w[3][4], sum = 0.0f;                                                                 \
        int first[3];                                                                              \
        for (int d = 0; d < 3; d++) {                                                              \
            first[d] = (int)p.coordinate[d] - 1;                                                   \
            spline_weights(p.coordinate[d] - (float)(first[d] + 1), w[d]);                         \
        }                                                                                          \
        for (int c = 0; c < 4; c++)                                                                \
            for (int b = 0; b < 4; b++) {                                                          \
                const int i = first[0], j = first[1] + b, k = first[2] + c;                        \
                float row = w[0][0] * LOAD(i, j, k);                                               \
                row = fmaf(w[0][1], LOAD(i + 1, j, k), row);                                       \
                row = fmaf(w[0][2], LOAD(i + 2, j, k), row);                                       \
                row = fmaf(w[0][3], LOAD(i + 3, j, k), row);                                       \
                sum = fmaf(w[1][b] * w[2][c], row, sum);                                           \
            }                                                                                      \
        return sum;                                                                                \
    }

#define CELL(i, j, k) (FLOATS(4)[(i) + o->a * ((j) + o->a * (long)(k))])
TRILINEAR(trilinear_array, CELL)
TRICUBIC(tricubic_array, CELL)

/* --- convolution: images of a x b floats, filter in both directions --------------------------- */

enum { RADIUS = 3, TAPS = 2 * RADIUS + 1, MAX_WIDTH = 512 };

/* Binomial weights: sums of small integers are exact. */
FORMULA float tap(int t)
{
    const float weights[TAPS] = {1.0f / 64,  6.0f / 64, 15.0f / 64, 20.0f / 64,
                                 15.0f / 64, 6.0f / 64, 1.0f / 64};
    return weights[t];
}

/* An image's border of RADIUS pixels has no result. */
FORMULA int is_inner(const struct bench_operands *o, long x, int rows_too)
{
    const long i = x % o->a, j = x / o->a % o->b;
    return i >= RADIUS && i < o->a - RADIUS && (!rows_too || (j >= RADIUS && j < o->b - RADIUS));
}

FORMULA float filtered(const float *in, long stride)
{
    float sum = 0.0f;
    for (int t = 0; t < TAPS; t++)
        sum = fmaf(tap(t), in[(t - RADIUS) * stride], sum);
    return sum;
}

FORMULA void convolve_at_once(const struct bench_operands *o, long x)
{
    if (!is_inner(o, x, 1))
        return;
    float sum = 0.0f;
    for (int t = 0; t < TAPS; t++)
        sum = fmaf(tap(t), filtered(FLOATS(3) + x + (t - RADIUS) * o->a, 1), sum);
    OUT_FLOATS[x] = sum;
}

/* Of convolve_columns in[4] is what convolve_rows gave. */

/* --- batches of LU: n matrices of size^2 doubles, column by column ---------------------------- */

/* L (below the diagonal; 1 on it) and U of matrix m: small integers, powers of two on U's diagonal,
 * so that a factorisation without pivoting is exact. */
FORMULA double factor_value(long m, int row, int column)
{
    const uint64_t mix = hash_mix((uint64_t)m * 1024 + (uint64_t)(row * 32 + column) + 1);
    if (row == column)
        return mix % 2 ? 2.0 : 1.0;
    return (double)(int)(mix % 5) - 2.0;
}

/* Element of L·U. */
FORMULA double product_value(long m, int row, int column)
{
    double sum = row <= column ? factor_value(m, row, column) : 0.0;
    for (int k = 0; k < row && k <= column; k++)
        sum += factor_value(m, row, k) * factor_value(m, k, column);
    return sum;
}

/* Gaussian elimination without pivoting of a matrix whose elements are `apart` doubles apart. LOOP
 * unrolls the loops, or is nothing: registers have no numbers at run time. */
#define ELIMINATION(name, LOOP)                                                                    \
    FORMULA void name(double *a, int size, long apart)                                             \
    {                                                                                              \
        LOOP for (int k = 0; k < size; k++)                                                        \
        {                                                                                          \
            const double pivot = a[(k + k * size) * apart];                                        \
            LOOP for (int i = k + 1; i < size; i++) a[(i + k * size) * apart] /= pivot;            \
            LOOP for (int j = k + 1; j < size; j++)                                                \
            {                                                                                      \
                const double u = a[(k + j * size) * apart];                                        \
                LOOP for (int i = k + 1; i < size; i++) a[(i + j * size) * apart] -=               \
                    a[(i + k * size) * apart] * u;                                                 \
            }                                                                                      \
        }                                                                                          \
    }
ELIMINATION(eliminate_in_registers, LOOP_UNROLLED)
ELIMINATION(eliminate_in_memory, )

/* Element e of matrix x is at x + e·n if the batch is interleaved, else at x·size² + e. A matrix of
 * up to 8 x 8 fits into a thread's registers. */
#define LU_IN_REGISTERS(size, apart, first)                                                        \
    double a[(size) * (size)];                                                                     \
    LOOP_UNROLLED                                                                                  \
    for (int e = 0; e < (size) * (size); e++)                                                      \
        a[e] = DOUBLES(4)[(first) + e * (apart)];                                                  \
    eliminate_in_registers(a, size, 1);                                                            \
    LOOP_UNROLLED                                                                                  \
    for (int e = 0; e < (size) * (size); e++)                                                      \
    OUT_DOUBLES[(first) + e * (apart)] = a[e]

/* One of 16 x 16 does not, and is worked on in memory. */
FORMULA void lu_in_memory(const struct bench_operands *o, long apart, long first)
{
    enum { SIZE = 16 };
    for (int e = 0; e < SIZE * SIZE; e++)
        OUT_DOUBLES[first + e * apart] = DOUBLES(4)[first + e * apart];
    eliminate_in_memory(OUT_DOUBLES + first, SIZE, apart);
}

/* --- masked loops: a chain of FMAs for the elements whose byte of in[4] is not 0 -------------- */

#define MASK ((const unsigned char *)o->in[4])

FORMULA double masked_work(double value)
{
    const double c = CHAIN_C, d = CHAIN_D;
    FMAS_64(value, fma, c, d);
    return value;
}

/* All elements are computed and written. */
FORMULA void masked_blend(const struct bench_operands *o, long x)
{
    const double new_value = masked_work(DOUBLES(0)[x]), old = OUT_DOUBLES[x];
    OUT_DOUBLES[x] = MASK[x] ? new_value : old;
}

/* Of masked_list in[4] are the numbers of the n elements. */
FORMULA void masked_at(const struct bench_operands *o, int at)
{
    OUT_DOUBLES[at] = masked_work(DOUBLES(0)[at]);
}

/* --- gradients: a periodic field of a^3 points ------------------------------------------------ */

/* The field repeats after WAVE_POINTS points, a length of 2 pi; `a` is a multiple of it. */
enum { WAVE_POINTS = 32 };
#define WAVE_SPACING (6.283185307179586 / WAVE_POINTS)

/* How far behind u[0], which is number `at` of a row, the element `step` further on is. */
FORMULA long periodic(long stride, int step, int at, int side, int inside)
{
    const int to = at + step;
    const int around = inside ? 0 : (to < 0) - (to >= side); /* no branch in a CPU's loop */
    return stride * (step + around * side);
}

/* Of the element `step` further on over that `step` back. */
FORMULA double rise(const double *u, long stride, int step, int at, int side, int inside)
{
    return u[periodic(stride, step, at, side, inside)] -
           u[periodic(stride, -step, at, side, inside)];
}

FORMULA double slope_2(const double *u, long stride, int at, int side, int inside)
{
    return 0.5 / WAVE_SPACING * rise(u, stride, 1, at, side, inside);
}

FORMULA double slope_4(const double *u, long stride, int at, int side, int inside)
{
    return 1.0 / (12 * WAVE_SPACING) *
           (8.0 * rise(u, stride, 1, at, side, inside) - rise(u, stride, 2, at, side, inside));
}

/* The square of the gradient is not stored by components. */
#define SQUARED(at, x, y, z) OUT_DOUBLES[at] = (x) * (x) + (y) * (y) + (z) * (z)
GRADIENT_CELL(gradient_2, slope_2, COMPONENTS)
GRADIENT_CELL(gradient_4, slope_4, COMPONENTS)
GRADIENT_CELL(square_2, slope_2, SQUARED)
GRADIENT_CELL(square_4, slope_4, SQUARED)

/* in[0]: a stored gradient. */
FORMULA void square(const struct bench_operands *o, long x)
{
    const double *g = DOUBLES(0) + x;
    OUT_DOUBLES[x] = g[0] * g[0] + g[o->n] * g[o->n] + g[2 * o->n] * g[2 * o->n];
}

/* in[0]: component b of a gradient; in[1]: squares of the components before b. */
FORMULA void square_added(const struct bench_operands *o, long x)
{
    const double square = DOUBLES(0)[x] * DOUBLES(0)[x];
    OUT_DOUBLES[x] = o->b == 0 ? square : DOUBLES(1)[x] + square;
}

/* in[0]: the transform of the field, a/2 + 1 complex numbers in each row; out: that of its slope in
 * direction b, over a^3, which a transform and its inverse multiply by. x: a complex number. */
FORMULA void wave_slope(const struct bench_operands *o, long x)
{
    const int side = (int)o->a, row = side / 2 + 1, number = (int)x;
    const int place[3] = {number % row, number / row % side, number / row / side};
    /* Wave numbers are 0, 1, ..., -2, -1; the highest one has no slope. */
    const int at = place[o->b], wave = 2 * at < side ? at : 2 * at == side ? 0 : at - side;
    const double k = 1.0 / ((double)side * side * side) * WAVE_POINTS / side * wave;
    const double cosine = DOUBLES(0)[2 * x], sine = DOUBLES(0)[2 * x + 1];
    OUT_DOUBLES[2 * x] = -k * sine;
    OUT_DOUBLES[2 * x + 1] = k * cosine;
}

#define BODY(name, statement)                                                                      \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        statement;                                                                                 \
    }
ELEMENTS(BODY)
#undef BODY
