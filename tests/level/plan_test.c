/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans between levels of one rank. tests/mpi/plan_test.c tests plans between ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <time.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "support/sides.h"
#include "support/child.h"
#include "support/decompositions.h"
#include "support/plan_oracle.h"
#include "support/run.h"

enum { CASES = 1000, LARGEST_DIM = 12, LARGEST_GHOSTS = 3 };
static const int eight[3] = {8, 8, 8};

/* Whose passes wrap around boxes. */
static struct backend wrapping;

static struct level *random_level(struct extent extent, struct sides sides)
{
    wrapping = backend_cpu;
    wrapping.wraps = true;
    const struct decomposition d = random_decomposition(extent.n, random_int(0, 9), 1);
    return level_create(0, d, sides, random_int(0, LARGEST_GHOSTS),
                        random_bool() ? &wrapping : &backend_cpu, 1 << random_int(0, 4));
}

static void halos_fill_every_ghost_once(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct level *l = random_level(random_extent(1, LARGEST_DIM), random_sides());
        EXPECT(plan_mistakes(random_plan(l, l)) == 0);
        level_destroy(l);
    }
}

static void cells_move_to_other_boxes(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct extent extent = random_extent(1, LARGEST_DIM);
        const struct sides sides = random_sides();
        struct level *source = random_level(extent, sides), *target = random_level(extent, sides);
        EXPECT(plan_mistakes(random_plan(source, target)) == 0);
        level_destroy(source);
        level_destroy(target);
    }
}

/* Small periodic domains need several images. */
static void ghosts_may_be_deeper_than_the_domain(void **state)
{
    (void)state;
    random_begin(0);
    for (int dim = 1; dim <= 3; dim++)
        for (int ghosts = 0; ghosts <= 7; ghosts += ghosts < 4 ? 1 : 3) {
            struct level *l =
                level_create(0, random_decomposition((const int[3]){dim, 1, 4 - dim}, dim - 1, 1),
                             sides_if(true), ghosts, &backend_cpu, 4);
            for (int centre = CENTRE_CELL; centre <= CENTRE_FACE_K; centre++)
                for (int grow = 0; grow <= ghosts; grow++) {
                    EXPECT(plan_mistakes(
                               (struct plan_case){l, l, TARGET_GHOSTS, grow, centre, NULL}) == 0);
                    EXPECT(plan_mistakes(
                               (struct plan_case){l, l, TARGET_GROWN, grow, centre, NULL}) == 0);
                }
            level_destroy(l);
        }
}

/* levels[0] is the source, levels[1] the target. */
static void create_halo_between(const void *levels)
{
    const struct level *const *l = levels;
    plan_create(l[0], l[1], TARGET_GHOSTS, 1, CENTRE_CELL);
}

/* An intersection could then be partly inside the target's own box. */
static void halos_between_other_boxes_are_refused(void **state)
{
    (void)state;
    random_begin(0);
    struct level *whole =
        level_create(0, random_decomposition(eight, 0, 1), sides_if(true), 1, &backend_cpu, 1);
    struct level *several =
        level_create(0, random_decomposition(eight, 3, 1), sides_if(true), 1, &backend_cpu, 1);
    const struct level *levels[] = {whole, several};
    assert_int_equal(child_run(create_halo_between, levels).status, STATUS_SYSTEM);
    level_destroy(whole);
    level_destroy(several);
}

/* --- seconds --- */

static struct backend_memory memory;
static struct backend backend;

/* Sleeps longer from call to call: for packing, local copies and unpacking. */
static void copy_slowly(const struct copy_list *list, const void *from, void *to)
{
    static int calls;
    const struct timespec pause = {0, 4000000 * (1 + calls++ % 3)};
    nanosleep(&pause, NULL);
    backend_cpu.memory->copy(list, from, to);
}

/* Each part takes at least the time that it sleeps. */
static void the_parts_of_an_execution_have_their_times(void **state)
{
    (void)state;
    struct plan_times times = {0};
    random_begin(0);
    backend = backend_cpu;
    memory = *backend_cpu.memory;
    memory.copy = copy_slowly;
    backend.memory = &memory;
    struct level *l =
        level_create(0, random_decomposition(eight, 3, 1), sides_if(true), 1, &backend, 1);
    level_allocate(l, FIELD_U);
    for (int execution = 1; execution <= 2; execution++) {
        plan_execute(l->halo, level_natural(l, FIELD_U), level_natural(l, FIELD_U), &times);
        assert_true(times.pack >= 0.004 * execution);
        assert_true(times.local >= 0.008 * execution);
        assert_true(times.unpack >= 0.012 * execution);
        assert_true(times.wait >= 0.0);
    }
    plan_execute(l->halo, level_natural(l, FIELD_U), level_natural(l, FIELD_U), NULL);
    level_destroy(l);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halos_fill_every_ghost_once),
        cmocka_unit_test(cells_move_to_other_boxes),
        cmocka_unit_test(ghosts_may_be_deeper_than_the_domain),
        cmocka_unit_test(halos_between_other_boxes_are_refused),
        cmocka_unit_test(the_parts_of_an_execution_have_their_times),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
