/* SPDX-License-Identifier: BSD-3-Clause */
/* What every sweep of every smoother does, as docs/NUMERICS.md has it, and the places of the
 * operators in their list. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "operators/stencil.h"

static struct stencil stencil_of(int order, enum smoother smoother)
{
    return stencil_create((struct operator_choice){.order = order,
                                                   .variable = true,
                                                   .sides = SIDES_ALL(BOUNDARY_DIRICHLET),
                                                   .smoother = smoother},
                          (const int[3]){16, 16, 16});
}

static void assert_close(double value, long double wanted)
{
    assert_true(fabsl((long double)value - wanted) <= 16 * DBL_EPSILON * fabsl(wanted));
}

static void gsrb_takes_colours_in_turns(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        const struct stencil s = stencil_of(order, SMOOTHER_GSRB);
        assert_true(s.coloured && !s.needs_lambda_max && !s.l1_weight);
        assert_int_equal(s.in_place, order == 2);
        for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++) {
            const struct relaxation r = stencil_relaxation(&s, sweep);
            assert_true(r.coloured && !r.reads_before && r.weight == 1.0);
            assert_int_equal(r.colour, sweep % 2);
        }
    }
}

static void jacobi_weighs_all_cells_alike(void **state)
{
    static const enum smoother smoothers[] = {SMOOTHER_JACOBI, SMOOTHER_L1JACOBI};
    static const double weights[] = {2.0 / 3.0, 1.0};
    (void)state;
    for (int n = 0; n < 2; n++) {
        const struct stencil s = stencil_of(2, smoothers[n]);
        assert_true(!s.coloured && !s.needs_lambda_max && !s.in_place);
        assert_int_equal(s.l1_weight, smoothers[n] == SMOOTHER_L1JACOBI);
        for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++) {
            const struct relaxation r = stencil_relaxation(&s, sweep);
            assert_true(!r.coloured && !r.reads_before && r.weight == weights[n]);
        }
    }
}

/* On [λ_max/8, λ_max]; the first step is no two-step one, since c1 is 0 there. */
static void chebyshev_follows_its_recurrence(void **state)
{
    const double bounds[] = {1.9, 2.0, 3.7};
    (void)state;
    for (int n = 0; n < 3; n++) {
        struct stencil s = stencil_of(4, SMOOTHER_CHEBYSHEV);
        const long double high = bounds[n], low = high / 8, theta = (high + low) / 2,
                          delta = (high - low) / 2, sigma = theta / delta;
        long double rho = 1 / sigma, weight = 1 / theta, c1 = 0;
        assert_true(!s.coloured && s.needs_lambda_max && !s.l1_weight && !s.in_place);
        stencil_set_lambda_max(&s, bounds[n]);
        for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++) {
            const struct relaxation r = stencil_relaxation(&s, sweep);
            assert_false(r.coloured);
            assert_int_equal(r.reads_before, sweep > 0);
            assert_close(r.weight, weight);
            assert_close(r.c1, c1);
            const long double next = 1 / (2 * sigma - rho);
            c1 = next * rho;
            weight = 2 * next / delta;
            rho = next;
        }
    }
}

static void operators_have_places(void **state)
{
    static const struct operator_choice rows[] = {
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    {order, equation, variable, .sides = SIDES_ALL(BOUNDARY_DIRICHLET)},
#include "operators/variants.def"
#undef OPERATOR
    };
    const int count = (int)(sizeof rows / sizeof rows[0]);
    (void)state;
    assert_int_equal(count, 8);
    for (int row = 0; row < count; row++) {
        struct operator_choice choice = rows[row];
        assert_int_equal(operator_index(&choice), row);
        choice.sides = sides_all(BOUNDARY_PERIODIC);
        choice.smoother = SMOOTHER_L1JACOBI;
        assert_int_equal(operator_index(&choice), row);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gsrb_takes_colours_in_turns),
        cmocka_unit_test(jacobi_weighs_all_cells_alike),
        cmocka_unit_test(chebyshev_follows_its_recurrence),
        cmocka_unit_test(operators_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
