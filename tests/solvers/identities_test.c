/* SPDX-License-Identifier: BSD-3-Clause */
/* Identities of the whole solver and of its transfers (docs/NUMERICS.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "cpu/cpu.h"
#include "level/build.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/sum.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/sides.h"
#include "support/random.h"
#include "support/run.h"

static double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

/* Cell c of the only box of a level. */
static double *cell(const struct level *l, enum field field, int c)
{
    const struct patch *p = &l->patches[0];
    const int n = l->n[0];
    return level_natural(l, field) + p->offset + c % n + c / n % n * p->sj + c / n / n * p->sk;
}

static int cells(const struct level *l)
{
    return l->n[0] * l->n[0] * l->n[0];
}

static struct hierarchy *make_hierarchy(int order, bool periodic, enum smoother smoother,
                                        int log2_dim)
{
    const struct hierarchy_choice choice = {
        .log2_box_dim = log2_dim,
        .boxes_per_rank = 1,
        .op = {.order = order, .variable = true, .sides = sides_if(periodic), .smoother = smoother},
        .placement = {.backend = &backend_cpu}};
    return hierarchy_create(&choice);
}

static void solve(struct hierarchy *h)
{
    struct solve_result result;
    struct solver *s = solver_create(h, 0, (struct solver_choice){.f_cycle = true});
    solver_run(s, &result);
    assert_int_equal(result.outcome, OUTCOME_DONE);
    solver_destroy(s);
}

/* f scaled by a power of two, or negated, scales or negates every intermediate value exactly. */
static void check_scaling(struct hierarchy *h, double factor)
{
    struct level *l = h->levels[0];
    const size_t bytes = level_field_bytes(l);
    double *first = memory_alloc(bytes, "a copy of u");
    solve(h);
    memcpy(first, level_natural(l, FIELD_U), bytes);
    vector_combine(l, FIELD_F, factor, FIELD_F, 0.0, FIELD_F);
    solve(h);
    for (int c = 0; c < cells(l); c++)
        EXPECT(*cell(l, FIELD_U, c) ==
               factor * first[cell(l, FIELD_U, c) - level_natural(l, FIELD_U)]);
    memory_free(first);
}

static void test_scaling(void **state)
{
    (void)state;
    for (int variant = 0; variant < 16; variant++) {
        random_begin(variant);
        for (int negate = 0; negate < 2; negate++) {
            struct hierarchy *h = make_hierarchy(variant & 1 ? 4 : 2, (variant & 2) != 0,
                                                 (enum smoother)(variant >> 2), 4);
            check_scaling(h, negate ? -1.0 : 1024.0);
            hierarchy_destroy(h);
        }
    }
}

static void prolong(struct hierarchy *h, int order)
{
    struct level *coarse = h->levels[1];
    const struct pass pass = {.level = h->levels[0],
                              .u = FIELD_U,
                              .f = FIELD_F,
                              .start = START_PROLONG_SET,
                              .prolongation = order,
                              .coarse = coarse,
                              .coarse_u = FIELD_U,
                              .coarse_f = FIELD_F};
    level_exchange_halo(coarse, FIELD_U);
    backend_cpu.passes->run(&pass);
}

/* R(P u) = u for both prolongations, whatever the ghosts: a pair of children is c ± d. */
static void test_restriction_inverts_prolongation(void **state)
{
    (void)state;
    for (int number = 0; number < 1000; number++) {
        random_begin(number);
        const int order = random_bool() ? 2 : 4;
        struct hierarchy *h = make_hierarchy(2, random_bool(), SMOOTHER_GSRB, random_int(2, 4));
        struct level *coarse = h->levels[1];
        for (int c = 0; c < cells(coarse); c++)
            *cell(coarse, FIELD_U, c) = random_value();
        prolong(h, order);
        vector_restrict(h->levels[0], FIELD_U, coarse, FIELD_F);
        for (int c = 0; c < cells(coarse); c++)
            EXPECT(fabs(*cell(coarse, FIELD_F, c) - *cell(coarse, FIELD_U, c)) <= 1e-14);
        hierarchy_destroy(h);
    }
}

/* Average of x^p over cell number i of n. */
static double power_average(int p, int i, int n)
{
    const double a = (double)i / n, b = (double)(i + 1) / n;
    return (pow(b, p + 1) - pow(a, p + 1)) / ((p + 1) * (b - a));
}

/* Averages of x^p y^q z^r, p, q, r up to the order, are prolonged exactly where no ghost is
 * involved. */
static void check_polynomial(struct hierarchy *h, int order, const int p[3])
{
    struct level *fine = h->levels[0], *coarse = h->levels[1];
    const int n = coarse->n[0], margin = order;
    for (int c = 0; c < cells(coarse); c++)
        *cell(coarse, FIELD_U, c) = power_average(p[0], c % n, n) *
                                    power_average(p[1], c / n % n, n) *
                                    power_average(p[2], c / n / n, n);
    prolong(h, order);
    for (int k = margin; k < 2 * n - margin; k++)
        for (int j = margin; j < 2 * n - margin; j++)
            for (int i = margin; i < 2 * n - margin; i++) {
                const double exact = power_average(p[0], i, 2 * n) * power_average(p[1], j, 2 * n) *
                                     power_average(p[2], k, 2 * n);
                EXPECT(fabs(*cell(fine, FIELD_U, i + 2 * n * (j + 2 * n * k)) - exact) <= 1e-13);
            }
}

static void test_polynomials(void **state)
{
    (void)state;
    struct hierarchy *h = make_hierarchy(2, false, SMOOTHER_GSRB, 4);
    for (int order = 2; order <= 4; order += 2)
        for (int c = 0; c < (order + 1) * (order + 1) * (order + 1); c++) {
            random_begin(c);
            check_polynomial(h, order,
                             (const int[]){c % (order + 1), c / (order + 1) % (order + 1),
                                           c / (order + 1) / (order + 1)});
        }
    hierarchy_destroy(h);
}

/* Restriction of a constant is that constant, bit for bit; so is a periodic prolongation of one. */
static void test_constants(void **state)
{
    (void)state;
    struct hierarchy *h = make_hierarchy(4, true, SMOOTHER_GSRB, 4);
    random_begin(0);
    const double value = random_value();
    for (int c = 0; c < cells(h->levels[0]); c++)
        *cell(h->levels[0], FIELD_U, c) = value;
    vector_restrict(h->levels[0], FIELD_U, h->levels[1], FIELD_U);
    for (int order = 2; order <= 4; order += 2) {
        prolong(h, order);
        for (int c = 0; c < cells(h->levels[0]); c++)
            EXPECT(*cell(h->levels[0], FIELD_U, c) == value);
    }
    hierarchy_destroy(h);
}

/* Sum of x[order[i]] by digits. */
static double sum_in_order(const double *x, const int *order, int count)
{
    uint64_t largest = 0;
    int64_t digits[SUM_DIGITS] = {0};
    for (int i = 0; i < count; i++)
        largest = magnitude_bits(x[i]) > largest ? magnitude_bits(x[i]) : largest;
    const int exponent = sum_exponent(largest);
    for (int i = 0; i < count; i++)
        sum_digits(x[order[i]], ldexp(1.0, SUM_DIGIT_BITS - exponent), digits);
    return sum_value(digits, exponent);
}

/* Sums do not depend on the order of their terms, and are as exact as long double. */
static void test_sums(void **state)
{
    (void)state;
    enum { TERMS = 200 };
    double x[TERMS];
    int order[TERMS];
    for (int number = 0; number < 2000; number++) {
        random_begin(number);
        const int spread = random_int(0, 60), count = random_int(1, TERMS);
        long double exact = 0.0L, magnitude = 0.0L;
        for (int i = 0; i < count; i++) {
            x[i] = ldexp(random_value(), random_int(-spread, spread) + random_int(-3, 3));
            order[i] = i;
            exact += (long double)x[i];
            magnitude += fabsl((long double)x[i]);
        }
        const double forwards = sum_in_order(x, order, count);
        for (int i = count - 1; i > 0; i--) {
            const int other = random_int(0, i), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        EXPECT(sum_in_order(x, order, count) == forwards);
        EXPECT(fabsl((long double)forwards - exact) <=
               0x1p-52L * fabsl(exact) + 0x1p-60L * magnitude);
    }
}

static void test_memory(void **state)
{
    (void)state;
    for (int log2_dim = 6; log2_dim <= 9; log2_dim++) {
        const struct hierarchy_choice choice = {.log2_box_dim = log2_dim,
                                                .boxes_per_rank = 1,
                                                .op = {.order = 2, .variable = true},
                                                .placement = {.backend = &backend_cpu}};
        const struct hierarchy_shape shape = hierarchy_shape(&choice, 1);
        const double unknowns = pow(2.0, 3 * log2_dim);
        assert_true((double)hierarchy_bytes(&choice, &shape, 1, false) / unknowns <= 92.0);
    }
}

/* A tolerance below what rounding allows ends, and not as a success; a zero right-hand side is
 * solved by zero. */
static void test_ends(void **state)
{
    (void)state;
    static struct solve_result result;
    struct hierarchy *h = make_hierarchy(2, false, SMOOTHER_GSRB, 4);
    struct solver *s = solver_create(
        h, 0, (struct solver_choice){.f_cycle = true, .rtol = 1e-30, .max_cycles = 50});
    solver_run(s, &result);
    assert_true(result.outcome == OUTCOME_ROUNDING || result.outcome == OUTCOME_LIMIT);
    assert_true(result.history[result.cycles - 1] < 1e-12);
    solver_destroy(s);
    vector_combine(h->levels[0], FIELD_F, 0.0, FIELD_F, 0.0, FIELD_F);
    solve(h);
    assert_true(reduce_norm(h->levels[0], FIELD_U) == 0.0);
    hierarchy_destroy(h);
}

/* All bottom solvers lead to the same solution. */
static void test_bottoms(void **state)
{
    (void)state;
    static struct solve_result result;
    for (int bottom = BOTTOM_METHOD_BICGSTAB; bottom <= BOTTOM_METHOD_SMOOTH; bottom++)
        for (int variant = 0; variant < 4; variant++) {
            const struct hierarchy_choice choice = {.log2_box_dim = 3,
                                                    .boxes_per_rank = 27,
                                                    .op = {.order = variant & 1 ? 4 : 2,
                                                           .variable = true,
                                                           .sides = sides_if(variant > 1)},
                                                    .bottom = (enum bottom_method)bottom,
                                                    .placement = {.backend = &backend_cpu}};
            struct hierarchy *h = hierarchy_create(&choice);
            struct solver *s = solver_create(
                h, 0, (struct solver_choice){.f_cycle = true, .rtol = 1e-10, .max_cycles = 20});
            solver_run(s, &result);
            assert_int_equal(result.outcome, OUTCOME_DONE);
            assert_true(bottom_counts(h->bottom).solves > 0);
            solver_destroy(s);
            hierarchy_destroy(h);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaling),     cmocka_unit_test(test_restriction_inverts_prolongation),
        cmocka_unit_test(test_polynomials), cmocka_unit_test(test_constants),
        cmocka_unit_test(test_sums),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_bottoms),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
