/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/outcome.h"
#include <float.h>
#include <math.h>
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
    double beta_u = 0.0;
    for (int d = 0; d < 3; d++)
        beta_u =
            fmax(beta_u, reduce_product_norm(l, FIELD_U, varies ? FIELD_BETA_I + d : NUM_FIELDS));
    double sum = l->stencil->scale * l->stencil->sum_weights * beta_u;
    if (l->stencil->reads_alpha)
        sum += reduce_product_norm(l, FIELD_U, FIELD_ALPHA);
    return DBL_EPSILON * (1.0 + sum / s->rhs_norm);
}

enum outcome solve_judge(const struct solver *s, const struct solve_result *r)
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

bool outcome_may_improve(enum outcome outcome)
{
    return outcome == OUTCOME_LIMIT || outcome == OUTCOME_SLOW;
}

int solve_cycle_limit(const struct solver *s, const struct solve_result *r)
{
    return s->choice.max_cycles + r->f_cycles;
}

bool solve_record(const struct solver *s, struct solve_result *r, double residual)
{
    r->history[r->cycles++] = residual;
    r->outcome = solve_judge(s, r);
    return !outcome_may_improve(r->outcome) || r->cycles >= solve_cycle_limit(s, r);
}

bool solve_is_slow(const struct solve_result *r)
{
    bool slow = r->cycles > CYCLES_TO_JUDGE;
    if (!outcome_may_improve(r->outcome))
        return r->outcome != OUTCOME_DONE && r->outcome != OUTCOME_ROUNDING;
    for (int c = 1; slow && c <= CYCLES_TO_JUDGE; c++)
        slow = r->history[r->cycles - c] > SLOW_FACTOR * r->history[r->cycles - c - 1];
    return slow;
}
