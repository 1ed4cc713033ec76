/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/verdict.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "app/accuracy.h"
#include "operators/problem.h"

/* Largest relative residual after one F-cycle; measured with any smoother: 0.05. */
#define F_CYCLE_RESIDUAL 0.1
/* The same with sweeps, weights or levels of the user's choice, which may smooth worse. */
#define CUSTOM_RESIDUAL 1.0
/* Errors below this fraction of the solution are rounding errors. */
#define ROUNDING 1e-9
/* Above this fraction of the solution the grid does not resolve it, and the order means nothing. */
#define UNRESOLVED 0.05

enum { ACCURACY_CHECKS = 2 }; /* error and order */

/* Largest deviation from the known accuracy: a factor of the error, a difference of the order. */
struct tolerance {
    double factor, order;
};
static const struct tolerance recorded_cycle = {1.01, 0.03}, /* the same F-cycle is on record */
    recorded_size = {1.05, 0.15},                            /* cycles to a tolerance */
    estimated_size = {2.5, 0.6};

/* Orders are estimated from this size on: 4h must be fine enough too. */
enum { SMALLEST_ESTIMATED_ORDER = 128 };

static const char *check_state_text(enum check_state state)
{
    static const char *const texts[NUM_CHECK_STATES] = {"passed", "failed", "not checked"};
    return texts[state];
}

static struct check *check_add(struct verdict *v, const char *name, const char *size)
{
    struct check *c = &v->checks[v->nchecks++];
    *c = (struct check){.name = name,
                        .size = size,
                        .state = CHECK_NOT_MADE,
                        .result = check_state_text(CHECK_NOT_MADE),
                        .value = NAN,
                        .lowest = NAN,
                        .highest = NAN};
    return c;
}

static void check_set(struct check *c, enum check_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void check_set(struct check *c, enum check_state state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->grounds, sizeof c->grounds, format, arguments);
    va_end(arguments);
    c->state = state;
    c->result = check_state_text(state);
}

static void check_compare(struct check *c, double value, double lowest, double highest,
                          const char *grounds)
{
    c->value = value;
    c->lowest = lowest;
    c->highest = highest;
    check_set(c, value >= lowest && value <= highest ? CHECK_PASSED : CHECK_FAILED, "%s", grounds);
}

/* The records are of the smoothers' own sweeps and weights, and of all levels. */
static bool has_custom_cycle(const struct options *o)
{
    return o->solver.sweeps[0] > 0 || o->solver.sweeps[1] > 0 || o->solver.weight > 0.0 ||
           o->solver.levels > 0;
}

static void check_residual(struct verdict *v, const struct record *b, const struct size_record *r,
                           const struct options *o)
{
    const double bound = has_custom_cycle(o) ? CUSTOM_RESIDUAL : F_CYCLE_RESIDUAL,
                 of_atol = o->solver.atol / r->rhs_norm;
    struct check *c = check_add(v, "residual", r->name);
    const double residual =
        r->solve.cycles > 0 ? r->solve.history[r->solve.cycles - 1] : (double)NAN;
    c->value = residual;
    if (size_is_trivial(b, r))
        check_set(c, CHECK_NOT_MADE, "%s: f is zero up to rounding errors", r->name);
    else if (r->solve.outcome != OUTCOME_DONE)
        check_set(c, CHECK_FAILED, "%s: %s", r->name, outcome_text(r->solve.outcome));
    else if (options_have_tolerance(&o->solver))
        check_compare(c, residual, 0.0, fmax(o->solver.rtol, of_atol),
                      of_atol > o->solver.rtol ? "--atol" : "--rtol");
    else
        check_compare(c, residual, 0.0, bound, "bound for one F-cycle");
}

static void check_repetition(struct verdict *v, const struct size_record *r)
{
    struct check *c = check_add(v, "repetition", r->name);
    if (r->reproducible)
        check_set(c, CHECK_PASSED, "bitwise identical");
    else
        check_set(c, CHECK_FAILED, "%s: repeated solves are not bitwise identical", r->name);
}

/* The accuracy that the solver must reach: that of an F-cycle, of the converged solution, or
 * between the two if V-cycles follow an F-cycle. */
struct known {
    struct accuracy low, high;
};

static bool find_known(const struct options *o, int dim, struct known *known)
{
    const struct operator_choice op = options_operator(&o->solver);
    const bool f_cycle = o->solver.cycle == CYCLE_F && o->solver.outer != OUTER_IDR;
    struct accuracy converged, after_f;
    if (f_cycle && has_custom_cycle(o))
        return false;
    if (!accuracy_converged(op, o->problem, dim, &converged))
        return false;
    *known = (struct known){converged, converged};
    if (!f_cycle)
        return true;
    if (!accuracy_f_cycle(op, o->problem, dim, &after_f))
        return false;
    if (!options_have_tolerance(&o->solver))
        *known = (struct known){after_f, after_f};
    else if (after_f.error < converged.error)
        known->low = after_f;
    else
        known->high = after_f;
    return true;
}

/* Error and order on h, defined as in the record; NaN where a size is missing. */
static void measured(const struct record *b, bool solution_known, double *error, double *order)
{
    const struct size_record *h = &b->sizes[0], *twice = &b->sizes[1];
    *error = *order = NAN;
    if (solution_known) {
        *error = h->true_error;
        *order = b->nsizes > 1 ? log2(twice->true_error / h->true_error) : NAN;
    } else if (b->has_richardson) {
        *error = b->richardson_error;
        *order = b->richardson_order;
    }
}

/* Why neither error nor order can be judged; NULL if one can. */
static const char *why_unknown(const struct verdict *v, const struct record *b)
{
    for (int c = 0; c < v->nchecks; c++)
        if (v->checks[c].state == CHECK_FAILED)
            return "a solve failed";
    if (b->nsizes < SOLVED_LEVELS)
        return "h, 2h and 4h are not all levels";
    if (extent_shortest(b->sizes[0].n) < ACCURACY_SMALLEST)
        return "the grid is too coarse to tell";
    return NULL;
}

/* Why the error cannot be compared with the record; NULL if it can. */
static const char *why_not_recorded(const struct record *b, const struct options *o,
                                    struct known *known)
{
    const int *n = b->sizes[0].n;
    if (o->lengths[0] > 0.0)
        return "no error on record with --lengths";
    if (!extent_is_cube(n))
        return "no error on record for domains that are no cubes";
    if (!find_known(o, n[0], known))
        return "no error on record for this choice";
    return NULL;
}

/* Why a known error means nothing on this grid; NULL if it does. */
static const char *why_meaningless(const struct record *b, const struct known *known)
{
    if (known->low.error < ROUNDING * b->sizes[0].solution_norm)
        return "the error is as small as rounding errors";
    if (!known->low.recorded && known->high.error > UNRESOLVED * b->sizes[0].solution_norm)
        return "the grid is too coarse to tell";
    return NULL;
}

/* The record was made with BiCGStab; an F-cycle that only smooths the coarsest level deviates more.
 */
static struct tolerance tolerance_of(const struct options *o, const struct known *known)
{
    const bool one_cycle = !options_have_tolerance(&o->solver);
    if (!known->low.recorded || (one_cycle && o->solver.bottom == BOTTOM_METHOD_SMOOTH))
        return estimated_size;
    return one_cycle ? recorded_cycle : recorded_size;
}

/* Why the order of solutions without a recorded error cannot be compared with the scheme's; NULL if
 * it can. One F-cycle of order 4 reaches that order at these sizes with gsrb alone. */
static const char *why_no_order(const struct record *b, const struct options *o, double error)
{
    const double part = error / b->sizes[0].solution_norm;
    const bool one_cycle = !options_have_tolerance(&o->solver);
    if (one_cycle &&
        (has_custom_cycle(o) || (o->solver.order == 4 && o->solver.smoother != SMOOTHER_GSRB)))
        return "one such F-cycle has no known order";
    if (!(part > ROUNDING))
        return "the error is as small as rounding errors";
    if (extent_shortest(b->sizes[0].n) < SMALLEST_ESTIMATED_ORDER || !(part <= UNRESOLVED))
        return "the grid is too coarse to tell";
    return NULL;
}

/* Without a record, between any walls and on any domain, the order of the scheme remains. Errors at
 * cell centres fall with order 2: exact solutions are values there, and not cells' averages. */
static void check_order_alone(struct check *order, const struct record *b, const struct options *o,
                              double error)
{
    const double scheme = problems[o->problem].exact ? 2.0 : o->solver.order;
    const char *const unknown = why_no_order(b, o, error);
    if (unknown)
        check_set(order, CHECK_NOT_MADE, "%s", unknown);
    else
        check_compare(order, order->value, scheme - estimated_size.order,
                      scheme + estimated_size.order, "order of the scheme");
}

static void check_accuracy(struct verdict *v, const struct record *b, const struct options *o)
{
    struct known known = {.low = {.error = 0.0}};
    const int dim = b->sizes[0].n[0];
    struct check *error = check_add(v, "error", "h"), *order = check_add(v, "order", "h");
    measured(b, problems[o->problem].exact, &error->value, &order->value);
    const char *const unknown = why_unknown(v, b);
    const char *const not_recorded = unknown ? NULL : why_not_recorded(b, o, &known);
    if (not_recorded) {
        check_set(error, CHECK_NOT_MADE, "%s", not_recorded);
        check_order_alone(order, b, o, error->value);
        return;
    }
    const char *const neither = unknown ? unknown : why_meaningless(b, &known);
    if (neither) {
        check_set(error, CHECK_NOT_MADE, "%s", neither);
        check_set(order, CHECK_NOT_MADE, "%s", neither);
        return;
    }
    const struct tolerance t = tolerance_of(o, &known);
    const double part = known.high.error / b->sizes[0].solution_norm;
    char grounds[GROUNDS_SIZE];
    snprintf(grounds, sizeof grounds, "%s for %d^3", known.low.recorded ? "recorded" : "estimated",
             dim);
    /* Between two recorded sizes a smoother may do better than at either. */
    const double lowest = known.low.recorded ? known.low.error / t.factor : 0.0;
    check_compare(error, error->value, lowest, known.high.error * t.factor, grounds);
    if (!known.low.recorded && dim < SMALLEST_ESTIMATED_ORDER)
        check_set(order, CHECK_NOT_MADE, "no order is on record for %d^3", dim);
    else if (part > UNRESOLVED)
        check_set(order, CHECK_NOT_MADE, "too coarse: error %.0f %% of the solution", 100.0 * part);
    else
        check_compare(order, order->value, fmin(known.low.order, known.high.order) - t.order,
                      fmax(known.low.order, known.high.order) + t.order, grounds);
}

const char *verdict_text(const struct verdict *v, char *text, int size)
{
    const struct check *error = &v->checks[v->accuracy], *order = error + 1;
    const bool no_error = error->state == CHECK_NOT_MADE, no_order = order->state == CHECK_NOT_MADE;
    if (v->valid && v->accuracy_checked)
        return v->word;
    int length = snprintf(text, (size_t)size, "%s (", v->word);
    for (int i = 0; i < v->nreasons; i++)
        length += snprintf(text + length, (size_t)(size - length), "%s%s", i > 0 ? "; " : "",
                           v->reasons[i]);
    if (v->valid)
        length +=
            snprintf(text + length, (size_t)(size - length), "%s not checked: %s",
                     no_order ? "accuracy" : "error", no_error ? error->grounds : order->grounds);
    if (v->valid && no_error && no_order && strcmp(error->grounds, order->grounds) != 0)
        length += snprintf(text + length, (size_t)(size - length), "; %s", order->grounds);
    snprintf(text + length, (size_t)(size - length), ")");
    return text;
}

struct verdict verdict_of(const struct record *b, const struct options *options)
{
    struct verdict v = {.accuracy_checked = true};
    for (int s = 0; s < b->nsizes; s++)
        check_residual(&v, b, &b->sizes[s], options);
    for (int s = 0; s < b->nsizes; s++)
        check_repetition(&v, &b->sizes[s]);
    v.accuracy = v.nchecks;
    check_accuracy(&v, b, options);
    v.valid = v.checks[0].state == CHECK_PASSED; /* the residual on h */
    for (int i = 0; i < v.nchecks; i++) {
        const struct check *c = &v.checks[i];
        if (c->state != CHECK_FAILED)
            continue;
        char *reason = v.reasons[v.nreasons++];
        if (isnan(c->lowest))
            snprintf(reason, CHECK_TEXT_SIZE, "%s", c->grounds);
        else
            snprintf(reason, CHECK_TEXT_SIZE, "%s: %s %.3e is not within %.3e and %.3e, %s",
                     c->size, c->name, c->value, c->lowest, c->highest, c->grounds);
    }
    v.valid = v.valid && v.nreasons == 0;
    v.word = v.valid ? "VALID" : "INVALID";
    for (int c = v.accuracy; c < v.accuracy + ACCURACY_CHECKS; c++)
        v.accuracy_checked = v.accuracy_checked && v.checks[c].state == CHECK_PASSED;
    return v;
}
