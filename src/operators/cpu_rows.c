/* SPDX-License-Identifier: BSD-3-Clause */
/* The inner loops: one function per operator and update, all from one macro. SUM, RHS and the
 * update are constants in each, so each loop is branch-free and vectorises. */
#include <string.h>
#include "operators/cpu.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"

enum { CHUNK = 256 }; /* cells worked on at a time; scratch stays in the innermost cache */

/* A fourth-order sum reads 55 values at 33 addresses, more than a processor has address registers.
 * So each direction's fluxes have a loop of their own. They are added in fv4_sum's order, so
 * results stay bitwise identical. Tangential differences of u are computed once for all fluxes that
 * use them. The flux through a row's high j face is kept for the next row. */
struct fv4_lines {
    double i_low[CHUNK + 1], j_flux[2][CHUNK], k_low[CHUNK], k_high[CHUNK];
    double di[2][CHUNK]; /* u(i+1) − u(i−1) of this row and the next */
    double dk_store[2][CHUNK + 2],
        dj_store[CHUNK + 2]; /* differences in k and j, from cell −1 on */
    int here;                /* index of this row's entry of two */
};

/* u(+s) − u(−s) */
static void difference(double *restrict out, const double *u, long s, long count)
{
#pragma omp simd
    for (long i = 0; i < count; i++)
        out[i] = u[i + s] - u[i - s];
}

/* Fluxes through the low i faces. */
static void fv4_i_fluxes(const struct row *row, const double *u, const double *b, long count,
                         struct fv4_lines *l)
{
    const double *dj = l->dj_store + 1, *dk = l->dk_store[l->here] + 1;
    const long sj = row->sj, sk = row->sk;
#pragma omp simd
    for (long i = 0; i < count; i++)
        l->i_low[i] = fv4_flux(b[i], u[i - 2], u[i - 1], u[i], u[i + 1], b[i + sj] - b[i - sj],
                               dj[i - 1], dj[i], b[i + sk] - b[i - sk], dk[i - 1], dk[i]);
}

/* Fluxes through the low j faces of the row that u and b point to. `below` and `above` index the
 * differences of its lower neighbour and its own. */
static void fv4_j_fluxes(const struct row *row, const double *u, const double *b, long count,
                         struct fv4_lines *l, int below, int above, double *restrict flux)
{
    const double *di0 = l->di[below], *di1 = l->di[above], *dk0 = l->dk_store[below] + 1,
                 *dk1 = l->dk_store[above] + 1;
    const long sj = row->sj, sk = row->sk;
#pragma omp simd
    for (long i = 0; i < count; i++)
        flux[i] = fv4_flux(b[i], u[i - 2 * sj], u[i - sj], u[i], u[i + sj], b[i + 1] - b[i - 1],
                           di0[i], di1[i], b[i + sk] - b[i - sk], dk0[i], dk1[i]);
}

/* Fluxes through both k faces, each seen from the cell above it. */
static void fv4_k_fluxes(const struct row *row, const double *u, const double *b, long count,
                         struct fv4_lines *l)
{
    const double *di = l->di[l->here], *dj = l->dj_store + 1;
    const long sj = row->sj, sk = row->sk;
    const double *above = u + sk, *below = u - sk, *b1 = b + sk;
#pragma omp simd
    for (long i = 0; i < count; i++)
        l->k_low[i] = fv4_flux(b[i], u[i - 2 * sk], below[i], u[i], above[i], b[i + 1] - b[i - 1],
                               below[i + 1] - below[i - 1], di[i], b[i + sj] - b[i - sj],
                               below[i + sj] - below[i - sj], dj[i]);
#pragma omp simd
    for (long i = 0; i < count; i++)
        l->k_high[i] = fv4_flux(b1[i], below[i], u[i], above[i], u[i + 2 * sk],
                                b1[i + 1] - b1[i - 1], di[i], above[i + 1] - above[i - 1],
                                b1[i + sj] - b1[i - sj], dj[i], above[i + sj] - above[i - sj]);
}

/* Before the first row of a group. */
static void fv4_begin(const struct row *row, long start, long count, struct fv4_lines *l)
{
    const double *u = row->u + start;
    l->here = 0;
    difference(l->di[1], u - row->sj, 1, count);
    difference(l->dk_store[1], u - row->sj - 1, row->sk, count + 2);
    difference(l->di[0], u, 1, count);
    difference(l->dk_store[0], u - 1, row->sk, count + 2);
    fv4_j_fluxes(row, u, row->beta_j + start, count, l, 1, 0, l->j_flux[0]);
}

/* The sums of row `r` of the group. Rows must come in order. The flux through a high face is the
 * negative of the flux through the low face of the next cell. */
static void fv4_row_sums(const struct row *row, int r, long start, long count, struct fv4_lines *l,
                         double *restrict sums)
{
    const long at = start + r * row->sj;
    const int here = l->here, next = 1 - here;
    const double *u = row->u + at;
    difference(l->dj_store, u - 1, row->sj, count + 2);
    difference(l->di[next], u + row->sj, 1, count);
    fv4_i_fluxes(row, u, row->beta_i + at, count + 1, l);
    fv4_k_fluxes(row, u, row->beta_k + at, count, l);
    difference(l->dk_store[next], u + row->sj - 1, row->sk, count + 2);
    fv4_j_fluxes(row, u + row->sj, row->beta_j + at + row->sj, count, l, here, next,
                 l->j_flux[next]);
    const double *i_low = l->i_low, *j_low = l->j_flux[here], *j_high = l->j_flux[next];
#pragma omp simd
    for (long i = 0; i < count; i++)
        sums[i] =
            fv4_sum(i_low[i], -i_low[i + 1], j_low[i], -j_high[i], l->k_low[i], -l->k_high[i]);
    l->here = next;
}

/* Operators that need no preparation. */
struct no_lines {
    int unused;
};

static inline void none_begin(const struct row *row, long start, long count, struct no_lines *l)
{
    (void)row, (void)start, (void)count, (void)l;
}

static inline void none_row_sums(const struct row *row, int r, long start, long count,
                                 struct no_lines *l, double *sums)
{
    (void)row, (void)r, (void)start, (void)count, (void)l, (void)sums;
}

#define FV2_SUM fv2_gather(u + i, sj, sk, bi + i, bj + i, bk + i, sj, sk)
#define FV2_CONSTANT_SUM fv2_constant_gather(u + i, sj, sk)
#define FV4_SUM sums[i]
#define FV4_CONSTANT_SUM fv4_constant_gather(u + i, sj, sk)

/* `value` may use `here` (the value of u), r_i (the residual) and the arrays at i. A sweep in place
 * writes to a scratch row first: a vector load that overlaps the vector just stored would wait for
 * the store. */
#define ROW_LOOP(PREPARE, LINES, SUM, RHS, value)                                                  \
    const long sj = row->sj, sk = row->sk;                                                         \
    const double scale = row->scale, weight = row->weight, c1 = row->c1;                           \
    double sums[CHUNK], scratch[CHUNK];                                                            \
    LINES lines;                                                                                   \
    (void)sums, (void)sk, (void)weight, (void)c1;                                                  \
    for (long start = 0; start < row->n; start += CHUNK) {                                         \
        const long count = row->n - start < CHUNK ? row->n - start : CHUNK;                        \
        PREPARE##_begin(row, start, count, &lines);                                                \
        for (int r = 0; r < row->rows; r++) {                                                      \
            const long at = start + r * sj, colour = (row->colour + start + r) & 1;                \
            const double *const u = row->u + at, *const f = row->f + at;                           \
            const double *const alpha = row->alpha + at, *const dinv = row->dinv + at;             \
            const double *const bi = row->beta_i + at, *const bj = row->beta_j + at;               \
            const double *const bk = row->beta_k + at;                                             \
            double *const target = row->out + start + r * row->out_sj, *const old = target;        \
            double *const out = row->out == row->u ? scratch : target;                             \
            (void)alpha, (void)dinv, (void)bi, (void)bj, (void)bk, (void)old, (void)colour;        \
            PREPARE##_row_sums(row, r, start, count, &lines, sums);                                \
            _Pragma("omp simd") for (long i = 0; i < count; i++)                                   \
            {                                                                                      \
                const double here = u[i];                                                          \
                const double r_i = residual_value(RHS(f[i], alpha[i], here), scale, SUM);          \
                out[i] = (value);                                                                  \
            }                                                                                      \
            if (out == scratch)                                                                    \
                memcpy(target, scratch, (size_t)count * sizeof *scratch);                          \
        }                                                                                          \
    }

#define OPERATOR(name, order, variable, helmholtz, PREPARE, LINES, SUM, RHS)                       \
    static void name##_residual(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(PREPARE, LINES, SUM, RHS, r_i)                                                    \
    }                                                                                              \
    static void name##_weighted(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(PREPARE, LINES, SUM, RHS, update_weighted(here, dinv[i], r_i, weight))            \
    }                                                                                              \
    static void name##_coloured(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(PREPARE, LINES, SUM, RHS,                                                         \
                 ((i + colour) & 1) ? here : update_weighted(here, dinv[i], r_i, weight))          \
    }                                                                                              \
    static void name##_two_step(const struct row *row)                                             \
    {                                                                                              \
        ROW_LOOP(PREPARE, LINES, SUM, RHS,                                                         \
                 update_two_step(here, old[i], dinv[i], r_i, weight, c1))                          \
    }
#include "operators/variants.def"
#undef OPERATOR

row_fn *row_function(const struct operator_choice *choice, enum row_kind kind)
{
    static row_fn *const table[][NUM_ROW_KINDS] = {
#define OPERATOR(name, order, variable, helmholtz, PREPARE, LINES, SUM, RHS)                       \
    {name##_residual, name##_weighted, name##_coloured, name##_two_step},
#include "operators/variants.def"
#undef OPERATOR
    };
    return table[operator_index(choice)][kind];
}
