/* SPDX-License-Identifier: BSD-3-Clause */
/* The cycles, written as the textbook has them; program_schedule fuses passes and adds halos. */
#include "base/check.h"
#include "operators/pass.h"
#include "solvers/stages.h"

static struct pass *add_pass(struct program *p, int level, enum field u, enum field f)
{
    struct stage *s = program_add(p, STAGE_PASS, level);
    s->pass =
        (struct pass){.level = p->hierarchy->levels[level], .u = u, .f = f, .prolongation = 2};
    return &s->pass;
}

/* The pass reads or writes the next level through the transfer's coarse side. */
static void set_coarse_side(const struct program *p, int level, struct pass *pass)
{
    pass->coarse = p->hierarchy->transfers[level].coarse;
    pass->coarse_f = FIELD_F;
    pass->coarse_u = FIELD_U;
}

/* Between the transfer's coarse side and the next level, if the two are separate. */
static void move(struct program *p, int level, enum stage_kind kind)
{
    if (p->hierarchy->transfers[level].separate)
        program_add(p, kind, level)->whole.field =
            kind == STAGE_REDISTRIBUTE_DOWN ? FIELD_F : FIELD_U;
}

static void zero(struct program *p, int level, enum field u, enum field f)
{
    add_pass(p, level, u, f)->start = START_ZERO;
}

enum smoothing { PRE_SMOOTHING, POST_SMOOTHING };

/* At most SMOOTHER_SWEEPS sweeps are one pass. Chebyshev's polynomial then begins again. An odd
 * number of sweeps that are not in place leaves its result in FIELD_TMP. */
static void smooth(struct program *p, int level, enum field u, enum field f, enum smoothing which)
{
    const struct hierarchy_choice *choice = &p->hierarchy->choice;
    const bool chosen = choice->sweeps[PRE_SMOOTHING] > 0 || choice->sweeps[POST_SMOOTHING] > 0;
    int left = chosen ? choice->sweeps[which] : SMOOTHER_SWEEPS;
    const bool odd = left % 2 != 0;
    for (; left > 0; left -= SMOOTHER_SWEEPS)
        add_pass(p, level, u, f)->nsweeps = left < SMOOTHER_SWEEPS ? left : SMOOTHER_SWEEPS;
    if (odd && !p->hierarchy->levels[level]->stencil->in_place)
        program_add(p, STAGE_COPY, level)->whole.field = u;
}

/* f of the coarse side = R f */
static void restrict_field(struct program *p, int level, enum field f)
{
    struct pass *pass = &program_add(p, STAGE_RESTRICT, level)->pass;
    *pass = (struct pass){.level = p->hierarchy->levels[level], .f = f};
    set_coarse_side(p, level, pass);
}

/* f of the next level = R(f − A u). Where only some directions are coarsened, the residual is
 * stored first, in FIELD_TMP: after the last sweep no sweep reads it. */
static void restrict_residual(struct program *p, int level, enum field u, enum field f)
{
    struct pass *pass = add_pass(p, level, u, f);
    pass->first_sweep = SMOOTHER_SWEEPS;
    pass->finish = FINISH_RESTRICT;
    set_coarse_side(p, level, pass);
    if (!pass_halves(pass)) {
        pass->finish = FINISH_STORE;
        pass->residual = FIELD_TMP;
        restrict_field(p, level, FIELD_TMP);
    }
    move(p, level, STAGE_REDISTRIBUTE_DOWN);
}

/* u (+)= P u of the next level */
static void prolong(struct program *p, int level, enum field u, enum field f, enum pass_start how,
                    int order)
{
    move(p, level, STAGE_REDISTRIBUTE_UP);
    struct pass *pass = add_pass(p, level, u, f);
    pass->start = how;
    pass->prolongation = order;
    set_coarse_side(p, level, pass);
}

static void solve_bottom(struct program *p, enum field u, enum field f)
{
    bottom_stage(p->hierarchy->bottom, u, f,
                 program_add(p, STAGE_BOTTOM, p->hierarchy->nlevels - 1));
}

static void v_cycle(struct program *p, int level, enum field u, enum field f);

/* A residual that is reduced, or stored for the correction level. */
static struct pass *add_residual(struct program *p, int level, enum field u, enum field f,
                                 enum pass_finish finish)
{
    struct pass *pass = add_pass(p, level, u, f);
    pass->first_sweep = SMOOTHER_SWEEPS;
    pass->finish = finish;
    return pass;
}

/* The rest of a V-cycle of a corrected level, whose residual is the correction level's f: one in
 * single precision from e = 0 for A e = f − A u, then u += e. */
static void correct(struct program *p, int level, enum field u, enum field f)
{
    const int correction = hierarchy_correction(p->hierarchy, level);
    zero(p, correction, FIELD_U, FIELD_F);
    v_cycle(p, correction, FIELD_U, FIELD_F);
    add_pass(p, level, u, f)->start = START_CORRECT;
}

/* A V-cycle, or a W-cycle: two cycles on the next level, unless that is the coarsest. */
static void v_cycle(struct program *p, int level, enum field u, enum field f)
{
    const int next = hierarchy_next(p->hierarchy, level), coarsest = p->hierarchy->nlevels - 1;
    if (level == coarsest) {
        solve_bottom(p, u, f);
        return;
    }
    if (hierarchy_correction(p->hierarchy, level) >= 0) {
        add_residual(p, level, u, f, FINISH_DEFECT);
        correct(p, level, u, f);
        return;
    }
    smooth(p, level, u, f, PRE_SMOOTHING);
    restrict_residual(p, level, u, f);
    zero(p, next, FIELD_U, FIELD_F);
    v_cycle(p, next, FIELD_U, FIELD_F);
    if (p->hierarchy->choice.w_cycle && next != coarsest)
        v_cycle(p, next, FIELD_U, FIELD_F);
    prolong(p, level, u, f, START_PROLONG_ADD, 2);
    smooth(p, level, u, f, POST_SMOOTHING);
}

/* Only V-cycles of a corrected level begin with a residual. */
static void residual_norm(struct program *p, int level, enum field u, enum field f,
                          enum cycle_end end)
{
    const bool keeps = end == END_RESIDUAL && hierarchy_correction(p->hierarchy, level) >= 0;
    add_residual(p, level, u, f, keeps ? FINISH_DEFECT : FINISH_NORM)->norm = &p->norm;
}

/* The norm comes first: then the last smoothing's pass computes the residual too, which does not
 * depend on the mean of u. */
static void end_cycle(struct program *p, int top, enum field u, enum field f, enum cycle_end end)
{
    if (end != END_SOLUTION)
        residual_norm(p, top, u, f, end);
    if (p->hierarchy->singular)
        program_add(p, STAGE_MEAN, top)->whole.field = u;
}

static void add_walls(struct program *p, int level, enum field field,
                      const struct wall_terms *terms)
{
    if (terms)
        program_add(p, STAGE_WALLS, level)->whole.field = field;
}

struct program *program_residual(struct hierarchy *h, int top)
{
    struct program *p = program_create("residual", h);
    residual_norm(p, top, FIELD_U, FIELD_F, END_RESIDUAL);
    program_schedule(p, top, FIELD_F);
    return p;
}

struct program *program_f_cycle(struct hierarchy *h, int top, enum cycle_end end)
{
    struct program *p = program_create("F-cycle", h);
    const int bottom = h->nlevels - 1;
    CHECK(top <= bottom);
    for (int l = top; l < bottom; l++) {
        restrict_field(p, l, FIELD_F);
        move(p, l, STAGE_REDISTRIBUTE_DOWN);
        add_walls(p, l + 1, FIELD_F, h->walls[l + 1].rhs);
    }
    zero(p, bottom, FIELD_U, FIELD_F);
    solve_bottom(p, FIELD_U, FIELD_F);
    for (int l = bottom - 1; l >= top; l--) {
        prolong(p, l, FIELD_U, FIELD_F, START_PROLONG_SET, h->choice.op.order);
        add_walls(p, l, FIELD_U, h->walls[l].interpolated);
        v_cycle(p, l, FIELD_U, FIELD_F);
    }
    end_cycle(p, top, FIELD_U, FIELD_F, end);
    program_schedule(p, top, FIELD_F);
    return p;
}

struct program *program_v_cycle(struct hierarchy *h, int top, enum field u, enum field f,
                                bool from_zero, enum cycle_end end)
{
    struct program *p = program_create(h->choice.w_cycle ? "W-cycle" : "V-cycle", h);
    CHECK(top < h->nlevels);
    if (from_zero)
        zero(p, top, u, f);
    if (!from_zero && hierarchy_correction(h, top) >= 0)
        correct(p, top, u, f);
    else
        v_cycle(p, top, u, f);
    end_cycle(p, top, u, f, end);
    program_schedule(p, top, f);
    return p;
}
