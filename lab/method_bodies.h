/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_METHOD_BODIES_H
#define LAB_METHOD_BODIES_H
/* What the kernels of `hpgmg-lab methods` do for element x; see bodies.h. */
#include "lab/bodies.h"
#include "operators/hash.h"

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

FORMULA void body_trilinear(const struct bench_operands *o, long x)
{
    OUT_FLOATS[x] = trilinear_array(o, point_of(o, x));
}

FORMULA void body_tricubic(const struct bench_operands *o, long x)
{
    OUT_FLOATS[x] = tricubic_array(o, point_of(o, x));
}

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

FORMULA void body_convolve_at_once(const struct bench_operands *o, long x)
{
    if (!is_inner(o, x, 1))
        return;
    float sum = 0.0f;
    for (int t = 0; t < TAPS; t++)
        sum = fmaf(tap(t), filtered(FLOATS(3) + x + (t - RADIUS) * o->a, 1), sum);
    OUT_FLOATS[x] = sum;
}

FORMULA void body_convolve_rows(const struct bench_operands *o, long x)
{
    if (is_inner(o, x, 0))
        OUT_FLOATS[x] = filtered(FLOATS(3) + x, 1);
}

/* in[4]: what convolve_rows gave. */
FORMULA void body_convolve_columns(const struct bench_operands *o, long x)
{
    if (is_inner(o, x, 1))
        OUT_FLOATS[x] = filtered(FLOATS(4) + x, o->a);
}

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
#define LU_BODY(name, size, apart, first)                                                          \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        double a[(size) * (size)];                                                                 \
        LOOP_UNROLLED                                                                              \
        for (int e = 0; e < (size) * (size); e++)                                                  \
            a[e] = DOUBLES(4)[(first) + e * (apart)];                                              \
        eliminate_in_registers(a, size, 1);                                                        \
        LOOP_UNROLLED                                                                              \
        for (int e = 0; e < (size) * (size); e++)                                                  \
            OUT_DOUBLES[(first) + e * (apart)] = a[e];                                             \
    }
/* One of 16 x 16 does not, and is worked on in memory. */
#define LU_BODY_IN_MEMORY(name, size, apart, first)                                                \
    FORMULA void body_##name(const struct bench_operands *o, long x)                               \
    {                                                                                              \
        for (int e = 0; e < (size) * (size); e++)                                                  \
            OUT_DOUBLES[(first) + e * (apart)] = DOUBLES(4)[(first) + e * (apart)];                \
        eliminate_in_memory(OUT_DOUBLES + (first), size, apart);                                   \
    }
LU_BODY(lu_4_thread, 4, 1, x * 16)
LU_BODY(lu_8_thread, 8, 1, x * 64)
LU_BODY_IN_MEMORY(lu_16_thread, 16, 1, x * 256)
LU_BODY(lu_4_interleaved, 4, o->n, x)
LU_BODY(lu_8_interleaved, 8, o->n, x)
LU_BODY_IN_MEMORY(lu_16_interleaved, 16, o->n, x)

/* --- masked loops: a chain of FMAs for the elements whose byte of in[4] is not 0 -------------- */

#define MASK ((const unsigned char *)o->in[4])

FORMULA double masked_work(double value)
{
    const double c = CHAIN_C, d = CHAIN_D;
    FMAS_64(value, fma, c, d);
    return value;
}

FORMULA void body_masked_branch(const struct bench_operands *o, long x)
{
    if (MASK[x])
        OUT_DOUBLES[x] = masked_work(DOUBLES(0)[x]);
}

/* All elements are computed and written. */
FORMULA void body_masked_blend(const struct bench_operands *o, long x)
{
    const double new_value = masked_work(DOUBLES(0)[x]), old = OUT_DOUBLES[x];
    OUT_DOUBLES[x] = MASK[x] ? new_value : old;
}

/* in[4]: the numbers of the n elements. */
FORMULA void body_masked_list(const struct bench_operands *o, long x)
{
    const int at = ((const int *)o->in[4])[x];
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
FORMULA void body_square(const struct bench_operands *o, long x)
{
    const double *g = DOUBLES(0) + x;
    OUT_DOUBLES[x] = g[0] * g[0] + g[o->n] * g[o->n] + g[2 * o->n] * g[2 * o->n];
}

/* in[0]: component b of a gradient; in[1]: squares of the components before b. */
FORMULA void body_square_added(const struct bench_operands *o, long x)
{
    const double square = DOUBLES(0)[x] * DOUBLES(0)[x];
    OUT_DOUBLES[x] = o->b == 0 ? square : DOUBLES(1)[x] + square;
}

/* in[0]: the transform of the field, a/2 + 1 complex numbers in each row; out: that of its slope in
 * direction b, over a^3, which a transform and its inverse multiply by. x: a complex number. */
FORMULA void body_wave_slope(const struct bench_operands *o, long x)
{
    const int side = (int)o->a, row = side / 2 + 1, number = (int)x;
    const int place[3] = {number % row, number / row % side, number / row / side};
    /* Wave numbers are 0, 1, ..., -2, -1; the highest one has no slope. */
    const int at = place[o->b], wave = 2 * at < side ? at : 2 * at == side ? 0 : at - side;
    const double k = 1.0 / ((double)side * side * side) * WAVE_POINTS / side * wave;
    const double real = DOUBLES(0)[2 * x], imaginary = DOUBLES(0)[2 * x + 1];
    OUT_DOUBLES[2 * x] = -k * imaginary;
    OUT_DOUBLES[2 * x + 1] = k * real;
}

#endif
