/* SPDX-License-Identifier: BSD-3-Clause */
/* A timed program on a backend with events records one before and one after every stage, reads them
 * after the last stage, and waits for nothing in between. The backend here is the CPU's with events
 * added. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/timer.h"
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/run.h"
#include "support/solve_case.h"

#define SECONDS_PER_STAGE 1024.0 /* more than any stage takes by the clock */

static struct backend backend;

static struct {
    int events, last, early, readings, waits;
    int origin, origins; /* the event before all stages, and how often it was recorded */
} seen;

static void record_event(int number)
{
    /* the second of a pair follows its first, and nothing is read before the last */
    if (seen.origin == number) {
        seen.origins++;
        return;
    }
    seen.early += (number % 2 && number != seen.last + 1) || seen.readings > 0;
    seen.last = number;
    seen.events++;
}

static double seconds_between(int from, int to)
{
    if (from == seen.origin)
        return to;
    assert_int_equal(from % 2, 0);
    assert_int_equal(to, from + 1);
    seen.readings++;
    return SECONDS_PER_STAGE;
}

static void synchronise(void)
{
    seen.waits++;
}

/* An F-cycle on 16^3, whose levels of fewer than `below` cells are of a backend without events. */
static struct hierarchy *build(double below)
{
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 4, 1);
    choice.placement.backend = &backend;
    choice.placement.coarse_backend = &backend_cpu;
    choice.placement.cpu_below = below;
    return hierarchy_create(&choice);
}

static bool has_events(const struct program *p, int stage)
{
    return p->hierarchy->levels[p->stages[stage].level]->backend->events != NULL;
}

static int count_with_events(const struct program *p)
{
    int count = 0;
    for (int i = 0; i < p->count; i++)
        count += has_events(p, i);
    return count;
}

static void begin(const struct program *p)
{
    memset(&seen, 0, sizeof seen);
    seen.origin = 2 * p->count;
}

/* Solves with timing on: checks what the last solve has done, and the program's seconds. */
static void check_timed(struct solver *s, int solves)
{
    struct solve_result result;
    struct program *p = s->first;
    begin(p);
    program_time(p, true);
    for (int i = 0; i < solves; i++) {
        begin(p);
        solver_run(s, &result);
    }
    assert_int_equal(p->executions, solves);
    assert_int_equal(seen.events, 2 * count_with_events(p));
    assert_int_equal(seen.readings, count_with_events(p));
    assert_int_equal(seen.early, 0);
    assert_int_equal(seen.waits, 0);
    for (int i = 0; i < p->count; i++)
        if (has_events(p, i))
            assert_true(p->times[i].total == SECONDS_PER_STAGE * solves);
        else
            assert_true(p->times[i].total >= 0.0 && p->times[i].total < SECONDS_PER_STAGE);
    program_time(p, false);
}

/* What a traced execution has reported. */
static struct {
    int count, with_events;
    double begun, ended; /* by the clock: around the execution */
    double last_end;     /* of a stage without events */
} traced;

static void trace(void *data, const struct program *p, const struct stage *s, double b, double e)
{
    const struct program *expected = data;
    const int i = traced.count++;
    assert_ptr_equal(p, expected);
    assert_ptr_equal(s, &p->stages[i]);
    if (has_events(p, i)) { /* event 2i after the origin is 2i seconds after it */
        assert_true(b - 2 * i >= traced.begun && b - 2 * i <= traced.ended);
        assert_true(e - b > 0.999 && e - b < 1.001);
        traced.with_events++;
    } else {
        assert_true(b >= traced.begun && b <= e && e <= traced.ended && b >= traced.last_end);
        traced.last_end = e;
    }
}

/* Every stage is reported once and in order, on the host's clock. */
static void check_traced(struct solver *s)
{
    struct solve_result result;
    struct program *p = s->first;
    begin(p);
    program_time(p, true);
    memset(&traced, 0, sizeof traced);
    begin(p);
    traced.begun = timer_seconds();
    program_trace(trace, p);
    traced.ended = INFINITY; /* stages are reported before solver_run() returns */
    solver_run(s, &result);
    assert_int_equal(traced.count, p->count);
    assert_int_equal(traced.with_events, count_with_events(p));
    assert_int_equal(seen.origins, 1);
    assert_int_equal(seen.waits, 2); /* around the origin's event */
    program_trace(NULL, NULL);
    program_time(p, false);
}

/* Timing leaves u bitwise identical, and ends. */
static void check_case(double below, bool mixed)
{
    struct hierarchy *h = build(below);
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    struct solve_result result;
    solver_run(s, &result);
    const uint64_t expected = reduce_checksum(h->levels[0], FIELD_U);
    assert_true((count_with_events(s->first) < s->first->count) == mixed);
    check_timed(s, 1);
    check_timed(s, 3);
    assert_true(reduce_checksum(h->levels[0], FIELD_U) == expected);
    check_traced(s);
    begin(s->first);
    solver_run(s, &result);
    assert_int_equal(seen.events + seen.readings + seen.origins, 0);
    solver_destroy(s);
    hierarchy_destroy(h);
}

static void test_events_around_every_stage(void **state)
{
    (void)state;
    check_case(0.0, false);
}

static void test_levels_without_events_have_the_clock(void **state)
{
    (void)state;
    check_case(8 * 8 * 8, true);
}

static struct backend_memory memory;
static const struct backend_events events = {record_event, seconds_between};

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_around_every_stage),
        cmocka_unit_test(test_levels_without_events_have_the_clock),
    };
    comm_start(&argc, &argv);
    backend = backend_cpu;
    memory = *backend_cpu.memory;
    memory.synchronise = synchronise;
    backend.memory = &memory;
    backend.events = &events;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
