/* SPDX-License-Identifier: BSD-3-Clause */
/* The fv problem's products, in rows by all threads. */
#include "operators/cpu.h"
#include "operators/problem_formula.h"

static void fill_rhs_row(const struct fv_tables *t, const struct patch *p, int j, int k, double *f)
{
    const int *lo = p->box.lo;
    for (int i = 0; i < p->n[0]; i++)
        f[i] =
            fv_rhs(t->points[lo[0] + i], t->points[lo[1] + j], t->points[lo[2] + k], t->correction);
}

/* β on the low faces of a row and, with one more cell, on the last one's high face. */
static void fill_beta_row(const struct fv_tables *t, const struct patch *p, int direction, int n,
                          int j, int k, double *beta)
{
    const int *lo = p->box.lo;
    const double *x = direction == 0 ? t->faces : t->centres;
    const double sy = (direction == 1 ? t->faces : t->centres)[lo[1] + j];
    const double sz = (direction == 2 ? t->faces : t->centres)[lo[2] + k];
    for (int i = 0; i < n; i++)
        beta[i] = fv_beta(x[lo[0] + i], sy, sz, t->correction, t->curvature);
}

static void fill_cells(const struct level *l, const struct patch *p, const struct fv_tables *t)
{
    double *f = l->fields[FIELD_F] + p->offset;
    double *alpha = l->fields[FIELD_ALPHA] ? l->fields[FIELD_ALPHA] + p->offset : NULL;
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < p->n[2]; k++)
        for (int j = 0; j < p->n[1]; j++) {
            const long row = j * p->sj + k * p->sk;
            fill_rhs_row(t, p, j, k, f + row);
            for (int i = 0; alpha && i < p->n[0]; i++)
                alpha[row + i] = 1.0;
        }
}

static void fill_faces(const struct level *l, const struct patch *p, const struct fv_tables *t,
                       int direction)
{
    double *beta = l->fields[FIELD_BETA_I + direction] + p->offset;
    int n[3] = {p->n[0], p->n[1], p->n[2]};
    n[direction] += p->wall[direction][1]; /* the faces on the wall */
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            fill_beta_row(t, p, direction, n[0], j, k, beta + j * p->sj + k * p->sk);
}

void cpu_fill_fv(const struct level *level, const struct fv_tables *tables)
{
    for (int q = 0; q < level->npatches; q++) {
        fill_cells(level, &level->patches[q], tables);
        for (int direction = 0; direction < 3 && level->fields[FIELD_BETA_I]; direction++)
            fill_faces(level, &level->patches[q], tables, direction);
    }
}
