/* SPDX-License-Identifier: BSD-3-Clause */
/* The timing trials of --agglomerate-below auto on several ranks: a trial takes as long as on the
 * slowest rank, so that all ranks choose alike. The clocks are the test's own: one runs much faster
 * than the others. Levels are the CPU's, which real runs do not try. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "solvers/hierarchy.h"
/* Its trials set the test's clocks. */
static struct hierarchy *create_trial(const struct hierarchy_choice *choice);
#define hierarchy_create create_trial
#include "config/threshold.c"
#include "support/run.h"
#undef hierarchy_create

static double now, step;

double timer_seconds(void)
{
    return now += step;
}

enum { SLOW = 1000000 };

/* Seconds between two readings on a rank: of the first trial the last rank is the slow one, of the
 * others the first. */
static double step_of(int rank, double below)
{
    return rank == (below < 100.0 ? comm_size() - 1 : 0) ? SLOW : 1.0;
}

static struct hierarchy *create_trial(const struct hierarchy_choice *choice)
{
    step = step_of(comm_rank(), choice->placement.agglomerate_below);
    return hierarchy_create(choice);
}

static void find_trials(void *data, const struct threshold *t)
{
    *(const struct threshold **)data = t;
}

static void all_ranks_choose_by_the_slowest(void **state)
{
    (void)state;
    const struct hierarchy_choice choice = {
        .log2_box_dim = 4,
        .boxes_per_rank = 8,
        .op = {.order = 2, .variable = true},
        .placement = {.backend = &backend_cpu},
        .sweeps = {6, 6},
    };
    const struct threshold *t = NULL;
    const long below = (long)threshold_try_agglomeration(&choice);
    threshold_visit(find_trials, &t);
    assert_non_null(t);
    assert_true(t->count > 1);
    for (int i = 0; i < t->count; i++) {
        double same[2] = {t->trials[i].seconds, -t->trials[i].seconds};
        comm_max_f64(comm_world(), same, 2);
        assert_true(same[0] == -same[1]);
        assert_true(same[0] >= SLOW);
    }
    assert_int_equal(below, t->trials[t->best].below);
    assert_int_equal(comm_min_i64(comm_world(), below), below);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_choose_by_the_slowest),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
