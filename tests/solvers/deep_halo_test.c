/* SPDX-License-Identifier: BSD-3-Clause */
/* A device that smooths at once has ghosts and passes for it: on the levels that it accepts, on no
 * others, and only if all ranks' devices accept them and smoothings are whole. Answers are the
 * CPU's. The device here is the CPU's passes, which are told what to accept. */
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

enum { SIDE = 64, DEEP = 8, USUAL = 3 }; /* of a rank's cube; layers */

static struct passes passes;
static struct backend device;
static struct {
    int shortest; /* side of the levels that are accepted */
    int refuses;  /* the rank whose device accepts none */
} accepts;
static int at_once, in_groups; /* passes that were run */

static bool smooths_at_once(const struct stencil *s, const struct decomposition *boxes, int ghosts)
{
    assert_true(s->radius == 1 && ghosts == DEEP);
    return extent_shortest(boxes->n) >= accepts.shortest && comm_rank() != accepts.refuses;
}

/* What runs on a level with deep ghosts is a start alone, a finish alone or a whole smoothing: the
 * other kernels of a device cover no other group of sweeps there. */
static void run(const struct pass *pass)
{
    const struct level *l = pass->level;
    const bool deep = l->ghosts == DEEP, whole = pass->nsweeps == SMOOTHER_SWEEPS;
    if (l->connected && pass->nsweeps > 0)
        assert_true(deep ? whole : pass->nsweeps <= 2);
    at_once += l->connected && deep && whole;
    in_groups += l->connected && pass->nsweeps == 2;
    cpu_passes.run(pass);
}

/* A cube per rank, side by side. */
static struct hierarchy_choice long_domain(bool helmholtz, bool periodic)
{
    struct hierarchy_choice choice = case_choice(2, helmholtz, false, SMOOTHER_GSRB, 5, 8);
    const int boxes[3] = {2 * comm_size(), 2, 2};
    for (int d = 0; d < 3; d++)
        choice.domain.boxes[d] = boxes[d];
    if (periodic || comm_size() == 1) /* a box that is its own neighbour */
        choice.op.sides.of[0][0] = choice.op.sides.of[0][1] = BOUNDARY_PERIODIC;
    return choice;
}

static void accept(int shortest, int refusing_rank)
{
    accepts.shortest = shortest;
    accepts.refuses = refusing_rank;
    at_once = in_groups = 0;
}

/* The bits of the CPU, whichever levels the device accepts: none, the finest, two. A prolongation
 * from a level with deep ghosts computes ghosts, another one does not. */
static void answers_are_those_of_the_cpu(void **state)
{
    (void)state;
    for (int variant = 0; variant < 12; variant++) {
        struct hierarchy_choice choice = long_domain(variant & 1, variant & 2);
        const struct solver_choice f = {.f_cycle = true}, v = {.rtol = 1e-3, .max_cycles = 3};
        struct case_result wanted, got;
        case_run(&choice, variant % 3 ? f : v, &wanted);
        choice.placement.backend = &device;
        accept((2 * SIDE) >> variant / 4, -1);
        case_run(&choice, variant % 3 ? f : v, &got);
        assert_true(got.checksum == wanted.checksum);
        assert_int_equal(at_once > 0, variant >= 4);
        assert_true(in_groups > 0);
    }
}

/* Or of its correction level. 0 if ranks differ. */
static int ghosts_of(const struct hierarchy_choice *choice, bool correction)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    struct decomposition boxes[MAX_LEVELS];
    hierarchy_boxes(&shape, comm_size(), boxes);
    struct hierarchy *h = hierarchy_lay_out(choice, shape.nlevels, boxes);
    const struct level *l = correction ? h->levels[0]->correction : h->levels[0];
    const int64_t ghosts = l->ghosts, least = comm_min_i64(comm_world(), ghosts),
                  most = -comm_min_i64(comm_world(), -ghosts);
    hierarchy_destroy(h);
    return least == most ? (int)ghosts : 0;
}

static int ghosts_of_finest(const struct hierarchy_choice *choice)
{
    return ghosts_of(choice, false);
}

static void others_have_the_usual_ghosts(void **state)
{
    (void)state;
    struct hierarchy_choice choice = long_domain(false, true);
    choice.placement.backend = &device;
    accept(SIDE, -1);
    assert_int_equal(ghosts_of_finest(&choice), DEEP);
    accept(SIDE, comm_size() - 1);
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    accept(2 * SIDE, -1);
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    accept(SIDE, -1);
    choice.sweeps[0] = choice.sweeps[1] = SMOOTHER_SWEEPS;
    assert_int_equal(ghosts_of_finest(&choice), DEEP);
    choice.sweeps[1] = SMOOTHER_SWEEPS - 2;
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    choice.sweeps[1] = SMOOTHER_SWEEPS;
    choice.unfused = true;
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    choice.unfused = false;
    passes.smooths_at_once = NULL;
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    passes.smooths_at_once = smooths_at_once;
}

/* No pass smooths on a corrected level, but on its correction level. */
static void corrected_levels_have_the_usual_ghosts(void **state)
{
    (void)state;
    struct hierarchy_choice choice = long_domain(false, true);
    assert_int_equal(ghosts_of_finest(&choice), DEEP);
    choice.single_above = 512;
    assert_int_equal(ghosts_of_finest(&choice), USUAL);
    assert_int_equal(ghosts_of(&choice, true), DEEP);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_the_cpu),
        cmocka_unit_test(corrected_levels_have_the_usual_ghosts),
        cmocka_unit_test(others_have_the_usual_ghosts),
    };
    comm_start(&argc, &argv);
    passes = cpu_passes;
    passes.run = run;
    passes.smooths_at_once = smooths_at_once;
    device = backend_cpu;
    device.on_device = true;
    device.passes = &passes;
    return finish_tests(cmocka_run_group_tests(tests, NULL, NULL));
}
