/* SPDX-License-Identifier: BSD-3-Clause */
/* Bottom solvers where they are at their limits: singular matrices, few iterations, a diagonal that
 * sweeps cannot use, operators that break a Krylov method down. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/krylov.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/run.h"
#include "support/solve_case.h"

/* The CPU's, with another operator. */
static struct passes passes;
static struct backend backend;

static double residual_norm(struct level *l)
{
    krylov_residual(l, FIELD_KRYLOV, FIELD_U, FIELD_F);
    krylov_project(l, FIELD_KRYLOV);
    return reduce_norm(l, FIELD_KRYLOV);
}

static void zero(struct level *l, enum field field)
{
    vector_combine(l, field, 0.0, field, 0.0, field);
}

/* A hierarchy whose finest level has the work vectors of a bottom solver. */
static struct hierarchy *with_krylov_fields(struct hierarchy_choice choice)
{
    struct hierarchy *h = hierarchy_create(&choice);
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        level_allocate(h->levels[0], FIELD_KRYLOV + v);
    return h;
}

/* A hierarchy with one box whose level applies the operator by `apply`. */
static struct hierarchy *with_operator(void (*apply)(struct level *, enum field, enum field))
{
    struct hierarchy *h = with_krylov_fields(case_choice(2, true, false, SMOOTHER_GSRB, 2, 1));
    passes = cpu_passes;
    passes.apply = apply;
    backend = backend_cpu;
    backend.passes = &passes;
    h->levels[0]->backend = &backend;
    return h;
}

/* hierarchy_destroy() frees by the level's own backend. */
static void destroy_with_operator(struct hierarchy *h)
{
    h->levels[0]->backend = &backend_cpu;
    hierarchy_destroy(h);
}

/* --- all methods --- */

/* Whatever was there before. */
static void solutions_of_singular_problems_have_no_mean(void **state)
{
    (void)state;
    for (int method = BOTTOM_METHOD_BICGSTAB; method <= BOTTOM_METHOD_SMOOTH; method++) {
        struct hierarchy *h = with_krylov_fields(case_choice(2, false, true, SMOOTHER_GSRB, 2, 1));
        struct level *l = h->levels[0];
        struct bottom *b = bottom_create(l, (enum bottom_method)method);
        zero(l, FIELD_U);
        vector_add_constant(l, FIELD_U, 1.0);
        bottom_solve(b, FIELD_U, FIELD_F);
        assert_true(fabs(reduce_mean(l, FIELD_U)) <= 1e-14);
        assert_true(reduce_norm(l, FIELD_U) > 0.0);
        bottom_destroy(b);
        hierarchy_destroy(h);
    }
}

static void nothing_is_done_for_a_zero_right_hand_side(void **state)
{
    (void)state;
    struct hierarchy *h = with_krylov_fields(case_choice(2, false, false, SMOOTHER_GSRB, 2, 1));
    struct level *l = h->levels[0];
    zero(l, FIELD_U);
    zero(l, FIELD_F);
    const struct krylov_result results[] = {krylov_bicgstab(l, FIELD_U, FIELD_F, 1e-3, 10),
                                            krylov_cg(l, FIELD_U, FIELD_F, 1e-3, 10)};
    for (int r = 0; r < 2; r++) {
        assert_int_equal(results[r].iterations, 0);
        assert_int_equal(results[r].breakdown, BREAKDOWN_NONE);
    }
    assert_true(reduce_norm(l, FIELD_U) == 0.0);
    hierarchy_destroy(h);
}

/* --- sweeps --- */

/* 32³ cells need more sweeps than src/solvers/bottom.h allows; they come in groups. */
static void sweeps_end_after_two_hundred(void **state)
{
    (void)state;
    struct hierarchy *h = with_krylov_fields(case_choice(2, false, false, SMOOTHER_GSRB, 5, 1));
    struct level *l = h->levels[0];
    struct bottom *b = bottom_create(l, BOTTOM_METHOD_SMOOTH);
    bottom_solve(b, FIELD_U, FIELD_F);
    assert_int_equal(bottom_counts(b).solves, 1);
    assert_in_range(bottom_counts(b).iterations, 200, 200 + SMOOTHER_SWEEPS - 1);
    bottom_destroy(b);
    hierarchy_destroy(h);
}

/* A hierarchy whose coarsest level has HPGMG's diagonal, and a right-hand side. */
static struct hierarchy *with_odd_level(void)
{
    struct hierarchy_choice choice = case_choice(2, false, true, SMOOTHER_GSRB, 2, 27);
    struct hierarchy *h = hierarchy_create(&choice);
    for (int level = 0; level + 1 < h->nlevels; level++)
        transfer_restrict(h, level, FIELD_F, FIELD_F);
    const struct level *l = h->levels[h->nlevels - 1];
    assert_int_equal(l->n[0] % 2, 1);
    assert_true(l->stencil->hpgmg_diagonal);
    return h;
}

/* HPGMG's diagonal of an odd periodic level is good enough for BiCGStab only. */
static void sweeps_take_the_true_diagonal(void **state)
{
    (void)state;
    struct hierarchy *h = with_odd_level();
    struct level *l = h->levels[h->nlevels - 1];
    struct bottom *b = bottom_create(l, BOTTOM_METHOD_SMOOTH);
    zero(l, FIELD_U);
    const double before = residual_norm(l);
    assert_true(before > 0.0);
    bottom_solve(b, FIELD_U, FIELD_F);
    assert_true(residual_norm(l) <= 1e-3 * before);
    bottom_destroy(b);
    hierarchy_destroy(h);
}

/* --- breakdowns --- */

static void apply_not_finite(struct level *l, enum field out, enum field x)
{
    (void)x;
    vector_combine(l, out, NAN, FIELD_F, 0.0, FIELD_F);
}

/* The sweeps after a breakdown take the true diagonal, and the next solve HPGMG's again: a solve
 * does not depend on those before it. */
static void solves_after_a_breakdown_are_alike(void **state)
{
    (void)state;
    struct hierarchy *h = with_odd_level();
    struct level *l = h->levels[h->nlevels - 1];
    const struct backend *actual = l->backend;
    struct bottom *b = bottom_create(l, BOTTOM_METHOD_BICGSTAB);
    const uint64_t diagonal = reduce_checksum(l, FIELD_DINV);
    passes = cpu_passes;
    passes.apply = apply_not_finite;
    backend = *actual;
    backend.passes = &passes;
    l->backend = &backend;
    zero(l, FIELD_U);
    bottom_solve(b, FIELD_U, FIELD_F);
    assert_int_equal(bottom_counts(b).breakdowns[BREAKDOWN_NOT_FINITE], 1);
    assert_true(l->stencil->hpgmg_diagonal);
    assert_true(reduce_checksum(l, FIELD_DINV) == diagonal);
    l->backend = actual;
    bottom_destroy(b);
    hierarchy_destroy(h);
}

static int applications;

/* The first application makes the method's half step huge, the second the product of two vectors
 * infinite. */
static void apply_beyond_range(struct level *l, enum field out, enum field x)
{
    const struct patch *p = &l->patches[0];
    double *values = level_natural(l, out) + p->offset;
    vector_combine(l, out, 0.0, x, 0.0, x);
    if (applications++ == 0) {
        values[0] = 1e-160;
        values[1] = 1.0;
    } else {
        values[1] = 1e150;
    }
}

/* u stays what it was before the step that cannot be made: the smoother goes on from there. */
static void a_breakdown_leaves_a_finite_solution(void **state)
{
    (void)state;
    struct hierarchy *h = with_operator(apply_beyond_range);
    struct level *l = h->levels[0];
    zero(l, FIELD_U);
    zero(l, FIELD_F);
    level_natural(l, FIELD_F)[l->patches[0].offset] = 1.0;
    applications = 0;
    const struct krylov_result result = krylov_bicgstab(l, FIELD_U, FIELD_F, 1e-3, 10);
    assert_int_equal(applications, 2);
    assert_int_equal(result.breakdown, BREAKDOWN_NOT_FINITE);
    assert_true(isfinite(reduce_norm(l, FIELD_U)));
    destroy_with_operator(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_of_singular_problems_have_no_mean),
        cmocka_unit_test(nothing_is_done_for_a_zero_right_hand_side),
        cmocka_unit_test(sweeps_end_after_two_hundred),
        cmocka_unit_test(sweeps_take_the_true_diagonal),
        cmocka_unit_test(solves_after_a_breakdown_are_alike),
        cmocka_unit_test(a_breakdown_leaves_a_finite_solution),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
