/* SPDX-License-Identifier: BSD-3-Clause */
/* A program begins a halo exchange before the interior of the pass that reads the halo and ends
 * it after: for which stages, in which order, and with the same answer. The backend here is the
 * CPU's with a second stream added; all of a pass is its boundary region. */
#include <math.h>
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

/* What the program does between fork_stream() and join_stream(), in this order. */
enum progress {
    OUTSIDE,
    FORKED,
    HALO_BEGINS,
    BESIDE_HALO,
    INNER_BEGUN,
    HALO_ENDS,
    OUTER_BEGUN,
    BACK
};

static struct {
    enum progress progress;
    int overlaps, smallest_dim;
} seen;

static void move(enum progress from, enum progress to)
{
    assert_int_equal(seen.progress, from);
    seen.progress = to;
}

static void fork_stream(void)
{
    move(OUTSIDE, FORKED);
}

static void use_second_stream(bool on)
{
    if (on)
        move(seen.progress == FORKED ? FORKED : INNER_BEGUN,
             seen.progress == FORKED ? HALO_BEGINS : HALO_ENDS);
    else
        move(seen.progress == HALO_BEGINS ? HALO_BEGINS : OUTER_BEGUN,
             seen.progress == HALO_BEGINS ? BESIDE_HALO : BACK);
}

static void join_stream(void)
{
    move(BACK, OUTSIDE);
    seen.overlaps++;
}

static bool splits(const struct pass *pass)
{
    return pass->finish != FINISH_NORM;
}

static void run(const struct pass *pass)
{
    if (pass->region == REGION_INTERIOR) {
        move(BESIDE_HALO, INNER_BEGUN);
        return;
    }
    assert_int_equal(pass->region, seen.progress == OUTSIDE ? REGION_ALL : REGION_BOUNDARY);
    if (pass->region == REGION_BOUNDARY) {
        assert_true(splits(pass));
        move(HALO_ENDS, OUTER_BEGUN);
        seen.smallest_dim =
            pass->level->n[0] < seen.smallest_dim ? pass->level->n[0] : seen.smallest_dim;
    }
    struct pass whole = *pass;
    whole.region = REGION_ALL;
    backend_cpu_plain.passes->run(&whole);
}

/* The checksum of u after an F-cycle on 32³. */
static uint64_t solve(int order, double overlap_above, observe_fn *observe)
{
    struct hierarchy_choice choice = case_choice(order, true, true, SMOOTHER_GSRB, 4, 8);
    choice.placement.backend = &backend;
    choice.placement.overlap_above = overlap_above;
    seen.progress = OUTSIDE;
    seen.overlaps = 0;
    seen.smallest_dim = 1000;
    const uint64_t checksum = case_f_cycle(&choice, observe);
    assert_int_equal(seen.progress, OUTSIDE);
    return checksum;
}

static void test_answer_stays(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order += 2) {
        const uint64_t expected = solve(order, INFINITY, NULL);
        assert_int_equal(seen.overlaps, 0);
        assert_true(solve(order, 1.0, NULL) == expected);
        assert_true(seen.overlaps > 0);
    }
}

/* Each visit of order 4 has three pairs of sweeps, a residual and three pairs, all with halos, but
 * for the first pair: it follows an interpolation that computes ghosts, or begins from zero, with a
 * halo of f. 32³ is visited once, 16³ twice, the second time from zero. */
static void test_large_levels_overlap(void **state)
{
    (void)state;
    solve(4, 32768.0 / comm_size(), NULL);
    assert_int_equal(seen.smallest_dim, 32);
    assert_int_equal(seen.overlaps, 6);
    solve(4, 4096.0 / comm_size(), NULL);
    assert_int_equal(seen.smallest_dim, 16);
    assert_int_equal(seen.overlaps, 6 + 6 + 7);
    solve(4, 32769.0 / comm_size(), NULL);
    assert_int_equal(seen.overlaps, 0);
}

/* Of order 2 sweeps go in groups, and from zero nothing of u is read: one of the halos is that of
 * f. */
static void test_right_hand_sides_overlap_too(void **state)
{
    (void)state;
    solve(2, 4096.0 / comm_size(), NULL);
    assert_int_equal(seen.smallest_dim, 16);
    assert_int_equal(seen.overlaps, 15);
}

static void test_observers_see_every_stage(void **state)
{
    (void)state;
    const uint64_t expected = solve(2, 1.0, NULL);
    assert_true(solve(2, 1.0, case_ignore) == expected);
    assert_int_equal(seen.overlaps, 0);
}

static const struct backend_streams streams = {fork_stream, use_second_stream, join_stream};

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_stays),
        cmocka_unit_test(test_large_levels_overlap),
        cmocka_unit_test(test_right_hand_sides_overlap_too),
        cmocka_unit_test(test_observers_see_every_stage),
    };
    comm_start(&argc, &argv);
    backend = backend_cpu;
    passes = *backend_cpu_plain.passes; /* a device has fields in no order of the host's */
    passes.run = run;
    passes.splits = splits;
    backend.passes = &passes;
    backend.streams = &streams;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
