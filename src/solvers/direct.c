/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/direct.h"
#include <float.h>
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "level/backend.h"
#include "operators/stencil.h"
#include "solvers/krylov.h"

static const enum field X = FIELD_KRYLOV, AX = FIELD_KRYLOV + 1;

static int unknowns(const struct bottom *b)
{
    return (int)extent_cells(b->level->n);
}

/* The cell of unknown number c in a field of the bottom's only box. Host memory. */
static double *cell(const struct bottom *b, enum field field, int c)
{
    const struct patch *p = &b->level->patches[0];
    const int *n = b->level->n, row = c / n[0];
    return b->level->fields[field] + p->offset + c % n[0] + row % n[1] * p->sj + row / n[1] * p->sk;
}

static void assemble(struct bottom *b)
{
    const int n = unknowns(b);
    for (int c = 0; c < n; c++)
        *cell(b, X, c) = 0.0;
    for (int column = 0; column < n; column++) {
        *cell(b, X, column) = 1.0;
        krylov_apply(b->level, AX, X);
        for (int row = 0; row < n; row++)
            b->matrix[(long)row * n + column] = *cell(b, AX, row);
        *cell(b, X, column) = 0.0;
    }
    if (!operator_is_singular(&b->level->stencil->choice))
        return;
    const double shift = (n > 1 ? b->matrix[0] : 1.0) / n;
    for (long entry = 0; entry < (long)n * n; entry++)
        b->matrix[entry] += shift;
}

static int pivot_row(const double *a, int n, int column)
{
    int best = column;
    for (int row = column + 1; row < n; row++)
        if (fabs(a[(long)row * n + column]) > fabs(a[(long)best * n + column]))
            best = row;
    return best;
}

static void swap_rows(double *a, int n, int r, int s)
{
    for (int c = 0; c < n && r != s; c++) {
        const double t = a[(long)r * n + c];
        a[(long)r * n + c] = a[(long)s * n + c];
        a[(long)s * n + c] = t;
    }
}

void direct_factorise(struct bottom *b)
{
    const int n = unknowns(b);
    CHECK(n <= DIRECT_MAX_UNKNOWNS && !b->level->backend->on_device);
    b->matrix = memory_alloc((size_t)n * (size_t)n * sizeof *b->matrix,
                             "matrix of the direct bottom solver");
    b->pivots = memory_alloc((size_t)n * sizeof *b->pivots, "pivots of the direct bottom solver");
    assemble(b);
    double *a = b->matrix, norm = 0.0;
    for (long entry = 0; entry < (long)n * n; entry++)
        norm = fmax(norm, fabs(a[entry]));
    for (int k = 0; k < n; k++) {
        b->pivots[k] = pivot_row(a, n, k);
        swap_rows(a, n, k, b->pivots[k]);
        double *top = a + (long)k * n;
        /* a part of the domain may be singular on its own: u = 0 in one of its cells */
        if (fabs(top[k]) <= n * DBL_EPSILON * norm)
            top[k] = INFINITY;
#pragma omp parallel for schedule(static) if (n > 128)
        for (int row = k + 1; row < n; row++) {
            double *r = a + (long)row * n;
            const double factor = r[k] / top[k];
            r[k] = factor;
            for (int c = k + 1; c < n; c++)
                r[c] = fma(-factor, top[c], r[c]);
        }
    }
}

void direct_solve(struct bottom *b, enum field u, enum field f)
{
    const int n = unknowns(b);
    const double *a = b->matrix;
    for (int c = 0; c < n; c++)
        *cell(b, X, c) = *cell(b, f, c);
    for (int k = 0; k < n; k++) {
        const double t = *cell(b, X, b->pivots[k]);
        *cell(b, X, b->pivots[k]) = *cell(b, X, k);
        *cell(b, X, k) = t;
    }
    for (int row = 0; row < n; row++) {
        double sum = *cell(b, X, row);
        for (int c = 0; c < row; c++)
            sum = fma(-a[(long)row * n + c], *cell(b, X, c), sum);
        *cell(b, X, row) = sum;
    }
    for (int row = n - 1; row >= 0; row--) {
        double sum = *cell(b, X, row);
        for (int c = row + 1; c < n; c++)
            sum = fma(-a[(long)row * n + c], *cell(b, X, c), sum);
        *cell(b, X, row) = sum / a[(long)row * n + row];
    }
    for (int c = 0; c < n; c++)
        *cell(b, u, c) = *cell(b, X, c);
}
