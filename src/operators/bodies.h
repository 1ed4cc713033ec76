/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What set-up and vector operations do to one cell, for all backends: the bodies of bodies.def and
 * the terms of reductions.def. Pointers are at cell (0,0,0) of a patch. */
#include "operators/boundary.h"
#include "operators/formula.h"
#include "operators/hash.h"
#include "operators/problem_formula.h"
#include "operators/sum.h"
#include "operators/transfers.h"

enum { REDUCTION_WORDS = SUM_DIGITS }; /* at most */

/* z from x and y; unused ones are NULL or 0. */
struct vector_arguments {
    real *z;
    const real *x, *y;
    long sj, sk;
    double a, b;
};

FORMULA void body_set(const struct vector_arguments *v, int i, int j, int k)
{
    v->z[i + j * v->sj + k * v->sk] = (real)v->a;
}

/* The hash of a cell's global index, from -1 to 1. */
struct random_arguments {
    real *z;
    long sj, sk;
    uint64_t first, index_sj, index_sk; /* global index of cell (0,0,0) and its strides */
};

FORMULA void body_set_random(const struct random_arguments *x, int i, int j, int k)
{
    const uint64_t index =
        x->first + (uint64_t)i + (uint64_t)j * x->index_sj + (uint64_t)k * x->index_sk;
    x->z[i + j * x->sj + k * x->sk] = (real)(0x1p-63 * (double)(int64_t)hash_mix(index));
}

FORMULA void body_add_constant(const struct vector_arguments *v, int i, int j, int k)
{
    v->z[i + j * v->sj + k * v->sk] += (real)v->a;
}

FORMULA void body_multiply(const struct vector_arguments *v, int i, int j, int k)
{
    const long at = i + j * v->sj + k * v->sk;
    v->z[at] = v->x[at] * v->y[at];
}

FORMULA void body_combine(const struct vector_arguments *v, int i, int j, int k)
{
    const long at = i + j * v->sj + k * v->sk;
    v->z[at] = madd((real)v->a, v->x[at], (real)v->b * v->y[at]);
}

/* x times, or divided by, a product of one factor per direction; factors are at cell (0,0,0). */
struct scaling_arguments {
    real *x;
    long sj, sk;
    const double *factor[3];
    bool divides;
};

FORMULA void body_scale(const struct scaling_arguments *x, int i, int j, int k)
{
    const double factor = x->factor[0][i] * x->factor[1][j] * x->factor[2][k];
    real *value = &x->x[i + j * x->sj + k * x->sk];
    *value = (real)(x->divides ? (double)*value / factor : (double)*value * factor);
}

/* Between arrays with strides of any kind, in doubles. */
struct strided_arguments {
    real *to;
    const real *from;
    double factor; /* of what is copied */
    long to_stride[3], from_stride[3];
};

FORMULA void body_copy_strided(const struct strided_arguments *x, int i, int j, int k)
{
    x->to[i * x->to_stride[0] + j * x->to_stride[1] + k * x->to_stride[2]] =
        (real)x->factor *
        x->from[i * x->from_stride[0] + j * x->from_stride[1] + k * x->from_stride[2]];
}

FORMULA void body_add_strided(const struct strided_arguments *x, int i, int j, int k)
{
    x->to[i * x->to_stride[0] + j * x->to_stride[1] + k * x->to_stride[2]] +=
        x->from[i * x->from_stride[0] + j * x->from_stride[1] + k * x->from_stride[2]];
}

/* The tables are at cell (0,0,0), by direction. */
struct fv_rhs_arguments {
    real *f;
    long sj, sk;
    const struct fv_point *points[3];
    double correction;
};

FORMULA void body_fill_rhs(const struct fv_rhs_arguments *x, int i, int j, int k)
{
    x->f[i + j * x->sj + k * x->sk] =
        (real)fv_rhs(x->points[0][i], x->points[1][j], x->points[2][k], x->correction);
}

struct fv_beta_arguments {
    real *beta;
    long sj, sk;
    const double *sines[3];
    double correction, curvature;
};

FORMULA void body_fill_beta(const struct fv_beta_arguments *x, int i, int j, int k)
{
    x->beta[i + j * x->sj + k * x->sk] =
        (real)fv_beta(x->sines[0][i], x->sines[1][j], x->sines[2][k], x->correction, x->curvature);
}

/* (i,j,k) is a coarse cell or face. */
struct restriction_arguments {
    const real *fine;
    real *coarse;
    long sj, sk;
    long step[3];    /* between the fine cells of one coarse cell and those of the next */
    long pair[3];    /* from the first fine cell of a coarse one to the second; 0 if it has one */
    long tangent[2]; /* of faces: pair along them, the smaller one first */
};

FORMULA void body_restrict_cells(const struct restriction_arguments *x, int i, int j, int k)
{
    const long o = x->pair[0];
    const real *p = x->fine + i * x->step[0] + j * x->step[1] + k * x->step[2];
    const real *q = p + x->pair[1], *r = p + x->pair[2], *s = q + x->pair[2];
    x->coarse[i + j * x->sj + k * x->sk] =
        restrict_cell(p[0] + p[o], q[0] + q[o], r[0] + r[o], s[0] + s[o]);
}

FORMULA void body_restrict_faces(const struct restriction_arguments *x, int i, int j, int k)
{
    const real *b = x->fine + i * x->step[0] + j * x->step[1] + k * x->step[2];
    const long s = x->tangent[0], t = x->tangent[1];
    x->coarse[i + j * x->sj + k * x->sk] = restrict_face(b[0], b[s], b[t], b[s + t]);
}

/* (i,j,k) is a fine cell. */
struct prolongation_arguments {
    real *fine;
    const real *coarse;
    long sj, sk;
    int ratio[3];   /* fine cells per coarse one: 1 or 2 */
    long stride[3]; /* of coarse cells */
    int reach;
    bool adds;
};

FORMULA void body_prolong(const struct prolongation_arguments *x, int i, int j, int k)
{
    const int *r = x->ratio, high[3] = {i % r[0], j % r[1], k % r[2]};
    const long *s = x->stride,
               neighbour[3] = {(r[0] - 1) * s[0], (r[1] - 1) * s[1], (r[2] - 1) * s[2]};
    const real *c = x->coarse + i / r[0] * s[0] + j / r[1] * s[1] + k / r[2] * s[2];
    real *u = x->fine + i + j * x->sj + k * x->sk;
    const real value = prolong_cell(x->reach, c, neighbour, high);
    *u = x->adds ? *u + value : value;
}

/* β beyond a wall, from faces inward. i and k count the faces next to the wall. */
struct extrapolation_arguments {
    real *beta;
    long inward, si, sk; /* strides */
    int cells;           /* of the level across the wall */
};

FORMULA void body_extrapolate_beta(const struct extrapolation_arguments *x, int i, int j, int k)
{
    const long s = x->inward;
    real *b = x->beta + i * x->si + k * x->sk;
    (void)j;
    if (x->cells >= 5)
        b[-s] = beta_extrapolate_5(b[0], b[s], b[2 * s], b[3 * s], b[4 * s]);
    else if (x->cells == 4)
        b[-s] = beta_extrapolate_4(b[0], b[s], b[2 * s], b[3 * s]);
    else
        b[-s] = beta_extrapolate_2(b[0], b[s]);
}

/* The terms of a reduction: x of each cell, or x·y if there is a y. */
struct terms {
    const real *x, *y;
    long sj, sk;
    uint64_t first, index_sj, index_sk; /* global index of cell (0,0,0) and its strides */
    double scale;                       /* of digits */
};

FORMULA void magnitude_term(const struct terms *t, uint64_t index, double term, uint64_t *words)
{
    const uint64_t bits = magnitude_bits(term);
    (void)t, (void)index;
    words[0] = bits > words[0] ? bits : words[0];
}

/* The magnitude of negative terms. */
FORMULA void negative_term(const struct terms *t, uint64_t index, double term, uint64_t *words)
{
    magnitude_term(t, index, term < 0.0 ? term : 0.0, words);
}

FORMULA void digits_term(const struct terms *t, uint64_t index, double term, uint64_t *words)
{
    int64_t digits[SUM_DIGITS] = {0};
    (void)index;
    sum_digits(term, t->scale, digits);
    for (int d = 0; d < SUM_DIGITS; d++)
        words[d] += (uint64_t)digits[d];
}

FORMULA void checksum_term(const struct terms *t, uint64_t index, double term, uint64_t *words)
{
    (void)t;
    words[0] += hash_cell(index, term);
}

/* Combines the words of two sets of cells. */
FORMULA void reduction_combine(uint64_t *to, const uint64_t *from, int words, int sums)
{
    for (int w = 0; w < words; w++)
        to[w] = w < sums ? to[w] + from[w] : to[w] > from[w] ? to[w] : from[w];
}
