/* SPDX-License-Identifier: BSD-3-Clause */
/* The verdict on records made by hand, and what is known of accuracy between and beyond the sizes
 * on record. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "app/accuracy.h"
#include "app/verdict.h"
#include "operators/problem.h"

/* A run that deserves to be VALID, to be spoilt. */
static struct options options;
static struct record b;

static void choose(int problem, int order)
{
    option_set_defaults(&options_list, &options);
    options.problem = problem;
    options.solver.order = order;
}

/* The record that these options lead to at dim, with an error and an order; sizes as if f were 1
 * and u 0.0014. */
static void make(int dim, double error, double order)
{
    static const char *const names[] = {"h", "2h", "4h"};
    memset(&b, 0, sizeof b);
    b.nsizes = SOLVED_LEVELS;
    b.has_richardson = true;
    b.richardson_error = error;
    b.richardson_order = order;
    for (int s = 0; s < SOLVED_LEVELS; s++) {
        const int n = dim >> s;
        b.sizes[s] = (struct size_record){.name = names[s], .level = s, .n = {n, n, n}};
        b.sizes[s].solve.outcome = OUTCOME_DONE;
        b.sizes[s].solve.cycles = 1;
        b.sizes[s].solve.history[0] = 1e-3;
        b.sizes[s].rhs_norm = 1.0;
        b.sizes[s].solution_norm = options.problem == PROBLEM_SINE ? 1.0 : 1.4e-3;
        b.sizes[s].reproducible = true;
        b.sizes[s].true_error =
            problems[options.problem].exact ? error * exp2(order * s) : (double)NAN;
    }
}

static void make_f_cycle(int dim)
{
    struct accuracy known;
    assert_true(accuracy_f_cycle(options_operator(&options.solver), options.problem, dim, &known));
    make(dim, known.error, known.order);
}

static const char *judge(void)
{
    static char text[VERDICT_SIZE];
    b.verdict = verdict_of(&b, &options);
    return verdict_text(&b.verdict, text, sizeof text);
}

static void expect_valid(void)
{
    assert_string_equal(judge(), "VALID");
    assert_true(b.verdict.valid && b.verdict.accuracy_checked);
}

static void expect_invalid(const char *part)
{
    const char *text = judge();
    assert_false(b.verdict.valid);
    if (strncmp(text, "INVALID (", 9) != 0 || !strstr(text, part))
        fail_msg("'%s' does not have '%s'", text, part);
}

static void expect_unchecked(const char *part)
{
    const char *text = judge();
    assert_true(b.verdict.valid && !b.verdict.accuracy_checked);
    if (strncmp(text, "VALID (accuracy not checked: ", 29) != 0 || !strstr(text, part))
        fail_msg("'%s' does not have '%s'", text, part);
}

/* The order of h passed, but there is nothing to compare the error with. */
static void expect_order_alone(const char *part)
{
    const char *text = judge();
    assert_true(b.verdict.valid && !b.verdict.accuracy_checked);
    assert_int_equal(b.verdict.checks[b.verdict.nchecks - 1].state, CHECK_PASSED);
    if (strncmp(text, "VALID (error not checked: ", 26) != 0 || !strstr(text, part))
        fail_msg("'%s' does not have '%s'", text, part);
}

/* A solution without a record: only its order may be wrong. */
static void expect_order_is_judged(const char *why)
{
    expect_order_alone(why);
    b.richardson_order += 0.55;
    expect_order_alone(why);
    b.richardson_order += 0.1;
    expect_invalid("order of the scheme");
    b.richardson_order -= 1.3;
    expect_invalid("order of the scheme");
    b.richardson_order = NAN;
    expect_invalid("order of the scheme");
}

static void test_orders_without_a_record(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        choose(PROBLEM_FV, order);
        make(256, 1e-6, order);
        for (int s = 0; s < SOLVED_LEVELS; s++)
            b.sizes[s].n[1] /= 2;
        expect_order_is_judged("no cubes");
        make(256, 1e-6, order);
        b.sizes[0].n[2] = 64;
        expect_unchecked("no cubes");
        make(256, 1e-6, order);
        options.solver.boundary[3] = BOUNDARY_NEUMANN;
        expect_order_is_judged("for this choice");
        options.solver.rtol = 1e-2;
        options.solver.smoother = SMOOTHER_JACOBI;
        make(256, 1e-6, order);
        expect_order_is_judged("for this choice");
        options.solver.rtol = 0.0;
        make(256, 1e-6, order);
        if (order == 4)
            expect_unchecked("for this choice; one such F-cycle has no known order");
        else
            expect_order_is_judged("for this choice");
        options.solver.smoother = SMOOTHER_GSRB;
        make(256, 0.06 * b.sizes[0].solution_norm, order);
        expect_unchecked("for this choice; the grid is too coarse to tell");
        make(256, 1e-10 * b.sizes[0].solution_norm, order);
        expect_unchecked("for this choice; the error is as small as rounding errors");
    }
}

static void test_recorded_size(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        for (int dim = 64; dim <= 1024; dim *= 2) {
            choose(PROBLEM_FV, order);
            make_f_cycle(dim);
            expect_valid();
            b.richardson_error *= 1.008;
            expect_valid();
            b.richardson_error *= 1.008;
            expect_invalid("error");
            b.richardson_error /= 1.008 * 1.008 * 1.012;
            expect_invalid("error");
            make_f_cycle(dim);
            b.richardson_order -= 0.04;
            expect_invalid("order");
            b.richardson_order += 0.08;
            expect_invalid("order");
        }
}

static void test_residuals(void **state)
{
    (void)state;
    choose(PROBLEM_FV, 2);
    for (int s = 0; s < SOLVED_LEVELS; s++) {
        make_f_cycle(64);
        b.sizes[s].solve.history[0] = 0.11;
        expect_invalid("residual 1.100e-01 is not within 0.000e+00 and 1.000e-01");
        b.sizes[s].solve.history[0] = NAN;
        expect_invalid("residual");
        b.sizes[s].solve.history[0] = 1e-3;
        b.sizes[s].solve.outcome = OUTCOME_ROUNDING;
        expect_invalid("limited by rounding errors");
        b.sizes[s].solve.outcome = OUTCOME_BREAKDOWN; /* without a single residual */
        b.sizes[s].solve.cycles = 0;
        expect_invalid("breakdown");
        b.sizes[s].solve.outcome = OUTCOME_DONE;
        expect_invalid("residual");
    }
    make_f_cycle(64);
    options.solver.rtol = 0.9e-3;
    expect_invalid("residual 1.000e-03 is not within 0.000e+00 and 9.000e-04");
    options.solver.rtol = 1.1e-3;
    expect_valid();
}

static void test_repetition(void **state)
{
    (void)state;
    choose(PROBLEM_FV, 2);
    for (int s = 0; s < SOLVED_LEVELS; s++) {
        make_f_cycle(64);
        b.sizes[s].reproducible = false;
        expect_invalid("repeated solves are not bitwise identical");
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        choose(PROBLEM_FV, 4);
        make_f_cycle(64);
        b.richardson_error = bad[i];
        expect_invalid("error");
        make_f_cycle(64);
        b.richardson_order = bad[i];
        expect_invalid("order");
        choose(PROBLEM_P4, 2);
        make_f_cycle(64);
        b.sizes[0].true_error = bad[i];
        expect_invalid("error");
        make_f_cycle(64);
        b.sizes[1].true_error = bad[i];
        expect_invalid("order");
    }
}

/* A right-hand side that restriction has made zero says nothing; on h it must be there. */
static void test_trivial_sizes(void **state)
{
    (void)state;
    choose(PROBLEM_FV, 2);
    make_f_cycle(64);
    b.sizes[2].rhs_norm = 1e-13;
    b.sizes[2].solve.outcome = OUTCOME_ROUNDING;
    b.sizes[2].solve.history[0] = 7.0;
    expect_valid();
    assert_int_equal(b.verdict.checks[2].state, CHECK_NOT_MADE);
    b.sizes[2].rhs_norm = 1e-11;
    expect_invalid("limited by rounding errors");
    make_f_cycle(64);
    for (int s = 0; s < SOLVED_LEVELS; s++)
        b.sizes[s].rhs_norm = 0.0;
    judge();
    assert_false(b.verdict.valid);
}

/* 128³: one F-cycle has order 1.989, the converged solution 1.878. */
static void test_kinds_of_cycle(void **state)
{
    (void)state;
    struct accuracy converged;
    choose(PROBLEM_FV, 2);
    assert_true(accuracy_converged(options_operator(&options.solver), PROBLEM_FV, 128, &converged));
    assert_true(fabs(converged.order - 1.878) < 1e-9 && converged.recorded);
    make(128, converged.error, converged.order);
    expect_invalid("error");
    options.solver.rtol = 1e-9;
    b.sizes[0].solve.history[0] = b.sizes[1].solve.history[0] = b.sizes[2].solve.history[0] = 1e-10;
    expect_valid();
    options.solver.cycle = CYCLE_V;
    expect_valid();
    b.richardson_error *= 1.04;
    b.richardson_order -= 0.14;
    expect_valid();
    b.richardson_error *= 1.02;
    expect_invalid("error");
    b.richardson_error = converged.error;
    b.richardson_order = converged.order - 0.16;
    expect_invalid("order");
    b.richardson_order = converged.order;
    b.richardson_error = 9.6492e-06; /* the F-cycle's */
    expect_invalid("error");
    options.solver.cycle = CYCLE_F;
    expect_valid();
    options.solver.outer = OUTER_IDR;
    expect_invalid("error");
}

static void test_coarse_grids(void **state)
{
    (void)state;
    choose(PROBLEM_FV, 2);
    make_f_cycle(32);
    expect_unchecked("too coarse: error 8 % of the solution");
    b.richardson_error *= 2.0;
    expect_invalid("error");
    make(8, 1e-4, 1.0);
    expect_unchecked("the grid is too coarse to tell");
    make(20, 4.5e-4, 1.0);
    expect_unchecked("no error on record for this choice");
    make_f_cycle(64);
    b.nsizes = 2;
    b.has_richardson = false;
    expect_unchecked("h, 2h and 4h are not all levels");
    choose(PROBLEM_SINE, 4);
    make_f_cycle(64);
    expect_unchecked("too coarse: error 6 % of the solution");
    make_f_cycle(128);
    expect_valid();
}

static void test_estimated_sizes(void **state)
{
    (void)state;
    choose(PROBLEM_FV, 2);
    make_f_cycle(96);
    expect_unchecked("no order is on record for 96^3");
    b.richardson_error *= 0.1;
    expect_unchecked("no order is on record for 96^3");
    b.richardson_error *= 26.0;
    expect_invalid("error");
    make_f_cycle(192);
    expect_valid();
    b.richardson_order -= 0.7;
    expect_invalid("order");
    make_f_cycle(2048);
    expect_valid();
}

/* The record was made with BiCGStab; smoothing the coarsest level is less exact. */
static void test_smoothed_bottom(void **state)
{
    (void)state;
    choose(PROBLEM_P6, 4);
    make_f_cycle(64);
    b.sizes[0].true_error *= 1.8;
    expect_invalid("error");
    make_f_cycle(64);
    b.sizes[0].true_error *= 1.4;
    options.solver.bottom = BOTTOM_METHOD_SMOOTH;
    expect_valid();
    b.sizes[0].true_error *= 2.0;
    expect_invalid("error");
}

/* Halfway between two recorded sizes the error is their geometric mean; beyond the last it falls
 * with the order of the discretisation, which is 2 for the manufactured problems. */
static void test_estimates(void **state)
{
    (void)state;
    const struct operator_choice op = {.order = 4, .variable = true};
    struct accuracy a, c, between;
    assert_true(accuracy_converged(op, PROBLEM_FV, 512, &a));
    assert_true(accuracy_converged(op, PROBLEM_FV, 1024, &c));
    assert_true(a.recorded && c.recorded);
    assert_true(accuracy_converged(op, PROBLEM_FV, 724, &between));
    assert_false(between.recorded);
    assert_true(fabs(between.error / sqrt(a.error * c.error) - 1.0) < 2e-3);
    assert_true(accuracy_converged(op, PROBLEM_FV, 2048, &between));
    assert_true(!between.recorded && fabs(between.error / (c.error / 16.0) - 1.0) < 1e-12);
    assert_true(accuracy_converged(op, PROBLEM_P4, 256, &c));
    assert_true(accuracy_converged(op, PROBLEM_P4, 512, &between));
    assert_true(c.recorded && fabs(between.error / (c.error / 4.0) - 1.0) < 1e-12);
    assert_false(accuracy_converged(op, PROBLEM_FV, 12, &between));
    assert_false(accuracy_converged(op, PROBLEM_FV, 24, &between));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_size),   cmocka_unit_test(test_orders_without_a_record),
        cmocka_unit_test(test_residuals),       cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_not_finite),      cmocka_unit_test(test_trivial_sizes),
        cmocka_unit_test(test_kinds_of_cycle),  cmocka_unit_test(test_coarse_grids),
        cmocka_unit_test(test_estimated_sizes), cmocka_unit_test(test_smoothed_bottom),
        cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
