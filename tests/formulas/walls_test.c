/* SPDX-License-Identifier: BSD-3-Clause */
/* One-dimensional rules as formulas: ghosts beyond walls, β beyond walls, prolongation, restriction
 * (docs/NUMERICS.md). Each is exact for cell averages of polynomials up to its degree and not for
 * the next one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "operators/boundary.h"
#include "operators/transfers.h"
#include "support/random.h"

enum { CASES = 1000, MAX_DEGREE = 6 };

static double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

/* What holds at the wall: nothing, value 0, slope 0. */
enum at_wall { ANYTHING, VALUE_0, SLOPE_0 };

/* A random polynomial of the degree (highest coefficient not small). */
struct polynomial {
    int degree;
    long double c[MAX_DEGREE + 1];
};

static struct polynomial random_polynomial(int degree, enum at_wall at_wall)
{
    struct polynomial f = {.degree = degree};
    for (int p = at_wall == VALUE_0; p <= degree; p++)
        f.c[p] = p == 1 && at_wall == SLOPE_0 ? 0.0L : random_value();
    f.c[degree] = random_bool() ? 1.0L : -1.0L;
    return f;
}

/* Average over [low, low + h]. */
static double average(const struct polynomial *f, long double low, long double h)
{
    long double sum = 0.0L, power = 1.0L, mean = 1.0L;
    for (int p = 0; p <= f->degree; p++) {
        sum += f->c[p] * mean / (p + 1);
        power *= low;
        mean = mean * (low + h) + power;
    }
    return (double)sum;
}

/* Cell n inward from a wall at 0, n = 1, 2, …; n = 0 and −1 are the ghosts. */
static double inward(const struct polynomial *f, int n)
{
    return average(f, n - 1, 1.0L);
}

typedef double rule_fn(const struct polynomial *f);

/* The error of a ghost beyond a wall. */
static double ghost_error(const struct polynomial *f, enum wall wall, int rule, int layer)
{
    const double v[] = {inward(f, 1), inward(f, 2), inward(f, 3), inward(f, 4)};
    return wall_ghost(wall, rule, layer, v) - inward(f, -layer);
}

static double value_weight(enum wall wall, int rule, int layer)
{
    const struct side_weights s = side_weights_of(wall, rule);
    return wall_value_weight(&s, wall, layer);
}

/* The same where the polynomial has a value at the wall, or a slope, outward. */
static double valued_ghost_error(const struct polynomial *f, enum wall wall, int rule, int layer)
{
    const double g = (double)(wall == WALL_DIRICHLET ? f->c[0] : -f->c[1]);
    return ghost_error(f, wall, rule, layer) + value_weight(wall, rule, layer) * g;
}

static double beta_5(const struct polynomial *f)
{
    return beta_extrapolate_5(inward(f, 1), inward(f, 2), inward(f, 3), inward(f, 4),
                              inward(f, 5)) -
           inward(f, 0);
}

static double beta_4(const struct polynomial *f)
{
    return beta_extrapolate_4(inward(f, 1), inward(f, 2), inward(f, 3), inward(f, 4)) -
           inward(f, 0);
}

static double beta_2(const struct polynomial *f)
{
    return beta_extrapolate_2(inward(f, 1), inward(f, 2)) - inward(f, 0);
}

static double volume_quadratic_low(const struct polynomial *f)
{
    return prolong2_low(average(f, -1, 1), average(f, 0, 1), average(f, 1, 1)) -
           average(f, 0, 0.5L);
}

static double volume_quadratic_high(const struct polynomial *f)
{
    return prolong2_high(average(f, -1, 1), average(f, 0, 1), average(f, 1, 1)) -
           average(f, 0.5L, 0.5L);
}

static double volume_quartic_low(const struct polynomial *f)
{
    return prolong4_low(average(f, -2, 1), average(f, -1, 1), average(f, 0, 1), average(f, 1, 1),
                        average(f, 2, 1)) -
           average(f, 0, 0.5L);
}

static double volume_quartic_high(const struct polynomial *f)
{
    return prolong4_high(average(f, -2, 1), average(f, -1, 1), average(f, 0, 1), average(f, 1, 1),
                         average(f, 2, 1)) -
           average(f, 0.5L, 0.5L);
}

/* A rule by its function or, without one, by its wall, its cells and the ghost's layer: these come
 * first. */
struct exact_rule {
    rule_fn *error;
    enum wall wall;
    int rule, layer, degree;
    enum at_wall at_wall;
};

static double error_of(const struct exact_rule *r, const struct polynomial *f)
{
    return r->error ? r->error(f) : ghost_error(f, r->wall, r->rule, r->layer);
}

static const struct exact_rule exact_rules[] = {
    {NULL, WALL_DIRICHLET, WALL_LINEAR, 0, 1, VALUE_0},
    {NULL, WALL_DIRICHLET, WALL_QUADRATIC, 0, 2, VALUE_0},
    {NULL, WALL_DIRICHLET, WALL_QUARTIC, 0, 4, VALUE_0},
    {NULL, WALL_DIRICHLET, WALL_QUARTIC, 1, 4, VALUE_0},
    {NULL, WALL_NEUMANN, WALL_LINEAR, 0, 2, SLOPE_0},
    {NULL, WALL_NEUMANN, WALL_QUADRATIC, 0, 2, SLOPE_0},
    {NULL, WALL_NEUMANN, WALL_QUADRATIC, 1, 2, SLOPE_0},
    {NULL, WALL_NEUMANN, WALL_QUARTIC, 0, 4, SLOPE_0},
    {NULL, WALL_NEUMANN, WALL_QUARTIC, 1, 4, SLOPE_0},
    {beta_5, NO_WALL, 0, 0, 4, ANYTHING},
    {beta_4, NO_WALL, 0, 0, 3, ANYTHING},
    {beta_2, NO_WALL, 0, 0, 1, ANYTHING},
    {volume_quadratic_low, NO_WALL, 0, 0, 2, ANYTHING},
    {volume_quadratic_high, NO_WALL, 0, 0, 2, ANYTHING},
    {volume_quartic_low, NO_WALL, 0, 0, 4, ANYTHING},
    {volume_quartic_high, NO_WALL, 0, 0, 4, ANYTHING},
};

static void rules_are_exact_to_their_degree(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof exact_rules / sizeof *exact_rules; r++)
        for (long number = 0; number < CASES; number++) {
            random_begin(number);
            const enum at_wall at_wall = exact_rules[r].at_wall;
            const int lowest = at_wall == VALUE_0,
                      degree = random_int(lowest, exact_rules[r].degree);
            const struct polynomial f =
                random_polynomial(at_wall == SLOPE_0 && degree == 1 ? 2 : degree, at_wall);
            const struct polynomial g = random_polynomial(exact_rules[r].degree + 1, at_wall);
            EXPECT(fabs(error_of(&exact_rules[r], &f)) <= 2e-12);
            EXPECT(fabs(error_of(&exact_rules[r], &g)) >= 1e-4);
        }
}

/* With their weights of g, rules are exact for polynomials that do not vanish at the wall. */
static void values_on_walls_are_exact(void **state)
{
    (void)state;
    for (const struct exact_rule *rule = exact_rules; !rule->error; rule++)
        for (long number = 0; number < CASES; number++) {
            random_begin(number);
            const struct polynomial f = random_polynomial(random_int(1, rule->degree), ANYTHING),
                                    g = random_polynomial(rule->degree + 1, ANYTHING);
            EXPECT(fabs(valued_ghost_error(&f, rule->wall, rule->rule, rule->layer)) <= 2e-12);
            EXPECT(fabs(valued_ghost_error(&g, rule->wall, rule->rule, rule->layer)) >= 1e-4);
        }
}

/* g through a Neumann wall is the flux, also where the rules of order 4 give it. */
static void slopes_are_fluxes(void **state)
{
    (void)state;
    EXPECT(value_weight(WALL_NEUMANN, WALL_LINEAR, 0) == 1.0);
    EXPECT(value_weight(WALL_NEUMANN, WALL_QUADRATIC, 0) == 1.0);
    EXPECT(fabs(15.0 * value_weight(WALL_NEUMANN, WALL_QUARTIC, 0) -
                value_weight(WALL_NEUMANN, WALL_QUARTIC, 1) - 12.0) <= 1e-14);
}

/* Every rule in long double, from the coefficients of docs/NUMERICS.md. */
static void rules_have_the_published_coefficients(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        long double x[5];
        for (int i = 0; i < 5; i++)
            x[i] = random_value();
        const double a = (double)x[0], b = (double)x[1], c = (double)x[2], d = (double)x[3],
                     e = (double)x[4];
        const double v[] = {a, b, c, d};
        EXPECT(wall_ghost(WALL_DIRICHLET, WALL_LINEAR, 0, v) == -a);
        EXPECT(wall_ghost(WALL_DIRICHLET, WALL_LINEAR, 1, v) == 0.0 &&
               wall_ghost(WALL_DIRICHLET, WALL_QUADRATIC, 1, v) == 0.0);
        EXPECT(fabsl(wall_ghost(WALL_DIRICHLET, WALL_QUADRATIC, 0, v) - (-5 * x[0] + x[1]) / 2) <=
               1e-15L);
        EXPECT(fabsl(wall_ghost(WALL_DIRICHLET, WALL_QUARTIC, 0, v) -
                     (-77 * x[0] + 43 * x[1] - 17 * x[2] + 3 * x[3]) / 12) <= 1e-14L);
        EXPECT(fabsl(wall_ghost(WALL_DIRICHLET, WALL_QUARTIC, 1, v) -
                     (-505 * x[0] + 335 * x[1] - 145 * x[2] + 27 * x[3]) / 12) <= 1e-13L);
        EXPECT(wall_ghost(WALL_NEUMANN, WALL_LINEAR, 0, v) == a &&
               wall_ghost(WALL_NEUMANN, WALL_LINEAR, 1, v) == 0.0);
        EXPECT(wall_ghost(WALL_NEUMANN, WALL_QUADRATIC, 0, v) == a &&
               wall_ghost(WALL_NEUMANN, WALL_QUADRATIC, 1, v) == b);
        EXPECT(fabsl(wall_ghost(WALL_NEUMANN, WALL_QUARTIC, 0, v) -
                     (5 * x[0] + 9 * x[1] - 5 * x[2] + x[3]) / 10) <= 1e-14L);
        EXPECT(fabsl(wall_ghost(WALL_NEUMANN, WALL_QUARTIC, 1, v) -
                     (-15 * x[0] + 29 * x[1] - 15 * x[2] + 3 * x[3]) / 2) <= 1e-13L);
        EXPECT(fabsl(beta_extrapolate_5(a, b, c, d, e) -
                     (5 * x[0] - 10 * x[1] + 10 * x[2] - 5 * x[3] + x[4])) <= 2e-14L);
        EXPECT(fabsl(beta_extrapolate_4(a, b, c, d) - (4 * x[0] - 6 * x[1] + 4 * x[2] - x[3])) <=
               2e-14L);
        EXPECT(fabsl(beta_extrapolate_2(a, b) - (2 * x[0] - x[1])) <= 1e-15L);
    }
}

/* The flux of either order through a Neumann wall is 0, whatever the cells are. */
static void no_flux_through_neumann_walls(void **state)
{
    (void)state;
    static const int rules[] = {WALL_QUADRATIC, WALL_QUARTIC};
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        double v[4];
        for (int m = 0; m < 4; m++)
            v[m] = random_value();
        EXPECT(v[0] == wall_ghost(WALL_NEUMANN, WALL_LINEAR, 0, v));
        for (int r = 0; r < 2; r++) {
            const double g1 = wall_ghost(WALL_NEUMANN, rules[r], 0, v),
                         g2 = wall_ghost(WALL_NEUMANN, rules[r], 1, v);
            EXPECT(fabs(15.0 * (v[0] - g1) - (v[1] - g2)) <= 1e-13);
        }
    }
}

/* Rules as data are bitwise those that are constants, and have the rows and factors that side_value
 * and wall_row_value take for granted. */
static void rules_as_data(void **state)
{
    (void)state;
    static const int all[] = {WALL_LINEAR, WALL_QUADRATIC, WALL_QUARTIC};
    for (long number = 0; number < 6L * CASES; number++) {
        random_begin(number);
        const double v[4] = {random_value(), random_value(), random_value(), random_value()};
        const enum wall wall = number & 1 ? WALL_NEUMANN : WALL_DIRICHLET;
        const struct side_weights s = side_weights_of(wall, all[number % 3]);
        EXPECT(s.cells == all[number % 3] && s.layers >= (s.cells > 2 ? 2 : 1));
        for (int layer = 0; layer < 3; layer++) {
            const double data = side_ghost(&s, s.cells, layer, v),
                         constant = wall_ghost(wall, s.cells, layer, v);
            EXPECT(memcmp(&data, &constant, sizeof data) == 0);
            EXPECT(s.cells > 2 || layer >= s.layers || s.row[layer].factor == 1.0);
        }
    }
    EXPECT(side_weights_of(NO_WALL, WALL_QUARTIC).cells == 0);
}

/* The mean of two children is their parent. */
static void children_average_to_their_parent(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double x[5];
        random_begin(number);
        for (int i = 0; i < 5; i++)
            x[i] = random_value();
        EXPECT(fabs(0.5 * (prolong2_low(x[1], x[2], x[3]) + prolong2_high(x[1], x[2], x[3])) -
                    x[2]) <= 0x1p-52);
        EXPECT(fabs(0.5 * (prolong4_low(x[0], x[1], x[2], x[3], x[4]) +
                           prolong4_high(x[0], x[1], x[2], x[3], x[4])) -
                    x[2]) <= 0x1p-52);
        /* Reflection exchanges the children, bit by bit. */
        EXPECT(prolong2_low(x[1], x[2], x[3]) == prolong2_high(x[3], x[2], x[1]));
        EXPECT(prolong4_low(x[0], x[1], x[2], x[3], x[4]) ==
               prolong4_high(x[4], x[3], x[2], x[1], x[0]));
    }
}

/* Means of equal values are that value, bit by bit, and so are prolongations of it. */
static void constants_stay(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double c = ldexp(random_value(), random_int(-1000, 1000)), pair = c + c;
        EXPECT(restrict_cell(pair, pair, pair, pair) == c);
        EXPECT(restrict_face(c, c, c, c) == c);
        EXPECT(prolong2_low(c, c, c) == c && prolong2_high(c, c, c) == c);
        EXPECT(prolong4_low(c, c, c, c, c) == c && prolong4_high(c, c, c, c, c) == c);
    }
}

static void restrictions_are_means(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double x[8];
        long double sum = 0.0L;
        random_begin(number);
        for (int i = 0; i < 8; i++)
            sum += x[i] = random_value();
        EXPECT(fabsl(restrict_cell(x[0] + x[1], x[2] + x[3], x[4] + x[5], x[6] + x[7]) - sum / 8) <=
               1e-15L);
        EXPECT(fabsl(restrict_face(x[0], x[1], x[2], x[3]) -
                     ((long double)x[0] + x[1] + x[2] + x[3]) / 4) <= 1e-15L);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_exact_to_their_degree),
        cmocka_unit_test(values_on_walls_are_exact),
        cmocka_unit_test(slopes_are_fluxes),
        cmocka_unit_test(rules_have_the_published_coefficients),
        cmocka_unit_test(no_flux_through_neumann_walls),
        cmocka_unit_test(rules_as_data),
        cmocka_unit_test(children_average_to_their_parent),
        cmocka_unit_test(constants_stay),
        cmocka_unit_test(restrictions_are_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
