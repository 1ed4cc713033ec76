/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/solver.h"
#include <float.h>
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

/* Growth of the residual over the least one before: of cycles, whose residual is multiplied by
 * about the same factor every time, and of IDR, whose residual has peaks. An F-cycle may leave more
 * than ‖f‖ where coefficients jump, and V-cycles after it converge. */
#define DIVERGING_CYCLES 1e3
#define DIVERGING_IDR 1e8
/* Cycles have stalled if their best residual is more than this fraction of the best before. */
#define STALLED 0.5
enum { STALLED_CYCLES = 4, SLOW_CYCLES = 10 };
/* OUTER_AUTO: IDR takes over after CYCLES_TO_JUDGE cycles in a row that each leave more than this
 * fraction of the residual. */
#define SLOW_FACTOR 0.5
enum { CYCLES_TO_JUDGE = 2 };

const char *outcome_text(enum outcome outcome)
{
    static const char *const texts[NUM_OUTCOMES] = {"done",
                                                    "max-cycles reached",
                                                    "slow convergence",
                                                    "diverged",
                                                    "limited by rounding errors",
                                                    "residual not finite",
                                                    "breakdown of IDR"};
    return texts[outcome];
}

bool outcome_has_solution(enum outcome outcome)
{
    return outcome != OUTCOME_DIVERGED && outcome != OUTCOME_NOT_FINITE;
}

double solve_residual(const struct solve_result *r)
{
    return r->cycles > 0 ? r->history[r->cycles - 1] : r->first;
}

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
    s->first = choice.f_cycle ? program_f_cycle(h, top)
                              : program_v_cycle(h, top, FIELD_U, FIELD_F, true, true);
    if (choice.rtol > 0.0 || choice.atol > 0.0 || choice.continues)
        s->next = program_v_cycle(h, top, FIELD_U, FIELD_F, false, true);
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

/* Executes the program. Its relative residual; 0 for a zero right-hand side, whose solution is
 * zero. */
static double execute(const struct solver *s, struct program *p)
{
    const struct level *l = s->hierarchy->levels[s->top];
    program_execute(p);
    const double norm = bits_to_double(l->nranks > 1 ? comm_max_u64(l->comm, p->norm) : p->norm);
    return norm == 0.0 ? 0.0 : norm / s->rhs_norm;
}

/* The smallest of the residuals begin … end − 1; −1 stands for the residual of the first u. */
static double least(const struct solve_result *r, int begin, int end)
{
    double best = INFINITY;
    for (int c = begin; c < end; c++)
        best = fmin(best, c < 0 ? r->first : r->history[c]);
    return best;
}

/* True if the last `count` cycles have gained next to nothing. */
static bool has_stalled(const struct solve_result *r, int count)
{
    const int before = r->cycles - count;
    return before > 0 && least(r, before, r->cycles) > STALLED * least(r, 0, before);
}

/* A bound of the rounding errors in a relative residual: the largest sum of magnitudes that one
 * cell's f − A u adds up, times the unit roundoff, twice: u itself is rounded too. */
static double rounding_floor(const struct solver *s)
{
    const struct level *l = s->hierarchy->levels[s->top];
    const bool varies = l->fields[FIELD_BETA_I];
    const double weights = l->stencil->radius == 1 ? 12.0 : 192.0; /* Σ|weights| of S for β = 1 */
    double beta_u = 0.0;
    for (int d = 0; d < 3; d++)
        beta_u =
            fmax(beta_u, reduce_product_norm(l, FIELD_U, varies ? FIELD_BETA_I + d : NUM_FIELDS));
    double sum = l->stencil->scale * weights * beta_u;
    if (l->stencil->reads_alpha)
        sum += reduce_product_norm(l, FIELD_U, FIELD_ALPHA);
    return DBL_EPSILON * (1.0 + sum / s->rhs_norm);
}

/* The outcome so far, with LIMIT or SLOW as long as cycles may go on. */
static enum outcome judge(const struct solver *s, const struct solve_result *r)
{
    const double now = solve_residual(r);
    const double growth = r->outer_cycles > 0 ? DIVERGING_IDR : DIVERGING_CYCLES;
    if (!isfinite(now))
        return OUTCOME_NOT_FINITE;
    if (now < s->target)
        return OUTCOME_DONE;
    if (now > growth * least(r, r->f_cycles > 0 ? 0 : -1, r->cycles))
        return OUTCOME_DIVERGED;
    if (s->target == 0.0)
        return OUTCOME_DONE;
    if (has_stalled(r, STALLED_CYCLES) && now <= rounding_floor(s))
        return OUTCOME_ROUNDING;
    return has_stalled(r, SLOW_CYCLES) ? OUTCOME_SLOW : OUTCOME_LIMIT;
}

static bool may_go_on(enum outcome outcome)
{
    return outcome == OUTCOME_LIMIT || outcome == OUTCOME_SLOW;
}

/* All cycles of a solve, the F-cycle among them. */
static int cycle_limit(const struct solver *s, const struct solve_result *r)
{
    return s->choice.max_cycles + r->f_cycles;
}

bool solve_record(const struct solver *s, struct solve_result *r, double residual)
{
    r->history[r->cycles++] = residual;
    r->outcome = judge(s, r);
    return !may_go_on(r->outcome) || r->cycles >= cycle_limit(s, r);
}

/* True if the last cycles were so slow that IDR is faster, or if they diverge. */
static bool is_slow(const struct solve_result *r)
{
    bool slow = r->cycles > CYCLES_TO_JUDGE;
    if (!may_go_on(r->outcome))
        return r->outcome != OUTCOME_DONE && r->outcome != OUTCOME_ROUNDING;
    for (int c = 1; slow && c <= CYCLES_TO_JUDGE; c++)
        slow = r->history[r->cycles - c] > SLOW_FACTOR * r->history[r->cycles - c - 1];
    return slow;
}

/* Cycles, the first of which is `cycle`. True if they are left to IDR. */
static bool run_cycles(struct solver *s, struct program *cycle, struct solve_result *r)
{
    bool over = false;
    for (; !over; cycle = s->next) {
        if (s->choice.outer == OUTER_AUTO && is_slow(r))
            return true;
        over = solve_record(s, r, execute(s, cycle));
    }
    return s->choice.outer == OUTER_AUTO && r->cycles < cycle_limit(s, r) && is_slow(r);
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
    r->f_cycles = from_zero && s->first && s->choice.f_cycle;
    r->first = from_zero ? 1.0 : execute(s, s->residual);
    r->outcome = from_zero || s->target == 0.0 ? OUTCOME_LIMIT : judge(s, r);
    if (may_go_on(r->outcome) &&
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
        plan_execute(t->down, t->coarse->fields[FIELD_F], next->fields[to], NULL);
}
