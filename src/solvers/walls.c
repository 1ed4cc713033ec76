/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/walls.h"
#include "level/build.h"
#include "operators/vectors.h"
#include "solvers/solver.h"

/* The planes of a level's coarse side and, where that is separate, of the next level, from those of
 * the level. The restriction of cells makes them, through u. */
static void restrict_values(struct hierarchy *h, int depth, const struct wall_values *fine,
                            struct wall_values *coarse, struct wall_values *next)
{
    const struct transfer *t = &h->transfers[depth];
    const struct level *below = h->levels[depth + 1];
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            if (!fine->g[d][side])
                continue;
            wall_plane_write(h->levels[depth], d, side, fine->g[d][side], FIELD_U);
            transfer_restrict(h, depth, FIELD_U, FIELD_U);
            level_exchange_halo(below, FIELD_U);
            next->g[d][side] = wall_plane_read(below, d, side, FIELD_U);
            if (!t->separate)
                continue;
            plan_move(t->up, below, FIELD_U, t->coarse, FIELD_U, NULL);
            coarse->g[d][side] = wall_plane_read(t->coarse, d, side, FIELD_U);
        }
}

static void create_terms(struct hierarchy *h, int depth)
{
    struct cycle_walls *fine = &h->walls[depth], *next = &h->walls[depth + 1];
    const struct level *below = h->levels[depth + 1];
    if (fine->interpolated)
        return;
    fine->interpolated = wall_terms_create(h->levels[depth], h->choice.op.order);
    next->rhs = wall_terms_create(below, below->stencil->radius);
}

/* f of the next level: the restriction of −A G in f or u of this level, which takes its place, plus
 * what the next level's own −A G differs from it by. */
static void set_terms(struct hierarchy *h, int depth, const struct wall_values *coarse,
                      const struct wall_values *next)
{
    struct wall_terms *rhs = h->walls[depth + 1].rhs;
    transfer_restrict(h, depth, depth > 0 ? FIELD_F : FIELD_U, FIELD_F);
    wall_terms_set_operator(rhs, next, FIELD_F);
    wall_terms_add(rhs, FIELD_F);
    wall_terms_set_prolonged(h->walls[depth].interpolated, h->transfers[depth].coarse, coarse,
                             h->choice.op.order);
}

void hierarchy_set_walls(struct hierarchy *h, const struct wall_values *values,
                         const struct wall_terms *terms)
{
    struct wall_values own[2] = {{{{NULL}}, {{NULL}}}, {{{NULL}}, {{NULL}}}};
    const struct wall_values *fine = values;
    for (int depth = 0; depth + 1 < h->nlevels; depth++) {
        struct wall_values coarse = {{{NULL}}, {{NULL}}}, *next = &own[depth % 2];
        restrict_values(h, depth, fine, &coarse, next);
        if (depth == 0) {
            vector_set(h->levels[0], FIELD_U, 0.0);
            wall_terms_add(terms, FIELD_U);
        }
        create_terms(h, depth);
        set_terms(h, depth, h->transfers[depth].separate ? &coarse : next, next);
        wall_values_release(&coarse);
        wall_values_release(&own[!(depth % 2)]);
        fine = next;
    }
    wall_values_release(&own[0]);
    wall_values_release(&own[1]);
}
