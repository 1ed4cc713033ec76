/* SPDX-License-Identifier: BSD-3-Clause */
/* Up to the walls: polynomials that vanish there, of degrees that the wall rules represent, are
 * prolonged exactly and the operator's value for them is exact, in every cell of any boxes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "level/build.h"
#include "cpu/cpu.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "support/cells.h"
#include "support/decompositions.h"
#include "support/run.h"

enum { DEGREE = 4, GHOST_LAYERS = 2 };

/* x(1 − x)·q(x): the coefficients of one direction. */
struct factor {
    long double c[DEGREE + 1];
};

static struct factor random_factor(int degree)
{
    struct factor f = {{0.0L}};
    for (int p = 0; p + 2 <= degree; p++) {
        const long double q = 1.0L + 0.5L * random_value();
        f.c[p + 1] += q;
        f.c[p + 2] -= q;
    }
    return f;
}

/* Average of the derivative of this order over cell i of n. */
static long double factor_average(const struct factor *f, int derivative, int i, int n)
{
    const long double a = (long double)i / n, b = (long double)(i + 1) / n;
    long double sum = 0.0L;
    for (int p = derivative; p <= DEGREE; p++) {
        const long double c = derivative == 0 ? f->c[p] : f->c[p] * p * (p - 1);
        long double mean = 0.0L;
        for (int m = 0; m <= p - derivative; m++)
            mean += powl(a, m) * powl(b, p - derivative - m);
        sum += c * mean / (p - derivative + 1);
    }
    return sum;
}

/* Averages for all cells of one direction: the function and its second derivative. */
struct table {
    long double value[64], second[64];
};

/* Of functions of x/L; the longest side L is 1. */
static void fill_tables(struct table t[3], const struct factor f[3], const int n[3])
{
    for (int d = 0; d < 3; d++) {
        const long double inverse_length = (long double)extent_longest(n) / n[d];
        for (int i = 0; i < n[d]; i++) {
            t[d].value[i] = factor_average(&f[d], 0, i, n[d]);
            t[d].second[i] = factor_average(&f[d], 2, i, n[d]) * inverse_length * inverse_length;
        }
    }
}

static long double product(const struct table t[3], const int c[3])
{
    return t[0].value[c[0]] * t[1].value[c[1]] * t[2].value[c[2]];
}

static long double minus_laplacian(const struct table t[3], const int c[3])
{
    long double sum = 0.0L;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        sum -= t[d].second[c[d]] * t[e].value[c[e]] * t[g].value[c[g]];
    }
    return sum;
}

/* Boxes of `quarter`'s random cut with factor·quarter cells per side. */
static struct level *make_level(const struct decomposition *cut, int factor, int order)
{
    const struct decomposition d = refined_decomposition(cut, factor);
    struct level *l = level_create(0, d, sides_all(BOUNDARY_DIRICHLET), GHOST_LAYERS, &backend_cpu,
                                   backend_cpu.row_align);
    l->stencil = memory_alloc(sizeof *l->stencil, "stencil");
    *l->stencil = stencil_create((struct operator_choice){.order = order,
                                                          .sides = SIDES_ALL(BOUNDARY_DIRICHLET),
                                                          .smoother = SMOOTHER_JACOBI},
                                 l->n);
    level_allocate(l, FIELD_U);
    level_allocate(l, FIELD_F);
    return l;
}

static void free_level(struct level *l)
{
    memory_free(l->stencil);
    level_destroy(l);
}

static void write_product(const struct level *l, const struct table t[3])
{
    field_poison(l, FIELD_U);
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    const int c[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
                    level_natural(l, FIELD_U)[p->offset + i + j * p->sj + k * p->sk] =
                        (double)product(t, c);
                }
    }
    level_exchange_halo(l, FIELD_U);
}

typedef long double exact_fn(const struct table t[3], const int c[3]);

/* Largest error of a field. */
static double largest_error(const struct level *l, enum field field, exact_fn *exact,
                            const struct table t[3])
{
    double most = 0.0;
    for (int q = 0; q < l->npatches; q++) {
        const struct patch *p = &l->patches[q];
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++)
                for (int i = 0; i < p->n[0]; i++) {
                    const int c[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
                    const double x = level_natural(l, field)[p->offset + i + j * p->sj + k * p->sk];
                    const double error = fabs((double)(x - exact(t, c)));
                    most = error <= most ? most : error; /* keeps NaN */
                }
    }
    return most;
}

static void prolong(struct level *fine, struct level *coarse, int order, bool add)
{
    const struct pass pass = {.level = fine,
                              .u = FIELD_U,
                              .f = FIELD_F,
                              .start = add ? START_PROLONG_ADD : START_PROLONG_SET,
                              .prolongation = order,
                              .coarse = coarse,
                              .coarse_u = FIELD_U,
                              .coarse_f = FIELD_F};
    backend_cpu.passes->run(&pass);
}

static void random_factors(struct factor f[3], int degree)
{
    for (int d = 0; d < 3; d++)
        f[d] = random_factor(degree);
}

/* Errors of u = P u_c, and of u − u_exact after u += P u_c from −P u_c. */
static double prolongation_error(const struct decomposition *cut, int order, int degree)
{
    struct level *fine = make_level(cut, 4, order), *coarse = make_level(cut, 2, order);
    struct factor f[3];
    struct table t[3];
    random_factors(f, degree);
    fill_tables(t, f, coarse->n);
    write_product(coarse, t);
    field_poison(fine, FIELD_U);
    prolong(fine, coarse, order, false);
    fill_tables(t, f, fine->n);
    const double error = largest_error(fine, FIELD_U, product, t);
    vector_combine(fine, FIELD_U, -1.0, FIELD_U, 0.0, FIELD_U);
    prolong(fine, coarse, order, true);
    EXPECT(vector_norm(fine, FIELD_U) == 0);
    free_level(fine);
    free_level(coarse);
    return error;
}

static double operator_error(const struct decomposition *cut, int order, int degree)
{
    struct level *l = make_level(cut, 4, order);
    struct factor f[3];
    struct table t[3];
    random_factors(f, degree);
    fill_tables(t, f, l->n);
    write_product(l, t);
    field_poison(l, FIELD_F);
    backend_cpu.passes->apply(l, FIELD_F, FIELD_U);
    const double error = largest_error(l, FIELD_F, minus_laplacian, t);
    free_level(l);
    return error;
}

enum { CASES = 500 };

/* Quadratics under the quadratic rule, quartics under the quartic one, and not one degree more. */
static void products_are_prolonged_to_the_walls(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++)
        for (int order = 2; order <= 4; order += 2) {
            random_begin(number);
            /* The quartic rule needs four coarse cells. */
            struct decomposition cut =
                random_decomposition(random_extent(2, 4).n, random_int(0, 6), 1);
            EXPECT(prolongation_error(&cut, order, order) <= 1e-14);
            if (order == 2)
                EXPECT(prolongation_error(&cut, order, 3) >= 1e-6);
            decomposition_destroy(&cut);
        }
}

static void operators_are_exact_to_the_walls(void **state)
{
    (void)state;
    for (int number = 0; number < CASES; number++)
        for (int order = 2; order <= 4; order += 2) {
            random_begin(number);
            struct decomposition cut =
                random_decomposition(random_extent(1, 4).n, random_int(0, 6), 1);
            EXPECT(operator_error(&cut, order, order) <= 1e-11);
            if (order == 2)
                EXPECT(operator_error(&cut, order, 3) >= 1e-4);
            decomposition_destroy(&cut);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_prolonged_to_the_walls),
        cmocka_unit_test(operators_are_exact_to_the_walls),
    };
    return RUN_WITH_MPI(tests, argc, argv);
}
