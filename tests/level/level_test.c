/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a level's fields, and a level's data about its boxes, on one rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "cpu/cpu.h"
#include "level/build.h"
#include "support/sides.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { CASES = 1000, LARGEST_DIM = 16, LARGEST_GHOSTS = 3 };

/* Whose passes wrap around boxes. */
static struct backend wrapping;

static struct level *random_level(int row_align)
{
    wrapping = backend_cpu;
    wrapping.wraps = true;
    const struct decomposition d =
        random_decomposition(random_extent(1, LARGEST_DIM).n, random_int(0, 12), 1);
    return level_create(random_int(0, 9), d, random_sides(), random_int(0, LARGEST_GHOSTS),
                        random_bool() ? &wrapping : &backend_cpu, row_align);
}

/* Marks all cells of the patch, ghosts included, each of which must be free yet. */
static void mark_patch(const struct level *l, const struct patch *p, char *taken)
{
    const int g = l->ghosts;
    for (int k = -g; k < p->n[2] + g; k++)
        for (int j = -g; j < p->n[1] + g; j++)
            for (int i = -g; i < p->n[0] + g; i++) {
                const long at = p->offset + i + j * p->sj + k * p->sk;
                EXPECT(at >= 0 && at < l->field_length);
                EXPECT(!taken[at]);
                taken[at] = 1;
            }
}

static void expect_aligned(const struct level *l, const struct patch *p, int row_align)
{
    for (int k = -l->ghosts; k < p->n[2] + l->ghosts; k++)
        for (int j = -l->ghosts; j < p->n[1] + l->ghosts; j++)
            EXPECT((p->offset + j * p->sj + k * p->sk) % row_align == 0);
}

static void cells_have_places_of_their_own(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int row_align = random_bool() ? 1 << random_int(0, 5) : random_int(1, 20);
        struct level *l = random_level(row_align);
        char *taken = memory_alloc_zero((size_t)l->field_length, "marks");
        long bound = 0;
        for (int q = 0; q < l->npatches; q++) {
            const struct patch *p = &l->patches[q];
            mark_patch(l, p, taken);
            expect_aligned(l, p, row_align);
            /* Padding is less than row_align per row, and twice that and a row's ghosts per patch.
             */
            bound += (long)(p->n[1] + 2 * l->ghosts) * (p->n[2] + 2 * l->ghosts) *
                         (p->n[0] + 2 * l->ghosts + row_align - 1) +
                     2l * row_align + l->ghosts;
        }
        EXPECT(l->field_length <= bound);
        memory_free(taken);
        level_destroy(l);
    }
}

static void bytes_are_known_before(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const int row_align = 1 << random_int(0, 5);
        struct level *l = random_level(row_align);
        EXPECT(level_field_bytes(l) == (size_t)l->field_length * sizeof(double));
        EXPECT(decomposition_field_bytes(&l->decomposition, 0, l->ghosts, row_align) ==
               level_field_bytes(l));
        EXPECT(decomposition_field_bytes(&l->decomposition, 1, l->ghosts, row_align) == 0);
        level_destroy(l);
    }
}

static void expect_patch(const struct level *l, const struct patch *p)
{
    EXPECT(box_equal(p->box, l->decomposition.boxes[p->index]));
    for (int d = 0; d < 3; d++) {
        EXPECT(p->n[d] == p->box.hi[d] - p->box.lo[d]);
        const bool ends[2] = {p->box.lo[d] == 0, p->box.hi[d] == l->n[d]};
        for (int side = 0; side < 2; side++) {
            const enum boundary of = l->sides.of[d][side];
            EXPECT((p->wall[d][side] == WALL_DIRICHLET) ==
                   (ends[side] && of == BOUNDARY_DIRICHLET));
            EXPECT((p->wall[d][side] == WALL_NEUMANN) == (ends[side] && of == BOUNDARY_NEUMANN));
        }
        EXPECT(p->wrap[d] == (sides_wrap(&l->sides, d) && l->backend->wraps && p->n[d] == l->n[d]));
    }
}

static void levels_know_their_boxes(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct level *l = random_level(8);
        EXPECT(extent_equal(l->n, l->decomposition.n));
        EXPECT(l->stencil == NULL);
        EXPECT(l->npatches == l->decomposition.nboxes && l->active && l->nranks == 1);
        EXPECT(l->connected == ((sides_have(&l->sides, BOUNDARY_PERIODIC) && !l->backend->wraps) ||
                                l->npatches > 1));
        EXPECT((l->halo != NULL) == l->connected);
        EXPECT(l->comm != MPI_COMM_NULL);
        for (int q = 0; q < l->npatches; q++) {
            EXPECT(l->patches[q].index == q);
            expect_patch(l, &l->patches[q]);
        }
        level_destroy(l);
    }
}

static bool is_zero(const double *data, long length)
{
    for (long at = 0; at < length; at++)
        if (data[at] != 0.0)
            return false;
    return true;
}

static void fields_come_and_go(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        struct level *l = random_level(8);
        const size_t blocks = memory_live_blocks(), bytes = memory_live_bytes();
        const enum field field = (enum field)random_int(0, NUM_FIELDS - 1);
        EXPECT(l->fields[field] == NULL);
        level_release(l, field);
        level_allocate(l, field);
        double *data = l->fields[field];
        EXPECT(is_zero(data, l->field_length));
        EXPECT(memory_live_bytes() - bytes == level_field_bytes(l));
        data[0] = 1.0;
        level_allocate(l, field);
        EXPECT(l->fields[field] == data && data[0] == 1.0);
        if (random_bool()) { /* else the level releases it */
            level_release(l, field);
            EXPECT(l->fields[field] == NULL);
            EXPECT(memory_live_blocks() == blocks && memory_live_bytes() == bytes);
        }
        level_destroy(l);
        EXPECT(memory_live_blocks() == 0);
    }
}

static void nothing_is_left_in_memory(void **state)
{
    (void)state;
    assert_int_equal(memory_live_blocks(), 0);
    assert_int_equal(memory_live_bytes(), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_places_of_their_own), cmocka_unit_test(bytes_are_known_before),
        cmocka_unit_test(levels_know_their_boxes),        cmocka_unit_test(fields_come_and_go),
        cmocka_unit_test(nothing_is_left_in_memory),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
