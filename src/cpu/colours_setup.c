/* SPDX-License-Identifier: BSD-3-Clause */
/* The coefficients of small levels, in the order in which colours.c reads them. */
#include "base/memory.h"
#include "cpu/colour_arrays.h"
#include "cpu/operations.h"
#include "operators/fv4.h"

static struct shape level_shape(const struct level *l)
{
    const struct stencil *t = l->stencil;
    return (struct shape){l->n[0],        t->radius,          stencil_walls(t)->cells,
                          t->reads_edges, t->choice.variable, t->reads_alpha};
}

/* Sets the coefficients of cell m of a row of colour c, each half a row after the one before. `at`
 * is the cell's place in the fields. */
static void set_coefficients(const struct level *l, struct shape s, long at, real *to)
{
    const struct patch *p = l->patches;
    const int h = half(s);
    struct near near = {NULL, {0}, {NULL}, {1, p->sj, p->sk}};
    for (int d = 0; d < 3 && s.variable; d++) {
        near.beta[d] = l->fields[FIELD_BETA_I + d] + at;
        if (!s.edges) {
            to[2 * d * h] = near_beta(near, d, 0, 0, 0);
            to[(2 * d + 1) * h] = near_beta(near, d, 1, 0, 0);
            continue;
        }
        const struct fv4_faces x = fv4_faces_near(near, d);
        for (int side = 0; side < 2; side++) {
            to[(6 * d + side) * h] = x.beta[side];
            to[(6 * d + 2 + side) * h] = x.d_first[side];
            to[(6 * d + 4 + side) * h] = x.d_second[side];
        }
    }
    to[face_coefficients(s) * h] = l->fields[FIELD_DINV][at];
    if (s.alpha)
        to[(face_coefficients(s) + 1) * h] = l->fields[FIELD_ALPHA][at];
}

void colours_prepare(struct level *l)
{
    if (!l->stencil->coloured || !sides_are(&l->sides, BOUNDARY_DIRICHLET) || l->npatches != 1 ||
        l->connected || !extent_is_cube(l->n) || size_index(l->n[0]) < 0)
        return;
    const struct shape s = level_shape(l);
    const struct patch *p = l->patches;
    const int h = half(s), n = s.n;
    if (!l->prepared)
        l->prepared = memory_alloc_zero((size_t)arrays_length(s) * sizeof(real), "small level");
    const struct arrays a = arrays_in(l->prepared, s);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const int c = (i + j + k) & 1;
                real *row = a.coefficients[c] + ((long)k * n + j) * h * coefficients(s);
                set_coefficients(l, s, p->offset + i + j * p->sj + k * p->sk, row + i / 2);
            }
}
