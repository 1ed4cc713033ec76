/* SPDX-License-Identifier: BSD-3-Clause */
/* The cycles, written as the textbook has them; fusion and halos are program_schedule's. */
#include "solvers/cycle.h"
#include "base/check.h"

struct cycle {
    struct program *program;
    struct hierarchy *h;
};

static struct pass *add_pass(struct cycle *c, int level, enum field u, enum field f)
{
    struct stage *s = program_add(c->program, STAGE_PASS, level);
    s->pass = (struct pass){.level = c->h->levels[level], .u = u, .f = f, .prolongation = 2};
    s->field = u;
    return &s->pass;
}

static void zero(struct cycle *c, int level, enum field u, enum field f)
{
    add_pass(c, level, u, f)->start = START_ZERO;
}

static void smooth(struct cycle *c, int level, enum field u, enum field f)
{
    add_pass(c, level, u, f)->nsweeps = SMOOTHER_SWEEPS;
}

/* f of level + 1 = R(f − A u) */
static void restrict_residual(struct cycle *c, int level, enum field u, enum field f)
{
    struct pass *p = add_pass(c, level, u, f);
    p->first_sweep = SMOOTHER_SWEEPS;
    p->finish = FINISH_RESTRICT;
    p->coarse = c->h->transfers[level].coarse;
    p->coarse_f = FIELD_F;
    p->coarse_u = FIELD_U;
    if (c->h->transfers[level].separate)
        program_add(c->program, STAGE_DOWN, level);
}

/* u (+)= P u of level + 1 */
static void prolong(struct cycle *c, int level, enum field u, enum field f, enum pass_start how,
                    int order)
{
    if (c->h->transfers[level].separate)
        program_add(c->program, STAGE_UP, level);
    struct pass *p = add_pass(c, level, u, f);
    p->start = how;
    p->prolongation = order;
    p->coarse = c->h->transfers[level].coarse;
    p->coarse_f = FIELD_F;
    p->coarse_u = FIELD_U;
}

static void solve_bottom(struct cycle *c, enum field u, enum field f)
{
    struct stage *s = program_add(c->program, STAGE_BOTTOM, c->h->nlevels - 1);
    s->field = u;
    s->pass = (struct pass){.level = c->h->levels[s->level], .u = u, .f = f};
}

static void v_cycle(struct cycle *c, int level, enum field u, enum field f)
{
    if (level == c->h->nlevels - 1) {
        solve_bottom(c, u, f);
        return;
    }
    smooth(c, level, u, f);
    restrict_residual(c, level, u, f);
    zero(c, level + 1, FIELD_U, FIELD_F);
    v_cycle(c, level + 1, FIELD_U, FIELD_F);
    prolong(c, level, u, f, START_PROLONG_ADD, 2);
    smooth(c, level, u, f);
}

static void residual_norm(struct cycle *c, int level, enum field u, enum field f)
{
    struct pass *p = add_pass(c, level, u, f);
    p->first_sweep = SMOOTHER_SWEEPS;
    p->finish = FINISH_NORM;
    p->norm = &c->program->norm;
}

static void subtract_mean(struct cycle *c, int level, enum field u)
{
    program_add(c->program, STAGE_MEAN, level)->field = u;
}

struct program *program_f_cycle(struct hierarchy *h, int top)
{
    struct cycle c = {program_create("F-cycle", h), h};
    const int bottom = h->nlevels - 1;
    CHECK(top <= bottom);
    for (int l = top; l < bottom; l++) {
        program_add(c.program, STAGE_RESTRICT, l)->field = FIELD_F;
        if (h->transfers[l].separate)
            program_add(c.program, STAGE_DOWN, l);
    }
    zero(&c, bottom, FIELD_U, FIELD_F);
    solve_bottom(&c, FIELD_U, FIELD_F);
    for (int l = bottom - 1; l >= top; l--) {
        prolong(&c, l, FIELD_U, FIELD_F, START_PROLONG_SET, h->choice.op.order);
        v_cycle(&c, l, FIELD_U, FIELD_F);
    }
    if (h->singular)
        subtract_mean(&c, top, FIELD_U);
    residual_norm(&c, top, FIELD_U, FIELD_F);
    program_schedule(c.program, top, FIELD_F);
    return c.program;
}

struct program *program_v_cycle(struct hierarchy *h, int top, enum field u, enum field f,
                                bool from_zero, bool with_norm)
{
    struct cycle c = {program_create("V-cycle", h), h};
    CHECK(top < h->nlevels);
    if (from_zero)
        zero(&c, top, u, f);
    v_cycle(&c, top, u, f);
    if (h->singular)
        subtract_mean(&c, top, u);
    if (with_norm)
        residual_norm(&c, top, u, f);
    program_schedule(c.program, top, f);
    return c.program;
}
