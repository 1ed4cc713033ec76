/* SPDX-License-Identifier: BSD-3-Clause */
/* What values on walls add to f. With ghosts G that follow from g alone, where all cells are 0,
 * A(u; g) = A(u; 0) + A G, so A G moves to the right-hand side. */
#include "operators/wall_values.h"
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "level/backend.h"
#include "operators/bodies.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/passes.h"
#include "operators/probe.h"

static const char memory_name[] = "values on walls";

static double *host_array(long length)
{
    return memory_alloc_zero((size_t)length * sizeof(double), memory_name);
}

/* The tangential directions of faces in direction d, the lower one first. */
static int tangent(int d, int which)
{
    return which == 0 ? d == 0 : d == 2 ? 1 : 2;
}

/* --- boxes of a field ----------------------------------------------------------------------------
 */

/* A box of a patch in local indices, and its values in an array without gaps, i fastest. */
struct local_box {
    int lo[3], n[3];
};

static long local_box_cells(const struct local_box *c)
{
    return (long)c->n[0] * c->n[1] * c->n[2];
}

/* Between the field and an array, both in the backend's memory. */
static void copy_cells(const struct level *l, const struct patch *p, enum field field,
                       const struct local_box *c, double *packed, bool into_field)
{
    const long inner[3] = {1, p->sj, p->sk}, outer[3] = {1, c->n[0], (long)c->n[0] * c->n[1]};
    double *first = patch_cells(l, p, field) + c->lo[0] + c->lo[1] * p->sj + c->lo[2] * p->sk;
    struct strided_arguments x = {.to = into_field ? first : packed,
                                  .from = into_field ? packed : first};
    memcpy(x.to_stride, into_field ? inner : outer, sizeof x.to_stride);
    memcpy(x.from_stride, into_field ? outer : inner, sizeof x.from_stride);
    l->backend->passes->visit(BODY_copy_strided, &x, c->n);
}

/* The same with an array of the host. */
static void read_cells(const struct level *l, const struct patch *p, enum field field,
                       const struct local_box *c, double *values)
{
    double *packed = l->backend->allocate(local_box_cells(c), memory_name);
    copy_cells(l, p, field, c, packed, false);
    l->backend->download(packed, values, local_box_cells(c));
    l->backend->release(packed);
}

static void write_cells(const struct level *l, const struct patch *p, enum field field,
                        const struct local_box *c, const double *values)
{
    double *packed = l->backend->allocate(local_box_cells(c), memory_name);
    l->backend->upload(packed, values, local_box_cells(c));
    copy_cells(l, p, field, c, packed, true);
    l->backend->synchronise();
    l->backend->release(packed);
}

/* --- planes --------------------------------------------------------------------------------------
 */

/* The cells next to a wall, or the faces on it, and `around` layers beside. */
static struct local_box wall_layer(const struct patch *p, int d, int at, int around)
{
    struct local_box c = {.lo = {-around, -around, -around},
                          .n = {p->n[0] + 2 * around, p->n[1] + 2 * around, p->n[2] + 2 * around}};
    c.lo[d] = at;
    c.n[d] = 1;
    return c;
}

long wall_faces(const struct level *l, int d, int side)
{
    long count = 0;
    for (int q = 0; q < l->npatches; q++)
        if (l->patches[q].wall[d][side]) {
            const struct local_box c = wall_layer(&l->patches[q], d, 0, 0);
            count += local_box_cells(&c);
        }
    return count;
}

void wall_read_beta(const struct level *l, int d, int side, double *faces)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        if (!p->wall[d][side])
            continue;
        const struct local_box c = wall_layer(p, d, side ? p->n[d] : 0, 0);
        read_cells(l, p, (enum field)(FIELD_BETA_I + d), &c, faces);
        faces += local_box_cells(&c);
    }
}

/* A patch's part of a plane: value (a,b) is at[a + b·stride], −1 <= a <= n[s] and so on. */
struct wall_part {
    double *at;
    int n[2];
    long stride;
};

static struct wall_part wall_part(const struct patch *p, int d, double *plane)
{
    struct wall_part w = {.n = {p->n[tangent(d, 0)], p->n[tangent(d, 1)]}};
    w.stride = w.n[0] + 2;
    w.at = plane + 1 + w.stride;
    return w;
}

static long part_length(const struct patch *p, int d)
{
    const struct local_box c = wall_layer(p, d, 0, 1);
    return local_box_cells(&c);
}

/* Values beside the patch that no neighbour has: extrapolated beyond walls, and images where the
 * backend wraps. */
static void complete_part(const struct level *l, const struct patch *p, int d, double *plane)
{
    const struct wall_part w = wall_part(p, d, plane);
    for (int which = 0; which < 2; which++) {
        const int t = tangent(d, which), n = w.n[which], others = w.n[!which];
        const long along = which ? w.stride : 1, across = which ? 1 : w.stride;
        for (int side = 0; side < 2; side++) {
            double *last = w.at + (side ? (n - 1) * along : 0);
            const struct extrapolation_arguments x = {last, side ? -along : along, across, 0,
                                                      l->n[t]};
            for (int other = 0; other < others; other++)
                if (p->wall[t][side])
                    body_extrapolate_beta(&x, other, 0, 0);
                else if (p->wrap[t])
                    last[(side ? along : -along) + other * across] =
                        last[(side ? 1 - n : n - 1) * along + other * across];
        }
    }
}

/* The values take the places of the cells next to the wall in a field whose halos are exchanged. */
double *wall_plane_create(struct level *l, int d, int side, const double *faces)
{
    long length = 0;
    for (int q = 0; q < l->npatches; q++)
        length += l->patches[q].wall[d][side] ? part_length(&l->patches[q], d) : 0;
    double *plane = host_array(length), *part = plane;
    level_allocate(l, FIELD_SAVE);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const struct local_box c = wall_layer(p, d, side ? p->n[d] - 1 : 0, 0);
        if (!p->wall[d][side])
            continue;
        write_cells(l, p, FIELD_SAVE, &c, faces);
        faces += local_box_cells(&c);
    }
    level_exchange_halo(l, FIELD_SAVE);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const struct local_box c = wall_layer(p, d, side ? p->n[d] - 1 : 0, 1);
        if (!p->wall[d][side])
            continue;
        read_cells(l, p, FIELD_SAVE, &c, part);
        complete_part(l, p, d, part);
        part += local_box_cells(&c);
    }
    level_release(l, FIELD_SAVE);
    return plane;
}

/* --- the terms -----------------------------------------------------------------------------------
 */

/* Cells within the stencil's radius of walls; slabs of a patch do not overlap. Arrays are in the
 * backend's memory. */
struct wall_slab {
    const struct patch *patch;
    struct local_box cells;
    double *kept, *term, *sum;
};

struct wall_terms {
    const struct level *level;
    int count;
    struct wall_slab *slabs;
};

/* Around one patch, while terms are computed. */
struct near_walls {
    const struct level *level;
    const struct patch *patch;
    struct wall_part g[3][2], beta[3][2]; /* `at` is NULL where there is none */
    double side;                          /* of a cell */
};

/* The value of a plane on the wall (d, side) beside a local cell. */
static double beside(const struct wall_part *w, int d, const int cell[3])
{
    return w->at[cell[tangent(d, 0)] + cell[tangent(d, 1)] * w->stride];
}

/* G in a local cell: 0 inside, and behind a wall the rule of the operator with its weight of g. A
 * ghost behind two walls follows from those behind one. */
static double ghost_of_values(const struct near_walls *w, const int cell[3])
{
    const struct patch *p = w->patch;
    int d = 2;
    while (d >= 0 && !(cell[d] < 0 && p->wall[d][0]) && !(cell[d] >= p->n[d] && p->wall[d][1]))
        d--;
    if (d < 0)
        return 0.0;
    const int side = cell[d] >= 0, layer = side ? cell[d] - p->n[d] : -cell[d] - 1;
    const int rule = wall_rule_behind(w->level->stencil->wall_rule, p->wall[d][side]);
    int inner[3] = {cell[0], cell[1], cell[2]};
    double x[MAX_WALL_CELLS];
    for (int m = 0; m < MAX_WALL_CELLS; m++) {
        inner[d] = side ? p->n[d] - 1 - m : m;
        x[m] = ghost_of_values(w, inner);
    }
    const double unit = p->wall[d][side] == WALL_NEUMANN ? w->side : 1.0;
    const double value = w->g[d][side].at ? unit * beside(&w->g[d][side], d, cell) : 0.0;
    return fma(wall_value_weight(rule, layer), value, wall_ghost(rule, layer, x));
}

/* The flux into a cell through a Neumann wall with stored β, over h. */
static double wall_inflow(const struct near_walls *w, int d, int side, const int cell[3])
{
    const struct wall_part *g = &w->g[d][side], *beta = &w->beta[d][side];
    double dg[2], dbeta[2];
    for (int which = 0; which < 2; which++) {
        int low[3] = {cell[0], cell[1], cell[2]}, high[3] = {cell[0], cell[1], cell[2]};
        low[tangent(d, which)]--;
        high[tangent(d, which)]++;
        dg[which] = beside(g, d, high) - beside(g, d, low);
        dbeta[which] = beside(beta, d, high) - beside(beta, d, low);
    }
    const double value = beside(g, d, cell), b = beside(beta, d, cell);
    const double flux = w->level->stencil->radius > 1
                            ? fv4_wall_flux(b, value, dbeta[0], dg[0], dbeta[1], dg[1])
                            : b * value;
    return flux / w->side;
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

/* S of the operator, by its row. */
static sum_fn *const sums[] = {
#define OPERATOR(name, order, equation, variable, alpha, cells, sum, rhs) sum,
#include "operators/variants.def"
#undef OPERATOR
};

/* −A G and the inflows in one cell. β is in an array without gaps. */
static double term_of(const struct near_walls *w, const int cell[3], const double *const beta[3],
                      const long beta_stride[3])
{
    const struct stencil *s = w->level->stencil;
    double u[PROBE_LENGTH] = {0.0};
    for (int at = 0; at < PROBE_LENGTH; at++) {
        const int e[3] = {at % PROBE_SJ - PROBE_REACH, at / PROBE_SJ % PROBE_SJ - PROBE_REACH,
                          at / PROBE_SK - PROBE_REACH};
        if (probe_reads(s->radius, e))
            u[at] =
                ghost_of_values(w, (const int[3]){cell[0] + e[0], cell[1] + e[1], cell[2] + e[2]});
    }
    struct near x = {.u = u + PROBE_CENTRE, .stride = {1, PROBE_SJ, PROBE_SK}};
    memcpy(x.beta, beta, sizeof x.beta);
    memcpy(x.beta_stride, beta_stride, sizeof x.beta_stride);
    return fma(s->scale, sums[operator_index(&s->choice)](x), inflows(w, cell));
}

/* The terms of a slab. `beta` has the values of the slab grown by one layer. */
static void fill_terms(const struct near_walls *w, const struct local_box *c, const double *beta,
                       double *terms)
{
    const long stride[3] = {1, c->n[0] + 2, (c->n[0] + 2L) * (c->n[1] + 2)};
    const long field = beta ? stride[2] * (c->n[2] + 2) : 0;
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 0; k < c->n[2]; k++)
        for (int j = 0; j < c->n[1]; j++)
            for (int i = 0; i < c->n[0]; i++) {
                const double *b =
                    beta ? beta + i + 1 + (j + 1) * stride[1] + (k + 1) * stride[2] : NULL;
                const double *const at[3] = {b, b + field, b + 2 * field};
                const int cell[3] = {c->lo[0] + i, c->lo[1] + j, c->lo[2] + k};
                terms[i + (j + (long)k * c->n[1]) * c->n[0]] = term_of(w, cell, at, stride);
            }
}

static double *read_slab_beta(const struct level *l, const struct wall_slab *b)
{
    if (!l->fields[FIELD_BETA_I])
        return NULL;
    struct local_box grown = b->cells;
    for (int d = 0; d < 3; d++) {
        grown.lo[d]--;
        grown.n[d] += 2;
    }
    double *beta = host_array(3 * local_box_cells(&grown));
    for (int d = 0; d < 3; d++)
        read_cells(l, b->patch, (enum field)(FIELD_BETA_I + d), &grown,
                   beta + d * local_box_cells(&grown));
    return beta;
}

/* The parts of the planes that belong to a patch. */
static struct near_walls near_walls_of(const struct level *l, const struct patch *patch,
                                       const struct wall_values *v, double side)
{
    struct near_walls w = {.level = l, .patch = patch, .side = side};
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < 2; s++) {
            long offset = 0;
            for (const struct patch *p = l->patches; p < patch; p++)
                offset += p->wall[d][s] ? part_length(p, d) : 0;
            if (patch->wall[d][s] && v->g[d][s])
                w.g[d][s] = wall_part(patch, d, v->g[d][s] + offset);
            if (patch->wall[d][s] && v->beta[d][s])
                w.beta[d][s] = wall_part(patch, d, v->beta[d][s] + offset);
        }
    return w;
}

void wall_terms_set(struct wall_terms *terms, const struct wall_values *values, double side)
{
    const struct level *l = terms->level;
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *slab = &terms->slabs[b];
        const struct near_walls w = near_walls_of(l, slab->patch, values, side);
        double *beta = read_slab_beta(l, slab), *host = host_array(local_box_cells(&slab->cells));
        fill_terms(&w, &slab->cells, beta, host);
        l->backend->upload(slab->term, host, local_box_cells(&slab->cells));
        memory_free(host);
        if (beta)
            memory_free(beta);
    }
}

/* Adds the slab at one wall of what is left of a patch, and takes it away. */
static void add_slab(struct wall_terms *terms, const struct patch *p, struct local_box *left, int d,
                     int side)
{
    const struct backend *backend = terms->level->backend;
    const int width = terms->level->stencil->radius;
    struct wall_slab *b = &terms->slabs[terms->count++];
    *b = (struct wall_slab){.patch = p, .cells = *left};
    b->cells.lo[d] = side ? left->lo[d] + left->n[d] - width : left->lo[d];
    b->cells.n[d] = width;
    left->lo[d] += side ? 0 : width;
    left->n[d] -= width;
    b->kept = backend->allocate(local_box_cells(&b->cells), memory_name);
    b->term = backend->allocate(local_box_cells(&b->cells), memory_name);
    b->sum = backend->allocate(local_box_cells(&b->cells), memory_name);
}

struct wall_terms *wall_terms_create(const struct level *l)
{
    enum { SIDES = 6 };
    struct wall_terms *terms = memory_alloc_zero(sizeof *terms, memory_name);
    terms->level = l;
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
    const struct backend *backend = terms->level->backend;
    for (int b = 0; b < terms->count; b++) {
        backend->release(terms->slabs[b].kept);
        backend->release(terms->slabs[b].term);
        backend->release(terms->slabs[b].sum);
    }
    memory_free(terms->slabs);
    memory_free(terms);
}

void wall_terms_keep(struct wall_terms *terms)
{
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *s = &terms->slabs[b];
        copy_cells(terms->level, s->patch, FIELD_F, &s->cells, s->kept, false);
    }
}

void wall_terms_add(struct wall_terms *terms)
{
    const struct level *l = terms->level;
    for (int b = 0; b < terms->count; b++) {
        const struct wall_slab *s = &terms->slabs[b];
        const struct vector_arguments x = {.z = s->sum,
                                           .x = s->kept,
                                           .y = s->term,
                                           .sj = s->cells.n[0],
                                           .sk = (long)s->cells.n[0] * s->cells.n[1],
                                           .a = 1.0,
                                           .b = 1.0};
        l->backend->passes->visit(BODY_combine, &x, s->cells.n);
        copy_cells(l, s->patch, FIELD_F, &s->cells, s->sum, true);
    }
}
