/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells whose widths differ along a direction. The levels have equal cells, whose side in a
 * direction is the harmonic mean of its widths, and the finest level holds what makes its equations
 * those of the stretched cells, divided by the volume of an equal cell: f and α times the cell's
 * volume, and β times the face's area over the distance between its two cells (docs/NUMERICS.md,
 * Stretched grids). So these are products of one factor per direction. */
#include <math.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "library/solver_handle.h"
#include "operators/bodies.h"
#include "operators/pass.h"

static const char memory_name[] = "widths of cells";

enum hpgmg_status stretch_check(const int cells[3], const double *const widths[3])
{
    for (int d = 0; d < 3; d++) {
        if (!widths[d])
            return fail(HPGMG_ARGUMENT, "widths[%d] is NULL", d);
        for (int i = 0; i < cells[d]; i++)
            if (!(widths[d][i] > 0.0) || !isfinite(widths[d][i]))
                return fail(HPGMG_ARGUMENT, "widths[%d][%d] is %g; it must be positive and finite",
                            d, i, widths[d][i]);
    }
    return HPGMG_OK;
}

void stretch_lengths(const int cells[3], const double *const widths[3], double lengths[3])
{
    for (int d = 0; d < 3; d++) {
        double inverses = 0.0;
        for (int i = 0; i < cells[d]; i++)
            inverses += 1.0 / widths[d][i];
        lengths[d] = cells[d] / (inverses / cells[d]);
    }
}

/* The distance between the centres of the two cells at a face, over which u is differenced. The
 * ghost cell behind a Dirichlet wall is as wide as the cell in front of it. On a Neumann wall the
 * flux is given, so any distance does: that of equal cells leaves β its area alone. */
static double distance(const struct hpgmg *s, int d, int face)
{
    const double *w = s->widths[d];
    const int n = s->cells[d];
    const struct sides *sides = &s->hierarchy->choice.op.sides;
    if (face > 0 && face < n)
        return 0.5 * (w[face - 1] + w[face]);
    if (sides_wrap(sides, d))
        return 0.5 * (w[n - 1] + w[0]);
    return sides->of[d][face > 0] == BOUNDARY_NEUMANN ? s->lengths[d] / n : w[face > 0 ? n - 1 : 0];
}

void stretch_keep(struct hpgmg *s, const double *const widths[3])
{
    for (int d = 0; d < 3; d++) {
        const int n = s->cells[d];
        s->widths[d] = memory_alloc((size_t)n * sizeof(double), memory_name);
        s->edges[d] = memory_alloc((size_t)(n + 1) * sizeof(double), memory_name);
        s->edges[d][0] = 0.0;
        for (int i = 0; i < n; i++) {
            s->widths[d][i] = widths[d][i];
            s->edges[d][i + 1] = s->edges[d][i] + widths[d][i];
        }
    }
}

/* Factors of all cells and faces of a direction, in the backend's memory. */
static void make_factors(const struct hpgmg *s, const struct backend *backend, int d,
                         struct stretch *x)
{
    const int n = s->cells[d];
    const double side = s->lengths[d] / n;
    double *values = memory_alloc((size_t)(n + 1) * sizeof *values, memory_name);
    for (int i = 0; i < n; i++)
        values[i] = s->widths[d][i] / side;
    x->share[d] = backend->memory->allocate(n, memory_name);
    backend->memory->upload(x->share[d], values, n);
    for (int i = 0; i <= n; i++)
        values[i] = side / distance(s, d, i);
    x->near[d] = backend->memory->allocate(n + 1, memory_name);
    backend->memory->upload(x->near[d], values, n + 1);
    memory_free(values);
}

/* Made at their first use. */
static const struct stretch *factors_on(struct hpgmg *s, const struct backend *backend)
{
    struct stretch *x = s->stretch;
    while (x->backend && x->backend != backend)
        x++;
    for (int d = 0; d < 3 && !x->backend; d++)
        make_factors(s, backend, d, x);
    x->backend = backend;
    return x;
}

void stretch_field(struct hpgmg *s, const struct level *l, enum field field, int centre,
                   bool divides)
{
    if (!s->widths[0])
        return;
    const struct stretch *factors = factors_on(s, l->backend);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        struct scaling_arguments x = {
            .x = patch_cells(l, p, field), .sj = p->sj, .sk = p->sk, .divides = divides};
        for (int d = 0; d < 3; d++)
            x.factor[d] = (d == centre ? factors->near[d] : factors->share[d]) + p->box.lo[d];
        l->backend->passes->visit(BODY_scale, &x, p->n);
    }
}

double stretch_position(const struct hpgmg *s, int d, int cell, double shift)
{
    return s->edges[d][cell] + (shift > 0.0 ? shift * s->widths[d][cell] : 0.0);
}

void stretch_release(struct hpgmg *s)
{
    for (struct stretch *x = s->stretch; x < s->stretch + STRETCHED_BACKENDS && x->backend; x++)
        for (int d = 0; d < 3; d++) {
            x->backend->memory->release(x->share[d]);
            x->backend->memory->release(x->near[d]);
        }
    for (int d = 0; d < 3; d++) {
        memory_free(s->widths[d]);
        memory_free(s->edges[d]);
    }
}
