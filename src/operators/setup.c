/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/setup.h"
#include "operators/bodies.h"
#include <string.h>
#include "backend/backend.h"
#include "base/check.h"
#include "operators/diagonal.h"
#include "operators/pass.h"
#include "operators/vectors.h"

/* β = a β on all faces in the boxes, by BODY_combine; or β = a, by BODY_set. */
static void visit_faces(struct level *l, int direction, enum body body, double a)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        double *beta = patch_cells(l, p, FIELD_BETA_I + direction);
        const struct vector_arguments x = {
            .z = beta, .x = beta, .y = beta, .sj = p->sj, .sk = p->sk, .a = a};
        int n[3];
        setup_count_faces(p, direction, n);
        l->backend->passes->visit(body, &x, n);
    }
}

void setup_restrict_faces(const struct level *fine, struct level *coarse, int direction)
{
    const enum field field = FIELD_BETA_I + direction;
    CHECK(fine->npatches == coarse->npatches);
    for (int q = 0; q < fine->npatches; q++) {
        struct restriction_arguments x = restriction_between(fine, field, coarse, field, q);
        x.tangent[0] = x.pair[direction == 0 ? 1 : 0];
        x.tangent[1] = x.pair[direction == 2 ? 1 : 2];
        int n[3];
        setup_count_faces(&coarse->patches[q], direction, n);
        fine->backend->passes->visit(BODY_restrict_faces, &x, n);
    }
    /* the faces of such a cell lead nowhere, but count in the diagonal */
    const bool own_neighbour = coarse->n[direction] == 1 && sides_wrap(&coarse->sides, direction);
    const double weight = own_neighbour ? 0.0
                                        : coarse->stencil->spacing.weight[direction] /
                                              fine->stencil->spacing.weight[direction];
    if (weight != 1.0)
        visit_faces(coarse, direction, BODY_combine, weight);
}

void setup_weigh_beta(struct level *level)
{
    const struct spacing *spacing = &level->stencil->spacing;
    for (int d = 0; d < 3; d++)
        if (spacing->weight[d] != 1.0)
            visit_faces(level, d, BODY_combine, spacing->weight[d]);
}

void setup_unit_beta(struct level *level)
{
    for (int d = 0; d < 3; d++)
        visit_faces(level, d, BODY_set, level->stencil->spacing.weight[d]);
}

/* The faces of a patch on one of its walls. */
static void close_wall(const struct level *l, const struct patch *p, int d, int side)
{
    const long stride[3] = {1, p->sj, p->sk};
    const struct vector_arguments x = {.z = patch_cells(l, p, FIELD_BETA_I + d) +
                                            (side ? p->n[d] * stride[d] : 0),
                                       .sj = p->sj,
                                       .sk = p->sk};
    int n[3] = {p->n[0], p->n[1], p->n[2]};
    n[d] = 1;
    l->backend->passes->visit(BODY_set, &x, n);
}

void setup_close_neumann_walls(struct level *level)
{
    for (int q = 0; q < level->npatches; q++)
        for (int d = 0; d < 3; d++)
            for (int side = 0; side < 2; side++)
                if (level->patches[q].wall[d][side] == WALL_NEUMANN)
                    close_wall(level, &level->patches[q], d, side);
}

/* The range in direction d where β of faces in direction `normal` is known, before (`layer` = 0) or
 * after (1) the walls in d. */
static void beta_range(const struct level *l, const struct patch *p, int normal, int d, int layer,
                       int range[2])
{
    const int beyond_high = d == normal ? 1 : layer; /* the faces on the high wall itself */
    range[0] = p->wall[d][0] ? (d == normal ? 0 : -layer) : -l->ghosts;
    range[1] = p->n[d] + (p->wall[d][1] ? beyond_high : l->ghosts - (d == normal));
}

/* One tangential direction d of one face-centred field. The walls in the other tangential direction
 * e are known if e < d. */
static void extrapolate_direction(const struct level *l, const struct patch *p, int normal, int d)
{
    const long stride[3] = {1, p->sj, p->sk};
    const int e = 3 - normal - d;
    int along[2], across[2];
    beta_range(l, p, normal, normal, 0, along);
    beta_range(l, p, normal, e, e < d, across);
    for (int side = 0; side < 2; side++) {
        if (!p->wall[d][side])
            continue;
        const long first = along[0] * stride[normal] + across[0] * stride[e] +
                           (side == 0 ? 0 : (p->n[d] - 1) * stride[d]);
        real *beta = level_at(l, patch_cells(l, p, FIELD_BETA_I + normal), first);
        const struct extrapolation_arguments x = {beta, side == 0 ? stride[d] : -stride[d],
                                                  stride[normal], stride[e], l->n[d]};
        const int n[3] = {along[1] - along[0], 1, across[1] - across[0]};
        l->backend->passes->visit(BODY_extrapolate_beta, &x, n);
    }
}

void setup_extrapolate_beta(struct level *level)
{
    for (int q = 0; q < level->npatches; q++)
        for (int normal = 0; normal < 3; normal++)
            for (int d = 0; d < 3; d++)
                if (d != normal)
                    extrapolate_direction(level, &level->patches[q], normal, d);
}

void setup_diagonal(struct level *level, uint64_t *lambda_max)
{
    const struct stencil *s = level->stencil;
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        struct diagonal_arguments x = {.s = *s,
                                       .others = s->needs_lambda_max || s->l1_weight,
                                       .sj = p->sj,
                                       .sk = p->sk,
                                       .operands = operands_of(level, p, FIELD_DINV),
                                       .weight = patch_cells(level, p, FIELD_DINV)};
        memcpy(x.level_n, level->n, sizeof x.level_n);
        memcpy(x.lo, p->box.lo, sizeof x.lo);
        level->backend->passes->diagonal(&x, p->n, lambda_max);
    }
}
