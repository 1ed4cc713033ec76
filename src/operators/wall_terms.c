/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/wall_terms.h"
#include <string.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "operators/bodies.h"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/stencil.h"

static const char memory_name[] = "terms of walls";

/* Cells near walls; slabs of a patch do not overlap. Arrays are in the backend's memory. */
struct wall_slab {
    const struct patch *patch;
    struct local_box cells;
    double *term, *kept; /* kept: NULL until it is */
};

struct wall_terms {
    const struct level *level;
    int layers, count;
    struct wall_slab *slabs;
};

/* --- ghosts --------------------------------------------------------------------------------------
 */

/* Around one patch, while terms are computed. */
struct near_walls {
    const struct level *level;
    const struct patch *patch;
    struct wall_part g[3][2], beta[3][2];
    const struct wall_weights *rule;
    int reach;    /* how far from a cell G is read */
    int ratio[3]; /* of prolongation: fine cells per coarse one */
};

static struct near_walls near_walls_of(const struct near_walls *common, const struct level *l,
                                       const struct patch *patch, const struct wall_values *v)
{
    struct near_walls w = *common;
    w.level = l;
    w.patch = patch;
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < 2; s++) {
            w.g[d][s] = wall_part_of(l, patch, d, s, v->g[d][s]);
            w.beta[d][s] = wall_part_of(l, patch, d, s, v->beta[d][s]);
        }
    return w;
}

/* The value of a plane on the wall (d, side) next to a local cell. */
static double beside(const struct wall_part *w, int d, const int cell[3])
{
    return w->at[cell[wall_tangent(d, 0)] + cell[wall_tangent(d, 1)] * w->stride];
}

/* G in a local cell: 0 inside, and behind a wall the rule with its weight of g. A ghost behind two
 * walls follows from those behind one. */
static double ghost_of_values(const struct near_walls *w, const int cell[3])
{
    const struct patch *p = w->patch;
    int d = 2;
    while (d >= 0 && !(cell[d] < 0 && p->wall[d][0]) && !(cell[d] >= p->n[d] && p->wall[d][1]))
        d--;
    if (d < 0)
        return 0.0;
    const int side = cell[d] >= 0, layer = side ? cell[d] - p->n[d] : -cell[d] - 1;
    const struct side_weights *rule = &w->rule->side[d][side];
    int inner[3] = {cell[0], cell[1], cell[2]};
    double x[MAX_WALL_CELLS] = {0.0};
    for (int m = 0; m < rule->cells; m++) {
        inner[d] = side ? p->n[d] - 1 - m : m;
        x[m] = ghost_of_values(w, inner);
    }
    const double unit = p->wall[d][side] == WALL_NEUMANN ? w->level->stencil->spacing.side[d] : 1.0;
    const double value = w->g[d][side].at ? unit * beside(&w->g[d][side], d, cell) : 0.0;
    return fma(wall_value_weight(rule, p->wall[d][side], layer), value,
               side_ghost(rule, rule->cells, layer, x));
}

/* G in a box of cells and w->reach layers around. at[x + y·stride[1] + …] is a cell of the box;
 * memory_free(all). */
struct near_ghosts {
    double *all, *at;
    long stride[3];
};

static struct near_ghosts near_ghosts(const struct near_walls *w, const struct local_box *box)
{
    const struct local_box grown = local_box_grow(box, w->reach);
    const long sj = grown.n[0], sk = sj * grown.n[1];
    double *all = local_box_array(&grown);
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < grown.n[2]; k++)
        for (int j = 0; j < grown.n[1]; j++)
            for (int i = 0; i < grown.n[0]; i++)
                all[i + j * sj + k * sk] = ghost_of_values(
                    w, (const int[3]){grown.lo[0] + i, grown.lo[1] + j, grown.lo[2] + k});
    return (struct near_ghosts){all, all + w->reach * (1 + sj + sk), {1, sj, sk}};
}

/* --- terms of one slab ---------------------------------------------------------------------------
 */

/* S of the operator, by its row. */
static sum_fn *const sums[] = {
#define OPERATOR(name, order, equation, variable, alpha, cells, sum, rhs) sum,
#include "operators/variants.def"
#undef OPERATOR
};

/* β of a slab grown by one layer, the three directions in turn; NULL if it is not stored. */
static double *read_beta(const struct level *l, const struct patch *p, const struct local_box *c)
{
    if (!l->fields[FIELD_BETA_I])
        return NULL;
    const struct local_box grown = local_box_grow(c, 1);
    const long cells = local_box_cells(&grown);
    double *beta = memory_alloc((size_t)(3 * cells) * sizeof *beta, memory_name);
    for (int d = 0; d < 3; d++)
        local_box_read(l, p, (enum field)(FIELD_BETA_I + d), &grown, beta + d * cells);
    return beta;
}

/* −A G */
static void operator_terms(const struct near_walls *w, const struct local_box *c, double *terms)
{
    const struct stencil *s = w->level->stencil;
    sum_fn *const sum = sums[operator_index(&s->choice)];
    const struct near_ghosts g = near_ghosts(w, c);
    const long stride[3] = {1, c->n[0] + 2, (c->n[0] + 2L) * (c->n[1] + 2)},
               field = stride[2] * (c->n[2] + 2);
    double *beta = read_beta(w->level, w->patch, c);
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++) {
                struct near x = {.u = g.at + i + j * g.stride[1] + k * g.stride[2]};
                memcpy(x.stride, g.stride, sizeof x.stride);
                memcpy(x.beta_stride, stride, sizeof x.beta_stride);
                for (int d = 0; d < 3 && beta; d++)
                    x.beta[d] =
                        beta + d * field + i + 1 + (j + 1) * stride[1] + (k + 1) * stride[2];
                terms[i + (j + (long)k * c->n[1]) * c->n[0]] = s->scale * sum(x);
            }
    memory_free(beta);
    memory_free(g.all);
}

/* The flux into a cell through a Neumann wall with stored β, over the cell's side. The stored β has
 * its weight. */
static double wall_inflow(const struct near_walls *w, int d, int side, const int cell[3])
{
    const struct wall_part *g = &w->g[d][side], *beta = &w->beta[d][side];
    double dg[2], dbeta[2];
    for (int which = 0; which < 2; which++) {
        int low[3] = {cell[0], cell[1], cell[2]}, high[3] = {cell[0], cell[1], cell[2]};
        low[wall_tangent(d, which)]--;
        high[wall_tangent(d, which)]++;
        dg[which] = beside(g, d, high) - beside(g, d, low);
        dbeta[which] = beside(beta, d, high) - beside(beta, d, low);
    }
    const double value = beside(g, d, cell), b = beside(beta, d, cell);
    const double flux = w->level->stencil->reads_edges
                            ? fv4_wall_flux(b, value, dbeta[0], dg[0], dbeta[1], dg[1])
                            : b * value;
    const struct spacing *spacing = &w->level->stencil->spacing;
    return flux / (spacing->side[d] * spacing->weight[d]);
}

static double inflows(const struct near_walls *w, const int cell[3])
{
    double sum = 0.0;
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++)
            if (cell[d] == (side ? w->patch->n[d] - 1 : 0) && w->g[d][side].at &&
                w->beta[d][side].at)
                sum += wall_inflow(w, d, side, cell);
    return sum;
}

static void inflow_terms(const struct near_walls *w, const struct local_box *c, double *terms)
{
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++)
                *terms++ = inflows(w, (const int[3]){c->lo[0] + i, c->lo[1] + j, c->lo[2] + k});
}

/* P G. Slabs begin and end where coarse cells do. */
static void prolonged_terms(const struct near_walls *w, const struct local_box *c, double *terms)
{
    struct local_box coarse;
    for (int d = 0; d < 3; d++) {
        coarse.lo[d] = c->lo[d] / w->ratio[d];
        coarse.n[d] = c->n[d] / w->ratio[d];
    }
    const struct near_ghosts g = near_ghosts(w, &coarse);
    const long sj = c->n[0], sk = sj * c->n[1];
    struct prolongation_arguments x = {
        .fine = terms, .coarse = g.at, .sj = sj, .sk = sk, .reach = w->reach};
    memcpy(x.ratio, w->ratio, sizeof x.ratio);
    memcpy(x.stride, g.stride, sizeof x.stride);
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++)
                body_prolong(&x, i, j, k);
    memory_free(g.all);
}

/* --- slabs ---------------------------------------------------------------------------------------
 */

/* Adds the slab at one wall of what is left of a patch, and takes it away. */
static void add_slab(struct wall_terms *terms, const struct patch *p, struct local_box *left, int d,
                     int side)
{
    const int layers = terms->layers < left->n[d] ? terms->layers : left->n[d];
    struct wall_slab *b = &terms->slabs[terms->count++];
    *b = (struct wall_slab){.patch = p, .cells = *left};
    b->cells.lo[d] = side ? left->lo[d] + left->n[d] - layers : left->lo[d];
    b->cells.n[d] = layers;
    left->lo[d] += side ? 0 : layers;
    left->n[d] -= layers;
    b->term = terms->level->backend->memory->allocate(local_box_cells(&b->cells), memory_name);
}

struct wall_terms *wall_terms_create(const struct level *l, int layers)
{
    enum { SIDES = 6 };
    struct wall_terms *terms = memory_alloc_zero(sizeof *terms, memory_name);
    terms->level = l;
    terms->layers = layers;
    terms->slabs =
        memory_alloc_zero((size_t)l->npatches * SIDES * sizeof *terms->slabs, memory_name);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        struct local_box left = {.n = {p->n[0], p->n[1], p->n[2]}};
        for (int side = 0; side < SIDES; side++)
            if (p->wall[side / 2][side % 2] && local_box_cells(&left) > 0)
                add_slab(terms, p, &left, side / 2, side % 2);
    }
    return terms;
}

void wall_terms_destroy(struct wall_terms *terms)
{
    if (!terms)
        return;
    const struct backend *backend = terms->level->backend;
    for (int b = 0; b < terms->count; b++) {
        backend->memory->release(terms->slabs[b].term);
        if (terms->slabs[b].kept)
            backend->memory->release(terms->slabs[b].kept);
    }
    memory_free(terms->slabs);
    memory_free(terms);
}

/* The terms of a slab's cells in host memory. */
typedef void terms_fn(const struct near_walls *w, const struct local_box *cells, double *terms);

/* Subtracts the field's values in the slab's cells from `terms`, in host memory. */
static void subtract_field(const struct level *l, const struct wall_slab *s, enum field field,
                           double *terms)
{
    const long cells = local_box_cells(&s->cells);
    double *values = local_box_array(&s->cells);
    local_box_read(l, s->patch, field, &s->cells, values);
    for (long c = 0; c < cells; c++)
        terms[c] -= values[c];
    memory_free(values);
}

/* The values belong to patches of `of`, which is the level or its coarse side. */
static void set_terms(struct wall_terms *terms, const struct level *of,
                      const struct near_walls *common, const struct wall_values *values,
                      terms_fn *fill, enum field less)
{
    const struct level *l = terms->level;
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *s = &terms->slabs[b];
        const struct near_walls w =
            near_walls_of(common, of, &of->patches[s->patch - l->patches], values);
        double *host = local_box_array(&s->cells);
        fill(&w, &s->cells, host);
        if (less != NUM_FIELDS)
            subtract_field(l, s, less, host);
        l->backend->memory->upload(s->term, host, local_box_cells(&s->cells));
        memory_free(host);
    }
}

void wall_terms_set_operator(struct wall_terms *terms, const struct wall_values *values,
                             enum field less)
{
    const struct stencil *s = terms->level->stencil;
    const struct near_walls common = {.rule = stencil_walls(s), .reach = s->radius};
    set_terms(terms, terms->level, &common, values, operator_terms, less);
}

void wall_terms_set_inflow(struct wall_terms *terms, const struct wall_values *values)
{
    const struct near_walls common = {0};
    set_terms(terms, terms->level, &common, values, inflow_terms, NUM_FIELDS);
}

void wall_terms_set_prolonged(struct wall_terms *terms, const struct level *coarse,
                              const struct wall_values *values, int prolongation)
{
    struct near_walls common = {.rule = walls_of_order(coarse->stencil, prolongation),
                                .reach = prolongation / 2};
    extent_ratio(terms->level->n, coarse->n, common.ratio);
    set_terms(terms, coarse, &common, values, prolonged_terms, NUM_FIELDS);
}

void wall_terms_add(const struct wall_terms *terms, enum field field)
{
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *s = &terms->slabs[b];
        local_box_add(terms->level, s->patch, field, &s->cells, s->term);
    }
}

void wall_terms_keep(struct wall_terms *terms, enum field field)
{
    for (int b = 0; b < terms->count; b++) {
        struct wall_slab *s = &terms->slabs[b];
        if (!s->kept)
            s->kept =
                terms->level->backend->memory->allocate(local_box_cells(&s->cells), memory_name);
        local_box_copy_out(terms->level, s->patch, field, &s->cells, s->kept);
    }
}

void wall_terms_restore(const struct wall_terms *terms, enum field field)
{
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *s = &terms->slabs[b];
        local_box_copy_in(terms->level, s->patch, field, &s->cells, s->kept);
    }
}
