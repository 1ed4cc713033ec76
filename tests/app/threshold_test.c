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
#include "base/memory.h"
#include "comm/comm.h"
/* Its levels are those of this test. */
#define benchmark_hierarchy_choice choice_of_trial
#include "app/threshold.c"

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

/* In place of the program's, whose levels are the GPU's. */
struct hierarchy_choice choice_of_trial(const struct options *o, bool on_gpu)
{
    assert_true(on_gpu);
    const struct hierarchy_choice choice = {
        .log2_box_dim = o->log2_box_dim,
        .boxes_per_rank = o->boxes_per_rank,
        .domain = {{o->domain[0], o->domain[1], o->domain[2]}},
        .op = options_operator(o),
        .problem = o->problem,
        .backend = &backend_cpu,
        .sweeps = {6, 6},
        .agglomerate_below = (double)o->agglomerate_below,
    };
    step = step_of(comm_rank(), choice.agglomerate_below);
    return choice;
}

static void find_trials(void *data, const struct threshold *t)
{
    *(const struct threshold **)data = t;
}

static void all_ranks_choose_by_the_slowest(void **state)
{
    (void)state;
    static char name[] = "hpgmg-gpu", size[] = "4", boxes[] = "8";
    char *argv[] = {name, size, boxes};
    char message[200];
    struct options options;
    const struct threshold *t = NULL;
    assert_int_equal(options_parse(&options, 3, argv, message, sizeof message), STATUS_VALID);
    const long below = threshold_try_agglomeration(&options);
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
    option_release(&options_list, &options);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_choose_by_the_slowest),
    };
    comm_start(&argc, &argv);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return failed != 0 || leak;
}
