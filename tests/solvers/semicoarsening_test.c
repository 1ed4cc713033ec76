/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels on which only some directions are coarsened: transfers, and cycles on long cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "level/build.h"
#include "support/random.h"
#include "support/run.h"
#include "support/solve_case.h"

/* Cycles of an F-cycle and V-cycles to 1e-8 on 32 cells by direction. */
static int cycles(const struct hierarchy_choice *choice)
{
    static struct solve_result result;
    struct hierarchy *h = hierarchy_create(choice);
    struct solver *s = solver_create(
        h, 0, (struct solver_choice){.f_cycle = true, .rtol = 1e-8, .max_cycles = 30});
    solver_run(s, &result);
    const int count = result.outcome == OUTCOME_DONE ? result.cycles : -1;
    solver_destroy(s);
    hierarchy_destroy(h);
    return count;
}

/* Order 4 keeps two cells in each direction. Where these are much shorter than the others, between
 * sides without values, they have one value that no level smooths: docs/NUMERICS.md. */
static bool converges_slowly(int order, enum boundary sides, const double lengths[3])
{
    return order == 4 && sides != BOUNDARY_DIRICHLET && lengths[2] <= 0.01;
}

static void long_cells_take_few_cycles(void **state)
{
    (void)state;
    static const double lengths[][3] = {{1, 1, 0.33}, {0.5, 0.25, 1},   {1, 1, 0.1},  {0.1, 0.1, 1},
                                        {1, 1, 0.01}, {0.1, 1.0, 0.01}, {1, 1, 0.001}};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (int code = 0; code < 6; code++) {
            const enum boundary sides = (enum boundary)(code % 3);
            struct hierarchy_choice choice =
                case_choice(code < 3 ? 2 : 4, false, false, SMOOTHER_GSRB, 5, 1);
            for (int d = 0; d < 3; d++)
                choice.op.sides.of[d][0] = choice.op.sides.of[d][1] = sides;
            memcpy(choice.op.lengths, lengths[l], sizeof lengths[l]);
            if (converges_slowly(choice.op.order, sides, lengths[l]))
                continue;
            const int count = cycles(&choice);
            assert_in_range(count, 1, 10);
            if (code < 3) {
                choice.single_above = 2000;
                assert_in_range(cycles(&choice), count - 1, count + 1);
            }
        }
}

/* A thin domain between Neumann walls ends in few cells. */
static void thin_domains_coarsen(void **state)
{
    (void)state;
    static const int domains[][3] = {{1, 16, 16}, {3, 16, 16}, {8, 1, 1}};
    for (size_t x = 0; x < sizeof domains / sizeof domains[0]; x++)
        for (int neumann = 0; neumann < 2; neumann++) {
            struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 2, 768);
            memcpy(choice.domain.boxes, domains[x], sizeof domains[x]);
            for (int d = 0; d < 3; d++)
                choice.op.sides.of[d][0] = choice.op.sides.of[d][1] =
                    neumann ? BOUNDARY_NEUMANN : BOUNDARY_DIRICHLET;
            const struct hierarchy_shape shape = hierarchy_shape(&choice, 1);
            assert_true(spec_cells(&shape.specs[shape.nlevels - 1]) <= 128);
            assert_in_range(cycles(&choice), 1, 10);
        }
}

/* h, 2h and 4h are levels only where all directions are halved. */
static void sizes_are_halved(void **state)
{
    (void)state;
    struct hierarchy_choice choice = case_choice(2, false, false, SMOOTHER_GSRB, 4, 1);
    for (int cubes = 0; cubes < 2; cubes++) {
        choice.op.lengths[0] = choice.op.lengths[1] = 1.0;
        choice.op.lengths[2] = cubes ? 1.0 : 0.1;
        struct hierarchy *h = hierarchy_create(&choice);
        assert_int_equal(hierarchy_solved_levels(h), cubes ? 3 : 1);
        hierarchy_destroy(h);
    }
}

static struct level *make_level(const int n[3])
{
    struct decomposition_spec spec = {{1, 1, 1}, {n[0], n[1], n[2]}, 1};
    return level_create(0, decomposition_create(spec, 1), sides_if(false), 2, &backend_cpu, 8);
}

/* u of a level: random numbers that do not depend on the index in direction `constant`, ghosts too.
 */
static void fill(struct level *l, int constant)
{
    const struct patch *p = &l->patches[0];
    level_allocate(l, FIELD_U);
    for (int k = -2; k < p->n[2] + 2; k++)
        for (int j = -2; j < p->n[1] + 2; j++)
            for (int i = -2; i < p->n[0] + 2; i++) {
                const int at[3] = {i, j, k};
                long number = 0;
                for (int d = 0; d < 3; d++)
                    number = 100 * number + (d == constant ? 0 : at[d] + 10);
                random_begin(number);
                patch_cells(l, p, FIELD_U)[i + j * p->sj + k * p->sk] =
                    0x1p-64 * (double)random_bits();
            }
}

/* A value of u in a cell. */
static double value(const struct level *l, int i, int j, int k)
{
    const struct patch *p = &l->patches[0];
    return patch_cells(l, p, FIELD_U)[i + j * p->sj + k * p->sk];
}

/* Where coarse values do not depend on one direction, it makes no difference whether that direction
 * was coarsened: the same bits. Nor for the mean of fine values. */
static void transfers_leave_a_direction(void **state)
{
    (void)state;
    for (int code = 0; code < 12; code++) {
        const int d = code % 3, order = code / 3 % 2 ? 4 : 2;
        const bool adds = code >= 6;
        int n[3] = {8, 6, 10}, coarse_n[3] = {4, 3, 5}, partly_n[3] = {4, 3, 5};
        partly_n[d] = n[d];
        struct level *fine[2], *coarse[2] = {make_level(coarse_n), make_level(partly_n)};
        for (int which = 0; which < 2; which++) {
            fine[which] = make_level(n);
            fill(fine[which], d);
            fill(coarse[which], d);
            const struct pass pass = {.level = fine[which],
                                      .coarse = coarse[which],
                                      .start = adds ? START_PROLONG_ADD : START_PROLONG_SET,
                                      .prolongation = order};
            vector_prolong(&pass, 0);
        }
        for (int x = 0; x < n[0] * n[1] * n[2]; x++) {
            const int i = x % n[0], j = x / n[0] % n[1], k = x / n[0] / n[1];
            assert_true(value(fine[0], i, j, k) == value(fine[1], i, j, k));
        }
        for (int which = 0; which < 2; which++) {
            fill(fine[which], d);
            vector_restrict(fine[which], FIELD_U, coarse[which], FIELD_U);
        }
        for (int x = 0; x < coarse_n[0] * coarse_n[1] * coarse_n[2]; x++) {
            int at[3] = {x % coarse_n[0], x / coarse_n[0] % coarse_n[1],
                         x / coarse_n[0] / coarse_n[1]};
            const double mean = value(coarse[0], at[0], at[1], at[2]);
            at[d] *= 2;
            assert_true(fabs(mean - value(coarse[1], at[0], at[1], at[2])) < 1e-15);
        }
        for (int which = 0; which < 2; which++) {
            level_destroy(fine[which]);
            level_destroy(coarse[which]);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_cells_take_few_cycles),
        cmocka_unit_test(thin_domains_coarsen),
        cmocka_unit_test(sizes_are_halved),
        cmocka_unit_test(transfers_leave_a_direction),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
