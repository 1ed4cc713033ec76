/* SPDX-License-Identifier: BSD-3-Clause */
/* The second execution of a program is recorded, and later ones replay it. A recording leaves every
 * field where it was. The backend here is the CPU's, which records by doing the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "support/child.h"
#include "support/run.h"
#include "support/solve_case.h"

static struct passes passes;
static struct backend backend;
static struct hierarchy *h;
static struct solver *solver;

static struct {
    bool swaps; /* u, with its values, and the other field on the level below the finest */
    enum field other;
    int begun, ended, replayed, destroyed, passes;
} seen;

static bool record_begin(const struct hand_over *hand_overs, int count)
{
    (void)hand_overs;
    assert_int_equal(count, 0);
    assert_int_equal(seen.begun, seen.ended);
    seen.begun++;
    return true;
}

static struct recording *record_end(void)
{
    seen.ended++;
    return (struct recording *)&seen;
}

static void replay(struct recording *recording, uint64_t *norm)
{
    assert_ptr_equal(norm, &solver->first->norm);
    assert_ptr_equal(recording, &seen);
    seen.replayed++;
}

static void record_destroy(struct recording *recording)
{
    assert_ptr_equal(recording, &seen);
    seen.destroyed++;
}

static void run(const struct pass *pass)
{
    seen.passes++;
    cpu_passes.run(pass);
    if (pass->finish == FINISH_NORM && seen.swaps) {
        vector_combine(h->levels[1], seen.other, 1.0, FIELD_U, 0.0, FIELD_U);
        level_swap(h->levels[1], FIELD_U, seen.other);
    }
}

static void solve_bottom(struct level *level, enum field u, enum field f, double reduction,
                         int max_iterations)
{
    const struct pass pass = {.level = level, .u = u, .f = f, .nsweeps = SMOOTHER_SWEEPS};
    assert_true(reduction > 0.0 && max_iterations > 0);
    cpu_passes.run(&pass);
}

static int set_up(void **state)
{
    (void)state;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_CHEBYSHEV, 4, 1);
    choice.placement.backend = &backend;
    h = hierarchy_create(&choice);
    solver = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    memset(&seen, 0, sizeof seen);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    const int recordings = seen.ended;
    solver_destroy(solver);
    hierarchy_destroy(h);
    return seen.destroyed != recordings;
}

static void solve(const void *times)
{
    static struct solve_result result;
    for (int i = 0; i < *(const int *)times; i++)
        solver_run(solver, &result);
}

static void the_second_execution_is_recorded(void **state)
{
    (void)state;
    const int once = 1, twice = 2;
    solve(&once);
    const int of_one = seen.passes;
    assert_int_equal(seen.begun, 0);
    solve(&once);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.replayed, 1);
    solve(&twice);
    assert_int_equal(seen.ended, 1);
    assert_int_equal(seen.replayed, 3);
    assert_int_equal(seen.passes, 2 * of_one);
}

static void times_are_not_those_of_a_recording(void **state)
{
    (void)state;
    const int twice = 2;
    program_time(solver->first, true);
    solve(&twice);
    assert_int_equal(seen.begun, 0);
    program_time(solver->first, false);
}

static void swapped_fields_are_brought_back(void **state)
{
    const int once = 1;
    const enum field other = *(const enum field *)*state;
    level_allocate(h->levels[1], other);
    solve(&once);
    const double *const address = level_natural(h->levels[1], FIELD_U);
    const uint64_t expected = reduce_checksum(h->levels[1], FIELD_U);
    seen.other = other;
    seen.swaps = true;
    solve(&once);
    assert_int_equal(seen.ended, 1);
    assert_ptr_equal(level_natural(h->levels[1], FIELD_U), address);
    assert_true(reduce_checksum(h->levels[1], FIELD_U) == expected);
}

static void other_fields_must_be_back(void **state)
{
    (void)state;
    const int once = 1, twice = 2;
    seen.other = FIELD_F;
    seen.swaps = true;
    struct child c = child_run(solve, &once);
    assert_int_equal(c.status, CHILD_RETURNED);
    c = child_run(solve, &twice);
    assert_int_equal(c.status, STATUS_SYSTEM);
    assert_non_null(strstr(c.text, "fields_are_back"));
}

static const struct backend_recorder recorder = {
    .begin = record_begin, .end = record_end, .replay = replay, .destroy = record_destroy};

int main(int argc, char **argv)
{
    static enum field others[] = {FIELD_TMP, FIELD_NEXT_U, FIELD_NEXT_TMP};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_execution_is_recorded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_are_not_those_of_a_recording, set_up, tear_down),
        {"from tmp", swapped_fields_are_brought_back, set_up, tear_down, &others[0]},
        {"from next u", swapped_fields_are_brought_back, set_up, tear_down, &others[1]},
        {"from next tmp", swapped_fields_are_brought_back, set_up, tear_down, &others[2]},
        cmocka_unit_test_setup_teardown(other_fields_must_be_back, set_up, tear_down),
    };
    comm_start(&argc, &argv);
    passes = cpu_passes;
    passes.run = run;
    passes.bottom_solve = solve_bottom;
    passes.bottom_counts = NULL; /* nobody asks here */
    backend = backend_cpu;
    backend.passes = &passes;
    backend.recorder = &recorder;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
