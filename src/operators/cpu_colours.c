/* SPDX-License-Identifier: BSD-3-Clause */
/* Red and black half-sweeps on small levels of one box with walls. A pass copies u and f into
 * arrays of one colour each, works there, and copies u back. So a half-sweep computes only the
 * cells that it updates, from vectors of neighbouring cells of one colour. Coefficients lie in the
 * order in which the loops read them, from set-up on. One macro makes the loops of an operator for
 * each length of rows, as straight code. */
#include <string.h>
#include "base/memory.h"
#include "operators/boundary.h"
#include "operators/cpu.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

#define INLINE static inline __attribute__((always_inline))

enum { LONGEST = 16 /* cells in a row */, LINE = 8 /* doubles in a cache line */ };

/* What is constant in a loop: cells per row, and the operator. */
struct shape {
    int n, order;
    bool variable, helmholtz;
};

/* f − aαu, see operators/smoothers.h. */
typedef double rhs_fn(double f, double alpha, double u);

/* A row (j,k) has the cells of colour c with i = 2m + odd, odd = (j + k + c) mod 2: half of them.
 * Its cell m is at m + j·sj + k·sk. */
INLINE int half(struct shape s)
{
    return s.n / 2;
}

/* Vectors of 8 begin a cache line, shorter ones lie in one with the ghosts on both sides. */
INLINE long stride_j(struct shape s)
{
    return s.n == 16 ? 16 : s.n == 2 ? 4 : s.n;
}

INLINE long first_cell(struct shape s)
{
    return s.n == 16 ? 0 : s.n == 2 ? 1 : s.n / 4;
}

INLINE int layers(struct shape s)
{
    return s.order / 2;
}

INLINE long stride_k(struct shape s)
{
    return stride_j(s) * (s.n + 2 * layers(s));
}

/* Of an array with ghosts, and with a margin for those of its first and last row. */
INLINE long array_length(struct shape s)
{
    return (stride_k(s) * (s.n + 2 * layers(s)) + 2 * LINE + LINE - 1) / LINE * LINE;
}

INLINE long array_origin(struct shape s)
{
    return layers(s) * (stride_j(s) + stride_k(s)) + first_cell(s) + LINE;
}

/* Coefficients by row: those of the faces, D⁻¹, α. */
INLINE int face_coefficients(struct shape s)
{
    return !s.variable ? 0 : s.order == 4 ? 18 : 6;
}

INLINE int coefficients(struct shape s)
{
    return face_coefficients(s) + 1 + (s.variable && s.helmholtz);
}

/* Cells of one colour. */
INLINE long cells(struct shape s)
{
    return (long)s.n * s.n * half(s);
}

/* The arrays of a level, by colour. u and spare point at cell 0 of row (0,0). */
struct arrays {
    double *u[2], *spare[2];
    double *f[2], *coefficients[2];
};

INLINE struct arrays arrays_in(double *memory, struct shape s)
{
    struct arrays a;
    const long length = array_length(s);
    for (int c = 0; c < 2; c++) {
        a.u[c] = memory + c * length + array_origin(s);
        a.spare[c] = memory + (2 + c) * length + array_origin(s);
        a.f[c] = memory + 4 * length + c * cells(s);
        a.coefficients[c] = memory + 4 * length + 2 * cells(s) + c * cells(s) * coefficients(s);
    }
    return a;
}

INLINE long arrays_length(struct shape s)
{
    return 4 * array_length(s) + 2 * cells(s) * (1 + coefficients(s));
}

/* u or its tangential difference on both sides of a cell. */
struct sides {
    double low, high;
};

/* The sum of the fluxes through a cell's faces in one direction. `first` and `second` are the
 * differences in the two other directions of u in the next cells, those with `here` the cell's own.
 */
INLINE double fluxes_of(const double *b, long each, double here, struct sides next,
                        struct sides after, double first_here, struct sides first,
                        double second_here, struct sides second)
{
    const double low = fv4_flux(b[0], after.low, next.low, here, next.high, b[2 * each], first.low,
                                first_here, b[4 * each], second.low, second_here);
    const double high = fv4_flux(b[each], after.high, next.high, here, next.low, b[3 * each],
                                 first.high, first_here, b[5 * each], second.high, second_here);
    return low + high;
}

/* sum_at of order 4 with variable coefficients. The values beside a cell in two directions serve
 * both. In this order they fit into 32 registers. */
INLINE double fv4_sum_at(struct shape s, const double *x, const double *y, int low, const double *b,
                         long each)
{
    const long sj = stride_j(s), sk = stride_k(s);
    const double *x0 = x + low, *x1 = x0 + 1;
    const double here = x[0];
    const struct sides i = {y[low], y[low + 1]}, j = {y[-sj], y[sj]}, k = {y[-sk], y[sk]};
    const double di = i.high - i.low, dj = j.high - j.low, dk = k.high - k.low;
    const double ik_00 = x0[-sk], ik_10 = x1[-sk], ik_01 = x0[sk], ik_11 = x1[sk];
    const double jk_00 = x[-sj - sk], jk_10 = x[sj - sk], jk_01 = x[-sj + sk], jk_11 = x[sj + sk];
    const struct sides far_k = {x[-2 * sk], x[2 * sk]};
    const double k_sum = fluxes_of(b + 12 * each, each, here, k, far_k, di,
                                   (struct sides){ik_10 - ik_00, ik_11 - ik_01}, dj,
                                   (struct sides){jk_10 - jk_00, jk_11 - jk_01});
    const double ij_00 = x0[-sj], ij_10 = x1[-sj], ij_01 = x0[sj], ij_11 = x1[sj];
    const struct sides far_j = {x[-2 * sj], x[2 * sj]};
    const double j_sum = fluxes_of(b + 6 * each, each, here, j, far_j, di,
                                   (struct sides){ij_10 - ij_00, ij_11 - ij_01}, dk,
                                   (struct sides){jk_01 - jk_00, jk_11 - jk_10});
    const struct sides far_i = {x[-1], x[1]};
    const double i_sum =
        fluxes_of(b, each, here, i, far_i, dj, (struct sides){ij_01 - ij_00, ij_11 - ij_10}, dk,
                  (struct sides){ik_01 - ik_00, ik_11 - ik_10});
    return fv4_sum_directions(i_sum, j_sum, k_sum);
}

/* S of cell x[0] of the colour that is updated. y is the other colour's array at the same place.
 * The next cells in i are y[low] and y[low + 1]. `b` has the cell's face coefficients, each `each`
 * after the one before. */
INLINE double sum_at(struct shape s, const double *x, const double *y, int low, const double *b,
                     long each)
{
    const long sj = stride_j(s), sk = stride_k(s);
    const double *y0 = y + low, *y1 = y0 + 1;
    if (s.order == 2) {
        if (!s.variable)
            return fv2_constant_sum(x[0], *y0, *y1, y[-sj], y[sj], y[-sk], y[sk]);
        return fv2_sum(x[0], *y0, *y1, y[-sj], y[sj], y[-sk], y[sk], b[0], b[each], b[2 * each],
                       b[3 * each], b[4 * each], b[5 * each]);
    }
    if (!s.variable)
        return fv4_constant_sum(x[0], *y0 + *y1, x[-1] + x[1], y[-sj] + y[sj],
                                x[-2 * sj] + x[2 * sj], y[-sk] + y[sk], x[-2 * sk] + x[2 * sk]);
    return fv4_sum_at(s, x, y, low, b, each);
}

/* One row of one colour: the update by `weight`, or the residual. */
INLINE void row_of(struct shape s, rhs_fn *rhs, const double *x, const double *y, int low,
                   const double *coefficient, const double *f, double *restrict out, double scale,
                   double weight, bool residual)
{
    const int h = half(s), faces = face_coefficients(s);
#pragma omp simd
    for (int m = 0; m < h; m++) {
        const double *b = coefficient + m, *last = b + faces * h;
        const double alpha = s.variable && s.helmholtz ? last[h] : 1.0;
        const double sum = sum_at(s, x + m, y + m, low, b, h);
        const double r = residual_value(rhs(f[m], alpha, x[m]), scale, sum);
        out[m] = residual ? r : update_weighted(x[m], last[0], r, weight);
    }
}

/* All rows of plane k of one colour, as row_of. Row j of `out` begins at j·out_sj. */
INLINE void plane_of(struct shape s, rhs_fn *rhs, const struct arrays *a, int colour, int k,
                     double *out, long out_sj, double scale, double weight, bool residual)
{
    const int h = half(s);
    const double *x = a->u[colour] + k * stride_k(s), *y = a->u[1 - colour] + k * stride_k(s);
    const double *f = a->f[colour] + k * s.n * h,
                 *b = a->coefficients[colour] + k * s.n * h * coefficients(s);
    for (int j = 0; j < s.n; j++) {
        if ((j + k + colour) & 1)
            row_of(s, rhs, x, y, 0, b, f, out, scale, weight, residual);
        else
            row_of(s, rhs, x, y, -1, b, f, out, scale, weight, residual);
        x += stride_j(s);
        y += stride_j(s);
        f += h;
        b += h * coefficients(s);
        out += out_sj;
    }
}

INLINE int wall_rule(struct shape s)
{
    return s.order == 4 && s.n >= 4 ? 4 : 2;
}

/* Ghosts of one colour beyond a wall, in the first layer. x and y point at cells of this and the
 * other colour next to the wall. `in` is the stride away from the wall. */
INLINE void extrapolate(struct shape s, double *x, const double *y, long in, int from, int to)
{
    const int rule = wall_rule(s);
#pragma omp simd
    for (int m = from; m < to; m++)
        x[m - in] = rule == 4 ? wall_quartic(y[m], x[m + in], y[m + 2 * in], x[m + 3 * in])
                              : wall_quadratic(y[m], x[m + in]);
}

/* In the second layer. */
INLINE void extrapolate_second(struct shape s, double *x, const double *y, long in, int from,
                               int to)
{
    const int rule = wall_rule(s);
#pragma omp simd
    for (int m = from; m < to; m++)
        x[m - 2 * in] =
            rule == 4 ? wall_quartic_second(x[m], y[m + in], x[m + 2 * in], y[m + 3 * in]) : 0.0;
}

/* The ghosts in i of the rows of plane k. */
INLINE void walls_i(struct shape s, const struct arrays *a, int k)
{
    const int rule = wall_rule(s), last = half(s) - 1;
    for (int j = 0; j < s.n; j++) {
        const long row = j * stride_j(s) + k * stride_k(s);
        double *even = a->u[(j + k) & 1] + row, *odd = a->u[(j + k + 1) & 1] + row;
        const double left[4] = {even[0], odd[0], even[1], odd[1]};
        const double right[4] = {odd[last], even[last], odd[last - 1], even[last - 1]};
        odd[-1] = wall_ghost(rule, 0, left);
        even[last + 1] = wall_ghost(rule, 0, right);
        if (layers(s) > 1) {
            even[-1] = wall_ghost(rule, 1, left);
            odd[last + 1] = wall_ghost(rule, 1, right);
        }
    }
}

/* The columns for which ghosts in j and k are wanted: with order 4, also those of the ghosts in i.
 * Short rows have these in one vector. */
INLINE int first_column(struct shape s)
{
    return s.order == 2 ? 0 : s.n == 16 ? -1 : -(int)first_cell(s);
}

INLINE int end_column(struct shape s)
{
    return s.order == 2 ? half(s) : s.n == 16 ? half(s) + 1 : first_column(s) + (int)stride_j(s);
}

/* All ghosts that the operator reads in cells of these colours. */
INLINE void walls(struct shape s, const struct arrays *a, bool red, bool black)
{
    const bool colours[2] = {red, black};
    const int n = s.n, beside = layers(s) - 1, from = first_column(s), to = end_column(s);
    const long sj = stride_j(s), sk = stride_k(s);
    for (int k = 0; k < n; k++) {
        walls_i(s, a, k);
        for (int c = 0; c < 2; c++) {
            double *x = a->u[c] + k * sk, *y = a->u[1 - c] + k * sk;
            extrapolate(s, x, y, sj, from, to);
            extrapolate(s, x + (n - 1) * sj, y + (n - 1) * sj, -sj, from, to);
            if (layers(s) > 1 && colours[c]) {
                extrapolate_second(s, x, y, sj, 0, half(s));
                extrapolate_second(s, x + (n - 1) * sj, y + (n - 1) * sj, -sj, 0, half(s));
            }
        }
    }
    for (int c = 0; c < 2; c++) {
        double *x = a->u[c], *y = a->u[1 - c];
        const int first = from - beside * (int)sj, end = (n - 1 + beside) * (int)sj + to;
        extrapolate(s, x, y, sk, first, end);
        extrapolate(s, x + (n - 1) * sk, y + (n - 1) * sk, -sk, first, end);
        if (layers(s) > 1 && colours[c]) {
            extrapolate_second(s, x, y, sk, 0, (n - 1) * (int)sj + to);
            extrapolate_second(s, x + (n - 1) * sk, y + (n - 1) * sk, -sk, 0,
                               (n - 1) * (int)sj + to);
        }
    }
}

/* The arrays of both colours from the rows at `natural`, and back. sj and sk are the arrays'
 * strides. */
INLINE void split(struct shape s, const struct patch *p, const double *natural, double *const to[2],
                  long sj, long sk)
{
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            const double *row = natural + j * p->sj + k * p->sk;
            double *restrict even = to[(j + k) & 1] + j * sj + k * sk;
            double *restrict odd = to[(j + k + 1) & 1] + j * sj + k * sk;
            for (int m = 0; m < half(s); m++) {
                even[m] = row[2 * m];
                odd[m] = row[2 * m + 1];
            }
        }
}

INLINE void join(struct shape s, const struct patch *p, double *natural, double *const from[2],
                 long sj, long sk)
{
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            double *restrict row = natural + j * p->sj + k * p->sk;
            const double *even = from[(j + k) & 1] + j * sj + k * sk;
            const double *odd = from[(j + k + 1) & 1] + j * sj + k * sk;
            for (int m = 0; m < half(s); m++) {
                row[2 * m] = even[m];
                row[2 * m + 1] = odd[m];
            }
        }
}

/* Residuals of two planes: of even and odd cells of row j of plane k at r[k][j]. */
typedef double residual_rows[2][LONGEST][2][LONGEST / 2];

INLINE void restrict_planes_of(struct shape s, const struct patch_pass *p, residual_rows r, int k)
{
    const int h = half(s);
    for (int j = 0; j < h; j++) {
        double *restrict out = p->coarse_f + j * p->coarse_sj + k / 2 * p->coarse_sk;
        for (int m = 0; m < h; m++)
            out[m] = restrict_cell(r[0][2 * j][0][m] + r[0][2 * j][1][m],
                                   r[0][2 * j + 1][0][m] + r[0][2 * j + 1][1][m],
                                   r[1][2 * j][0][m] + r[1][2 * j][1][m],
                                   r[1][2 * j + 1][0][m] + r[1][2 * j + 1][1][m]);
    }
}

INLINE void store_planes_of(struct shape s, const struct patch_pass *p, residual_rows r, int k)
{
    for (int plane = 0; plane < 2; plane++)
        for (int j = 0; j < s.n; j++) {
            double *restrict out = p->residual + j * p->patch->sj + (k + plane) * p->patch->sk;
            for (int m = 0; m < half(s); m++) {
                out[2 * m] = r[plane][j][0][m];
                out[2 * m + 1] = r[plane][j][1][m];
            }
        }
}

INLINE uint64_t largest_of(struct shape s, residual_rows r, uint64_t largest)
{
    for (int plane = 0; plane < 2; plane++)
        for (int j = 0; j < s.n; j++)
            for (int odd = 0; odd < 2; odd++)
                for (int m = 0; m < half(s); m++) {
                    const uint64_t bits = magnitude_bits(r[plane][j][odd][m]);
                    largest = bits > largest ? bits : largest;
                }
    return largest;
}

INLINE void finish(struct shape s, rhs_fn *rhs, const struct pass *pass, const struct patch_pass *p,
                   const struct arrays *a)
{
    residual_rows r __attribute__((aligned(64)));
    uint64_t largest = 0;
    for (int k = 0; k < s.n; k += 2) {
        for (int plane = 0; plane < 2; plane++)
            for (int j = 0; j < s.n; j++)
                for (int c = 0; c < 2; c++) {
                    const int h = half(s), odd = (j + k + plane + c) & 1;
                    const long row = (k + plane) * s.n + j;
                    const long at = j * stride_j(s) + (k + plane) * stride_k(s);
                    const double *b = a->coefficients[c] + row * h * coefficients(s);
                    if (odd)
                        row_of(s, rhs, a->u[c] + at, a->u[1 - c] + at, 0, b, a->f[c] + row * h,
                               r[plane][j][1], p->stencil->scale, 0.0, true);
                    else
                        row_of(s, rhs, a->u[c] + at, a->u[1 - c] + at, -1, b, a->f[c] + row * h,
                               r[plane][j][0], p->stencil->scale, 0.0, true);
                }
        if (pass->finish == FINISH_RESTRICT)
            restrict_planes_of(s, p, r, k);
        else if (pass->finish == FINISH_STORE)
            store_planes_of(s, p, r, k);
        else
            largest = largest_of(s, r, largest);
    }
    if (pass->finish == FINISH_NORM)
        *pass->norm = largest > *pass->norm ? largest : *pass->norm;
}

INLINE void exchange(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* The first half-sweep where u is 0. */
INLINE void sweep_zero(struct shape s, struct arrays *a, int colour, double weight)
{
    const int h = half(s);
    for (int c = 0; c < 2; c++)
        memset(a->u[c] - array_origin(s), 0, (size_t)array_length(s) * sizeof(double));
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            const long row = k * s.n + j;
            const double *f = a->f[colour] + row * h,
                         *dinv = a->coefficients[colour] +
                                 (row * coefficients(s) + face_coefficients(s)) * h;
            double *restrict out = a->u[colour] + j * stride_j(s) + k * stride_k(s);
            for (int m = 0; m < h; m++)
                out[m] = relax_zero(dinv[m], f[m], weight);
        }
}

INLINE void sweep_of(struct shape s, rhs_fn *rhs, struct arrays *a, int colour, double scale,
                     double weight)
{
    double *out = s.order == 4 ? a->spare[colour] : a->u[colour];
    for (int k = 0; k < s.n; k++)
        plane_of(s, rhs, a, colour, k, out + k * stride_k(s), stride_j(s), scale, weight, false);
    if (s.order == 4)
        exchange(&a->u[colour], &a->spare[colour]);
}

INLINE void run_of(struct shape s, rhs_fn *rhs, const struct pass *pass, const struct patch_pass *p)
{
    struct arrays a = arrays_in(pass->level->prepared, s);
    const struct patch *q = p->patch;
    const int last = pass->first_sweep + pass->nsweeps;
    split(s, q, p->f, a.f, half(s), (long)half(s) * s.n);
    int sweep = pass->first_sweep;
    if (pass->start == START_ZERO) {
        const struct relaxation r = stencil_relaxation(p->stencil, sweep++);
        sweep_zero(s, &a, r.colour, r.weight);
    } else {
        split(s, q, p->buffer[sweep & 1], a.u, stride_j(s), stride_k(s));
    }
    for (; sweep < last; sweep++) {
        const struct relaxation r = stencil_relaxation(p->stencil, sweep);
        walls(s, &a, r.colour == 0, r.colour == 1);
        sweep_of(s, rhs, &a, r.colour, p->stencil->scale, r.weight);
    }
    if (pass->finish != FINISH_NONE) {
        walls(s, &a, true, true);
        finish(s, rhs, pass, p, &a);
    }
    join(s, q, p->buffer[last & 1], a.u, stride_j(s), stride_k(s));
}

typedef void run_fn(const struct pass *pass, const struct patch_pass *p);

#define OPERATOR(name, order, variable, helmholtz, PREPARE, LINES, SUM, RHS)                       \
    static void name##_2(const struct pass *pass, const struct patch_pass *p)                      \
    {                                                                                              \
        run_of((struct shape){2, order, variable, helmholtz}, RHS, pass, p);                       \
    }                                                                                              \
    static void name##_4(const struct pass *pass, const struct patch_pass *p)                      \
    {                                                                                              \
        run_of((struct shape){4, order, variable, helmholtz}, RHS, pass, p);                       \
    }                                                                                              \
    static void name##_8(const struct pass *pass, const struct patch_pass *p)                      \
    {                                                                                              \
        run_of((struct shape){8, order, variable, helmholtz}, RHS, pass, p);                       \
    }                                                                                              \
    static void name##_16(const struct pass *pass, const struct patch_pass *p)                     \
    {                                                                                              \
        run_of((struct shape){16, order, variable, helmholtz}, RHS, pass, p);                      \
    }
#include "operators/variants.def"
#undef OPERATOR

enum { SIZES = 4 };

static run_fn *const runs[][SIZES] = {
#define OPERATOR(name, order, variable, helmholtz, PREPARE, LINES, SUM, RHS)                       \
    {name##_2, name##_4, name##_8, name##_16},
#include "operators/variants.def"
#undef OPERATOR
};

/* 0 … 3 for 2 … 16 cells per side, or −1. */
static int size_index(int n)
{
    return n == 2 ? 0 : n == 4 ? 1 : n == 8 ? 2 : n == 16 ? 3 : -1;
}

static struct shape level_shape(const struct level *l)
{
    const struct operator_choice *c = &l->stencil->choice;
    return (struct shape){l->dim, c->order, c->variable, c->helmholtz};
}

/* Sets the coefficients of cell m of a row of colour c, each half a row after the one before. `at`
 * is the cell's place in the fields. */
static void set_coefficients(const struct level *l, struct shape s, long at, double *to)
{
    const struct patch *p = l->patches;
    const long sj = p->sj, sk = p->sk, strides[3] = {1, sj, sk};
    const int h = half(s);
    for (int d = 0; d < 3 && s.variable; d++) {
        const double *b = l->fields[FIELD_BETA_I + d] + at;
        const long across = strides[d], first = strides[d == 0], second = strides[d == 2 ? 1 : 2];
        if (s.order == 2) {
            to[2 * d * h] = b[0];
            to[(2 * d + 1) * h] = b[across];
            continue;
        }
        const struct fv4_faces x = fv4_faces_at(b, across, first, second);
        for (int side = 0; side < 2; side++) {
            to[(6 * d + side) * h] = x.beta[side];
            to[(6 * d + 2 + side) * h] = x.d_first[side];
            to[(6 * d + 4 + side) * h] = x.d_second[side];
        }
    }
    to[face_coefficients(s) * h] = l->fields[FIELD_DINV][at];
    if (s.variable && s.helmholtz)
        to[(face_coefficients(s) + 1) * h] = l->fields[FIELD_ALPHA][at];
}

void colours_prepare(struct level *l)
{
    if (!l->stencil->coloured || l->periodic || l->npatches != 1 || l->connected ||
        size_index(l->dim) < 0)
        return;
    const struct shape s = level_shape(l);
    const struct patch *p = l->patches;
    const int h = half(s), n = s.n;
    if (!l->prepared)
        l->prepared = memory_alloc_zero((size_t)arrays_length(s) * sizeof(double), "small level");
    const struct arrays a = arrays_in(l->prepared, s);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const int c = (i + j + k) & 1;
                double *row = a.coefficients[c] + ((long)k * n + j) * h * coefficients(s);
                set_coefficients(l, s, p->offset + i + j * p->sj + k * p->sk, row + i / 2);
            }
}

bool colours_fit(const struct pass *pass)
{
    return pass->level->prepared && pass->nsweeps > 1;
}

void colours_run(const struct pass *pass, const struct patch_pass *p)
{
    runs[operator_index(&pass->level->stencil->choice)][size_index(pass->level->dim)](pass, p);
}
