/* SPDX-License-Identifier: BSD-3-Clause */
/* The operators of order 2 and 4 have their order between walls of all kinds, from 16³ to 32³, with
 * and without stored coefficients. slow_walls_order_test does larger grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "support/run.h"
#include "support/walls_order.h"

/* Measured: orders from 1.90 to 2.01 and from 3.79 to 4.11. */
#define TOLERANCE 0.075

static void check_all_walls(struct operator_choice op)
{
    for (int number = 0; number < NUM_WALLS; number++) {
        const struct walls w = walls_number(number);
        const struct walls_errors e = walls_solve(w, op, 5);
        if (!walls_order_is_right(&e, op.order, TOLERANCE))
            fail_msg("order %d, equation %d, variable %d, walls %s,%s,%s: %.2e, %.2e, order %.3f%s",
                     op.order, (int)op.equation, op.variable, ends[w.of[0]].name,
                     ends[w.of[1]].name, ends[w.of[2]].name, e.coarse, e.fine, e.order,
                     e.solved ? "" : ", not solved");
    }
}

static void test_poisson(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        for (int variable = 0; variable < 2; variable++)
            check_all_walls((struct operator_choice){.order = order, .variable = variable});
}

static void test_helmholtz(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2)
        check_all_walls((struct operator_choice){
            .order = order, .equation = EQUATION_HELMHOLTZ, .variable = true});
}

/* The walls of the table: 27 by direction, ten by side, no two alike. */
static void test_walls_differ(void **state)
{
    (void)state;
    for (int a = 0; a < NUM_WALLS; a++) {
        const struct sides one = walls_sides(walls_number(a));
        bool differs_by_side = false;
        for (int d = 0; d < 3; d++)
            differs_by_side = differs_by_side || one.of[d][0] != one.of[d][1];
        assert_int_equal(differs_by_side, a >= BY_DIRECTION);
        for (int b = 0; b < a; b++) {
            const struct sides other = walls_sides(walls_number(b));
            assert_false(sides_equal(&one, &other));
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_differ),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_helmholtz),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
