/* SPDX-License-Identifier: BSD-3-Clause */
/* Sides of cells, and the weights that stand for them. */
#include "operators/spacing.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void cubes_have_no_weights(void **state)
{
    static const double given[][3] = {{0}, {0.1, 0.2, 0.3}, {3.0, 6.0, 9.0}, {1e-9, 2e-9, 3e-9}};
    const int n[3] = {49, 98, 147};
    (void)state;
    for (int c = 0; c < 4; c++) {
        const struct spacing s = spacing_of(given[c], n);
        const double longest = c ? given[c][2] : 1.0;
        assert_true(spacing_is_cubic(&s));
        assert_true(s.inverse == 147 / longest);
        for (int d = 0; d < 3; d++)
            assert_true(s.weight[d] == 1.0 && fabs(s.side[d] * 147 / longest - 1.0) < 1e-15);
    }
}

static void weights_are_squares_of_ratios(void **state)
{
    const int n[3] = {16, 32, 8};
    const struct spacing s = spacing_of((const double[3]){2.0, 1.0, 4.0}, n);
    (void)state;
    assert_false(spacing_is_cubic(&s));
    assert_true(s.side[0] == 0.125 && s.side[1] == 0.03125 && s.side[2] == 0.5);
    assert_true(s.shortest == 0.03125 && s.inverse == 32.0);
    assert_true(s.weight[0] == 0.0625 && s.weight[1] == 1.0 && s.weight[2] == 0.00390625);
}

/* A coarser level has the same weights, and twice the sides. */
static void coarse_levels_have_the_same_weights(void **state)
{
    const double lengths[3] = {1.0, 0.3, 0.7};
    const struct spacing fine = spacing_of(lengths, (const int[3]){24, 40, 32}),
                         coarse = spacing_of(lengths, (const int[3]){12, 20, 16});
    (void)state;
    for (int d = 0; d < 3; d++)
        assert_true(coarse.side[d] == 2.0 * fine.side[d] && coarse.weight[d] == fine.weight[d]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubes_have_no_weights),
        cmocka_unit_test(weights_are_squares_of_ratios),
        cmocka_unit_test(coarse_levels_have_the_same_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
