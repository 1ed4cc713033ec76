/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solver.h"
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "operators/sum.h"
#include "solvers/krylov.h"
#include "solvers/mgpcg.h"
#include "solvers/reduce.h"
#include "operators/vectors.h"

#define STAGNATION 0.9 /* a cycle stagnates if it leaves more than this of the residual */
enum { STAGNANT_CYCLES = 3 };

const char *outcome_text(enum outcome outcome)
{
    static const char *const texts[NUM_OUTCOMES] = {"done", "tolerance not reached", "stagnated",
                                                    "residual not finite",
                                                    "breakdown of conjugate gradients"};
    return texts[outcome];
}

struct solver *solver_create(struct hierarchy *h, int top, struct solver_choice choice)
{
    struct solver *s = memory_alloc_zero(sizeof *s, "solver");
    CHECK(choice.max_cycles <= MAX_CYCLES);
    s->hierarchy = h;
    s->top = top;
    s->choice = choice;
    solver_set_rhs(s);
    if (choice.mgpcg) {
        s->preconditioner = mgpcg_preconditioner(h, top);
        return s;
    }
    s->first = choice.f_cycle ? program_f_cycle(h, top)
                              : program_v_cycle(h, top, FIELD_U, FIELD_F, true, true);
    if (choice.rtol > 0.0 || choice.continues)
        s->next = program_v_cycle(h, top, FIELD_U, FIELD_F, false, true);
    return s;
}

void solver_set_rhs(struct solver *s)
{
    s->rhs_norm = reduce_norm(s->hierarchy->levels[s->top], FIELD_F);
}

void solver_destroy(struct solver *s)
{
    program_destroy(s->first);
    program_destroy(s->next);
    program_destroy(s->preconditioner);
    memory_free(s);
}

void solver_programs(struct solver *s, void (*fn)(void *data, struct program *p), void *data)
{
    struct program *const programs[] = {s->first, s->next, s->preconditioner};
    for (int p = 0; p < 3; p++)
        if (programs[p])
            fn(data, programs[p]);
}

/* Relative residual after the program's last execution; 0 for a zero right-hand side, whose
 * solution is zero. */
static double relative_residual(const struct solver *s, const struct program *p)
{
    const struct level *l = s->hierarchy->levels[s->top];
    const double norm = bits_to_double(l->nranks > 1 ? comm_max_u64(l->comm, p->norm) : p->norm);
    return norm == 0.0 ? 0.0 : norm / s->rhs_norm;
}

bool solve_record(const struct solver_choice *choice, struct solve_result *r, double residual)
{
    r->history[r->cycles++] = residual;
    if (!isfinite(residual)) {
        r->outcome = OUTCOME_NOT_FINITE;
        return true;
    }
    if (choice->rtol == 0.0 || residual < choice->rtol) {
        r->outcome = OUTCOME_DONE;
        return true;
    }
    bool stagnant = r->cycles > STAGNANT_CYCLES;
    for (int c = 0; stagnant && c < STAGNANT_CYCLES; c++)
        stagnant = r->history[r->cycles - 1 - c] > STAGNATION * r->history[r->cycles - 2 - c];
    r->outcome = stagnant ? OUTCOME_STAGNATED : OUTCOME_LIMIT;
    return stagnant;
}

/* The first cycle is `cycle`, which the others follow. */
static void run(struct solver *s, bool from_zero, struct program *cycle,
                struct solve_result *result)
{
    const double start = timer_seconds();
    const int most = s->choice.max_cycles + (cycle != s->next && s->choice.f_cycle ? 1 : 0);
    result->outcome = OUTCOME_NOT_FINITE;
    result->cycles = 0;
    result->seconds = 0.0;
    if (!s->hierarchy->levels[s->top]->active)
        return;
    if (s->choice.mgpcg)
        mgpcg_run(s, from_zero, result);
    for (bool done = s->choice.mgpcg; !done && result->cycles < most; cycle = s->next) {
        program_execute(cycle);
        done = solve_record(&s->choice, result, relative_residual(s, cycle));
    }
    result->seconds = timer_seconds() - start;
}

void solver_run(struct solver *s, struct solve_result *result)
{
    run(s, true, s->first, result);
}

void solver_continue(struct solver *s, struct solve_result *result)
{
    CHECK(s->choice.continues);
    run(s, false, s->next, result);
}

void transfer_restrict(struct hierarchy *h, int level, enum field from, enum field to)
{
    struct level *fine = h->levels[level], *next = h->levels[level + 1];
    struct transfer *t = &h->transfers[level];
    const enum field landing = t->separate ? FIELD_F : to;
    vector_restrict(fine, from, t->coarse, landing);
    if (t->separate)
        plan_execute(t->down, t->coarse->fields[FIELD_F], next->fields[to], NULL);
}
