/* SPDX-License-Identifier: BSD-3-Clause */
/* The shapes of domains: the size rule, and the exact rule against all shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "level/domain.h"
#include "level/extent.h"
#include "support/random.h"

enum { CASES = 1000 };

/* The largest m·2^s with odd m <= 11 whose cube is at most `boxes`. */
static long largest_side(long boxes)
{
    long best = 1;
    for (long m = 1; m <= 11; m += 2)
        for (long n = m; n * n * n <= boxes; n *= 2)
            best = n > best ? n : best;
    return best;
}

static void the_cube_rule_finds_the_largest(void **state)
{
    (void)state;
    for (long boxes = 0; boxes <= 20000; boxes++)
        assert_int_equal(domain_cube_side(boxes), largest_side(boxes));
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int per_rank = random_int(1, 1 << random_int(0, 20));
        const int ranks = random_int(1, 1 << random_int(0, 10));
        EXPECT(domain_cube_side((long)per_rank * ranks) == largest_side((long)per_rank * ranks));
    }
    const int sides[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32};
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        const int n = sides[s], cube = n * n * n;
        assert_int_equal(domain_cube_side(cube), n);
        assert_true(cube == 1 || domain_cube_side(cube - 1) < n);
    }
}

static const struct domain_choice cube = {{DOMAIN_CUBE}}, exact = {{DOMAIN_EXACT}};

static void rules_give_the_boxes_that_they_count(void **state)
{
    int shape[3];
    (void)state;
    for (long boxes = 1; boxes <= 3000; boxes++) {
        domain_shape(&exact, boxes, shape);
        EXPECT(domain_count(&exact, boxes) == boxes && extent_cells(shape) == (double)boxes);
        EXPECT(shape[0] >= shape[1] && shape[1] >= shape[2] && shape[2] >= 1);
        domain_shape(&cube, boxes, shape);
        EXPECT(extent_is_cube(shape) && domain_count(&cube, boxes) == (long)extent_cells(shape));
    }
    const struct domain_choice given = {{5, 3, 7}};
    domain_shape(&given, 1000, shape);
    assert_true(extent_equal(shape, given.boxes));
    assert_int_equal(domain_count(&given, 1000), 105);
}

/* Boxes left when all three numbers have been halved while all are even. */
static long left_of(int i, int j, int k)
{
    return i % 2 || j % 2 || k % 2 ? (long)i * j * k : left_of(i / 2, j / 2, k / 2);
}

static void the_exact_rule_finds_the_best_of_all_shapes(void **state)
{
    (void)state;
    for (int boxes = 1; boxes <= 1500; boxes++) {
        int shape[3];
        domain_shape(&exact, boxes, shape);
        const long left = left_of(shape[0], shape[1], shape[2]),
                   surface = (long)shape[0] * shape[1] + (long)shape[1] * shape[2] +
                             (long)shape[0] * shape[2];
        EXPECT((double)left == domain_remainder(shape));
        for (int i = 1; i <= boxes; i++)
            for (int j = 1; boxes % i == 0 && j <= boxes / i; j++) {
                const int k = boxes / i / j;
                if (boxes / i % j != 0)
                    continue;
                const long other = left_of(i, j, k),
                           other_surface = (long)i * j + (long)j * k + (long)i * k;
                const bool small = left <= SMALL_COARSEST_CELLS;
                EXPECT(small || left <= other);
                if (small ? other <= SMALL_COARSEST_CELLS : other == left)
                    EXPECT(surface <= other_surface);
            }
    }
}

/* The table in NUMERICS. */
static void known_shapes(void **state)
{
    static const int known[][4] = {{2, 2, 1, 1},          {7, 7, 1, 1},       {8, 2, 2, 2},
                                   {16, 4, 2, 2},         {24, 4, 3, 2},      {56, 7, 4, 2},
                                   {64, 4, 4, 4},         {1009, 1009, 1, 1}, {4096, 16, 16, 16},
                                   {800000, 100, 100, 80}};
    (void)state;
    for (size_t x = 0; x < sizeof known / sizeof *known; x++) {
        int shape[3];
        domain_shape(&exact, known[x][0], shape);
        EXPECT(extent_equal(shape, &known[x][1]));
    }
}

static void shapes_that_coarsen(void **state)
{
    (void)state;
    for (long boxes = 1; boxes < 100000; boxes += 1 + boxes / 10) {
        int shape[3];
        domain_suggest_shape(boxes, 512, shape);
        EXPECT(extent_cells(shape) <= (double)boxes && extent_cells(shape) > 0.4 * (double)boxes);
        EXPECT(domain_remainder(shape) <= (extent_is_cube(shape) ? SMALL_COARSEST_CELLS : 512));
    }
}

/* The suggested shape has the largest number of boxes that coarsens, of the 256 below the given
 * one. */
static void as_few_boxes_as_possible_are_left_out(void **state)
{
    (void)state;
    const struct domain_choice rule = {{DOMAIN_EXACT}};
    long most = 0;
    for (long boxes = 300; boxes < 20000; boxes += 97) {
        int shape[3], tried[3];
        long left_out = 0;
        do
            domain_shape(&rule, boxes - left_out, tried);
        while (domain_remainder(tried) > 64 && ++left_out < 256);
        domain_suggest_shape(boxes, 64, shape);
        if (left_out < 256)
            EXPECT(extent_cells(shape) == (double)(boxes - left_out));
        else
            EXPECT(extent_is_cube(shape));
        most = left_out > most ? left_out : most;
    }
    assert_true(most > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_rule_finds_the_largest),
        cmocka_unit_test(rules_give_the_boxes_that_they_count),
        cmocka_unit_test(the_exact_rule_finds_the_best_of_all_shapes),
        cmocka_unit_test(known_shapes),
        cmocka_unit_test(shapes_that_coarsen),
        cmocka_unit_test(as_few_boxes_as_possible_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
