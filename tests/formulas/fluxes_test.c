/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of both orders as formulas: antisymmetry of the fluxes bit by bit, and cell averages of
 * polynomials, for which the sums must be exact (docs/NUMERICS.md, Operators). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "support/random.h"

enum { CASES = 2000, MAX_DEGREE = 5, TERMS = MAX_DEGREE + 1, SIDE = 5, SJ = 5, SK = 25, CELL = 62 };

static double random_value(void)
{
    return (double)(random_bits() >> 11) * 0x1p-52 - 1.0;
}

/* Any magnitude that leaves products finite and normal. */
static double random_scaled(void)
{
    return ldexp(random_value(), random_int(-200, 200));
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Both cells of a face compute the same flux, one with the sign of the other: Σ A u needs it. */
static void flux_is_odd(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double x[11];
        random_begin(number);
        for (int v = 0; v < 11; v++)
            x[v] = number % 2 ? random_value() : random_scaled();
        const double one =
            fv4_flux(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]);
        const double other =
            fv4_flux(x[0], x[4], x[3], x[2], x[1], x[5], x[7], x[6], x[8], x[10], x[9]);
        EXPECT(one == -other && one != 0.0);
    }
}

static void random_cells(long number, double u[125], double b[3][125])
{
    random_begin(number);
    for (int c = 0; c < 125; c++) {
        u[c] = random_value();
        for (int d = 0; d < 3; d++)
            b[d][c] = random_value();
    }
}

/* The flux through the low face in the direction of stride `across`; s and t are the other two. */
static double low_flux(const double *u, const double *b, long across, long s, long t)
{
    return fv4_flux(b[0], u[-2 * across], u[-across], u[0], u[across], b[s] - b[-s],
                    u[s - across] - u[-s - across], u[s] - u[-s], b[t] - b[-t],
                    u[t - across] - u[-t - across], u[t] - u[-t]);
}

/* The sums read the right cells: order 4's is that of the six fluxes, in the order of fv4_sum. */
static void sums_read_the_right_cells(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double u[125], b[3][125];
        random_cells(number, u, b);
        const double *v = u + CELL, *bi = b[0] + CELL, *bj = b[1] + CELL, *bk = b[2] + CELL;
        EXPECT(same_bits(sum_fv2(near_at(v, bi, bj, bk, SJ, SK)),
                         fv2_sum(v[0], v[-1], v[1], v[-5], v[5], v[-25], v[25], bi[0], bi[1], bj[0],
                                 bj[5], bk[0], bk[25])));
        /* The high faces' fluxes are the neighbours' low ones, negated. */
        EXPECT(
            same_bits(sum_fv4(near_at(v, bi, bj, bk, SJ, SK)),
                      fv4_sum(low_flux(v, bi, 1, SJ, SK), -low_flux(v + 1, bi + 1, 1, SJ, SK),
                              low_flux(v, bj, SJ, 1, SK), -low_flux(v + SJ, bj + SJ, SJ, 1, SK),
                              low_flux(v, bk, SK, 1, SJ), -low_flux(v + SK, bk + SK, SK, 1, SJ))));
    }
}

/* What the directions add, each found alone with the cells turned so that it comes first. */
static void directions_add_up_to_the_sum(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double u[125], b[3][125], part[3];
        random_cells(number, u, b);
        const long strides[3][3] = {{1, SJ, SK}, {SJ, 1, SK}, {SK, 1, SJ}};
        for (int d = 0; d < 3; d++) {
            struct near near = {.u = u + CELL, .beta = {b[d] + CELL}};
            memcpy(near.stride, strides[d], sizeof near.stride);
            memcpy(near.beta_stride, strides[d], sizeof near.beta_stride);
            const struct fv4_cells cells = fv4_cells_near(near);
            const struct fv4_faces faces = fv4_faces_near(near, 0);
            part[d] = fv4_sum_in_i(&cells, &faces);
        }
        EXPECT(
            same_bits(fv4_sum_directions(part[0], part[1], part[2]),
                      sum_fv4(near_at(u + CELL, b[0] + CELL, b[1] + CELL, b[2] + CELL, SJ, SK))));
    }
}

/* Polynomials in three variables, and a cell with its neighbours. */
struct polynomial {
    long double c[TERMS][TERMS][TERMS]; /* of x^p y^q z^r at [p][q][r] */
};

struct place {
    long double corner[3], h; /* of the cell */
};

/* x^p for all p at low (h = 0), or averages over [low, low + h]: (a^p + a^(p−1) b + … + b^p)/(p +
 * 1).
 */
static void power_averages(long double low, long double h, long double power[TERMS])
{
    long double power_of_low = 1.0L, sum = 1.0L;
    power[0] = 1.0L;
    for (int p = 1; p < TERMS; p++) {
        power_of_low *= low;
        sum = (low + h) * sum + power_of_low;
        power[p] = sum / (p + 1);
    }
}

/* Average over the cell with offsets o; in direction `normal` (unless -1) the value on its low
 * face. */
static long double average(const struct polynomial *f, const struct place *at, const int o[3],
                           int normal)
{
    long double power[3][TERMS], sum = 0.0L;
    for (int d = 0; d < 3; d++)
        power_averages(at->corner[d] + o[d] * at->h, d == normal ? 0.0L : at->h, power[d]);
    for (int p = 0; p < TERMS; p++)
        for (int q = 0; q < TERMS; q++) {
            long double along_z = 0.0L;
            for (int r = 0; r < TERMS; r++)
                along_z += f->c[p][q][r] * power[2][r];
            sum += power[0][p] * power[1][q] * along_z;
        }
    return sum;
}

/* Adds c·x^p y^q z^r·∂u/∂x_d. */
static void add_term(struct polynomial *flux, long double c, const int power[3],
                     const struct polynomial *u, int d)
{
    for (int t = 0; t < TERMS * TERMS * TERMS; t++) {
        const int q[3] = {t % TERMS, t / TERMS % TERMS, t / TERMS / TERMS};
        const long double product = c * u->c[q[0]][q[1]][q[2]] * q[d];
        int p[3] = {power[0] + q[0], power[1] + q[1], power[2] + q[2]};
        if (product == 0.0L)
            continue;
        p[d]--;
        for (int e = 0; e < 3; e++)
            assert_true(p[e] < TERMS);
        flux->c[p[0]][p[1]][p[2]] += product;
    }
}

/* β ∂u/∂x_d, of which only terms within the degrees of struct polynomial occur. */
static void flux_polynomial(struct polynomial *flux, const struct polynomial *beta,
                            const struct polynomial *u, int d)
{
    memset(flux, 0, sizeof *flux);
    for (int t = 0; t < TERMS * TERMS * TERMS; t++) {
        const int p[3] = {t % TERMS, t / TERMS % TERMS, t / TERMS / TERMS};
        if (beta->c[p[0]][p[1]][p[2]] != 0.0L)
            add_term(flux, beta->c[p[0]][p[1]][p[2]], p, u, d);
    }
}

/* The exact value of the order-2 sum S: h times the flux out of the cell, over h². */
static long double exact_sum(const struct polynomial *beta, const struct polynomial *u,
                             const struct place *at)
{
    static struct polynomial flux;
    long double sum = 0.0L;
    for (int d = 0; d < 3; d++) {
        int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
        high[d] = 1;
        flux_polynomial(&flux, beta, u, d);
        sum += at->h * (average(&flux, at, high, d) - average(&flux, at, low, d));
    }
    return sum;
}

static void fill(const struct polynomial *f, const struct place *at, int normal, double v[125])
{
    for (int c = 0; c < 125; c++) {
        const int o[3] = {c % SIDE - 2, c / SIDE % SIDE - 2, c / SK - 2};
        v[c] = (double)average(f, at, o, normal);
    }
}

/* What u and β are made of. */
struct family {
    const char *what;
    int order;
    bool constant; /* β = 1 */
    bool expected; /* exact, or not */
    /* Terms x^p y^q z^r with p, q, r <= product, or in one variable up to `single`. */
    int u_product, u_single, beta_product, beta_single;
};

static bool in_family(int product, int single, int p, int q, int r)
{
    const int variables = (p > 0) + (q > 0) + (r > 0);
    return (p <= product && q <= product && r <= product) ||
           (variables <= 1 && p + q + r <= single);
}

static void random_polynomial(struct polynomial *f, int product, int single)
{
    for (int p = 0; p < TERMS; p++)
        for (int q = 0; q < TERMS; q++)
            for (int r = 0; r < TERMS; r++)
                f->c[p][q][r] = in_family(product, single, p, q, r) ? random_value() : 0.0;
}

/* Error of the sum relative to what is added up. */
static double sum_error(const struct family *f)
{
    static struct polynomial u, beta;
    double v[125], b[3][125];
    const struct place at = {{random_value(), random_value(), random_value()},
                             0.25 + 0.125 * random_value()};
    random_polynomial(&u, f->u_product, f->u_single);
    random_polynomial(&beta, f->beta_product, f->beta_single);
    if (f->constant)
        beta.c[0][0][0] = 1.0L;
    fill(&u, &at, -1, v);
    for (int d = 0; d < 3; d++)
        fill(&beta, &at, d, b[d]);
    const double *c = v + CELL, *bi = b[0] + CELL, *bj = b[1] + CELL, *bk = b[2] + CELL;
    double sum, size = 0.0;
    if (f->order == 2)
        sum = f->constant ? sum_fv2_constant(near_at(c, NULL, NULL, NULL, SJ, SK))
                          : sum_fv2(near_at(c, bi, bj, bk, SJ, SK));
    else
        sum = (f->constant ? sum_fv4_constant(near_at(c, NULL, NULL, NULL, SJ, SK))
                           : sum_fv4(near_at(c, bi, bj, bk, SJ, SK))) /
              12.0;
    for (int i = 0; i < 125; i++)
        size = fmax(size, fabs(v[i]) * fmax(1.0, fabs(b[0][i])));
    return (double)fabsl(exact_sum(&beta, &u, &at) - (long double)sum) / size;
}

/* Each family with the largest degrees for which the sum is exact, and one beyond them. */
static void polynomials_are_exact(void **state)
{
    (void)state;
    static const struct family families[] = {
        {"fv2, constant, tensor cubics", 2, true, true, 3, 3, -1, -1},
        {"fv2, constant, quartics", 2, true, false, 3, 4, -1, -1},
        {"fv2, any β, sums of quadratics", 2, false, true, 0, 2, 3, 4},
        {"fv2, linear β, sums of cubics", 2, false, false, 0, 3, 0, 1},
        {"fv2, linear β, tensor quadratics", 2, false, false, 2, 2, 0, 1},
        {"fv4, constant, tensor quintics", 4, true, true, 5, 5, -1, -1},
        {"fv4, any β, sums of quartics", 4, false, true, 0, 4, 1, 2},
        {"fv4, linear β, sums of quintics", 4, false, false, 0, 5, 0, 1},
        {"fv4, linear β, tensor quadratics", 4, false, true, 2, 4, 0, 1},
        {"fv4, linear β, tensor cubics", 4, false, false, 3, 4, 0, 1},
        {"fv4, quadratic β, tensor linears", 4, false, true, 1, 4, 0, 2},
        {"fv4, quadratic β, tensor quadratics", 4, false, false, 2, 4, 0, 2},
    };
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        double worst = 0.0;
        for (long number = 0; number < 100; number++) {
            random_begin(number);
            worst = fmax(worst, sum_error(&families[f]));
        }
        const bool as_expected = families[f].expected ? worst <= 1e-13 : worst >= 1e-9;
        if (!as_expected)
            print_error("%s: error %g\n", families[f].what, worst);
        EXPECT(as_expected);
    }
}

/* β = 1 stored is β = 1 not stored, to rounding. */
static void constant_sums_agree(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double u[125], b[125];
        random_begin(number);
        for (int c = 0; c < 125; c++) {
            u[c] = random_value();
            b[c] = 1.0;
        }
        const double *v = u + CELL, *one = b + CELL;
        EXPECT(fabs(sum_fv2(near_at(v, one, one, one, SJ, SK)) -
                    sum_fv2_constant(near_at(v, NULL, NULL, NULL, SJ, SK))) <= 1e-14);
        EXPECT(fabs(sum_fv4(near_at(v, one, one, one, SJ, SK)) -
                    sum_fv4_constant(near_at(v, NULL, NULL, NULL, SJ, SK))) <= 2e-13);
    }
}

/* Sums of a constant field are 0 exactly, whatever β: A 1 = 0 is no matter of rounding. */
static void sums_of_constants_vanish(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double u[125], b[3][125];
        random_begin(number);
        const double value = random_value();
        for (int c = 0; c < 125; c++) {
            u[c] = value;
            for (int d = 0; d < 3; d++)
                b[d][c] = random_scaled();
        }
        const double *v = u + CELL, *bi = b[0] + CELL, *bj = b[1] + CELL, *bk = b[2] + CELL;
        EXPECT(sum_fv2(near_at(v, bi, bj, bk, SJ, SK)) == 0.0);
        EXPECT(sum_fv4(near_at(v, bi, bj, bk, SJ, SK)) == 0.0);
        EXPECT(fabs(sum_fv2_constant(near_at(v, NULL, NULL, NULL, SJ, SK))) <= 1e-15);
        EXPECT(fabs(sum_fv4_constant(near_at(v, NULL, NULL, NULL, SJ, SK))) <= 2e-14);
    }
}

static bool close_to(double a, long double exact, long double size)
{
    return fabsl((long double)a - exact) <= 0x1p-51L * size;
}

/* Residual and updates against their definitions in long double. */
static void updates_follow_their_definitions(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double u = random_value(), v = random_value(), f = random_value(), a = random_value(),
                     d = random_value(), r = random_value(), w = random_value(), c = random_value();
        EXPECT(rhs_poisson(f, NAN, NAN) == f);
        EXPECT(close_to(rhs_helmholtz(f, a, u), f - (long double)a * u, 2));
        EXPECT(close_to(rhs_helmholtz_unit(f, NAN, u), (long double)f - u, 2));
        EXPECT(close_to(residual_value(f, w, r), f + (long double)w * r, 2));
        EXPECT(same_bits(update_weighted(u, d, r, 1.0), fma(d, r, u)));
        EXPECT(same_bits(update_weighted(u, w * d, r, 1.0), update_weighted(u, d, r, w)));
        EXPECT(close_to(update_weighted(u, d, r, w), u + (long double)w * d * r, 2));
        EXPECT(close_to(update_two_step(u, v, d, r, w, c),
                        u + (long double)c * ((long double)u - v) + (long double)w * d * r, 5));
        /* One fixed point: where the residual vanishes nothing moves. */
        EXPECT(update_weighted(u, d, 0.0, w) == u && update_two_step(u, u, d, 0.0, w, c) == u);
    }
}

/* Where u is 0 the sum is a zero of either sign, and f may be one too. */
static void relaxing_zero_is_an_update(void **state)
{
    static const double zeros[2] = {0.0, -0.0};
    (void)state;
    for (long number = 0; number < CASES; number++) {
        random_begin(number);
        const double any = random_scaled(), dinv = random_scaled(), alpha = fabs(random_scaled()),
                     scale = fabs(random_scaled()), f = number % 3 < 2 ? zeros[number % 3] : any,
                     weight = number % 2 ? 1.0 : 1.15;
        for (int sign = 0; sign < 2; sign++) {
            const double sum = zeros[sign], u = 0.0, want = relax_zero(dinv, f, weight);
            const double rhs[3] = {rhs_poisson(f, alpha, u), rhs_helmholtz(f, alpha, u),
                                   rhs_helmholtz_unit(f, alpha, u)};
            for (int kind = 0; kind < 3; kind++) {
                const double r = residual_value(rhs[kind], scale, sum);
                assert_true(same_bits(want, update_weighted(u, dinv, r, weight)));
            }
        }
    }
}

/* Away from walls the diagonal is A of 1 in the cell and 0 in all others. */
static void the_inner_diagonal_is_the_operators(void **state)
{
    (void)state;
    for (long number = 0; number < CASES; number++) {
        double u[125], b[3][125];
        random_cells(number, u, b);
        const double *v = u + CELL, *bi = b[0] + CELL, *bj = b[1] + CELL, *bk = b[2] + CELL;
        const double scale = ldexp(1.0, random_int(0, 20)) / 12.0, alpha = random_value();
        memset(u, 0, sizeof u);
        u[CELL] = 1.0;
        const double sum = sum_fv4(near_at(v, bi, bj, bk, SJ, SK));
        EXPECT(
            same_bits(fv4_inner_diagonal(scale, alpha, bi[0], bi[1], bj[0], bj[SJ], bk[0], bk[SK]),
                      fma(-scale, sum, alpha)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flux_is_odd),
        cmocka_unit_test(sums_read_the_right_cells),
        cmocka_unit_test(the_inner_diagonal_is_the_operators),
        cmocka_unit_test(directions_add_up_to_the_sum),
        cmocka_unit_test(polynomials_are_exact),
        cmocka_unit_test(constant_sums_agree),
        cmocka_unit_test(sums_of_constants_vanish),
        cmocka_unit_test(updates_follow_their_definitions),
        cmocka_unit_test(relaxing_zero_is_an_update),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
