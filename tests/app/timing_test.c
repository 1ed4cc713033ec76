/* SPDX-License-Identifier: BSD-3-Clause */
/* How many solves are timed and what is made of their times. The clock is the test's own, so
 * nothing here depends on the machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "app/benchmark.h"
#include "base/timer.h"
#include "comm/comm.h"

/* Seconds that pass from one reading to the next, by turns. */
static struct {
    double now, steps[6];
    int count;
    long readings;
} fake;

double timer_seconds(void)
{
    return fake.now += fake.steps[fake.readings++ % fake.count];
}

static struct benchmark *run(long solves, double min_time)
{
    static char name[] = "hpgmg-gpu", size[] = "3", boxes[] = "1", quiet[] = "--quiet";
    char *argv[] = {name, quiet, size, boxes};
    char message[200];
    struct options options;
    assert_int_equal(options_parse(&options, 4, argv, message, sizeof message), STATUS_VALID);
    options.solves = solves;
    options.min_time = min_time;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&options, false);
    struct hierarchy *h = hierarchy_create(&choice);
    struct benchmark *b = benchmark_run(h, &options);
    hierarchy_destroy(h);
    option_release(&options_list, &options);
    return b;
}

/* 1/64 s from reading to reading. */
static void as_many_solves_as_fill_the_time(void **state)
{
    (void)state;
    static const struct {
        double min_time;
        long solves;
    } table[] = {{1.0, 64}, {2.0, 128}, {0.5, 32}, {1.01, 65}, {0.1, 10}};
    fake.count = 1;
    fake.steps[0] = 1.0 / 64;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct benchmark *b = run(0, table[i].min_time);
        for (int s = 0; s < b->nsizes; s++) {
            assert_int_equal(b->sizes[s].solves, table[i].solves);
            assert_true(b->sizes[s].mean == 1.0 / 64);
            assert_true(b->sizes[s].deviation == 0.0);
        }
        benchmark_destroy(b);
    }
}

/* Solves of 1, 2 and 6 s by turns; readings before and after them are a second apart. */
static void times_are_summed_up(void **state)
{
    (void)state;
    fake.count = 6;
    for (int i = 0; i < 6; i++)
        fake.steps[i] = i % 2 == 0 ? 1.0 : (double[]){1.0, 2.0, 6.0}[i / 2];
    struct benchmark *b = run(6, 0.0);
    for (int s = 0; s < b->nsizes; s++) {
        const struct size_record *r = &b->sizes[s];
        assert_int_equal(r->solves, 6);
        assert_true(r->min == 1.0 && r->max == 6.0 && r->median == 2.0 && r->mean == 3.0);
        assert_true(fabs(r->deviation - sqrt(2.0 * (4 + 1 + 9) / 5)) < 1e-12);
        assert_true(r->dof_per_second == pow(r->dim, 3) / 3.0);
    }
    benchmark_destroy(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_solves_as_fill_the_time),
        cmocka_unit_test(times_are_summed_up),
    };
    comm_start(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    comm_finish();
    return failed;
}
