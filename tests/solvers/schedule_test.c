/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program's passes read beyond their boxes has been put there by the stages before: the list
 * is walked as an execution would, with nothing but how many layers of each field's ghosts are
 * valid. On several ranks too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "operators/pass.h"
#include "solvers/solver.h"
#include "support/run.h"
#include "support/solve_case.h"

/* Of each level, and of the coarse sides of transfers that are levels of their own. */
static struct {
    const struct level *level;
    int layers[NUM_FIELDS];
} valid[2 * MAX_LEVELS];
static int count, passes_seen;
static const struct stage *boundary; /* the last stage, if it fills the ghosts for the next one */

static int *layers_of(const struct level *l, enum field field)
{
    int place = 0;
    while (place < count && valid[place].level != l)
        place++;
    if (place == count) {
        assert_true(count < 2 * MAX_LEVELS);
        memset(&valid[count], 0, sizeof valid[count]);
        valid[count++].level = l;
    }
    return &valid[place].layers[field];
}

static void expect_ghosts(const struct level *l, enum field field, int layers)
{
    if (l->connected)
        assert_true(*layers_of(l, field) >= layers);
}

/* How far beyond the box the first operation's results are read: a sweep of two colours reads only
 * the next cells of the colour before it. */
static int layers_repeated(const struct pass *p)
{
    const struct stencil *s = p->level->stencil;
    const int finish = p->finish != FINISH_NONE && p->nsweeps > 0 ? s->radius : 0;
    return p->nsweeps > 0 ? (p->nsweeps - 1) * (s->coloured ? 1 : s->radius) + finish : 0;
}

static void walk_pass(const struct pass *p)
{
    struct level *l = p->level;
    const int radius = l->stencil->radius, operations = l->connected ? pass_operations(p) : 0;
    const int repeated = layers_repeated(p);
    if (p->start == START_KEEP && operations > 0)
        expect_ghosts(l, pass_reads(p), repeated + radius);
    if (p->start == START_PROLONG_ADD)
        assert_int_equal(operations, 0);
    if (pass_prolongs(p))
        expect_ghosts(p->coarse, p->coarse_u,
                      p->prolongation / 2 + (operations > 0 ? repeated + radius + 1 : 0) / 2);
    if (operations > 1)
        expect_ghosts(l, p->f, repeated);
    assert_true(repeated + (operations > 0 ? radius : 0) <= l->ghosts || !l->connected);
    *layers_of(l, p->u) = *layers_of(l, FIELD_TMP) = 0;
    if (p->finish == FINISH_RESTRICT)
        *layers_of(p->coarse, p->coarse_f) = 0;
    passes_seen += l->connected;
}

/* A pass that finds its ghosts follows the stage that fills them, and no other pass does. */
static void walk_ghosts(const struct pass *p)
{
    assert_int_equal(p->ghosts_filled, boundary != NULL);
    if (!boundary)
        return;
    assert_ptr_equal(boundary->pass.level, p->level);
    assert_int_equal(pass_reads(&boundary->pass), pass_reads(p));
    assert_int_equal(pass_operations(&boundary->pass), pass_operations(p));
}

/* One operation of the glossary per stage; the residual is stored before it is restricted. */
static void walk_unfused(const struct hierarchy *h, const struct stage *s)
{
    if (!h->choice.unfused || s->kind != STAGE_PASS)
        return;
    assert_int_equal(pass_length(&s->pass), 1);
    assert_int_not_equal(s->pass.finish, FINISH_RESTRICT);
    assert_int_equal(s->pass.ghosts_filled, !sides_have(&s->pass.level->sides, BOUNDARY_PERIODIC) &&
                                                s->pass.start == START_KEEP);
}

/* A halo has no cells behind the far wall of a neighbour, whose ghosts are not exchanged. */
static void expect_within_neighbours(const struct decomposition *d, int layers)
{
    for (int b = 0; b < d->nboxes; b++)
        for (int e = 0; e < 3; e++)
            assert_true(d->boxes[b].lo[e] + layers <= d->boxes[b].hi[e]);
}

static void walk_stage(const struct hierarchy *h, const struct stage *s)
{
    const struct level *l = h->levels[s->level];
    const struct transfer *t = &h->transfers[s->level];
    walk_unfused(h, s);
    switch (s->kind) {
    case STAGE_PASS:
        walk_ghosts(&s->pass);
        walk_pass(&s->pass);
        return;
    case STAGE_BOUNDARY:
        return;
    case STAGE_HALO:
        assert_true(l->connected && s->whole.layers >= 1 && s->whole.layers <= l->ghosts);
        assert_non_null(l->halos[s->whole.layers]);
        expect_within_neighbours(&l->decomposition, s->whole.layers);
        *layers_of(l, s->whole.field) = s->whole.layers;
        return;
    case STAGE_REDISTRIBUTE_DOWN:
        *layers_of(h->levels[s->level + 1], FIELD_F) = 0;
        return;
    case STAGE_REDISTRIBUTE_UP:
        *layers_of(t->coarse, FIELD_U) = t->coarse->ghosts;
        return;
    case STAGE_RESTRICT:
        *layers_of(s->pass.coarse, s->pass.coarse_f) = 0;
        return;
    case STAGE_BOTTOM:
        *layers_of(l, s->pass.u) = 0;
        return;
    case STAGE_COPY:
    case STAGE_MEAN:
    case STAGE_WALLS:
        *layers_of(l, s->whole.field) = 0;
        return;
    case NUM_STAGE_KINDS:
        break;
    }
    fail();
}

static void walk(void *data, struct program *p)
{
    (void)data;
    count = 0;
    boundary = NULL;
    for (int s = 0; s < p->count; s++) {
        walk_stage(p->hierarchy, &p->stages[s]);
        boundary = p->stages[s].kind == STAGE_BOUNDARY ? &p->stages[s] : NULL;
    }
}

static void check(struct hierarchy_choice choice, struct solver_choice solver)
{
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, solver);
    solver_programs(s, walk, NULL);
    solver_destroy(s);
    hierarchy_destroy(h);
}

static void ghosts_are_there_when_they_are_read(void **state)
{
    static const double agglomerate_below[] = {0.0, 5000.0};
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        for (int smoother = SMOOTHER_GSRB; smoother <= SMOOTHER_L1JACOBI; smoother++)
            for (int variant = 0; variant < 16; variant++) {
                struct hierarchy_choice choice =
                    case_choice(order, false, variant & 1, (enum smoother)smoother,
                                variant & 2 ? 3 : 4, variant & 2 ? 27 : 8);
                choice.placement.agglomerate_below = agglomerate_below[variant >> 2 & 1];
                choice.unfused = variant & 8;
                choice.outer_fields = smoother == SMOOTHER_GSRB;
                check(choice, (struct solver_choice){.f_cycle = true});
                check(choice, (struct solver_choice){.rtol = 1e-3, .max_cycles = 2});
                if (choice.outer_fields)
                    check(choice, (struct solver_choice){
                                      .outer = OUTER_IDR, .rtol = 1e-3, .max_cycles = 2});
            }
    assert_true(passes_seen > 1000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ghosts_are_there_when_they_are_read),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
