/* SPDX-License-Identifier: BSD-3-Clause */
/* Timed programs on a backend with marks: two around every stage, read after the last one, and no
 * waiting in between. The backend here is the CPU's with marks added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/memory.h"
#include "comm/comm.h"
#include "operators/backend_cpu.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/solve_case.h"

#define SECONDS_A_STAGE 1024.0 /* more than any stage takes by the clock */

static struct backend backend;

static struct {
    int marks, last, early, readings, waits;
} seen;

static void mark(int number)
{
    /* the second of a pair follows its first, and nothing is read before the last */
    seen.early += (number % 2 && number != seen.last + 1) || seen.readings > 0;
    seen.last = number;
    seen.marks++;
}

static double seconds_between(int from, int to)
{
    assert_int_equal(from % 2, 0);
    assert_int_equal(to, from + 1);
    seen.readings++;
    return SECONDS_A_STAGE;
}

static void synchronise(void)
{
    seen.waits++;
}

/* An F-cycle on 16^3, whose levels of fewer than `below` cells are of a backend without marks. */
static struct hierarchy *build(double below)
{
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 4, 1);
    choice.backend = &backend;
    choice.coarse_backend = &backend_cpu;
    choice.cpu_below = below;
    return hierarchy_create(&choice);
}

static bool has_marks(const struct program *p, int stage)
{
    return p->hierarchy->levels[p->stages[stage].level]->backend->mark != NULL;
}

static int count_marked(const struct program *p)
{
    int count = 0;
    for (int i = 0; i < p->count; i++)
        count += has_marks(p, i);
    return count;
}

/* Solves with the clock on: what was seen during the last, and the program's seconds. */
static void check_timed(struct solver *s, int solves)
{
    struct solve_result result;
    struct program *p = s->first;
    program_time(p, true);
    for (int i = 0; i < solves; i++) {
        memset(&seen, 0, sizeof seen);
        solver_run(s, &result);
    }
    assert_int_equal(p->executions, solves);
    assert_int_equal(seen.marks, 2 * count_marked(p));
    assert_int_equal(seen.readings, count_marked(p));
    assert_int_equal(seen.early, 0);
    assert_int_equal(seen.waits, 0);
    for (int i = 0; i < p->count; i++)
        if (has_marks(p, i))
            assert_true(p->times[i].total == SECONDS_A_STAGE * solves);
        else
            assert_true(p->times[i].total >= 0.0 && p->times[i].total < SECONDS_A_STAGE);
    program_time(p, false);
}

/* The bits are those of the solve before it, and no clock stays on. */
static void check_case(double below, bool mixed)
{
    struct hierarchy *h = build(below);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    struct solve_result result;
    solver_run(s, &result);
    const uint64_t expected = reduce_checksum(h->levels[0], FIELD_U);
    assert_true((count_marked(s->first) < s->first->count) == mixed);
    check_timed(s, 1);
    check_timed(s, 3);
    assert_true(reduce_checksum(h->levels[0], FIELD_U) == expected);
    memset(&seen, 0, sizeof seen);
    solver_run(s, &result);
    assert_int_equal(seen.marks + seen.readings, 0);
    solver_destroy(s);
    hierarchy_destroy(h);
}

static void test_marks_around_every_stage(void **state)
{
    (void)state;
    check_case(0.0, false);
}

static void test_levels_without_marks_have_the_clock(void **state)
{
    (void)state;
    check_case(8 * 8 * 8, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_around_every_stage),
        cmocka_unit_test(test_levels_without_marks_have_the_clock),
    };
    comm_start(&argc, &argv);
    backend = backend_cpu;
    backend.mark = mark;
    backend.seconds_between = seconds_between;
    backend.synchronise = synchronise;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool leak = memory_live_blocks() != 0;
    comm_finish();
    return failed != 0 || leak;
}
