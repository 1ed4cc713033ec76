/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves. What has changed since the last solve is made anew before. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include "backend/backend.h"
#include "config/setup.h"
#include "base/memory.h"
#include "base/timer.h"
#include "library/solver_handle.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/reduce.h"

/* A constant f minus its mean is at most this part of f. */
#define ROUNDING 1e-15

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

/* Number i + n0(j + n1 k) of the first cell of this rank without a diagonal; INT64_MAX if all have
 * one. */
static int64_t find_without_diagonal(const struct level *l)
{
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        const long count = p->n[0] + (p->n[1] - 1) * p->sj + (p->n[2] - 1) * p->sk;
        double *dinv = memory_alloc((size_t)count * sizeof *dinv, "diagonal of a box");
        int64_t first = INT64_MAX;
        l->backend->memory->download(patch_cells(l, p, FIELD_DINV), dinv, count);
        for (long k = 0, c = 0; k < p->n[2]; k++)
            for (long j = 0; j < p->n[1]; j++)
                for (long i = 0; i < p->n[0]; i++) {
                    c = i + j * p->sj + k * p->sk;
                    if (!isfinite(dinv[c]) && first == INT64_MAX)
                        first =
                            p->box.lo[0] + i +
                            l->n[0] * (p->box.lo[1] + j + (int64_t)l->n[1] * (p->box.lo[2] + k));
                }
        memory_free(dinv);
        if (first != INT64_MAX)
            return first;
    }
    return INT64_MAX;
}

/* Cells of coarse levels stand for cubes of 2^depth cells per side. All ranks get the same. */
static enum hpgmg_status check_diagonal(const struct level *l)
{
    const uint64_t largest = l->active ? vector_norm(l, FIELD_DINV) : 0;
    if (isfinite(bits_to_double(comm_max_u64(comm_world(), largest))))
        return HPGMG_OK;
    const int64_t at = comm_min_i64(comm_world(), find_without_diagonal(l)), row = at / l->n[0];
    const int side = 1 << l->depth;
    return fail(HPGMG_ARGUMENT,
                "beta is 0 on all faces around the %d^3 cells from (%d,%d,%d) on: nothing "
                "determines u there",
                side, (int)(at % l->n[0]) * side, (int)(row % l->n[1]) * side,
                (int)(row / l->n[1]) * side);
}

/* The level, or its correction level: where its operator's diagonal is. */
static const struct level *smoothed_level(const struct hierarchy *h, int level)
{
    const struct level *l = h->levels[level];
    return l->correction ? l->correction : l;
}

/* Where no wall holds u, alpha must, by more than rounding errors of the diagonal. */
static enum hpgmg_status check_alpha(const struct hierarchy *h)
{
    const struct level *l = smoothed_level(h, 0);
    const double rounding = l->backend->real_bytes == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    if (sides_have(&l->sides, BOUNDARY_DIRICHLET) || !l->fields[FIELD_ALPHA] ||
        reduce_product_norm(l, FIELD_ALPHA, FIELD_DINV) > rounding)
        return HPGMG_OK;
    return fail(HPGMG_ARGUMENT,
                "alpha is 0 up to rounding errors and no boundary is Dirichlet: u is "
                "determined up to a constant only; take equation poisson");
}

static enum hpgmg_status renew_operator(struct hpgmg *s)
{
    struct hierarchy *h = s->hierarchy;
    drop_programs(s);
    hierarchy_set_operator(h);
    s->walls_are_old = s->cycle_walls_are_old = true;
    for (int level = 0; level < h->nlevels; level++) {
        const enum hpgmg_status status = check_diagonal(smoothed_level(h, level));
        if (status != HPGMG_OK)
            return status;
    }
    return check_alpha(h);
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
    struct solver_choice choice = setup_solver(&s->options);
    const bool cycles = start == HPGMG_FROM_ZERO && choice.f_cycle && choice.outer != OUTER_IDR;
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
        *r = (struct solve_result){.outcome = OUTCOME_DONE};
    } else if (start == HPGMG_FROM_GUESS) {
        solver_continue(s->solver, r);
    } else {
        solver_run(s->solver, r);
    }
    finest->backend->memory->synchronise();
    if (r->outcome == OUTCOME_DONE)
        return HPGMG_OK;
    return fail(HPGMG_NOT_CONVERGED, "%s: relative residual %g after %d cycles%s",
                outcome_text(r->outcome), solve_residual(r), r->cycles,
                r->lacks_room ? "; there is too little memory for the work vectors of idr" : "");
}

static void report(const struct hpgmg *s, double setup_seconds, struct hpgmg_result *result)
{
    const struct solve_result *r = &s->result;
    const struct hierarchy *h = s->hierarchy;
    *result = (struct hpgmg_result){.cycles = r->cycles,
                                    .residual = solve_residual(r),
                                    .rhs_norm = s->solver->rhs_norm,
                                    .rhs_mean = h->singular ? h->rhs_mean : 0.0,
                                    .seconds = r->seconds,
                                    .setup_seconds = setup_seconds,
                                    .history = r->history,
                                    .krylov_cycles = r->outer_cycles,
                                    .warning = s->warning};
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
    s->hierarchy->levels[0]->backend->memory->synchronise();
    const double setup_seconds = sets_up ? timer_seconds() - begin : 0.0;
    status = run(s, start);
    s->is_set[HPGMG_U] = outcome_has_solution(s->result.outcome);
    if (result)
        report(s, setup_seconds, result);
    return status;
}

enum hpgmg_status hpgmg_solve(struct hpgmg *solver, enum hpgmg_start start,
                              struct hpgmg_result *result)
{
    const enum hpgmg_status status = call_begin(solver);
    return status == HPGMG_OK ? call_end(solve(solver, start, result)) : status;
}
