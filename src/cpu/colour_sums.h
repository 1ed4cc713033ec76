/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators on a row of one colour, from arrays of one colour each (colour_arrays.h). Bitwise
 * equal to fv2.h and fv4.h. */
#pragma once
#include "cpu/colour_arrays.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* Row (j,k) of the colour that is updated, and of the other one: its cell m is at m, and the next
 * cells in i are those of the other colour at m + low and m + low + 1. beta has coefficients of
 * faces, each `each` after the one before. */
struct colour_row {
    const real *u[2], *beta;
    long each, sj, sk;
    int low;
};

/* The six values of a direction's faces. */
INLINE struct fv4_faces faces_of(const real *b, long each)
{
    return (struct fv4_faces){
        {b[0], b[each]}, {b[2 * each], b[3 * each]}, {b[4 * each], b[5 * each]}};
}

#define CELL const struct colour_row *r, long m
#define U(i, j, k)                                                                                 \
    r->u[((i) + (j) + (k)) & 1][m + (((i) + 1) >> 1) + ((i)&1 ? r->low : 0) + (j)*r->sj + (k)*r->sk]
#define BETA(d, high) r->beta[(2 * (d) + (high)) * r->each + m]
#define FACES(d) faces_of(r->beta + 6 * (d)*r->each + m, r->each)
#include "cpu/half_sums.h"

/* One row of one colour: the update by `weight`, or the residual. */
INLINE void row_of(struct shape s, half_sum_fn *sum, rhs_fn *rhs, const struct colour_row *row,
                   const real *f, real *restrict out, real scale, real weight, bool residual)
{
    const int h = half(s);
    const real *x = row->u[0], *dinv = row->beta + face_coefficients(s) * h;
#pragma omp simd
    for (int m = 0; m < h; m++) {
        const real alpha = s.alpha ? dinv[h + m] : (real)1.0;
        const real r = residual_value(rhs(f[m], alpha, x[m]), scale, sum(row, m));
        out[m] = residual ? r : update_weighted(x[m], dinv[m], r, weight);
    }
}

/* All rows of plane k of one colour, as row_of. Row j of `out` begins at j·out_sj. */
INLINE void plane_of(struct shape s, half_sum_fn *sum, rhs_fn *rhs, const struct arrays *a,
                     int colour, int k, real *out, long out_sj, real scale, real weight,
                     bool residual)
{
    const int h = half(s);
    for (int j = 0; j < s.n; j++) {
        const long at = j * stride_j(s) + k * stride_k(s), row = k * s.n + j;
        struct colour_row r = {.u = {a->u[colour] + at, a->u[1 - colour] + at},
                               .beta = a->coefficients[colour] + row * h * coefficients(s),
                               .each = h,
                               .sj = stride_j(s),
                               .sk = stride_k(s)};
        const real *f = a->f[colour] + row * h;
        if ((j + k + colour) & 1) {
            row_of(s, sum, rhs, &r, f, out + j * out_sj, scale, weight, residual);
        } else {
            r.low = -1;
            row_of(s, sum, rhs, &r, f, out + j * out_sj, scale, weight, residual);
        }
    }
}
