/* SPDX-License-Identifier: BSD-3-Clause */
/* Mixed precision: the answer of double precision, and the same one scaled for scaled data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/run.h"
#include "support/solve_case.h"

/* Levels of more than 8³ cells are corrected. */
static struct hierarchy_choice mixed(int order, enum smoother smoother)
{
    struct hierarchy_choice choice = case_choice(order, false, false, smoother, 5, 1);
    choice.single_above = 512;
    return choice;
}

static void errors_and_cycles_are_those_of_double(void **state)
{
    (void)state;
    static struct case_result in_double, in_mixed;
    const struct solver_choice one = {.f_cycle = true},
                               to_rtol = {.f_cycle = true, .rtol = 1e-11, .max_cycles = 20};
    for (int code = 0; code < 4; code++) {
        struct hierarchy_choice choice =
            mixed(code % 2 ? 4 : 2, code / 2 ? SMOOTHER_CHEBYSHEV : SMOOTHER_GSRB);
        case_run(&choice, one, &in_mixed);
        choice.single_above = 0.0;
        case_run(&choice, one, &in_double);
        assert_true(in_mixed.checksum != in_double.checksum);
        assert_true(fabs(in_mixed.richardson_error / in_double.richardson_error - 1.0) < 1e-5);
        case_run(&choice, to_rtol, &in_double);
        choice.single_above = 512;
        case_run(&choice, to_rtol, &in_mixed);
        for (int s = 0; s < SOLVED_LEVELS; s++) {
            assert_int_equal(in_mixed.solves[s].outcome, OUTCOME_DONE);
            assert_int_equal(in_mixed.solves[s].cycles, in_double.solves[s].cycles);
        }
    }
}

/* The checksum of u after a solve whose f and β were multiplied, with u divided by what that should
 * have made of it. */
static uint64_t scaled(const struct hierarchy_choice *choice, int f_exponent, int beta_exponent)
{
    struct solve_result result;
    struct hierarchy *h = hierarchy_create(choice);
    struct level *l = h->levels[0];
    vector_combine(l, FIELD_F, ldexp(1.0, f_exponent), FIELD_F, 0.0, FIELD_F);
    for (int d = 0; d < 3; d++) {
        const enum field beta = FIELD_BETA_I + d;
        for (int q = 0; q < l->npatches; q++) { /* with the faces on the high walls */
            double *x = patch_cells(l, &l->patches[q], beta);
            for (long at = 0; at < l->field_length - l->patches[q].offset; at++)
                x[at] = ldexp(x[at], beta_exponent);
        }
    }
    hierarchy_set_operator(h);
    struct solver *s =
        solver_create(h, 0, (struct solver_choice){.f_cycle = true, .rtol = 1e-9, .max_cycles = 9});
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    vector_combine(l, FIELD_U, ldexp(1.0, beta_exponent - f_exponent), FIELD_U, 0.0, FIELD_U);
    const uint64_t checksum = reduce_checksum(l, FIELD_U);
    solver_destroy(s);
    hierarchy_destroy(h);
    return checksum;
}

/* By powers of two: up to about 1e±120 for f, beyond which the coarsest level's solver in double
 * precision rounds otherwise, and 1e±30 for β. Then up to 1e±270 there is an answer. */
static void scaled_data_have_the_scaled_answer(void **state)
{
    (void)state;
    static const int exponents[][2] = {{400, 0}, {-400, 0}, {0, 100}, {0, -100}, {-300, 100}};
    for (int order = 2; order <= 4; order += 2) {
        const struct hierarchy_choice choice = mixed(order, SMOOTHER_GSRB);
        const uint64_t wanted = scaled(&choice, 0, 0);
        for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++)
            assert_int_equal(scaled(&choice, exponents[e][0], exponents[e][1]), wanted);
        scaled(&choice, 900, 0);
        scaled(&choice, -900, 0);
    }
}

/* What overflows in single precision alone must not end as an answer. */
static void an_overflow_is_seen(void **state)
{
    (void)state;
    struct solve_result result;
    const struct hierarchy_choice choice = mixed(2, SMOOTHER_GSRB);
    struct hierarchy *h = hierarchy_create(&choice);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    double *f = patch_cells(h->levels[0], &h->levels[0]->patches[0], FIELD_F);
    f[0] = 1e60; /* after the solver has chosen its scale */
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_NOT_FINITE);
    solver_destroy(s);
    hierarchy_destroy(h);
}

/* The coarsest level is never corrected, nor are levels of a small problem. */
static void corrected_levels_are_large(void **state)
{
    (void)state;
    struct hierarchy_choice choice = mixed(2, SMOOTHER_GSRB);
    choice.max_levels = 2;
    struct hierarchy *h = hierarchy_create(&choice);
    assert_int_equal(h->ncorrections, 1);
    hierarchy_destroy(h);
    choice.single_above = 32 * 32 * 32;
    h = hierarchy_create(&choice);
    assert_int_equal(h->ncorrections, 0);
    hierarchy_destroy(h);
}

/* How often the program stores a residual of the finest level. */
static int count_residuals(const struct program *p)
{
    int count = 0;
    for (int i = 0; i < p->count; i++)
        count += p->stages[i].kind == STAGE_PASS && p->stages[i].pass.finish == FINISH_DEFECT &&
                 p->stages[i].level == 0;
    return count;
}

/* The checksum of u after `runs` runs of `cycles` cycles each. */
static uint64_t continued(struct hierarchy *h, int runs, int cycles)
{
    struct solve_result result;
    struct solver *s =
        solver_create(h, 0,
                      (struct solver_choice){
                          .f_cycle = true, .rtol = 1e-30, .max_cycles = cycles, .continues = true});
    assert_int_equal(count_residuals(s->first), 2);
    assert_int_equal(count_residuals(s->next), 1);
    assert_int_equal(count_residuals(s->residual), 1);
    solver_run(s, &result);
    for (int run = 1; run < runs; run++)
        solver_continue(s, &result);
    assert_int_equal(result.outcome, OUTCOME_LIMIT);
    solver_destroy(s);
    return reduce_checksum(h->levels[0], FIELD_U);
}

/* The pass that ends a cycle with the norm also stores the residual with which the next one begins,
 * if there is a next one. */
static void a_cycle_begins_with_the_last_residual(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        const struct hierarchy_choice choice = mixed(order, SMOOTHER_GSRB);
        struct hierarchy *h = hierarchy_create(&choice);
        struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
        assert_int_equal(count_residuals(s->first), 1);
        solver_destroy(s);
        assert_int_equal(continued(h, 2, 2), continued(h, 1, 4));
        hierarchy_destroy(h);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_and_cycles_are_those_of_double),
        cmocka_unit_test(scaled_data_have_the_scaled_answer),
        cmocka_unit_test(an_overflow_is_seen),
        cmocka_unit_test(corrected_levels_are_large),
        cmocka_unit_test(a_cycle_begins_with_the_last_residual),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
