/* SPDX-License-Identifier: BSD-3-Clause */
/* Restriction and prolongation, row by row. */
#include <string.h>
#include "cpu/operations.h"
#include "operators/transfers.h"

#define INLINE static inline __attribute__((always_inline))

/* Coarse cells and coarse rows at a time, so that the scratch stays in L1. */
enum { CHUNK = 128, ROWS = 8 };

/* A value interpolated in one direction, from coarse cells around `c` with stride s. */
typedef double interpolate_fn(const double *c, long s);

INLINE double quadratic_low(const double *c, long s)
{
    return prolong2_low(c[-s], c[0], c[s]);
}

INLINE double quadratic_high(const double *c, long s)
{
    return prolong2_high(c[-s], c[0], c[s]);
}

INLINE double quartic_low(const double *c, long s)
{
    return prolong4_low(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

INLINE double quartic_high(const double *c, long s)
{
    return prolong4_high(c[-2 * s], c[-s], c[0], c[s], c[2 * s]);
}

/* `count` values interpolated by `high` if odd, else by `low`, from c with stride s. */
INLINE void interpolate_row(double *restrict out, const double *c, long s, int count, bool odd,
                            interpolate_fn *low, interpolate_fn *high)
{
    if (odd)
        for (int i = 0; i < count; i++)
            out[i] = high(c + i, s);
    else
        for (int i = 0; i < count; i++)
            out[i] = low(c + i, s);
}

/* Some rows of a plane of P coarse_u. `coarse` is the parent of the first fine cell. */
struct prolonged_rows {
    double *fine;
    const double *coarse;
    long fine_sj, coarse_sj, coarse_sk;
    int n;                   /* coarse cells per row */
    int rows;                /* fine rows */
    bool odd_row, odd_plane; /* the first row, the plane */
    bool add;
};

/* Interpolates in k, then in j, then in i. reach is 1 (quadratic) or 2 (quartic). */
INLINE void prolong(const struct prolonged_rows *x, const int n, int reach, interpolate_fn *low,
                    interpolate_fn *high)
{
    enum { WIDTH = CHUNK + 8 };
    double in_plane[ROWS + 4][WIDTH], line[WIDTH], values[2 * CHUNK];
    const int parents = (x->odd_row + x->rows + 1) / 2, width = n + 2 * reach;
    for (int row = 0; row < parents + 2 * reach; row++) {
        const double *c = x->coarse + (row - reach) * x->coarse_sj - reach;
        interpolate_row(in_plane[row], c, x->coarse_sk, width, x->odd_plane, low, high);
    }
    for (int r = 0; r < x->rows; r++) {
        const int fine_row = x->odd_row + r;
        interpolate_row(line, in_plane[fine_row / 2 + reach], WIDTH, width, fine_row & 1, low,
                        high);
        for (int i = 0; i < n; i++) {
            values[2 * i] = low(&line[i + reach], 1);
            values[2 * i + 1] = high(&line[i + reach], 1);
        }
        double *restrict out = x->fine + r * x->fine_sj;
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
            prolong(x, 1, reach, name##_low, name##_high);                                         \
            return;                                                                                \
        case 2:                                                                                    \
            prolong(x, 2, reach, name##_low, name##_high);                                         \
            return;                                                                                \
        case 4:                                                                                    \
            prolong(x, 4, reach, name##_low, name##_high);                                         \
            return;                                                                                \
        case 8:                                                                                    \
            prolong(x, 8, reach, name##_low, name##_high);                                         \
            return;                                                                                \
        default:                                                                                   \
            prolong(x, x->n, reach, name##_low, name##_high);                                      \
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
                .fine = p->buffer[0] - low + 2 * start + j * q->sj + k * q->sk,
                .coarse = p->coarse_u - low / 2 + start + parent(j) * p->coarse_sj +
                          parent(k) * p->coarse_sk,
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
static void restrict_rows(double *restrict coarse, const double *row_00, const double *row_10,
                          const double *row_01, const double *row_11, int count)
{
    for (int i = 0; i < count; i++)
        coarse[i] =
            restrict_cell(row_00[2 * i] + row_00[2 * i + 1], row_10[2 * i] + row_10[2 * i + 1],
                          row_01[2 * i] + row_01[2 * i + 1], row_11[2 * i] + row_11[2 * i + 1]);
}

static void restrict_block(const struct patch_pass *p, const struct row *block, int i, int j, int k,
                           void *unused)
{
    (void)unused;
    double *coarse = p->coarse_f + i / 2 + (j / 2) * p->coarse_sj + (k / 2) * p->coarse_sk;
    const long sj = block->out_sj, sk = block->out_sk;
    for (int plane = 0; plane < block->planes / 2; plane++)
        for (int r = 0; r < block->rows / 2; r++) {
            const double *row = block->out + 2 * r * sj + 2 * plane * sk;
            restrict_rows(coarse + r * p->coarse_sj + plane * p->coarse_sk, row, row + sj, row + sk,
                          row + sj + sk, block->n / 2);
        }
}

void step_residual_restrict(const struct patch_pass *p, const struct operation *op,
                            struct range rows, struct range planes, struct thread_state *state)
{
    for_residual_blocks(p, op, rows, planes, state, restrict_block, NULL);
}
