/* SPDX-License-Identifier: BSD-3-Clause */
/* Restriction and prolongation, row by row. */
#include <string.h>
#include "base/check.h"
#include "operators/cpu.h"
#include "operators/transfers.h"

enum {
    CHUNK = 128
}; /* coarse cells at a time, so that the scratch stays in the first-level cache */

/* A value interpolated in one direction, from coarse cells around `c` with stride s. */
typedef double interpolate_fn(const double *c, long s);

static inline __attribute__((always_inline)) double quadratic_low(const double *c, long s)
{
    return prolong2_low(c[-s], c[0], c[s]);
}

static inline __attribute__((always_inline)) double quadratic_high(const double *c, long s)
{
    return prolong2_high(c[-s], c[0], c[s]);
}

static inline __attribute__((always_inline)) double quartic_low(const double *c, long s)
{
    return prolong4_low(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

static inline __attribute__((always_inline)) double quartic_high(const double *c, long s)
{
    return prolong4_high(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

/* One row of P coarse_u: `fine` gets 2·n values from the row `coarse` and its neighbours.
 * Interpolates in k, then in j, then in i. reach is 1 (quadratic) or 2 (quartic). */
static inline __attribute__((always_inline)) void
prolong_row(double *restrict fine, const double *coarse, long sj, long sk, int n, int reach,
            bool add, interpolate_fn *in_k, interpolate_fn *in_j, interpolate_fn *low,
            interpolate_fn *high)
{
    double in_plane[5][CHUNK + 4], line[CHUNK + 4];
    for (int start = 0; start < n; start += CHUNK) {
        const int count = n - start < CHUNK ? n - start : CHUNK;
        const double *c = coarse + start - reach;
        for (int row = -reach; row <= reach; row++)
            for (int i = 0; i < count + 2 * reach; i++)
                in_plane[row + 2][i] = in_k(c + row * sj + i, sk);
        for (int i = 0; i < count + 2 * reach; i++)
            line[i] = in_j(&in_plane[2][i], CHUNK + 4);
        double *out = fine + 2 * start;
        for (int i = 0; i < count; i++) {
            const double a = low(&line[i + reach], 1), b = high(&line[i + reach], 1);
            out[2 * i] = add ? out[2 * i] + a : a;
            out[2 * i + 1] = add ? out[2 * i + 1] + b : b;
        }
    }
}

/* One loop per order and parity of k and j, with its interpolations as constants. */
#define PROLONG(name, reach, add)                                                                  \
    static void prolong_##name##_##add(double *fine, const double *coarse, long sj, long sk,       \
                                       int n, int j, int k)                                        \
    {                                                                                              \
        if (k & 1 && j & 1)                                                                        \
            prolong_row(fine, coarse, sj, sk, n, reach, add, name##_high, name##_high, name##_low, \
                        name##_high);                                                              \
        else if (k & 1)                                                                            \
            prolong_row(fine, coarse, sj, sk, n, reach, add, name##_high, name##_low, name##_low,  \
                        name##_high);                                                              \
        else if (j & 1)                                                                            \
            prolong_row(fine, coarse, sj, sk, n, reach, add, name##_low, name##_high, name##_low,  \
                        name##_high);                                                              \
        else                                                                                       \
            prolong_row(fine, coarse, sj, sk, n, reach, add, name##_low, name##_low, name##_low,   \
                        name##_high);                                                              \
    }
PROLONG(quadratic, 1, 0)
PROLONG(quadratic, 1, 1)
PROLONG(quartic, 2, 0)
PROLONG(quartic, 2, 1)

typedef void prolong_fn(double *fine, const double *coarse, long sj, long sk, int n, int j, int k);

/* The coarse index of fine index i, also for ghosts. */
static int parent(int i)
{
    return (i - (i & 1)) / 2;
}

/* Includes the ghosts beyond sides without a wall, an even number of layers. */
static void prolong_step(const struct patch_pass *p, const struct operation *op,
                         prolong_fn *prolong, struct range rows, int k)
{
    const struct patch *q = p->patch;
    const int low = q->wall[0][0] ? 0 : op->extent, high = q->wall[0][1] ? 0 : op->extent;
    for (int j = rows.low; j < rows.high; j++) {
        const double *coarse =
            p->coarse_u - low / 2 + parent(j) * p->coarse_sj + parent(k) * p->coarse_sk;
        prolong(p->buffer[0] - low + j * q->sj + k * q->sk, coarse, p->coarse_sj, p->coarse_sk,
                (q->n[0] + low + high) / 2, j, k);
    }
}

void step_prolong_set(const struct patch_pass *p, const struct operation *op, struct range rows,
                      int k, struct thread_state *state)
{
    (void)state;
    prolong_step(p, op, op->sweep == 4 ? prolong_quartic_0 : prolong_quadratic_0, rows, k);
}

void step_prolong_add(const struct patch_pass *p, const struct operation *op, struct range rows,
                      int k, struct thread_state *state)
{
    (void)state;
    prolong_step(p, op, op->sweep == 4 ? prolong_quartic_1 : prolong_quadratic_1, rows, k);
}

/* `count` coarse cells from four fine rows, named by the parity of (j,k). */
static void restrict_rows(double *restrict coarse, const double *row_00, const double *row_10,
                          const double *row_01, const double *row_11, int count)
{
    for (int i = 0; i < count; i++)
        coarse[i] =
            restrict_cell(row_00[2 * i] + row_00[2 * i + 1], row_10[2 * i] + row_10[2 * i + 1],
                          row_01[2 * i] + row_01[2 * i + 1], row_11[2 * i] + row_11[2 * i + 1]);
}

/* The coarse row of fine rows j, j + 1 in planes k, k + 1. */
static void residual_restrict_row(const struct patch_pass *p, const struct operation *op, int j,
                                  int k)
{
    const int n = p->patch->n[0] / 2;
    double residual[4][2 * CHUNK];
    double *coarse = p->coarse_f + (j / 2) * p->coarse_sj + (k / 2) * p->coarse_sk;
    for (int start = 0; start < n; start += CHUNK) {
        const int count = n - start < CHUNK ? n - start : CHUNK;
        for (int plane = 0; plane < 2; plane++) {
            struct row row = row_of_pass(p, op->sweep, 2 * start, j, k + plane);
            row.n = 2 * count;
            row.rows = 2;
            row.out = residual[2 * plane];
            row.out_sj = 2 * CHUNK;
            op->row(&row);
        }
        restrict_rows(coarse + start, residual[0], residual[1], residual[2], residual[3], count);
    }
}

void step_residual_restrict(const struct patch_pass *p, const struct operation *op,
                            struct range rows, int k, struct thread_state *state)
{
    (void)state;
    for (int j = rows.low; j < rows.high; j += 2)
        residual_restrict_row(p, op, j, k);
}

void cpu_restrict_cells(const struct level *fine, enum field from, struct level *coarse,
                        enum field to)
{
    CHECK(fine->npatches == coarse->npatches);
    for (int q = 0; q < fine->npatches; q++) {
        const struct patch *f = &fine->patches[q], *c = &coarse->patches[q];
        const double *x = patch_cells(fine, f, from);
        double *y = patch_cells(coarse, c, to);
        const int threads = cpu_threads((long)f->n[0] * f->n[1] * f->n[2]);
#pragma omp parallel for collapse(2) schedule(static) num_threads(threads) if (threads > 1)
        for (int k = 0; k < c->n[2]; k++)
            for (int j = 0; j < c->n[1]; j++) {
                const double *row = x + 2 * j * f->sj + 2 * k * f->sk;
                restrict_rows(y + j * c->sj + k * c->sk, row, row + f->sj, row + f->sk,
                              row + f->sj + f->sk, c->n[0]);
            }
    }
}

/* Faces on the low side of coarse cells in `direction`, and faces on the domain's high wall. */
void cpu_restrict_face(const struct level *fine, struct level *coarse, int direction)
{
    const enum field field = FIELD_BETA_I + direction;
    CHECK(fine->npatches == coarse->npatches);
    for (int q = 0; q < fine->npatches; q++) {
        const struct patch *f = &fine->patches[q], *c = &coarse->patches[q];
        const double *x = patch_cells(fine, f, field);
        double *y = patch_cells(coarse, c, field);
        const long stride[3] = {1, f->sj, f->sk};
        const long s = stride[(direction + 1) % 3], t = stride[(direction + 2) % 3];
        const long s1 = s < t ? s : t, s2 = s < t ? t : s;
        int n[3];
        for (int d = 0; d < 3; d++)
            n[d] = c->n[d] + (d == direction && c->wall[d][1]);
#pragma omp parallel for collapse(2) schedule(static)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                for (int i = 0; i < n[0]; i++) {
                    const double *b = x + 2 * i + 2 * j * f->sj + 2 * k * f->sk;
                    y[i + j * c->sj + k * c->sk] = restrict_face(b[0], b[s1], b[s2], b[s1 + s2]);
                }
    }
}
