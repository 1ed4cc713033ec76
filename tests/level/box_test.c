/* SPDX-License-Identifier: BSD-3-Clause */
/* Box operations against sets of cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "level/box.h"
#include "support/random.h"

enum { CASES = 1500, REACH = 24, SIDE = 2 * REACH };

/* A set of cells with indices from -REACH to REACH - 1. */
struct set {
    bool has[SIDE][SIDE][SIDE]; /* k, j, i */
};

static struct set first, second;

static bool *cell(struct set *s, int i, int j, int k)
{
    return &s->has[k + REACH][j + REACH][i + REACH];
}

/* The cells of a box, by definition. */
static void set_of(struct set *s, struct box b)
{
    memset(s, 0, sizeof *s);
    for (int k = b.lo[2]; k < b.hi[2]; k++)
        for (int j = b.lo[1]; j < b.hi[1]; j++)
            for (int i = b.lo[0]; i < b.hi[0]; i++)
                *cell(s, i, j, k) = true;
}

static bool same(const struct set *a, const struct set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static long set_cells(const struct set *s)
{
    const bool *all = &s->has[0][0][0];
    long count = 0;
    for (long c = 0; c < (long)SIDE * SIDE * SIDE; c++)
        count += all[c];
    return count;
}

/* With low ends from -7 to 7 and sides from `smallest` to `largest`; a negative side is an empty
 * box. */
static struct box random_box(int smallest, int largest)
{
    struct box b;
    for (int d = 0; d < 3; d++) {
        b.lo[d] = random_int(-7, 7);
        b.hi[d] = b.lo[d] + random_int(smallest, largest);
    }
    return b;
}

/* floor(n/2), without a division. */
static int half_floor(int n)
{
    int half = -REACH;
    while (2 * (half + 1) <= n)
        half++;
    return half;
}

static void expect_set(const struct set *expected, struct box b)
{
    static struct set actual;
    set_of(&actual, b);
    EXPECT(same(expected, &actual));
}

static void boxes_count_their_cells(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box b = random_box(-2, 5);
        set_of(&first, b);
        EXPECT(box_cells(b) == set_cells(&first));
        EXPECT(box_is_empty(b) == (set_cells(&first) == 0));
        EXPECT(box_equal(b, b));
    }
    assert_true(box_cells(box_cube(-5, 7, 0, 2000)) == 8000000000);
}

static void boxes_are_equal_as_sets_are(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box a = random_box(1, 4);
        struct box b = a;
        if (random_bool())
            (random_bool() ? b.lo : b.hi)[random_int(0, 2)] += random_int(-1, 0);
        set_of(&first, a);
        set_of(&second, b);
        EXPECT(box_is_empty(b) || box_equal(a, b) == same(&first, &second));
    }
}

static void cubes_begin_where_they_are_told(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int i = random_int(-9, 9), j = random_int(-9, 9), k = random_int(-9, 9);
        const int n = random_int(1, 9);
        const struct box b = box_cube(i, j, k, n);
        EXPECT(b.lo[0] == i && b.lo[1] == j && b.lo[2] == k);
        EXPECT(b.hi[0] == i + n && b.hi[1] == j + n && b.hi[2] == k + n);
    }
}

static void intersection_has_the_cells_of_both(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box a = random_box(-1, 8), b = random_box(-1, 8);
        set_of(&first, a);
        set_of(&second, b);
        bool *x = &first.has[0][0][0];
        const bool *y = &second.has[0][0][0];
        for (long c = 0; c < (long)SIDE * SIDE * SIDE; c++)
            x[c] = x[c] && y[c];
        expect_set(&first, box_intersect(a, b));
        EXPECT(box_is_empty(box_intersect(a, b)) == (set_cells(&first) == 0));
    }
}

static void containing_is_having_all_cells(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box inner = random_box(-1, 4);
        const struct box outer =
            random_bool() ? random_box(0, 9) : box_grow(inner, random_int(-1, 1));
        bool all = true;
        set_of(&first, outer);
        for (int k = inner.lo[2]; k < inner.hi[2]; k++)
            for (int j = inner.lo[1]; j < inner.hi[1]; j++)
                for (int i = inner.lo[0]; i < inner.hi[0]; i++)
                    all = all && *cell(&first, i, j, k);
        EXPECT(box_contains(outer, inner) == all);
    }
}

/* Marks the cells within distance `by` of the cell in every direction. */
static void mark_around(struct set *s, int i, int j, int k, int by)
{
    for (int c = k - by; c <= k + by; c++)
        for (int b = j - by; b <= j + by; b++)
            for (int a = i - by; a <= i + by; a++)
                *cell(s, a, b, c) = true;
}

static void growing_adds_what_is_near(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box b = random_box(1, 4);
        const int by = random_int(0, 3);
        memset(&first, 0, sizeof first);
        for (int k = b.lo[2]; k < b.hi[2]; k++)
            for (int j = b.lo[1]; j < b.hi[1]; j++)
                for (int i = b.lo[0]; i < b.hi[0]; i++)
                    mark_around(&first, i, j, k, by);
        expect_set(&first, box_grow(b, by));
        EXPECT(box_equal(box_grow(box_grow(b, by), -by), b));
    }
}

static void shifting_moves_every_cell(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box b = random_box(1, 5);
        const int di = random_int(-9, 9), dj = random_int(-9, 9), dk = random_int(-9, 9);
        memset(&first, 0, sizeof first);
        for (int k = b.lo[2]; k < b.hi[2]; k++)
            for (int j = b.lo[1]; j < b.hi[1]; j++)
                for (int i = b.lo[0]; i < b.hi[0]; i++)
                    *cell(&first, i + di, j + dj, k + dk) = true;
        expect_set(&first, box_shift(b, di, dj, dk));
    }
}

static int floor_of(int i, int ratio)
{
    return ratio == 2 ? half_floor(i) : i;
}

static void coarsening_covers_every_cell(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct box b = random_box(1, 7);
        const int r[3] = {random_int(1, 2), random_int(1, 2), random_int(1, 2)};
        memset(&first, 0, sizeof first);
        for (int k = b.lo[2]; k < b.hi[2]; k++)
            for (int j = b.lo[1]; j < b.hi[1]; j++)
                for (int i = b.lo[0]; i < b.hi[0]; i++)
                    *cell(&first, floor_of(i, r[0]), floor_of(j, r[1]), floor_of(k, r[2])) = true;
        expect_set(&first, box_coarsen(b, r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_count_their_cells),
        cmocka_unit_test(boxes_are_equal_as_sets_are),
        cmocka_unit_test(cubes_begin_where_they_are_told),
        cmocka_unit_test(intersection_has_the_cells_of_both),
        cmocka_unit_test(containing_is_having_all_cells),
        cmocka_unit_test(growing_adds_what_is_near),
        cmocka_unit_test(shifting_moves_every_cell),
        cmocka_unit_test(coarsening_covers_every_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
