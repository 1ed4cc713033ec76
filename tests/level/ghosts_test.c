/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of ghosts: on levels of random boxes, each ghost is in one box of a list or in none, as
 * deep as the list's shape says, and beside open sides as deep as the halo. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "backend/backend.h"
#include "level/build.h"
#include "level/ghosts.h"
#include "level/level.h"
#include "cpu/cpu.h"
#include "support/sides.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { CASES = 300, LARGEST_DIM = 12, MARGIN = 4 };

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static bool holds(const struct ghost_box *b, const int at[3])
{
    bool inside = true, walls = b->wall[b->along] != NO_WALL;
    for (int d = 0; d < 3; d++) {
        /* Behind a wall the line begins at the cell inside. */
        const bool line = walls && d == b->along;
        const int low = line ? b->lo[d] + (b->side[d] < 0 ? -b->layers : 1) : b->lo[d],
                  length = line ? b->layers : b->n[d];
        inside = inside && low <= at[d] && at[d] < low + length;
    }
    return inside;
}

/* Whether a ghost should be in the list. */
static bool is_wanted(const struct level *l, const struct patch *p, enum ghost_shape shape,
                      const int at[3], bool *outer)
{
    int walls = 0, wrapped = 0, behind_walls = 0, around = 0, in_halo = 0;
    for (int d = 0; d < 3; d++) {
        const int layers = max_int(-at[d], at[d] - p->n[d] + 1);
        const bool wall = p->wall[d][at[d] >= 0] != NO_WALL;
        walls += layers > 0 && wall;
        wrapped += layers > 0 && p->wrap[d];
        behind_walls = wall ? max_int(behind_walls, layers) : behind_walls;
        around = p->wrap[d] ? max_int(around, layers) : around;
        in_halo = wall || p->wrap[d] ? in_halo : max_int(in_halo, layers);
    }
    /* Wrapped ghosts are as deep as the halo, if there is one, and then like the halo for walls. */
    const bool all = shape >= GHOSTS_ALL_1;
    const int sides = walls + (l->connected ? 0 : wrapped),
              layers = all ? shape - GHOSTS_ALL_1 + 1 : shape - GHOSTS_STAR_1 + 2 - sides;
    *outer = in_halo > 0;
    return walls + wrapped > 0 && in_halo <= l->ghosts && behind_walls <= layers &&
           around <= (l->connected ? l->ghosts : layers);
}

static void check_patch(const struct level *l, int q, enum ghost_shape shape)
{
    const struct patch *p = &l->patches[q];
    const struct ghost_list *list = level_ghost_list(l, q, shape);
    for (int k = -MARGIN; k < p->n[2] + MARGIN; k++)
        for (int j = -MARGIN; j < p->n[1] + MARGIN; j++)
            for (int i = -MARGIN; i < p->n[0] + MARGIN; i++) {
                const int at[3] = {i, j, k};
                int boxes = 0;
                bool outer, found_outer = false;
                const bool wanted = is_wanted(l, p, shape, at, &outer);
                for (int b = 0; b < list->first[3]; b++)
                    if (holds(&list->box[b], at)) {
                        boxes++;
                        found_outer = list->box[b].outer;
                    }
                EXPECT(boxes == (wanted ? 1 : 0));
                EXPECT(!wanted || found_outer == outer);
            }
}

static void lists_have_the_ghosts_of_their_shape(void **state)
{
    (void)state;
    struct backend wrapping = backend_cpu;
    wrapping.wraps = true;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const struct decomposition d =
            random_decomposition(random_extent(1, LARGEST_DIM).n, random_int(0, 6), 1);
        struct level *l = level_create(0, d, random_sides(), random_int(3, MARGIN), &wrapping, 1);
        for (int q = 0; q < l->npatches; q++)
            for (int shape = 0; shape < NUM_GHOST_SHAPES; shape++)
                check_patch(l, q, (enum ghost_shape)shape);
        level_destroy(l);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_the_ghosts_of_their_shape),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
