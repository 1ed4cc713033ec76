/* SPDX-License-Identifier: BSD-3-Clause */
/* Restriction and prolongation, row by row. */
#include <string.h>
#include "cpu/operations.h"
#include "cpu/halves.h"
#include "operators/transfers.h"

#define INLINE static inline __attribute__((always_inline))

/* Coarse cells and coarse rows at a time, so that the scratch stays in L1. */
enum { CHUNK = 128, ROWS = 8 };

/* `count` values interpolated in one direction, at the high children if odd, else at the low ones;
 * s is the stride to the neighbours of the coarse cells at c. */
INLINE void interpolate_row(real *restrict out, const real *c, long s, int count, bool odd,
                            int reach)
{
    if (odd)
        for (int i = 0; i < count; i++)
            out[i] = prolong_line(reach, c + i, s, true);
    else
        for (int i = 0; i < count; i++)
            out[i] = prolong_line(reach, c + i, s, false);
}

/* Some rows of a plane of P coarse_u. `coarse` is the parent of the first fine cell. */
struct prolonged_rows {
    real *fine;         /* the first fine cell, or its place in each half */
    const real *coarse; /* cell 0 of the row of its parent */
    int first;          /* its parent */
    long fine_sj, coarse_sj, coarse_sk;
    bool fine_halves, coarse_halves; /* see halves.h */
    int n;                           /* coarse cells per row */
    int rows;                        /* fine rows */
    bool odd_row, odd_plane;         /* the first row, the plane */
    bool add;
};

/* Interpolates in k, then in j, then in i. reach is 1 (quadratic) or 2 (quartic). */
INLINE void prolong(const struct prolonged_rows *x, const int n, const int reach)
{
    enum { WIDTH = CHUNK + 8 };
    real in_plane[ROWS + 4][WIDTH], line[WIDTH], values[2 * CHUNK];
    const long half = x->fine_sj / 2;
    const int parents = (x->odd_row + x->rows + 1) / 2, width = n + 2 * reach;
    const int first = x->first - reach;
    for (int row = 0; row < parents + 2 * reach; row++) {
        const real *c = x->coarse + (row - reach) * x->coarse_sj;
        if (!x->coarse_halves)
            interpolate_row(in_plane[row], c + first, x->coarse_sk, width, x->odd_plane, reach);
        for (int odd = 0; x->coarse_halves && odd < 2; odd++) {
            const int m = half_index(first, odd), count = half_index(first + width, odd) - m;
            interpolate_row(line, c + odd * (x->coarse_sj / 2) + m, x->coarse_sk, count,
                            x->odd_plane, reach);
            for (int i = 0; i < count; i++)
                in_plane[row][2 * (m + i) + odd - first] = line[i];
        }
    }
    for (int r = 0; r < x->rows; r++) {
        const int fine_row = x->odd_row + r;
        interpolate_row(line, in_plane[fine_row / 2 + reach], WIDTH, width, fine_row & 1, reach);
        real *restrict out = x->fine + r * x->fine_sj;
        for (int i = 0; x->fine_halves && i < n; i++) {
            const real even = prolong_line(reach, &line[i + reach], 1, false),
                       odd = prolong_line(reach, &line[i + reach], 1, true);
            out[i] = x->add ? out[i] + even : even;
            out[half + i] = x->add ? out[half + i] + odd : odd;
        }
        if (x->fine_halves)
            continue;
        for (int i = 0; i < n; i++) {
            values[2 * i] = prolong_line(reach, &line[i + reach], 1, false);
            values[2 * i + 1] = prolong_line(reach, &line[i + reach], 1, true);
        }
        for (int i = 0; i < 2 * n; i++)
            out[i] = x->add ? out[i] + values[i] : values[i];
    }
}

/* Rows of any length, and of the lengths that small levels have. */
#define PROLONG(name, reach)                                                                       \
    static void prolong_##name(const struct prolonged_rows *x)                                     \
    {                                                                                              \
        switch (x->n) {                                                                            \
        case 1:                                                                                    \
            prolong(x, 1, reach);                                                                  \
            return;                                                                                \
        case 2:                                                                                    \
            prolong(x, 2, reach);                                                                  \
            return;                                                                                \
        case 4:                                                                                    \
            prolong(x, 4, reach);                                                                  \
            return;                                                                                \
        case 8:                                                                                    \
            prolong(x, 8, reach);                                                                  \
            return;                                                                                \
        default:                                                                                   \
            prolong(x, x->n, reach);                                                               \
        }                                                                                          \
    }
PROLONG(quadratic, 1)
PROLONG(quartic, 2)

/* The coarse index of fine index i, also for ghosts. */
static int parent(int i)
{
    return (i - (i & 1)) / 2;
}

/* Includes the ghosts beyond sides without a wall, an even number of layers. */
static void prolong_plane(const struct patch_pass *p, const struct operation *op, struct range rows,
                          int k, bool add)
{
    const struct patch *q = p->patch;
    const int low = q->wall[0][0] ? 0 : op->extent, high = q->wall[0][1] ? 0 : op->extent;
    const int n = (q->n[0] + low + high) / 2;
    for (int j = rows.low, end; j < rows.high; j = end) {
        end = 2 * (parent(j) + ROWS);
        end = end < rows.high ? end : rows.high;
        for (int start = 0; start < n; start += CHUNK) {
            const struct prolonged_rows x = {
                .fine =
                    p->buffer[0] + (2 * start - low) / (p->halves ? 2 : 1) + j * q->sj + k * q->sk,
                .coarse = p->coarse_u + parent(j) * p->coarse_sj + parent(k) * p->coarse_sk,
                .first = start - low / 2,
                .fine_halves = p->halves,
                .coarse_halves = p->coarse_u_halves,
                .fine_sj = q->sj,
                .coarse_sj = p->coarse_sj,
                .coarse_sk = p->coarse_sk,
                .n = n - start < CHUNK ? n - start : CHUNK,
                .rows = end - j,
                .odd_row = j & 1,
                .odd_plane = k & 1,
                .add = add,
            };
            if (op->sweep == 4)
                prolong_quartic(&x);
            else
                prolong_quadratic(&x);
        }
    }
}

void step_prolong_set(const struct patch_pass *p, const struct operation *op, struct range rows,
                      struct range planes, struct thread_state *state)
{
    (void)state;
    for (int k = planes.low; k < planes.high; k++)
        prolong_plane(p, op, rows, k, false);
}

void step_prolong_add(const struct patch_pass *p, const struct operation *op, struct range rows,
                      struct range planes, struct thread_state *state)
{
    (void)state;
    for (int k = planes.low; k < planes.high; k++)
        prolong_plane(p, op, rows, k, true);
}

/* `count` coarse cells from four fine rows, named by the parity of (j,k). */
static void restrict_rows(real *restrict coarse, const real *row_00, const real *row_10,
                          const real *row_01, const real *row_11, int count)
{
    for (int i = 0; i < count; i++)
        coarse[i] =
            restrict_cell(row_00[2 * i] + row_00[2 * i + 1], row_10[2 * i] + row_10[2 * i + 1],
                          row_01[2 * i] + row_01[2 * i + 1], row_11[2 * i] + row_11[2 * i + 1]);
}

/* The same from rows in halves. */
static void restrict_halves(real *restrict coarse, const real *row_00, const real *row_10,
                            const real *row_01, const real *row_11, int count, long half)
{
    for (int i = 0; i < count; i++)
        coarse[i] = restrict_cell(row_00[i] + row_00[half + i], row_10[i] + row_10[half + i],
                                  row_01[i] + row_01[half + i], row_11[i] + row_11[half + i]);
}

/* Coarse cells first <= i < first + count of the row at `coarse`. */
static void restrict_to(real *coarse, long coarse_sj, bool coarse_halves, int first, int count,
                        const real *row, long sj, long sk, bool halves)
{
    real values[2 * CHUNK];
    real *out = coarse_halves ? values : coarse + first;
    if (halves)
        restrict_halves(out, row, row + sj, row + sk, row + sj + sk, count, sj / 2);
    else
        restrict_rows(out, row, row + sj, row + sk, row + sj + sk, count);
    if (coarse_halves)
        row_split(coarse + first / 2, coarse_sj, values, 0, count);
}

static void restrict_block(const struct patch_pass *p, const struct row *block, int i, int j, int k,
                           void *unused)
{
    (void)unused;
    const long sj = block->out_sj, sk = block->out_sk;
    const int count = block->n / 2, first = i / 2;
    for (int plane = 0; plane < block->planes / 2; plane++)
        for (int r = 0; r < block->rows / 2; r++)
            restrict_to(p->coarse_f + (j / 2 + r) * p->coarse_sj + (k / 2 + plane) * p->coarse_sk,
                        p->coarse_sj, p->coarse_f_halves, first, count,
                        block->out + 2 * r * sj + 2 * plane * sk, sj, sk, p->halves);
}

static void restrict_plane(const struct level *fine, enum field from, const struct level *coarse,
                           enum field to, int q, int k)
{
    const struct patch *f = &fine->patches[q], *c = &coarse->patches[q];
    const real *row = cpu_cells(fine, f, from) + 2 * k * f->sk;
    real *out = cpu_cells(coarse, c, to) + k * c->sk;
    for (int j = 0; j < c->n[1]; j++)
        for (int i = 0; i < c->n[0]; i += 2 * CHUNK)
            restrict_to(out + j * c->sj, c->sj, coarse->own_order[to], i,
                        c->n[0] - i < 2 * CHUNK ? c->n[0] - i : 2 * CHUNK, row + 2 * j * f->sj + i,
                        f->sj, f->sk, true);
}

bool cpu_restrict(const struct level *fine, enum field from, struct level *coarse, enum field to)
{
    if (!fine->own_order[from])
        return false;
    coarse->own_order[to] = halves_used(coarse);
    for (int q = 0; q < fine->npatches; q++) {
        const int *n = fine->patches[q].n;
#pragma omp parallel for schedule(static) num_threads(cpu_threads((long)n[0] * n[1] * n[2]))
        for (int k = 0; k < n[2] / 2; k++)
            restrict_plane(fine, from, coarse, to, q, k);
    }
    return true;
}

void step_residual_restrict(const struct patch_pass *p, const struct operation *op,
                            struct range rows, struct range planes, struct thread_state *state)
{
    for_residual_blocks(p, op, rows, planes, state, restrict_block, NULL);
}
