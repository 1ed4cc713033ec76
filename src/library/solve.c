/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves. What has changed since the last solve is made anew before. */
#include <math.h>
#include "app/benchmark.h"
#include "base/timer.h"
#include "level/backend.h"
#include "library/solver_handle.h"
#include "operators/vectors.h"
#include "solvers/reduce.h"

/* After its mean has been subtracted, a constant f is this small beside what it was. */
#define ROUNDING 1e-13

static enum hpgmg_status check_data(const struct hpgmg *s, enum hpgmg_start start)
{
    if (start != HPGMG_FROM_ZERO && start != HPGMG_FROM_GUESS)
        return fail(HPGMG_ARGUMENT, "there is no start %d", (int)start);
    for (int f = HPGMG_F; f < NUM_USER_FIELDS; f++)
        if (has_field(s, (enum hpgmg_field)f) && !s->is_set[f])
            return fail(HPGMG_ORDER, "%s must be set before a solve",
                        field_name((enum hpgmg_field)f));
    if (start == HPGMG_FROM_GUESS && !s->is_set[HPGMG_U])
        return fail(HPGMG_ORDER, "u must be set before a solve that starts from it");
    return HPGMG_OK;
}

static void drop_programs(struct hpgmg *s)
{
    if (s->solver)
        solver_destroy(s->solver);
    s->solver = NULL;
}

static enum hpgmg_status renew_operator(struct hpgmg *s)
{
    struct hierarchy *h = s->hierarchy;
    drop_programs(s);
    hierarchy_set_operator(h);
    s->walls_are_old = s->cycle_walls_are_old = true;
    if (!isfinite(reduce_norm(h->levels[0], FIELD_DINV)))
        return fail(HPGMG_ARGUMENT, "beta is 0 on all faces of a cell: its equation lacks u");
    return HPGMG_OK;
}

/* The right-hand side. Walls whose values or β were replaced change it as well. */
static void renew_rhs(struct hpgmg *s)
{
    struct hierarchy *h = s->hierarchy;
    const bool adds = s->has_walls && (s->rhs_is_old || s->walls_are_old);
    if (adds && !s->rhs_is_old && h->singular) /* whose mean was subtracted */
        vector_add_constant(h->levels[0], FIELD_F, h->rhs_mean);
    if (adds)
        walls_add(s, s->rhs_is_old);
    s->rhs_is_old = s->rhs_is_old || adds;
    if (s->rhs_is_old)
        hierarchy_set_rhs(h);
}

/* All that is old, and the programs, which follow from the operator. */
static enum hpgmg_status renew(struct hpgmg *s, enum hpgmg_start start)
{
    struct solver_choice choice = benchmark_solver_choice(&s->options);
    const bool cycles = start == HPGMG_FROM_ZERO && choice.f_cycle && !choice.mgpcg;
    const enum hpgmg_status status = s->operator_is_old ? renew_operator(s) : HPGMG_OK;
    choice.continues = true;
    if (status != HPGMG_OK)
        return status;
    renew_rhs(s);
    if (cycles && walls_prepare_cycle(s))
        drop_programs(s);
    if (!s->solver)
        s->solver = solver_create(s->hierarchy, 0, choice);
    else if (s->rhs_is_old)
        solver_set_rhs(s->solver);
    s->operator_is_old = s->rhs_is_old = false;
    return HPGMG_OK;
}

static enum hpgmg_status run(struct hpgmg *s, enum hpgmg_start start)
{
    struct solve_result *r = &s->result;
    struct level *finest = s->hierarchy->levels[0];
    if (s->solver->rhs_norm <= (s->hierarchy->singular ? ROUNDING * s->f_norm : 0.0)) {
        vector_set(finest, FIELD_U, 0.0);
        r->outcome = OUTCOME_DONE;
        r->cycles = 0;
        r->seconds = 0.0;
    } else if (start == HPGMG_FROM_GUESS) {
        solver_continue(s->solver, r);
    } else {
        solver_run(s->solver, r);
    }
    finest->backend->synchronise();
    if (r->outcome == OUTCOME_DONE)
        return HPGMG_OK;
    return fail(HPGMG_NOT_CONVERGED, "%s: relative residual %g after %d cycles",
                outcome_text(r->outcome), r->cycles > 0 ? r->history[r->cycles - 1] : NAN,
                r->cycles);
}

static void report(const struct hpgmg *s, double setup_seconds, struct hpgmg_result *result)
{
    const struct solve_result *r = &s->result;
    const struct hierarchy *h = s->hierarchy;
    *result = (struct hpgmg_result){.cycles = r->cycles,
                                    .residual = r->cycles > 0 ? r->history[r->cycles - 1] : 0.0,
                                    .rhs_norm = s->solver->rhs_norm,
                                    .rhs_mean = h->singular ? h->rhs_mean : 0.0,
                                    .seconds = r->seconds,
                                    .setup_seconds = setup_seconds,
                                    .history = r->history};
}

static enum hpgmg_status solve(struct hpgmg *s, enum hpgmg_start start, struct hpgmg_result *result)
{
    enum hpgmg_status status = call_agree(CALL_SOLVE, (int)start, check_data(s, start));
    if (status != HPGMG_OK)
        return status;
    const bool sets_up = s->operator_is_old;
    const double begin = timer_seconds();
    status = renew(s, start);
    if (status != HPGMG_OK)
        return status;
    s->hierarchy->levels[0]->backend->synchronise();
    const double setup_seconds = sets_up ? timer_seconds() - begin : 0.0;
    status = run(s, start);
    s->is_set[HPGMG_U] = s->result.outcome != OUTCOME_NOT_FINITE;
    if (result)
        report(s, setup_seconds, result);
    return status;
}

enum hpgmg_status hpgmg_solve(struct hpgmg *solver, enum hpgmg_start start,
                              struct hpgmg_result *result)
{
    struct caller caller;
    enum hpgmg_status status = call_begin(solver, &caller);
    if (status != HPGMG_OK)
        return status;
    status = solve(solver, start, result);
    call_end(&caller);
    return status;
}
