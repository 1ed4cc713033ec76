/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of the ranks' rates: gathered, and compared with their median. On one rank and on
 * three, of which the last has nothing to smooth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "app/ranks.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "support/run.h"

static const struct meters no_meters;

/* Rank r copies at r + 1 and smooths at 10, 20, not at all. */
static struct rank_table gathered_table(void)
{
    const int me = comm_rank();
    struct rank_table t = {.count = comm_size()};
    t.ranks = memory_alloc_zero(sizeof *t.ranks, "ranks");
    t.ranks->rates[RATE_COPY] = me + 1.0;
    t.ranks->rates[RATE_SMOOTHING] = me == 2 ? (double)NAN : 10.0 * (me + 1);
    ranks_gather(&t, &no_meters);
    return t;
}

static void ranks_are_gathered(void **state)
{
    (void)state;
    struct rank_table t = gathered_table();
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    for (int r = 0; comm_rank() == 0 && r < comm_size(); r++) {
        assert_true(t.ranks[r].rates[RATE_COPY] == r + 1.0);
        assert_string_equal(t.ranks[r].place.host, host);
        assert_true(strlen(t.ranks[r].place.cpuset) > 0);
        assert_true(isnan(t.ranks[r].slowest_mhz) && !t.ranks[r].gpu[0]);
    }
    if (comm_rank() == 0) {
        assert_true(ranks_sum(&t, RATE_COPY) == comm_size() * (comm_size() + 1) / 2);
        assert_true(ranks_sum(&t, RATE_SMOOTHING) == (comm_size() == 1 ? 10.0 : 30.0));
        assert_int_equal(t.nsummaries, NUM_RANK_RATES);
        assert_string_equal(t.summaries[RATE_SMOOTHING].name, "smoothing");
        assert_int_equal(t.summaries[RATE_SMOOTHING].count, comm_size() == 1 ? 1 : 2);
        assert_int_equal(t.noutliers + t.more_outliers, comm_size() == 1 ? 0 : 3);
    }
    memory_free(t.ranks);
}

/* Five ranks, made by hand. */
static struct rank_record five[5];
static struct rank_table table(const double rates[5])
{
    for (int r = 0; r < 5; r++)
        five[r] = (struct rank_record){.rates = {NAN, rates[r]}};
    return (struct rank_table){.count = 5, .ranks = five};
}

static void rates_are_summed_up(void **state)
{
    (void)state;
    const struct rank_table t = table((double[]){3.0, NAN, 1.0, 2.0, 8.0});
    const struct rank_summary s = ranks_summary(&t, RATE_SMOOTHING);
    assert_true(s.count == 4 && s.min == 1.0 && s.median == 2.5 && s.max == 8.0);
    const struct rank_summary none = ranks_summary(&t, RATE_COPY);
    assert_true(none.count == 0 && isnan(none.min) && isnan(none.median) && isnan(none.max));
    const struct rank_table one = table((double[]){NAN, NAN, 7.0, NAN, NAN});
    assert_true(ranks_summary(&one, RATE_SMOOTHING).count == 1);
    const struct rank_table unmeasured = {.count = 0};
    assert_true(isnan(ranks_sum(&unmeasured, RATE_COPY)));
}

static void outliers_come_with_the_furthest_first(void **state)
{
    (void)state;
    char text[OUTLIER_TEXT_SIZE];
    struct rank_outlier o[2];
    struct rank_table t = table((double[]){100.0, 89.0, 100.0, 111.5, 109.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 2);
    assert_true(o[0].rank == 3 && o[1].rank == 1 && o[0].rate == RATE_SMOOTHING);
    assert_string_equal(ranks_outlier_text(&o[1], text),
                        "rank 1: smoothing at 0.89 of the median of all ranks");
    t = table((double[]){100.0, 91.0, 100.0, NAN, 109.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 0);
    t = table((double[]){100.0, 50.0, 100.0, 200.0, 40.0});
    o[1].rank = -1;
    assert_int_equal(ranks_outliers(&t, o, 1), 3);
    assert_true(o[0].rank == 3 && o[1].rank == -1);
}

/* A rank is an outlier only if it differs from more than half of the ranks. */
static void half_of_the_ranks_are_no_outliers(void **state)
{
    (void)state;
    char text[OUTLIER_TEXT_SIZE];
    struct rank_outlier o[2];
    struct rank_table t = table((double[]){100.0, NAN, 138.0, NAN, NAN});
    assert_int_equal(ranks_outliers(&t, o, 2), 1);
    assert_int_equal(o[0].rank, NO_RANK);
    assert_string_equal(ranks_outlier_text(&o[0], text),
                        "smoothing: half of the ranks are 1.38 times as fast as the others");
    t = table((double[]){100.0, NAN, 109.0, NAN, NAN});
    assert_int_equal(ranks_outliers(&t, o, 2), 0);
    t = table((double[]){50.0, 101.0, NAN, 51.0, 100.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 1);
    assert_int_equal(o[0].rank, NO_RANK);
    t = table((double[]){100.0, 100.0, NAN, 108.0, 119.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 1);
    assert_true(o[0].rank == 4);
    t = table((double[]){100.0, 100.0, NAN, 108.0, 118.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 0);
    t = table((double[]){89.0, 100.0, NAN, 108.0, 110.0});
    assert_int_equal(ranks_outliers(&t, o, 2), 1);
    assert_true(o[0].rank == 0);
    t = table((double[]){NAN, NAN, 100.0, NAN, NAN});
    assert_int_equal(ranks_outliers(&t, o, 2), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_gathered),
        cmocka_unit_test(rates_are_summed_up),
        cmocka_unit_test(outliers_come_with_the_furthest_first),
        cmocka_unit_test(half_of_the_ranks_are_no_outliers),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
