/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs hand runs of stages to a backend that does several steps in one call: which ones, and
 * that the answer stays. The backend here is the CPU's with such calls added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "support/run.h"
#include "support/solve_case.h"

static struct passes passes;
static struct backend backend;

static struct {
    int largest_dim; /* of levels that fit */
    int calls, steps, longest, bottoms;
} seen;

/* A bottom solve by sweeps alone, the same whether it comes as a step or not. */
static void solve_bottom(struct level *level, enum field u, enum field f, double reduction,
                         int max_iterations)
{
    const struct pass pass = {.level = level, .u = u, .f = f, .nsweeps = SMOOTHER_SWEEPS};
    assert_true(reduction > 0.0 && max_iterations > 0);
    cpu_passes.run(&pass);
    seen.bottoms++;
}

static void bottom_counts_none(struct bottom_counts *counts)
{
    *counts = (struct bottom_counts){0};
}

static bool fits(const struct stage *stage)
{
    return stage->kind <= STAGE_BOTTOM && stage->pass.level->n[0] <= seen.largest_dim &&
           stage->pass.finish != FINISH_NORM;
}

static int run_stages(const struct stage *stages, int count)
{
    int n = 0;
    for (; n < count && fits(&stages[n]); n++) {
        const struct pass *pass = &stages[n].pass;
        if (stages[n].kind == STAGE_PASS)
            cpu_passes.run(pass);
        else if (stages[n].kind == STAGE_RESTRICT)
            vector_restrict(pass->level, pass->f, pass->coarse, pass->coarse_f);
        else {
            assert_true(stages[n].on_device);
            solve_bottom(pass->level, pass->u, pass->f, stages[n].reduction,
                         stages[n].max_iterations);
        }
    }
    seen.calls += n > 0;
    seen.steps += n;
    seen.longest = n > seen.longest ? n : seen.longest;
    return n;
}

/* The checksum of u after an F-cycle on 32³, with steps on levels of at most largest_dim cells a
 * side. */
static uint64_t solve(int order, int largest_dim, observe_fn *observe)
{
    struct hierarchy_choice choice = case_choice(order, false, false, SMOOTHER_CHEBYSHEV, 5, 1);
    choice.placement.backend = &backend;
    seen.largest_dim = largest_dim;
    seen.calls = seen.steps = seen.longest = seen.bottoms = 0;
    return case_f_cycle(&choice, observe);
}

static void test_answer_stays(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        const uint64_t expected = solve(order, 0, NULL);
        const int bottoms = seen.bottoms;
        assert_int_equal(seen.calls, 0);
        for (int largest = 1; largest <= 32; largest *= 2) {
            assert_true(solve(order, largest, NULL) == expected);
            assert_int_equal(seen.bottoms, bottoms);
        }
    }
}

/* The levels below 32³ are worked on twice: from the restriction of f to the F-cycle's V-cycle on
 * 16³, and in the V-cycle of 32³. */
static void test_runs_are_as_long_as_they_can_be(void **state)
{
    (void)state;
    solve(2, 16, NULL);
    assert_int_equal(seen.calls, 2);
    /* 4 restrictions, 2 stages for the coarsest level, V-cycles of 4, 6, 8, 10 stages */
    assert_int_equal(seen.longest, 4 + 2 + 4 + 6 + 8 + 10);
    /* the second V-cycle begins with the pass on 16³ */
    assert_int_equal(seen.steps - seen.longest, 10);
}

static void test_observers_see_every_stage(void **state)
{
    (void)state;
    const uint64_t expected = solve(2, 16, NULL);
    assert_true(solve(2, 16, case_ignore) == expected);
    assert_int_equal(seen.calls, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_stays),
        cmocka_unit_test(test_runs_are_as_long_as_they_can_be),
        cmocka_unit_test(test_observers_see_every_stage),
    };
    comm_start(&argc, &argv);
    backend = backend_cpu;
    passes = cpu_passes;
    passes.bottom_solve = solve_bottom;
    passes.bottom_counts = bottom_counts_none;
    passes.run_stages = run_stages;
    backend.passes = &passes;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
