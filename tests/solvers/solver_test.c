/* SPDX-License-Identifier: BSD-3-Clause */
/* How a solve says that it ended: at its tolerance, at its limit, or because it gains too little.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "solvers/mgpcg.h"
#include "support/solve_case.h"

/* How a solve ends whose every cycle leaves so much of the residual, and after how many. */
static enum outcome ends(double factor, int *cycles)
{
    static struct solve_result r;
    const struct solver_choice choice = {.rtol = 1e-12, .max_cycles = 900};
    double residual = 1.0;
    r.cycles = 0;
    r.outcome = OUTCOME_DONE;
    while (r.cycles < choice.max_cycles && !solve_record(&choice, &r, residual))
        residual *= factor;
    *cycles = r.cycles;
    return r.outcome;
}

/* Three cycles in a row that gain less than a tenth are the end. */
static void stagnation_is_a_tenth(void **state)
{
    (void)state;
    int cycles;
    assert_int_equal(ends(0.91, &cycles), OUTCOME_STAGNATED);
    assert_int_equal(cycles, 4);
    assert_int_equal(ends(0.96, &cycles), OUTCOME_STAGNATED);
    assert_int_equal(ends(2.0, &cycles), OUTCOME_STAGNATED);
    assert_int_equal(ends(0.89, &cycles), OUTCOME_DONE);
    assert_int_equal(ends(0.5, &cycles), OUTCOME_DONE);
}

/* Two cycles that gain too little and one that does not. */
static void one_good_cycle_is_no_stagnation(void **state)
{
    (void)state;
    static struct solve_result r;
    const struct solver_choice choice = {.rtol = 1e-12, .max_cycles = 900};
    double residual = 1.0;
    r.cycles = 0;
    for (int c = 0; c < 60; c++) {
        assert_false(solve_record(&choice, &r, residual));
        assert_int_equal(r.outcome, OUTCOME_LIMIT);
        residual *= c % 3 == 0 ? 0.5 : 0.99;
    }
}

static void a_residual_that_is_no_number_is_the_end(void **state)
{
    (void)state;
    static struct solve_result r;
    const struct solver_choice choices[] = {{.rtol = 1e-3, .max_cycles = 9}, {.f_cycle = true}};
    for (int i = 0; i < 4; i++) {
        r.cycles = 0;
        assert_true(solve_record(&choices[i / 2], &r, i % 2 ? NAN : INFINITY));
        assert_int_equal(r.outcome, OUTCOME_NOT_FINITE);
        assert_int_equal(r.cycles, 1);
    }
}

/* The recurrence of conjugate gradients falls below any tolerance; the residual does not. */
static void conjugate_gradients_are_judged_by_the_true_residual(void **state)
{
    (void)state;
    static struct solve_result result;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 4, 1);
    choice.mgpcg = true;
    struct hierarchy *h = hierarchy_create(&choice);
    const struct solver_choice wanted = {.mgpcg = true, .rtol = 1e-18, .max_cycles = 60};
    struct solver *s = solver_create(h, 0, wanted);
    solver_run(s, &result);
    assert_true(result.cycles < wanted.max_cycles); /* the recurrence was satisfied */
    assert_true(result.history[result.cycles - 1] > wanted.rtol);
    assert_int_equal(result.outcome, OUTCOME_LIMIT);
    solver_destroy(s);
    hierarchy_destroy(h);
}

/* Cycles that a solve of 16³ periodic cells needs. */
static int cycles_of(int order, enum smoother smoother, bool mgpcg)
{
    static struct solve_result result;
    struct hierarchy_choice choice = case_choice(order, false, true, smoother, 4, 1);
    choice.mgpcg = mgpcg;
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(
        h, 0, (struct solver_choice){.mgpcg = mgpcg, .rtol = 1e-10, .max_cycles = 60});
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    solver_destroy(s);
    hierarchy_destroy(h);
    return result.cycles;
}

/* Where the operator is symmetric, as without walls. */
static void conjugate_gradients_need_fewer_cycles(void **state)
{
    static const enum smoother smoothers[] = {SMOOTHER_GSRB, SMOOTHER_JACOBI, SMOOTHER_L1JACOBI};
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        for (int s = 0; s < 3; s++)
            assert_true(cycles_of(order, smoothers[s], true) <
                        cycles_of(order, smoothers[s], false));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stagnation_is_a_tenth),
        cmocka_unit_test(one_good_cycle_is_no_stagnation),
        cmocka_unit_test(a_residual_that_is_no_number_is_the_end),
        cmocka_unit_test(conjugate_gradients_are_judged_by_the_true_residual),
        cmocka_unit_test(conjugate_gradients_need_fewer_cycles),
    };
    comm_start(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return failed != 0 || leak;
}
