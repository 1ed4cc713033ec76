/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators on a row of one colour, from arrays of one colour each (colour_arrays.h). Bitwise
 * equal to fv2.h and fv4.h. */
#pragma once
#include "cpu/colour_arrays.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* The six values of a direction's faces, each `each` after the one before. */
INLINE struct fv4_faces faces_of(const real *b, long each)
{
    return (struct fv4_faces){
        {b[0], b[each]}, {b[2 * each], b[3 * each]}, {b[4 * each], b[5 * each]}};
}

/* sum_at of order 4 with variable coefficients. The neighbours of a cell in two directions serve
 * both. In this order they fit into 32 registers. */
INLINE real fv4_sum_at(struct shape s, const real *x, const real *y, int low, const real *b,
                       long each)
{
    const long sj = stride_j(s), sk = stride_k(s);
    const real *x0 = x + low, *x1 = x0 + 1;
    const real here = x[0];
    const real i[2] = {y[low], y[low + 1]}, j[2] = {y[-sj], y[sj]}, k[2] = {y[-sk], y[sk]};
    const real di = i[1] - i[0], dj = j[1] - j[0], dk = k[1] - k[0];
    const real ik_00 = x0[-sk], ik_10 = x1[-sk], ik_01 = x0[sk], ik_11 = x1[sk];
    const real jk_00 = x[-sj - sk], jk_10 = x[sj - sk], jk_01 = x[-sj + sk], jk_11 = x[sj + sk];
    const real far_k[2] = {x[-2 * sk], x[2 * sk]};
    const struct fv4_faces faces_k = faces_of(b + 12 * each, each);
    const real k_sum = fv4_direction_sum(here, k, far_k, &faces_k, di, ik_10 - ik_00, ik_11 - ik_01,
                                         dj, jk_10 - jk_00, jk_11 - jk_01);
    const real ij_00 = x0[-sj], ij_10 = x1[-sj], ij_01 = x0[sj], ij_11 = x1[sj];
    const real far_j[2] = {x[-2 * sj], x[2 * sj]};
    const struct fv4_faces faces_j = faces_of(b + 6 * each, each);
    const real j_sum = fv4_direction_sum(here, j, far_j, &faces_j, di, ij_10 - ij_00, ij_11 - ij_01,
                                         dk, jk_01 - jk_00, jk_11 - jk_10);
    const real far_i[2] = {x[-1], x[1]};
    const struct fv4_faces faces_i = faces_of(b, each);
    const real i_sum = fv4_direction_sum(here, i, far_i, &faces_i, dj, ij_01 - ij_00, ij_11 - ij_10,
                                         dk, ik_01 - ik_00, ik_11 - ik_10);
    return fv4_sum_directions(i_sum, j_sum, k_sum);
}

/* The sums that sum_at() spells, chosen by the shape and coefficients. An operator with another S
 * does not compile before it is spelt there too. */
enum {
    SPELT_sum_fv2 = 1,
    SPELT_sum_fv2_constant = 1,
    SPELT_sum_fv4 = 1,
    SPELT_sum_fv4_constant = 1
};

/* S of cell x[0] of the colour that is updated. y is the other colour's array at the same place.
 * The next cells in i are y[low] and y[low + 1]. `b` has the cell's face coefficients, each `each`
 * after the one before. */
INLINE real sum_at(struct shape s, const real *x, const real *y, int low, const real *b, long each)
{
    const long sj = stride_j(s), sk = stride_k(s);
    const real *y0 = y + low, *y1 = y0 + 1;
    if (!s.edges) {
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
INLINE void row_of(struct shape s, rhs_fn *rhs, const real *x, const real *y, int low,
                   const real *coefficient, const real *f, real *restrict out, real scale,
                   real weight, bool residual)
{
    const int h = half(s), faces = face_coefficients(s);
#pragma omp simd
    for (int m = 0; m < h; m++) {
        const real *b = coefficient + m, *last = b + faces * h;
        const real alpha = s.alpha ? last[h] : (real)1.0;
        const real sum = sum_at(s, x + m, y + m, low, b, h);
        const real r = residual_value(rhs(f[m], alpha, x[m]), scale, sum);
        out[m] = residual ? r : update_weighted(x[m], last[0], r, weight);
    }
}

/* All rows of plane k of one colour, as row_of. Row j of `out` begins at j·out_sj. */
INLINE void plane_of(struct shape s, rhs_fn *rhs, const struct arrays *a, int colour, int k,
                     real *out, long out_sj, real scale, real weight, bool residual)
{
    const int h = half(s);
    const real *x = a->u[colour] + k * stride_k(s), *y = a->u[1 - colour] + k * stride_k(s);
    const real *f = a->f[colour] + k * s.n * h,
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
