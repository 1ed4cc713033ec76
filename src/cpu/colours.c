/* SPDX-License-Identifier: BSD-3-Clause */
/* Red and black half-sweeps on small levels of one box with walls. A pass copies u and f into
 * arrays of one colour each, works there, and copies u back. So a half-sweep computes only the
 * cells that it updates, from vectors of neighbouring cells of one colour. Coefficients lie in the
 * order in which the loops read them, from set-up on. One macro makes the loops of an operator for
 * each length of rows, as straight code. */
#include <string.h>
#include "operators/boundary.h"
#include "cpu/colour_sums.h"
#include "cpu/operations.h"
#include "operators/sum.h"
#include "operators/transfers.h"

/* Ghosts of one colour beyond a wall, in this layer. x and y point at cells of this and the other
 * colour next to the wall. `in` is the stride away from the wall. */
INLINE void extrapolate(struct shape s, int layer, real *x, const real *y, long in, int from,
                        int to)
{
    const struct side_weights side = side_weights_of(WALL_DIRICHLET, s.wall_cells);
    const bool far = s.wall_cells > 2;
    const real *odd = layer == 0 ? y : x, *even = layer == 0 ? x : y;
#pragma omp simd
    for (int m = from; m < to; m++)
        x[m - (layer + 1) * in] =
            side_value(&side, s.wall_cells, layer, odd[m], even[m + in],
                       far ? odd[m + 2 * in] : (real)0.0, far ? even[m + 3 * in] : (real)0.0);
}

/* The ghosts in i of the rows of plane k. */
INLINE void walls_i(struct shape s, const struct arrays *a, int k)
{
    const int rule = s.wall_cells, last = half(s) - 1;
    for (int j = 0; j < s.n; j++) {
        const long row = j * stride_j(s) + k * stride_k(s);
        real *even = a->u[(j + k) & 1] + row, *odd = a->u[(j + k + 1) & 1] + row;
        const real left[4] = {even[0], odd[0], even[1], odd[1]};
        const real right[4] = {odd[last], even[last], odd[last - 1], even[last - 1]};
        odd[-1] = wall_ghost(WALL_DIRICHLET, rule, 0, left);
        even[last + 1] = wall_ghost(WALL_DIRICHLET, rule, 0, right);
        if (s.radius > 1) {
            even[-1] = wall_ghost(WALL_DIRICHLET, rule, 1, left);
            odd[last + 1] = wall_ghost(WALL_DIRICHLET, rule, 1, right);
        }
    }
}

/* The columns for which ghosts in j and k are wanted: perhaps also those of the ghosts in i. Short
 * rows have these in one vector. */
INLINE int first_column(struct shape s)
{
    return !s.edges ? 0 : s.n == 16 ? -1 : -(int)first_cell(s);
}

INLINE int end_column(struct shape s)
{
    return !s.edges ? half(s) : s.n == 16 ? half(s) + 1 : first_column(s) + (int)stride_j(s);
}

/* All ghosts that the operator reads in cells of these colours. */
INLINE void walls(struct shape s, const struct arrays *a, bool red, bool black)
{
    const bool colours[2] = {red, black};
    const int n = s.n, beside = s.edges, from = first_column(s), to = end_column(s);
    const long sj = stride_j(s), sk = stride_k(s);
    for (int k = 0; k < n; k++) {
        walls_i(s, a, k);
        for (int c = 0; c < 2; c++) {
            real *x = a->u[c] + k * sk, *y = a->u[1 - c] + k * sk;
            extrapolate(s, 0, x, y, sj, from, to);
            extrapolate(s, 0, x + (n - 1) * sj, y + (n - 1) * sj, -sj, from, to);
            if (s.radius > 1 && colours[c]) {
                extrapolate(s, 1, x, y, sj, 0, half(s));
                extrapolate(s, 1, x + (n - 1) * sj, y + (n - 1) * sj, -sj, 0, half(s));
            }
        }
    }
    for (int c = 0; c < 2; c++) {
        real *x = a->u[c], *y = a->u[1 - c];
        const int first = from - beside * (int)sj, end = (n - 1 + beside) * (int)sj + to;
        extrapolate(s, 0, x, y, sk, first, end);
        extrapolate(s, 0, x + (n - 1) * sk, y + (n - 1) * sk, -sk, first, end);
        if (s.radius > 1 && colours[c]) {
            extrapolate(s, 1, x, y, sk, 0, (n - 1) * (int)sj + to);
            extrapolate(s, 1, x + (n - 1) * sk, y + (n - 1) * sk, -sk, 0, (n - 1) * (int)sj + to);
        }
    }
}

/* `r`: the residual by colour, like u. Of two neighbours in i, one has each colour. */
INLINE void restrict_residual(struct shape s, const struct patch_pass *p, real *const r[2])
{
    const int h = half(s);
    const long sj = stride_j(s), sk = stride_k(s);
    for (int k = 0; k < h; k++)
        for (int j = 0; j < h; j++) {
            const real *red = r[0] + 2 * j * sj + 2 * k * sk;
            const real *black = r[1] + 2 * j * sj + 2 * k * sk;
            real *restrict out = p->coarse_f + j * p->coarse_sj + k * p->coarse_sk;
            for (int m = 0; m < h; m++)
                out[m] = restrict_cell(red[m] + black[m], red[m + sj] + black[m + sj],
                                       red[m + sk] + black[m + sk],
                                       red[m + sj + sk] + black[m + sj + sk]);
        }
}

INLINE void raise_norm(struct shape s, real *const r[2], uint64_t *norm)
{
    for (int c = 0; c < 2; c++)
        for (int k = 0; k < s.n; k++)
            for (int j = 0; j < s.n; j++)
                for (int m = 0; m < half(s); m++) {
                    const uint64_t bits =
                        magnitude_bits(r[c][m + j * stride_j(s) + k * stride_k(s)]);
                    *norm = bits > *norm ? bits : *norm;
                }
}

INLINE void finish(struct shape s, half_sum_fn *sum, rhs_fn *rhs, const struct pass *pass,
                   const struct patch_pass *p, const struct arrays *a)
{
    const long sj = stride_j(s), sk = stride_k(s);
    for (int k = 0; k < s.n; k++)
        for (int c = 0; c < 2; c++)
            plane_of(s, sum, rhs, a, c, k, a->spare[c] + k * sk, sj, (real)p->operands.scale, 0.0,
                     true);
    if (pass->finish == FINISH_RESTRICT)
        restrict_residual(s, p, a->spare);
    else if (pass->finish == FINISH_STORE)
        join(s, p->patch, p->residual, a->spare, sj, sk);
    else
        raise_norm(s, a->spare, pass->norm);
}

INLINE void exchange(real **a, real **b)
{
    real *c = *a;
    *a = *b;
    *b = c;
}

/* The first half-sweep where u is 0. */
INLINE void sweep_zero(struct shape s, struct arrays *a, int colour, real weight)
{
    const int h = half(s);
    for (int c = 0; c < 2; c++)
        memset(a->u[c] - array_origin(s), 0, (size_t)array_length(s) * sizeof(real));
    for (int k = 0; k < s.n; k++)
        for (int j = 0; j < s.n; j++) {
            const long row = k * s.n + j;
            const real *f = a->f[colour] + row * h,
                       *dinv = a->coefficients[colour] +
                               (row * coefficients(s) + face_coefficients(s)) * h;
            real *restrict out = a->u[colour] + j * stride_j(s) + k * stride_k(s);
            for (int m = 0; m < h; m++)
                out[m] = relax_zero(dinv[m], f[m], weight);
        }
}

INLINE void sweep_of(struct shape s, half_sum_fn *sum, rhs_fn *rhs, struct arrays *a, int colour,
                     real scale, real weight)
{
    real *out = s.radius > 1 ? a->spare[colour] : a->u[colour];
    for (int k = 0; k < s.n; k++)
        plane_of(s, sum, rhs, a, colour, k, out + k * stride_k(s), stride_j(s), scale, weight,
                 false);
    if (s.radius > 1)
        exchange(&a->u[colour], &a->spare[colour]);
}

INLINE void run_of(struct shape s, half_sum_fn *sum, rhs_fn *rhs, const struct pass *pass,
                   const struct patch_pass *p)
{
    struct arrays a = arrays_in(pass->level->prepared, s);
    const struct patch *q = p->patch;
    const int last = pass->first_sweep + pass->nsweeps;
    split(s, q, p->operands.f, a.f, half(s), (long)half(s) * s.n);
    int sweep = pass->first_sweep;
    if (pass->start == START_ZERO) {
        const struct relaxation r = stencil_relaxation(p->stencil, sweep++);
        sweep_zero(s, &a, r.colour, (real)r.weight);
    } else {
        split(s, q, p->buffer[sweep & 1], a.u, stride_j(s), stride_k(s));
    }
    for (; sweep < last; sweep++) {
        const struct relaxation r = stencil_relaxation(p->stencil, sweep);
        walls(s, &a, r.colour == 0, r.colour == 1);
        sweep_of(s, sum, rhs, &a, r.colour, (real)p->operands.scale, (real)r.weight);
    }
    if (pass->finish != FINISH_NONE) {
        walls(s, &a, true, true);
        finish(s, sum, rhs, pass, p, &a);
    }
    join(s, q, p->buffer[last & 1], a.u, stride_j(s), stride_k(s));
}

typedef void run_fn(const struct pass *pass, const struct patch_pass *p);

#define RUN(name, n, order, variable, reads_alpha, SUM, RHS)                                       \
    static void name##_##n(const struct pass *pass, const struct patch_pass *p)                    \
    {                                                                                              \
        run_of((struct shape){n, RADIUS_##order, wall_rule_of(order, n), READS_EDGES_##order,      \
                              variable, reads_alpha},                                              \
               SUM##_half, RHS, pass, p);                                                          \
    }
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    RUN(name, 2, order, variable, reads_alpha, SUM, RHS)                                           \
    RUN(name, 4, order, variable, reads_alpha, SUM, RHS)                                           \
    RUN(name, 8, order, variable, reads_alpha, SUM, RHS)                                           \
    RUN(name, 16, order, variable, reads_alpha, SUM, RHS)
#include "operators/variants.def"
#undef OPERATOR

enum { SIZES = 4 };

static run_fn *const runs[][SIZES] = {
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    {name##_2, name##_4, name##_8, name##_16},
#include "operators/variants.def"
#undef OPERATOR
};

bool colours_fit(const struct pass *pass)
{
    return pass->level->prepared && pass->nsweeps > 1;
}

void colours_run(const struct pass *pass, const struct patch_pass *p)
{
    runs[operator_index(&pass->level->stencil->choice)][size_index(pass->level->n[0])](pass, p);
}
