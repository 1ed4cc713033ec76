/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The passes again, cell by cell over the whole domain: the same formulas in loops without boxes,
 * rows, threads or tiles. Results of the program must be bitwise identical. Include after cmocka.h.
 */
#include <math.h>
#include <stdbool.h>
#include "base/memory.h"
#include "level/level.h"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "operators/stencil.h"
#include "operators/sum.h"
#include "operators/transfers.h"
#include "support/random.h"

enum { CELLS_MARGIN = 2 };

/* A cuboid of cells with two layers around it. */
struct cells {
    int n[3];
    bool periodic;
    long sj, sk, length, origin;
};

/* A domain with an operator and its fields; `buffer` as in struct pass: u, then TMP. */
struct domain {
    struct cells shape;
    const struct stencil *stencil;
    double *buffer[2], *f, *alpha, *dinv, *beta[3];
};

static inline double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

static inline struct cells cells_create(const int n[3], bool periodic)
{
    struct cells s = {{n[0], n[1], n[2]}, periodic, n[0] + 2 * CELLS_MARGIN, 0, 0, 0};
    s.sk = s.sj * (n[1] + 2 * CELLS_MARGIN);
    s.length = s.sk * (n[2] + 2 * CELLS_MARGIN);
    s.origin = CELLS_MARGIN * (1 + s.sj + s.sk);
    return s;
}

static inline long cells_at(const struct cells *s, int i, int j, int k)
{
    return s->origin + i + j * s->sj + k * s->sk;
}

/* Fills the margin of a periodic domain. */
static inline void cells_images(const struct cells *s, double *x)
{
    for (int k = -CELLS_MARGIN; k < s->n[2] + CELLS_MARGIN; k++)
        for (int j = -CELLS_MARGIN; j < s->n[1] + CELLS_MARGIN; j++)
            for (int i = -CELLS_MARGIN; i < s->n[0] + CELLS_MARGIN; i++)
                x[cells_at(s, i, j, k)] =
                    x[cells_at(s, (i + 2 * s->n[0]) % s->n[0], (j + 2 * s->n[1]) % s->n[1],
                               (k + 2 * s->n[2]) % s->n[2])];
}

/* Values in [low, high), in the margin too; there images where periodic. */
static inline double *cells_random(const struct cells *s, double low, double high)
{
    double *x = memory_alloc((size_t)s->length * sizeof *x, "cells");
    for (long c = 0; c < s->length; c++)
        x[c] = low + (high - low) * 0.5 * (random_value() + 1.0);
    if (s->periodic)
        cells_images(s, x);
    return x;
}

/* One ghost from the cells inward. */
static inline double cells_ghost(const double *x, long s, int rule, int layer)
{
    double v[MAX_WALL_CELLS] = {0};
    for (int m = 0; m < rule; m++)
        v[m] = x[m * s];
    return wall_ghost(WALL_DIRICHLET, rule, layer - 1, v);
}

/* Ghosts of direction d for the line through `at`, the first cell of the direction. */
static inline void cells_line_walls(const struct cells *s, double *x, long at, int d, int rule)
{
    const long stride = d == 0 ? 1 : d == 1 ? s->sj : s->sk;
    double *low = x + at, *high = low + (s->n[d] - 1) * stride;
    for (int layer = 1; layer <= 2; layer++) {
        low[-layer * stride] = cells_ghost(low, stride, rule, layer);
        high[layer * stride] = cells_ghost(high, -stride, rule, layer);
    }
}

/* Two layers of ghosts in i, then j, then k: images, or by the rule. */
static inline void cells_ghosts(const struct cells *s, double *x, int rule)
{
    if (s->periodic) {
        cells_images(s, x);
        return;
    }
    for (int d = 0; d < 3; d++) {
        const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2; /* the other directions, a < b */
        const int margin_a = a < d ? CELLS_MARGIN : 0, margin_b = b < d ? CELLS_MARGIN : 0;
        for (int q = -margin_b; q < s->n[b] + margin_b; q++)
            for (int p = -margin_a; p < s->n[a] + margin_a; p++) {
                int at[3] = {0, 0, 0};
                at[a] = p;
                at[b] = q;
                cells_line_walls(s, x, cells_at(s, at[0], at[1], at[2]), d, rule);
            }
    }
}

/* f − A u at one cell. */
static inline double cells_residual_at(const struct domain *d, const double *u, long c)
{
    const struct operator_choice *op = &d->stencil->choice;
    double sum, rhs;
    const struct near near =
        near_at(u + c, d->beta[0] + c, d->beta[1] + c, d->beta[2] + c, d->shape.sj, d->shape.sk);
    if (op->order == 2)
        sum = op->variable ? sum_fv2(near) : sum_fv2_constant(near);
    else
        sum = op->variable ? sum_fv4(near) : sum_fv4_constant(near);
    if (!op->equation)
        rhs = rhs_poisson(d->f[c], 0.0, u[c]);
    else
        rhs = op->variable ? rhs_helmholtz(d->f[c], d->alpha[c], u[c])
                           : rhs_helmholtz_unit(d->f[c], 1.0, u[c]);
    return residual_value(rhs, d->stencil->scale, sum);
}

static inline double cells_update(const struct domain *d, int sweep, long c, double u,
                                  double previous, double r)
{
    const struct stencil *s = d->stencil;
    const double w = d->dinv[c];
    switch (s->choice.smoother) {
    case SMOOTHER_GSRB:
        return fma(w, r, u);
    case SMOOTHER_CHEBYSHEV:
        return sweep == 0 ? update_weighted(u, w, r, s->chebyshev_c2[0])
                          : update_two_step(u, previous, w, r, s->chebyshev_c2[sweep],
                                            s->chebyshev_c1[sweep]);
    case SMOOTHER_JACOBI:
        return update_weighted(u, w, r, 2.0 / 3.0);
    default:
        return update_weighted(u, w, r, 1.0);
    }
}

/* Where sweep s finds its data. */
static inline double *cells_source(const struct domain *d, int sweep)
{
    return d->stencil->in_place ? d->buffer[0] : d->buffer[sweep & 1];
}

/* One sweep. Cells of the other colour keep, or in the other buffer get, the value they have. */
static inline void cells_sweep(struct domain *d, int sweep)
{
    const struct cells *s = &d->shape;
    double *from = cells_source(d, sweep), *to = cells_source(d, sweep + 1);
    const bool gsrb = d->stencil->choice.smoother == SMOOTHER_GSRB;
    cells_ghosts(s, from, stencil_walls(d->stencil)->cells);
    for (int k = 0; k < s->n[2]; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0; i < s->n[0]; i++) {
                const long c = cells_at(s, i, j, k);
                const bool rests = gsrb && (i + j + k + sweep) % 2 != 0;
                to[c] = rests ? from[c]
                              : cells_update(d, sweep, c, from[c], to[c],
                                             cells_residual_at(d, from, c));
            }
}

/* r = f − A u on all cells, u the source of sweep number `sweep`. Returns the bits of its norm. */
static inline uint64_t cells_residual(struct domain *d, int sweep, double *r)
{
    const struct cells *s = &d->shape;
    double *u = cells_source(d, sweep);
    uint64_t norm = 0;
    cells_ghosts(s, u, stencil_walls(d->stencil)->cells);
    for (int k = 0; k < s->n[2]; k++)
        for (int j = 0; j < s->n[1]; j++)
            for (int i = 0; i < s->n[0]; i++) {
                const long c = cells_at(s, i, j, k);
                r[c] = cells_residual_at(d, u, c);
                norm = magnitude_bits(r[c]) > norm ? magnitude_bits(r[c]) : norm;
            }
    return norm;
}

static inline void cells_restrict(const struct cells *fine, const double *x,
                                  const struct cells *coarse, double *y)
{
    const long sj = fine->sj, sk = fine->sk;
    for (int k = 0; k < coarse->n[2]; k++)
        for (int j = 0; j < coarse->n[1]; j++)
            for (int i = 0; i < coarse->n[0]; i++) {
                const double *a = x + cells_at(fine, 2 * i, 2 * j, 2 * k);
                y[cells_at(coarse, i, j, k)] = restrict_cell(
                    a[0] + a[1], a[sj] + a[sj + 1], a[sk] + a[sk + 1], a[sj + sk] + a[sj + sk + 1]);
            }
}

/* One direction of a prolongation to the child of this parity; c[2] is the parent. */
static inline double cells_child(const double c[5], int order, int parity)
{
    if (order == 2)
        return parity ? prolong2_high(c[1], c[2], c[3]) : prolong2_low(c[1], c[2], c[3]);
    return parity ? prolong4_high(c[0], c[1], c[2], c[3], c[4])
                  : prolong4_low(c[0], c[1], c[2], c[3], c[4]);
}

/* The value of P coarse at fine cell (i,j,k): k, then j, then i. */
static inline double cells_prolonged(const struct cells *coarse, const double *x, int order, int i,
                                     int j, int k)
{
    enum { REACH = CELLS_MARGIN }; /* more than order 2 uses */
    double plane[5][5], line[5], column[5];
    for (int b = -REACH; b <= REACH; b++)
        for (int a = -REACH; a <= REACH; a++) {
            for (int c = -REACH; c <= REACH; c++)
                column[c + 2] = x[cells_at(coarse, i / 2 + a, j / 2 + b, k / 2 + c)];
            plane[a + 2][b + 2] = cells_child(column, order, k & 1);
        }
    for (int a = -REACH; a <= REACH; a++)
        line[a + 2] = cells_child(plane[a + 2], order, j & 1);
    return cells_child(line, order, i & 1);
}

/* u = P coarse, or u += P coarse. */
static inline void cells_prolong(const struct cells *fine, double *u, const struct cells *coarse,
                                 double *x, int order, bool add)
{
    cells_ghosts(coarse, x, wall_rule_of(order, extent_shortest(coarse->n)));
    for (int k = 0; k < fine->n[2]; k++)
        for (int j = 0; j < fine->n[1]; j++)
            for (int i = 0; i < fine->n[0]; i++) {
                const double value = cells_prolonged(coarse, x, order, i, j, k);
                double *to = &u[cells_at(fine, i, j, k)];
                *to = add ? *to + value : value;
            }
}

/* --- between cells and the fields of a level ------------------------------------------------- */

/* Whether offset c of direction d, local to the patch, lies beyond a wall of the domain. */
static inline bool patch_beyond_wall(const struct patch *p, int d, int c)
{
    return (p->wall[d][0] && c < 0) || (p->wall[d][1] && c >= p->n[d]);
}

/* Calls visit for the cells of the patch and `layers` around them: offsets in the field, in the
 * cells, and how many directions lie beyond walls. */
typedef void visit_fn(void *data, const struct patch *p, long in_field, long in_cells,
                      const int local[3]);
static inline void patch_visit(const struct cells *s, const struct patch *p, int layers,
                               visit_fn *visit, void *data)
{
    for (int k = -layers; k < p->n[2] + layers; k++)
        for (int j = -layers; j < p->n[1] + layers; j++)
            for (int i = -layers; i < p->n[0] + layers; i++) {
                const int local[3] = {i, j, k};
                int at[3];
                for (int d = 0; d < 3; d++) {
                    at[d] = p->box.lo[d] + local[d];
                    if (s->periodic)
                        at[d] = (at[d] + 2 * s->n[d]) % s->n[d];
                }
                visit(data, p, p->offset + i + j * p->sj + k * p->sk,
                      cells_at(s, at[0], at[1], at[2]), local);
            }
}

/* Copies of one field. */
struct copying {
    double *field;
    double *cells;
    int normal;      /* of faces, or −1; −2: beyond walls too */
    bool tangential; /* faces one layer beyond walls, too */
    long differences;
};

static inline void visit_write(void *data, const struct patch *p, long in_field, long in_cells,
                               const int local[3])
{
    const struct copying *c = data;
    for (int d = 0; d < 3; d++) {
        int at = local[d];
        if (d == c->normal && at > 0)
            at--; /* the faces on a high wall are inside */
        if (c->tangential && d != c->normal)
            at += at < 0 ? 1 : at >= p->n[d] ? -1 : 0;
        if (patch_beyond_wall(p, d, at))
            return;
    }
    c->field[in_field] = c->cells[in_cells];
}

static inline void visit_compare(void *data, const struct patch *p, long in_field, long in_cells,
                                 const int local[3])
{
    struct copying *c = data;
    (void)p, (void)local;
    c->differences += memcmp(&c->field[in_field], &c->cells[in_cells], sizeof(double)) != 0;
}

static inline void field_poison(const struct level *l, enum field field)
{
    for (long c = 0; c < l->field_length; c++)
        level_natural(l, field)[c] = NAN;
}

/* The field gets the cells' values in its boxes and `layers` around them, but not beyond walls,
 * except for faces: on the walls, and if tangential one layer beyond. All else is NaN. */
static inline void field_write(const struct level *l, enum field field, const struct cells *s,
                               double *cells, int layers, int normal, bool tangential)
{
    struct copying c = {level_natural(l, field), cells, normal, tangential, 0};
    field_poison(l, field);
    for (int q = 0; q < l->npatches; q++)
        patch_visit(s, &l->patches[q], layers, visit_write, &c);
}

/* Cells of the boxes whose bits differ. */
static inline long field_differences(const struct level *l, enum field field, const struct cells *s,
                                     double *cells)
{
    struct copying c = {level_natural(l, field), cells, CENTRE_CELL, false, 0};
    for (int q = 0; q < l->npatches; q++)
        patch_visit(s, &l->patches[q], 0, visit_compare, &c);
    return c.differences;
}
