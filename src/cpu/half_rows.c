/* SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops over rows in halves (halves.h): one function per operator and update, all from
 * one macro. Bitwise equal to those of rows.c. */
#include "cpu/halves.h"
#include "cpu/operations.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

#define INLINE static inline __attribute__((always_inline))

enum { LINE = 64 / sizeof(real) /* values in a cache line */ };

/* Values of a row's half with parity `odd`, and of its other half, from which the next cells in i
 * are. */
struct half {
    int odd;
    const real *u[2], *beta[3][2];
    long sj, sk;
};

/* Values beside cell m of the half. */
#define CELL const struct half *h, long m
#define PLACE(i, j, k) m + ((h->odd + (i)) >> 1) + (j)*h->sj + (k)*h->sk
#define U(i, j, k) h->u[(i)&1][PLACE(i, j, k)]
#define BETA_AT(d, i, j, k) h->beta[d][(i)&1][PLACE(i, j, k)]
#define BETA(d, high)                                                                              \
    BETA_AT(d, (d) == 0 ? (high) : 0, (d) == 1 ? (high) : 0, (d) == 2 ? (high) : 0)
#define FACES(d) faces_in(h, m, d)

INLINE struct fv4_faces faces_in(CELL, const int d)
{
/* β in direction d: `high` faces on, and e and g cells on in the two other directions. */
#define FACE(high, e, g)                                                                           \
    BETA_AT(d, d == 0 ? (high) : (e), d == 1 ? (high) : d == 0 ? (e) : (g), d == 2 ? (high) : (g))
    return (struct fv4_faces){{FACE(0, 0, 0), FACE(1, 0, 0)},
                              {FACE(0, 1, 0) - FACE(0, -1, 0), FACE(1, 1, 0) - FACE(1, -1, 0)},
                              {FACE(0, 0, 1) - FACE(0, 0, -1), FACE(1, 0, 1) - FACE(1, 0, -1)}};
#undef FACE
}

#include "cpu/half_sums.h"

/* Where a half's other values are. */
struct half_operands {
    const real *f, *alpha, *dinv;
    real scale, weight;
};

/* Cells first <= m < first + count: the update, or the residual. */
INLINE void half_cells(half_sum_fn *sum, rhs_fn *rhs, const struct half *h,
                       const struct half_operands *o, real *out, const bool residual, long first,
                       const long count)
{
#pragma omp simd
    for (long m = first; m < first + count; m++) {
        const real here = U(0, 0, 0);
        const real r = residual_value(rhs(o->f[m], o->alpha[m], here), o->scale, sum(h, m));
        out[m] = residual ? r : update_weighted(here, o->dinv[m], r, o->weight);
    }
}

/* Updates the half of the row at `at` in `out`, or stores its residual there. Loops over vectors
 * find the places beside a cell at constant distances, a vectorised loop over cells does not. */
INLINE void half_row(const struct row *row, half_sum_fn *sum, rhs_fn *rhs, const int odd, long at,
                     const long sj, const long sk, real *out, const bool residual)
{
    const long low = half_index(row->i, odd), high = half_index(row->i + row->n, odd),
               own = at + odd * (sj / 2), other = at + (1 - odd) * (sj / 2);
    const struct half h = {odd,
                           {row->u + own, row->u + other},
                           {{row->beta_i + own, row->beta_i + other},
                            {row->beta_j + own, row->beta_j + other},
                            {row->beta_k + own, row->beta_k + other}},
                           sj,
                           sk};
    const struct half_operands o = {row->f + own, row->alpha + own, row->dinv + own, row->scale,
                                    row->weight};
    long m = low;
    for (; m + LINE <= high; m += LINE)
        half_cells(sum, rhs, &h, &o, out, residual, m, LINE);
    if (m < high)
        half_cells(sum, rhs, &h, &o, out, residual, m, high - m);
}

/* The half that a sweep does not update, if it works out of place. */
INLINE void copy_half(const struct row *row, int odd, const real *u, real *restrict out)
{
    for (int m = half_index(row->i, odd); m < half_index(row->i + row->n, odd); m++)
        out[m] = u[m];
}

/* Asks for this operation's share of the row of the next plane: some of the fields. */
INLINE void prefetch_row(const struct row *row, int r, int k)
{
    const long sj = row->sj, sk = row->sk, skew = row->reader * row->radius,
               at = (r + skew) * sj + (k + skew + 1) * sk, reach = row->radius * sk;
    const real *const fields[] = {
        row->u + reach,           row->f,           row->dinv, row->beta_i + reach - sk,
        row->beta_j + reach - sk, row->beta_k + sk, row->alpha};
    const bool variable = row->beta_i != row->f, alpha = row->alpha != row->f;
    const int count = !variable ? 3 : alpha ? 7 : 6;
    if (row->readers > 0)
        for (int field = row->reader; field < count; field += row->readers)
            for (int m = row->i / 2; m < (row->i + row->n) / 2; m += LINE) {
                __builtin_prefetch(fields[field] + at + m, 0, 2);
                __builtin_prefetch(fields[field] + at + sj / 2 + m, 0, 2);
            }
}

INLINE void coloured_rows(const struct row *row, half_sum_fn *sum, rhs_fn *rhs, bool in_place,
                          const long sj, const long sk)
{
    for (int k = 0; k < row->planes; k++)
        for (int r = 0; r < row->rows; r++) {
            const int odd = (row->colour + r + k) & 1;
            const long at = r * sj + k * sk, other = at + (1 - odd) * (sj / 2);
            prefetch_row(row, r, k);
            if (odd)
                half_row(row, sum, rhs, 1, at, sj, sk, row->out + at + sj / 2, false);
            else
                half_row(row, sum, rhs, 0, at, sj, sk, row->out + at, false);
            if (!in_place)
                copy_half(row, 1 - odd, row->u + other, row->out + other);
        }
}

INLINE void residual_rows(const struct row *row, half_sum_fn *sum, rhs_fn *rhs, bool unused,
                          const long sj, const long sk)
{
    (void)unused;
    for (int k = 0; k < row->planes; k++)
        for (int r = 0; r < row->rows; r++) {
            real *out = row->out + r * row->out_sj + k * row->out_sk - row->i / 2;
            const long at = r * sj + k * sk;
            prefetch_row(row, r, k);
            half_row(row, sum, rhs, 0, at, sj, sk, out, true);
            half_row(row, sum, rhs, 1, at, sj, sk, out + row->out_sj / 2, true);
        }
}

/* Rows of any length, and those of powers of 2 with the ghosts of order 4, few or many, whose
 * stride is a constant. Its sums have more addresses than a processor has address registers. */
#define OF_STRIDE(stride, rows, SUM, RHS, in_place)                                                \
    if (row->sj == (stride)) {                                                                     \
        rows(row, SUM, RHS, in_place, stride, row->sk);                                            \
        return;                                                                                    \
    }
#define OF_LENGTH(n, rows, SUM, RHS, in_place)                                                     \
    OF_STRIDE((n) + 16, rows, SUM, RHS, in_place)                                                  \
    OF_STRIDE((n) + 32, rows, SUM, RHS, in_place)
#define ROWS_OF(name, rows, SUM, RHS, in_place, lengths)                                           \
    static void name(const struct row *row)                                                        \
    {                                                                                              \
        if (lengths) {                                                                             \
            OF_LENGTH(32, rows, SUM, RHS, in_place)                                                \
            OF_LENGTH(64, rows, SUM, RHS, in_place)                                                \
            OF_LENGTH(128, rows, SUM, RHS, in_place)                                               \
            OF_LENGTH(256, rows, SUM, RHS, in_place)                                               \
        }                                                                                          \
        rows(row, SUM, RHS, in_place, row->sj, row->sk);                                           \
    }

#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    ROWS_OF(name##_coloured, coloured_rows, SUM##_half, RHS, (order) == 2,                         \
            (order) == 4 && (variable))                                                            \
    ROWS_OF(name##_residual, residual_rows, SUM##_half, RHS, false, (order) == 4 && (variable))
#include "operators/variants.def"
#undef OPERATOR

const struct row_functions *operator_half_rows(const struct operator_choice *choice)
{
    static const struct row_functions table[] = {
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    {.update = {[ROW_RESIDUAL] = name##_residual, [ROW_COLOURED] = name##_coloured}},
#include "operators/variants.def"
#undef OPERATOR
    };
    return &table[operator_index(choice)];
}
