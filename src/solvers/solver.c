/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solver.h"
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "operators/stencil.h"
#include "operators/sum.h"
#include "operators/vectors.h"
#include "solvers/idr.h"
#include "solvers/reduce.h"

struct solver *solver_create(struct hierarchy *h, int top, struct solver_choice choice)
{
    struct solver *s = memory_alloc_zero(sizeof *s, "solver");
    CHECK(choice.max_cycles <= MAX_CYCLES);
    s->hierarchy = h;
    s->top = top;
    s->choice = choice;
    solver_set_rhs(s);
    if (choice.continues)
        s->residual = program_residual(h, top);
    if (choice.outer != OUTER_NONE)
        s->preconditioner = idr_preconditioner(h, top);
    if (choice.outer == OUTER_IDR)
        return s;
    const bool goes_on = choice.rtol > 0.0 || choice.atol > 0.0 || choice.continues;
    const enum cycle_end end = goes_on ? END_RESIDUAL : END_NORM;
    s->first = choice.f_cycle ? program_f_cycle(h, top, end)
                              : program_v_cycle(h, top, FIELD_U, FIELD_F, true, end);
    if (goes_on)
        s->next = program_v_cycle(h, top, FIELD_U, FIELD_F, false, END_RESIDUAL);
    return s;
}

void solver_set_rhs(struct solver *s)
{
    s->rhs_norm = reduce_norm(s->hierarchy->levels[s->top], FIELD_F);
    s->target = fmax(s->choice.rtol, s->rhs_norm > 0.0 ? s->choice.atol / s->rhs_norm : 0.0);
}

void solver_programs(struct solver *s, void (*fn)(void *data, struct program *p), void *data)
{
    struct program *const programs[] = {s->first, s->next, s->residual, s->preconditioner};
    for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++)
        if (programs[p])
            fn(data, programs[p]);
}

static void destroy_program(void *data, struct program *p)
{
    (void)data;
    program_destroy(p);
}

void solver_destroy(struct solver *s)
{
    solver_programs(s, destroy_program, NULL);
    memory_free(s);
}

static void forget_recording(void *data, struct program *p)
{
    (void)data;
    program_forget_recording(p);
}

/* Executes the program. Its relative residual; 0 for a zero right-hand side, whose solution is
 * zero. */
static double execute(const struct solver *s, struct program *p)
{
    const struct level *l = s->hierarchy->levels[s->top];
    program_execute(p);
    const double norm = bits_to_double(l->nranks > 1 ? comm_max_u64(l->comm, p->norm) : p->norm);
    return norm == 0.0 ? 0.0 : norm / s->rhs_norm;
}

/* Cycles, the first of which is `cycle`. True if they are left to IDR. */
static bool run_cycles(struct solver *s, struct program *cycle, struct solve_result *r)
{
    bool over = false;
    for (; !over; cycle = s->next) {
        if (s->choice.outer == OUTER_AUTO && solve_is_slow(r))
            return true;
        over = solve_record(s, r, execute(s, cycle));
    }
    return s->choice.outer == OUTER_AUTO && r->cycles < solve_cycle_limit(s, r) && solve_is_slow(r);
}

/* Allocates the work vectors of IDR. False if there is no memory. */
static bool make_room(const struct solver *s)
{
    struct level *l = s->hierarchy->levels[s->top];
    const enum field last = FIELD_OUTER + NUM_OUTER_FIELDS;
    if (!l->fields[FIELD_OUTER] && s->choice.has_room &&
        !s->choice.has_room(l, NUM_OUTER_FIELDS * level_field_bytes(l)))
        return false;
    for (enum field f = FIELD_OUTER; f < last; f++)
        level_allocate(l, f);
    return true;
}

/* After cycles that were slow, from zero if their residual is larger than that of zero. */
static void run_idr(struct solver *s, bool from_zero, struct solve_result *r)
{
    r->lacks_room = !make_room(s);
    if (!r->lacks_room)
        idr_run(s, r->cycles == 0 ? from_zero : !(solve_residual(r) < 1.0), r);
}

/* Recordings have the scale of correction levels in them. */
static void scale_corrections(struct solver *s)
{
    int exponent = 0;
    if (isfinite(s->rhs_norm))
        frexp(s->rhs_norm, &exponent);
    hierarchy_scale(s->hierarchy, exponent);
    if (s->exponent != exponent)
        solver_programs(s, forget_recording, NULL);
    s->exponent = exponent;
}

static void run(struct solver *s, bool from_zero, struct solve_result *r)
{
    const double start = timer_seconds();
    const struct level *l = s->hierarchy->levels[s->top];
    r->outcome = OUTCOME_NOT_FINITE;
    r->cycles = r->outer_cycles = 0;
    r->seconds = 0.0;
    r->lacks_room = false;
    if (!l->active)
        return;
    if (s->choice.measures_rhs)
        solver_set_rhs(s);
    if (s->hierarchy->ncorrections > 0)
        scale_corrections(s);
    r->f_cycles = from_zero && s->first && s->choice.f_cycle;
    r->first = from_zero ? 1.0 : execute(s, s->residual);
    r->outcome = from_zero || s->target == 0.0 ? OUTCOME_LIMIT : solve_judge(s, r);
    if (outcome_may_improve(r->outcome) &&
        (s->choice.outer == OUTER_IDR || run_cycles(s, from_zero ? s->first : s->next, r)))
        run_idr(s, from_zero, r);
    r->seconds = timer_seconds() - start;
}

void solver_run(struct solver *s, struct solve_result *result)
{
    run(s, true, result);
}

void solver_continue(struct solver *s, struct solve_result *result)
{
    CHECK(s->choice.continues);
    run(s, false, result);
}

void transfer_restrict(struct hierarchy *h, int level, enum field from, enum field to)
{
    struct level *fine = h->levels[level], *next = h->levels[level + 1];
    struct transfer *t = &h->transfers[level];
    const enum field landing = t->separate ? FIELD_F : to;
    vector_restrict(fine, from, t->coarse, landing);
    if (t->separate)
        plan_move(t->down, t->coarse, FIELD_F, next, to, NULL);
}
