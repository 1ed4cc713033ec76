/* SPDX-License-Identifier: BSD-3-Clause */
/* How a solve says that it ended, and IDR around the cycles. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "operators/vectors.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/run.h"
#include "support/solve_case.h"

static struct solve_result result;

/* A solver for 8³ cells whose u is 0. */
static struct solver *small_solver(struct solver_choice choice)
{
    const struct hierarchy_choice shape = case_choice(2, false, false, SMOOTHER_GSRB, 3, 1);
    return solver_create(hierarchy_create(&shape), 0, choice);
}

static void destroy(struct solver *s)
{
    struct hierarchy *h = s->hierarchy;
    solver_destroy(s);
    hierarchy_destroy(h);
}

/* Begins a result as solver_run does. */
static void begin(void)
{
    result = (struct solve_result){.first = 1.0};
}

/* How a solve ends whose every cycle leaves `factor` of the residual, but not less than `floor`. */
static enum outcome ends(struct solver *s, double factor, double floor)
{
    double residual = 1.0;
    begin();
    do
        residual = fmax(residual * factor, floor);
    while (!solve_record(s, &result, residual));
    return result.outcome;
}

/* Slow cycles go on to max_cycles. The last ten are the reason if they gained less than one half.
 */
static void max_cycles_is_honoured(void **state)
{
    (void)state;
    struct solver *s = small_solver((struct solver_choice){.rtol = 1e-12, .max_cycles = 90});
    assert_int_equal(ends(s, 0.93, 0.0), OUTCOME_LIMIT);
    assert_int_equal(result.cycles, 90);
    assert_int_equal(ends(s, 0.935, 0.0), OUTCOME_SLOW);
    assert_int_equal(result.cycles, 90);
    assert_int_equal(ends(s, 1.0, 0.0), OUTCOME_SLOW);
    assert_int_equal(result.cycles, 90);
    assert_int_equal(ends(s, 0.5, 0.0), OUTCOME_DONE);
    assert_int_equal(result.cycles, 40);
    s->choice.max_cycles = 9;
    assert_int_equal(ends(s, 0.99, 0.0), OUTCOME_LIMIT); /* too few to tell */
    assert_int_equal(result.cycles, 9);
    result = (struct solve_result){.first = 1.0, .f_cycles = 1};
    while (!solve_record(s, &result, 0.5)) /* the F-cycle does not count */
        ;
    assert_int_equal(result.cycles, 10);
    destroy(s);
}

static void growth_is_divergence(void **state)
{
    (void)state;
    struct solver *s = small_solver((struct solver_choice){.rtol = 1e-12, .max_cycles = 900});
    assert_int_equal(ends(s, 2.0, 0.0), OUTCOME_DIVERGED);
    assert_int_equal(result.cycles, 10);
    assert_int_equal(ends(s, 1.03, 0.0), OUTCOME_DIVERGED);
    begin(); /* counted from the least residual, not from the first */
    assert_false(solve_record(s, &result, 1e-6));
    assert_false(solve_record(s, &result, 0.9e-3));
    assert_true(solve_record(s, &result, 1.1e-3));
    assert_int_equal(result.outcome, OUTCOME_DIVERGED);
    assert_false(outcome_has_solution(result.outcome));
    /* An F-cycle may leave any residual, and IDR's may have peaks. */
    result = (struct solve_result){.first = 1.0, .f_cycles = 1};
    assert_false(solve_record(s, &result, 1e7));
    assert_false(solve_record(s, &result, 1e9));
    assert_true(solve_record(s, &result, 1.1e10));
    result = (struct solve_result){.first = 1.0, .outer_cycles = 1};
    assert_false(solve_record(s, &result, 0.9e8));
    assert_true(solve_record(s, &result, 1.1e8));
    destroy(s);
}

/* Three times as much, then a fourth: half as much in two cycles. */
static void peaks_are_no_divergence(void **state)
{
    (void)state;
    struct solver *s = small_solver((struct solver_choice){.rtol = 1e-12, .max_cycles = 900});
    double residual = 1.0;
    begin();
    for (int c = 0; c < 60; c++) {
        assert_false(solve_record(s, &result, residual));
        assert_int_equal(result.outcome, OUTCOME_LIMIT);
        residual *= c % 2 == 0 ? 3.0 : 0.2;
    }
    destroy(s);
}

/* With u = 0 the rounding errors are those of f: 2⁻⁵². A residual that stays larger is slow. */
static void rounding_is_told_from_slowness(void **state)
{
    (void)state;
    struct solver *s = small_solver((struct solver_choice){.rtol = 1e-30, .max_cycles = 50});
    assert_int_equal(ends(s, 0.1, 2e-16), OUTCOME_ROUNDING);
    assert_in_range(result.cycles, 18, 21);
    assert_int_equal(ends(s, 0.1, 3e-16), OUTCOME_SLOW);
    assert_int_equal(result.cycles, 50);
    assert_true(outcome_has_solution(OUTCOME_ROUNDING) && outcome_has_solution(OUTCOME_SLOW));
    destroy(s);
}

static void fill(struct level *l, enum field field, double value)
{
    for (long x = 0; x < l->field_length; x++)
        level_natural(l, field)[x] = value;
}

/* One coefficient that is large, any one, makes rounding errors large: with u = 1, twice the sum of
 * the weights of −Δ times β/h², or α, and f, which is as large as the target says. */
static void every_coefficient_rounds(void **state)
{
    (void)state;
    const enum field coefficients[] = {FIELD_BETA_I, FIELD_BETA_J, FIELD_BETA_K, FIELD_ALPHA};
    const struct hierarchy_choice shape = case_choice(2, true, false, SMOOTHER_GSRB, 3, 1);
    struct solver *s = solver_create(hierarchy_create(&shape), 0,
                                     (struct solver_choice){.rtol = 1e-30, .max_cycles = 50});
    struct level *l = s->hierarchy->levels[0];
    fill(l, FIELD_U, 1.0);
    for (int large = 0; large < 4; large++) {
        const double expected = 2e6 * DBL_EPSILON / s->rhs_norm;
        for (int c = 0; c < 4; c++)
            fill(l, coefficients[c], c == large ? 2e6 : 0.0);
        assert_int_equal(ends(s, 0.1, 0.9 * expected), OUTCOME_ROUNDING);
        for (int c = 0; c < 4; c++)
            fill(l, coefficients[c], 0.0);
        assert_int_equal(ends(s, 0.1, 0.9 * expected), OUTCOME_SLOW);
    }
    destroy(s);
}

/* Real solves end there, within a hundredth of what their first cycle left, and soon. */
static void real_solves_end_at_rounding(void **state)
{
    (void)state;
    for (int code = 0; code < 24; code++) {
        struct hierarchy_choice choice =
            case_choice(code & 1 ? 4 : 2, code & 2, code & 4, SMOOTHER_GSRB, 4, 1);
        choice.op.variable = code % 3 != 0;
        choice.outer_fields = code >= 16;
        struct hierarchy *h = hierarchy_create(&choice);
        struct solver *s =
            solver_create(h, 0,
                          (struct solver_choice){.f_cycle = code < 16,
                                                 .outer = code >= 16 ? OUTER_IDR : OUTER_NONE,
                                                 .rtol = 1e-30,
                                                 .max_cycles = 100});
        solver_run(s, &result);
        assert_int_equal(result.outcome, OUTCOME_ROUNDING);
        assert_in_range(result.cycles, 5, 40);
        assert_true(solve_residual(&result) < 1e-11);
        destroy(s);
    }
}

static void a_residual_that_is_no_number_is_the_end(void **state)
{
    (void)state;
    const struct solver_choice choices[] = {{.rtol = 1e-3, .max_cycles = 9}, {.f_cycle = true}};
    for (int i = 0; i < 4; i++) {
        struct solver *s = small_solver(choices[i / 2]);
        begin();
        assert_true(solve_record(s, &result, i % 2 ? NAN : INFINITY));
        assert_int_equal(result.outcome, OUTCOME_NOT_FINITE);
        assert_int_equal(result.cycles, 1);
        assert_false(outcome_has_solution(result.outcome));
        destroy(s);
    }
}

static void either_tolerance_is_enough(void **state)
{
    (void)state;
    struct solver *s = small_solver((struct solver_choice){.atol = 1e-6, .max_cycles = 50});
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    const int cycles = result.cycles;
    assert_true(cycles > 2 && solve_residual(&result) * s->rhs_norm < 1e-6);
    assert_true(result.history[cycles - 2] * s->rhs_norm >= 1e-6);
    s->choice.rtol = 1e-9; /* is stricter, and counts no more */
    solver_set_rhs(s);
    solver_run(s, &result);
    assert_int_equal(result.cycles, cycles);
    s->choice.rtol = 1e-2;
    solver_set_rhs(s);
    solver_run(s, &result);
    assert_true(result.cycles < cycles);
    destroy(s);
}

/* A solve that continues looks at u first, and counts no F-cycle. */
static void a_converged_guess_costs_no_cycle(void **state)
{
    static const struct solver_choice choices[] = {
        {.f_cycle = true, .continues = true, .rtol = 1e-9, .max_cycles = 9},
        {.outer = OUTER_IDR, .continues = true, .rtol = 1e-9, .max_cycles = 9}};
    (void)state;
    for (int c = 0; c < 2; c++) {
        struct solver *s = small_solver(choices[c]);
        const struct level *l = s->hierarchy->levels[0];
        solver_run(s, &result);
        assert_int_equal(result.outcome, OUTCOME_DONE);
        const double last = solve_residual(&result);
        const uint64_t checksum = reduce_checksum(l, FIELD_U);
        solver_continue(s, &result);
        assert_int_equal(result.outcome, OUTCOME_DONE);
        assert_int_equal(result.cycles, 0);
        assert_true(solve_residual(&result) == last || (c == 1 && last < 1e-9));
        assert_true(reduce_checksum(l, FIELD_U) == checksum);
        s->choice.rtol = 1e-30;
        s->choice.max_cycles = 1;
        solver_set_rhs(s);
        solver_continue(s, &result);
        assert_int_equal(result.cycles, 1);
        assert_int_equal(result.f_cycles, 0);
        destroy(s);
    }
}

/* The recurrences of IDR fall below any tolerance; the residual does not. */
static void idr_is_judged_by_the_true_residual(void **state)
{
    (void)state;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 4, 1);
    choice.outer_fields = true;
    struct hierarchy *h = hierarchy_create(&choice);
    struct level *l = h->levels[0];
    for (double rtol = 1e-6; rtol > 1e-13; rtol *= 0.1) {
        const struct solver_choice wanted = {.outer = OUTER_IDR, .rtol = rtol, .max_cycles = 60};
        struct solver *s = solver_create(h, 0, wanted), *again;
        solver_run(s, &result);
        assert_int_equal(result.outcome, OUTCOME_DONE);
        assert_int_equal(result.outer_cycles, result.cycles);
        const double last = solve_residual(&result);
        again = solver_create(h, 0, (struct solver_choice){.continues = true, .rtol = rtol});
        solver_continue(again, &result);
        assert_true(fabs(result.first - last) < 1e-3 * last);
        solver_destroy(again);
        solver_destroy(s);
    }
    for (double rtol = 1e-16; rtol > 1e-20; rtol *= 0.1) { /* below the rounding errors */
        const struct solver_choice wanted = {.outer = OUTER_IDR, .rtol = rtol, .max_cycles = 60};
        struct solver *s = solver_create(h, 0, wanted);
        solver_run(s, &result);
        assert_int_equal(result.outcome, OUTCOME_ROUNDING);
        solver_destroy(s);
    }
    assert_true(level_natural(l, FIELD_OUTER) != NULL);
    hierarchy_destroy(h);
}

/* Cycles that a solve of 16³ periodic cells needs. */
static int cycles_of(int order, enum smoother smoother, enum outer outer)
{
    struct hierarchy_choice choice = case_choice(order, false, true, smoother, 4, 1);
    choice.outer_fields = outer == OUTER_IDR;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(
        h, 0, (struct solver_choice){.outer = outer, .rtol = 1e-10, .max_cycles = 60});
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    destroy(s);
    return result.cycles;
}

static void idr_needs_fewer_cycles(void **state)
{
    static const enum smoother smoothers[] = {SMOOTHER_GSRB, SMOOTHER_JACOBI, SMOOTHER_L1JACOBI};
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        for (int s = 0; s < 3; s++)
            assert_true(cycles_of(order, smoothers[s], OUTER_IDR) <=
                        cycles_of(order, smoothers[s], OUTER_NONE));
}

static bool never(const struct level *level, size_t bytes)
{
    assert_true(bytes == NUM_OUTER_FIELDS * level_field_bytes(level));
    return false;
}

/* Sweeps of this weight make cycles slow. Without memory for IDR they end where they called it. */
static void slow_cycles_call_idr(void **state)
{
    (void)state;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_JACOBI, 4, 1);
    choice.op.weight = 0.05;
    const struct solver_choice slow = {.f_cycle = true, .rtol = 1e-8, .max_cycles = 400};
    struct solver_choice wanted = slow;
    wanted.outer = OUTER_AUTO;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, slow);
    solver_run(s, &result);
    const int without = result.cycles;
    solver_destroy(s);
    wanted.has_room = never;
    s = solver_create(h, 0, wanted);
    solver_run(s, &result);
    assert_true(result.lacks_room && result.outer_cycles == 0 && result.outcome == OUTCOME_LIMIT);
    const int called = result.cycles;
    s->choice.has_room = NULL;
    solver_run(s, &result);
    assert_false(result.lacks_room);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    assert_int_equal(result.cycles, called + result.outer_cycles);
    assert_true(result.outer_cycles > 0 && result.cycles < without);
    s->choice.has_room = never; /* which is there from the solve before */
    solver_run(s, &result);
    assert_true(!result.lacks_room && result.outcome == OUTCOME_DONE);
    s->choice.max_cycles = called; /* one for IDR, beside the F-cycle */
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_LIMIT);
    assert_int_equal(result.cycles, called + 1);
    destroy(s);
}

/* IDR goes on from the u that slow cycles leave, and from zero where that is worse than zero. */
static void idr_begins_from_the_better_u(void **state)
{
    static const double weights[] = {0.05, 2.5};
    static struct solve_result automatic;
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_JACOBI, 4, 1);
        choice.op.weight = weights[i];
        choice.outer_fields = true;
        struct hierarchy *h = hierarchy_create(&choice);
        struct solver_choice wanted = {
            .f_cycle = true, .outer = OUTER_AUTO, .rtol = 1e-8, .max_cycles = 20};
        struct solver *s = solver_create(h, 0, wanted);
        solver_run(s, &automatic);
        solver_destroy(s);
        const int cycles = automatic.cycles - automatic.outer_cycles;
        assert_true(automatic.outer_cycles > 0 && cycles > 1);
        assert_true((automatic.history[cycles - 1] < 1.0) == (i == 0));
        wanted.outer = OUTER_NONE;
        wanted.max_cycles = cycles - 1;
        s = solver_create(h, 0, wanted);
        solver_run(s, &result);
        assert_int_equal(result.cycles, cycles);
        solver_destroy(s);
        s = solver_create(h, 0,
                          (struct solver_choice){.outer = OUTER_IDR,
                                                 .continues = true,
                                                 .rtol = 1e-8,
                                                 .max_cycles = automatic.outer_cycles});
        if (i == 0)
            solver_continue(s, &result);
        else
            solver_run(s, &result);
        assert_memory_equal(result.history, automatic.history + cycles,
                            (size_t)automatic.outer_cycles * sizeof result.history[0]);
        destroy(s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_cycles_is_honoured),
        cmocka_unit_test(growth_is_divergence),
        cmocka_unit_test(peaks_are_no_divergence),
        cmocka_unit_test(rounding_is_told_from_slowness),
        cmocka_unit_test(every_coefficient_rounds),
        cmocka_unit_test(real_solves_end_at_rounding),
        cmocka_unit_test(a_residual_that_is_no_number_is_the_end),
        cmocka_unit_test(either_tolerance_is_enough),
        cmocka_unit_test(a_converged_guess_costs_no_cycle),
        cmocka_unit_test(idr_is_judged_by_the_true_residual),
        cmocka_unit_test(idr_needs_fewer_cycles),
        cmocka_unit_test(slow_cycles_call_idr),
        cmocka_unit_test(idr_begins_from_the_better_u),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
