/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds corrections from a correction level in single precision to a level's u, and stores its
 * residuals as the correction level's f. */
#include <math.h>
#include "cpu/halves.h"
#include "cpu/operations.h"

void corrections_open(struct patch_pass *p, const struct level *l, int q)
{
    const struct level *c = l->correction;
    const struct patch *patch = &c->patches[q];
    p->correction = (struct correction_patch){.u = (float *)c->fields[FIELD_U] + patch->offset,
                                              .f = (float *)c->fields[FIELD_F] + patch->offset,
                                              .sj = patch->sj,
                                              .sk = patch->sk,
                                              .up = ldexp(1.0, c->u_exponent),
                                              .down = ldexp(1.0, -c->rhs_exponent)};
}

static void add_row(double *restrict u, const float *e, int n, double factor)
{
    for (int i = 0; i < n; i++)
        u[i] = fma(factor, (double)e[i], u[i]);
}

void step_correct(const struct patch_pass *p, const struct operation *op, struct range rows,
                  struct range planes, struct thread_state *state)
{
    (void)op, (void)state;
    const struct correction_patch *c = &p->correction;
    const int n = p->patch->n[0];
    for (int k = planes.low; k < planes.high; k++)
        for (int j = rows.low; j < rows.high; j++) {
            double *u = p->buffer[0] + j * p->patch->sj + k * p->patch->sk;
            const float *e = c->u + j * c->sj + k * c->sk;
            for (int odd = 0; p->halves && odd < 2; odd++)
                add_row(u + odd * (p->patch->sj / 2), e + odd * (c->sj / 2), half_index(n, odd),
                        c->up);
            if (!p->halves)
                add_row(u, e, n, c->up);
        }
}

static void narrow_row(float *restrict f, const double *r, int n, double factor)
{
    for (int i = 0; i < n; i++)
        f[i] = (float)(factor * r[i]);
}

/* Raises `norm`, unless it is NULL. */
static void narrow_block(const struct patch_pass *p, const struct row *block, int i, int j, int k,
                         void *norm)
{
    const struct correction_patch *c = &p->correction;
    for (int plane = 0; plane < block->planes; plane++)
        for (int r = 0; r < block->rows; r++) {
            const double *from = block->out + r * block->out_sj + plane * block->out_sk;
            float *f = c->f + (j + r) * c->sj + (k + plane) * c->sk;
            for (int odd = 0; p->halves && odd < 2; odd++)
                narrow_row(f + odd * (c->sj / 2) + i / 2, from + odd * (block->out_sj / 2),
                           half_index(block->n, odd), c->down);
            if (!p->halves)
                narrow_row(f + i, from, block->n, c->down);
        }
    if (norm)
        raise_block_norm(p, block, i, j, k, norm);
}

void step_defect(const struct patch_pass *p, const struct operation *op, struct range rows,
                 struct range planes, struct thread_state *state)
{
    for_residual_blocks(p, op, rows, planes, state, narrow_block, NULL);
}

void step_defect_norm(const struct patch_pass *p, const struct operation *op, struct range rows,
                      struct range planes, struct thread_state *state)
{
    for_residual_blocks(p, op, rows, planes, state, narrow_block, &state->norm);
}
