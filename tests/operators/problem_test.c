/* SPDX-License-Identifier: BSD-3-Clause */
/* The model problems on domains that are no cubes, by cubic and by other cells: averages of the fv
 * problem against exact averages, and the manufactured right-hand sides against the operator
 * applied to the solutions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cpu/cpu.h"
#include "level/build.h"
#include "operators/pass.h"
#include "operators/problem.h"
#include "solvers/hierarchy.h"
#include "support/run.h"

#define TWO_PI 6.283185307179586L

/* One box of each shape, halved twice: the largest errors of three sizes. */
static const int shapes[][3] = {{2, 1, 3}, {1, 1, 1}, {1, 3, 2}, {3, 2, 1}};
/* Lengths of the domain; of 0, cells are cubes. */
static const double lengths[][3] = {{0}, {0}, {0.4, 1.0, 0.9}, {0.9, 0.7, 0.5}};
enum { NUM_SHAPES = sizeof shapes / sizeof shapes[0], LOG2_SMALL = 4, LOG2_LARGE = 5 };

static struct hierarchy *make(const int boxes[3], int log2_box_dim, int problem,
                              struct operator_choice op)
{
    struct hierarchy_choice choice = {.log2_box_dim = log2_box_dim,
                                      .boxes_per_rank = 1000,
                                      .op = op,
                                      .problem = problem,
                                      .placement = {.backend = &backend_cpu},
                                      .max_levels = 2};
    for (int d = 0; d < 3; d++)
        choice.domain.boxes[d] = boxes[d];
    return hierarchy_create(&choice);
}

static double value_at(const struct level *l, const struct patch *p, enum field field, int i, int j,
                       int k)
{
    return level_natural(l, field)[p->offset + i + j * p->sj + k * p->sk];
}

/* The average of sin(2πξ) over cell i of n, or its value at the low face. */
static long double sine(int i, int n, bool face)
{
    if (face)
        return sinl(TWO_PI * i / n);
    return (cosl(TWO_PI * i / n) - cosl(TWO_PI * (i + 1) / n)) * n / TWO_PI;
}

/* The average of sin⁷(2πξ) over cell i of n, from 64 sin⁷ = 35 sin − 21 sin 3· + 7 sin 5· − sin 7·.
 */
static long double sine_7_average(int i, int n)
{
    static const long double weights[] = {35.0L, -21.0L, 7.0L, -1.0L};
    long double sum = 0.0L;
    for (int w = 0; w < 4; w++) {
        const long double c = TWO_PI * (2 * w + 1);
        sum += weights[w] * (cosl(c * i / n) - cosl(c * (i + 1) / n)) * n / c;
    }
    return sum / 64.0L;
}

static void keep_largest(double *most, long double error)
{
    *most = fmax(*most, (double)fabsl(error));
}

/* The largest errors of f, and of β on faces in each direction. */
static void fv_errors(int shape, int log2_box_dim, double errors[4])
{
    struct operator_choice op = {.order = 4, .variable = true};
    operator_set_lengths(&op, lengths[shape]);
    struct hierarchy *h = make(shapes[shape], log2_box_dim, PROBLEM_FV, op);
    const struct level *l = h->levels[0];
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    const int c[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
                    long double f = 1.0L;
                    for (int d = 0; d < 3; d++)
                        f *= sine_7_average(c[d], l->n[d]);
                    keep_largest(&errors[3], f - value_at(l, p, FIELD_F, i, j, k));
                    for (int d = 0; d < 3; d++) {
                        long double beta = 0.25L;
                        for (int e = 0; e < 3; e++)
                            beta *= sine(c[e], l->n[e], e == d);
                        keep_largest(&errors[d], 1.0L + beta -
                                                     value_at(l, p, FIELD_BETA_I + d, i, j, k) /
                                                         l->stencil->spacing.weight[d]);
                    }
                }
    }
    hierarchy_destroy(h);
}

/* Both corrections with h² leave an error of order 4; a wrong one leaves order 2. */
static void averages_of_fv_are_of_order_4(void **state)
{
    (void)state;
    for (int s = 0; s < NUM_SHAPES; s++) {
        double coarse[4] = {0}, fine[4] = {0};
        fv_errors(s, LOG2_SMALL, coarse);
        fv_errors(s, LOG2_LARGE, fine);
        for (int x = 0; x < 4; x++)
            if (!(fine[x] > 0.0 && log2(coarse[x] / fine[x]) > (x < 3 ? 3.9 : 2.7)))
                fail_msg("shape %d: errors %g and %g of %d", s, coarse[x], fine[x], x);
    }
}

/* The largest |A u − f| for the exact solution, at cells away from walls. */
static double truncation_error(const int boxes[3], int log2_box_dim, int problem,
                               struct operator_choice op)
{
    struct hierarchy *h = make(boxes, log2_box_dim, problem, op);
    struct level *l = h->levels[0];
    double most = 0.0;
    level_allocate(l, FIELD_KRYLOV);
    problem_solution(l, problem, FIELD_U);
    level_exchange_halo(l, FIELD_U);
    l->backend->passes->apply(l, FIELD_KRYLOV, FIELD_U);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 1; k < p->n[2] - 1; k++)
            for (int j = 1; j < p->n[1] - 1; j++)
                for (int i = 1; i < p->n[0] - 1; i++)
                    keep_largest(&most, value_at(l, p, FIELD_KRYLOV, i, j, k) -
                                            (long double)value_at(l, p, FIELD_F, i, j, k));
    }
    hierarchy_destroy(h);
    return most;
}

static void manufactured_problems_fit_the_operator(void **state)
{
    static const int smooth[] = {PROBLEM_P4, PROBLEM_P6};
    (void)state;
    for (int s = 0; s < NUM_SHAPES; s++)
        for (int x = 0; x < 8; x++) {
            struct operator_choice op = {
                .order = 2, .equation = (enum equation)(x / 2 % 2), .variable = x / 4 == 1};
            if (lengths[s][0] > 0.0)
                operator_set_lengths(&op, lengths[s]);
            const double coarse = truncation_error(shapes[s], LOG2_SMALL, smooth[x % 2], op),
                         fine = truncation_error(shapes[s], LOG2_LARGE, smooth[x % 2], op);
            if (!(fine > 0.0 && log2(coarse / fine) > 1.5))
                fail_msg("shape %d, case %d: errors %g and %g", s, x, coarse, fine);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_of_fv_are_of_order_4),
        cmocka_unit_test(manufactured_problems_fit_the_operator),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
