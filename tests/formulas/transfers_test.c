/* SPDX-License-Identifier: BSD-3-Clause */
/* Restriction and prolongation as formulas: means are means, and cell averages of polynomials up to
 * the order are prolonged exactly (docs/NUMERICS.md, Transfers). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "operators/transfers.h"
#include "support/random.h"

enum { CASES = 2000 };

/* Small integers, whose sums are exact. */
static double random_integer(void)
{
    return random_int(-1000000, 1000000);
}

static void restrictions_are_means(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double x[4];
        random_begin(number);
        for (int v = 0; v < 4; v++)
            x[v] = random_integer();
        EXPECT(restrict_face(x[0], x[1], x[2], x[3]) == (x[0] + x[1] + x[2] + x[3]) / 4.0);
        EXPECT(restrict_cell(x[0], x[1], x[2], x[3]) == (x[0] + x[1] + x[2] + x[3]) / 8.0);
        EXPECT(restrict_planes(x[0] + x[1], x[2] + x[3]) == restrict_cell(x[0], x[1], x[2], x[3]));
    }
}

/* Average of x^p from a to a + width. */
static double average(int p, double a, double width)
{
    return (pow(a + width, p + 1) - pow(a, p + 1)) / ((p + 1) * width);
}

static void check_power(int p, bool quartic)
{
    double c[5];
    for (int m = 0; m < 5; m++)
        c[m] = average(p, m - 2.0, 1.0);
    const double low = quartic ? prolong4_low(c[0], c[1], c[2], c[3], c[4])
                               : prolong2_low(c[1], c[2], c[3]),
                 high = quartic ? prolong4_high(c[0], c[1], c[2], c[3], c[4])
                                : prolong2_high(c[1], c[2], c[3]);
    assert_true(fabs(low - average(p, 0.0, 0.5)) < 1e-14);
    assert_true(fabs(high - average(p, 0.5, 0.5)) < 1e-14);
}

static void polynomials_are_prolonged_exactly(void **state)
{
    (void)state;
    for (int p = 0; p <= 4; p++) {
        check_power(p, true);
        if (p <= 2)
            check_power(p, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restrictions_are_means),
        cmocka_unit_test(polynomials_are_prolonged_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
