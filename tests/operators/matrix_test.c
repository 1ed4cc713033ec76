/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator against a dense matrix that is built from the definition (docs/NUMERICS.md) by other
 * means: ghosts by explicit loops over the one-dimensional rules, fluxes by the published formulas
 * in the published order. N = 2 … 8, both orders, both equations, all kinds of sides alone and
 * mixed, variable and constant coefficients. From the same matrix: the diagonal, the l1 weights,
 * the eigenvalue bound, and where the operator is symmetric and where it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "backend/backend.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "level/build.h"
#include "level/plan.h"
#include "operators/pass.h"
#include "operators/setup.h"
#include "operators/stencil.h"
#include "operators/sum.h"
#include "support/random.h"
#include "support/run.h"
#include "support/sides.h"

static double random_between(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

enum { MAX_N = 8, G = 2, W = MAX_N + 2 * G + 1, MAX_UNKNOWNS = MAX_N * MAX_N * MAX_N };

/* A grid function with ghosts, cell (0,0,0) at [G][G][G]; faces by their upper cell. */
struct grid {
    double v[W][W][W];
};

/* The problem of one test. */
struct definition {
    int n;
    struct operator_choice op;
    struct grid alpha, beta[3];
};

static double *at(struct grid *g, int i, int j, int k)
{
    return &g->v[k + G][j + G][i + G];
}

static int wrap(int i, int n)
{
    return (i % n + n) % n;
}

/* Ghost number `layer` (1 or 2) from the cells x[0], x[1], … inward. */
static double neumann_ghost(const double *x, int rule, int layer)
{
    if (rule < 4)
        return x[layer - 1];
    if (layer == 1)
        return (5.0 * x[0] + 9.0 * x[1] - 5.0 * x[2] + x[3]) / 10.0;
    return (-15.0 * x[0] + 29.0 * x[1] - 15.0 * x[2] + 3.0 * x[3]) / 2.0;
}

static double dirichlet_ghost(const double *x, int rule, int layer)
{
    if (rule == 1)
        return layer == 1 ? -x[0] : 0.0;
    if (rule == 2)
        return layer == 1 ? -5.0 / 2.0 * x[0] + 1.0 / 2.0 * x[1] : 0.0;
    if (layer == 1)
        return (-77.0 * x[0] + 43.0 * x[1] - 17.0 * x[2] + 3.0 * x[3]) / 12.0;
    return (-505.0 * x[0] + 335.0 * x[1] - 145.0 * x[2] + 27.0 * x[3]) / 12.0;
}

static int rule_of(const struct definition *d)
{
    return d->n < 2 ? 1 : d->op.order == 4 && d->n >= 4 ? 4 : 2;
}

static double ghost_value(const struct definition *d, enum boundary boundary, const double *x,
                          int layer)
{
    return boundary == BOUNDARY_NEUMANN ? neumann_ghost(x, rule_of(d), layer)
                                        : dirichlet_ghost(x, rule_of(d), layer);
}

/* One direction after the other, on all that is known so far. */
static void fill_ghosts(const struct definition *d, struct grid *u)
{
    const int n = d->n;
    for (int direction = 0; direction < 3; direction++) {
        const int gj = direction > 1 ? G : 0, gi = direction > 0 ? G : 0;
        for (int b = -gj; b < n + gj; b++)
            for (int a = -gi; a < n + gi; a++)
                for (int side = 0; side < 2; side++) {
                    const enum boundary boundary = d->op.sides.of[direction][side];
                    const bool periodic = boundary == BOUNDARY_PERIODIC;
                    double x[4] = {0.0};
                    for (int m = 0; m < 4 && m < n; m++) {
                        const int c = (side != 0) != periodic ? n - 1 - m : m;
                        x[m] = direction == 0   ? *at(u, c, a, b)
                               : direction == 1 ? *at(u, a, c, b)
                                                : *at(u, a, b, c);
                    }
                    for (int layer = 1; layer <= G; layer++) {
                        const int c = side ? n - 1 + layer : -layer;
                        double *to = direction == 0   ? at(u, c, a, b)
                                     : direction == 1 ? at(u, a, c, b)
                                                      : at(u, a, b, c);
                        *to = periodic ? x[(layer - 1) % n] : ghost_value(d, boundary, x, layer);
                    }
                }
    }
}

/* β on the face in direction f of cell c = (i,j,k), with one layer beyond the walls, tangentially.
 */
static double beta_at(struct definition *d, int f, int i, int j, int k)
{
    const int n = d->n;
    int c[3] = {i, j, k};
    for (int e = 0; e < 3; e++)
        c[e] = sides_wrap(&d->op.sides, e) ? wrap(c[e], n) : c[e];
    for (int e = 0; e < 3; e++) {
        if (e == f || (c[e] >= 0 && c[e] < n))
            continue;
        double b[5];
        for (int m = 0; m < 5 && m < n; m++) {
            int in[3] = {c[0], c[1], c[2]};
            in[e] = c[e] < 0 ? m : n - 1 - m;
            b[m] = beta_at(d, f, in[0], in[1], in[2]);
        }
        return n >= 5   ? 5 * b[0] - 10 * b[1] + 10 * b[2] - 5 * b[3] + b[4]
               : n == 4 ? 4 * b[0] - 6 * b[1] + 4 * b[2] - b[3]
                        : 2 * b[0] - b[1];
    }
    return *at(&d->beta[f], c[0], c[1], c[2]);
}

static bool on_neumann_wall(const struct definition *d, int f, int face)
{
    return (face == 0 && d->op.sides.of[f][0] == BOUNDARY_NEUMANN) ||
           (face == d->n && d->op.sides.of[f][1] == BOUNDARY_NEUMANN);
}

/* h times the flux β ∂u/∂n through one face of cell c, out of it: direction f, side -1 or +1. */
static double flux(struct definition *d, struct grid *u, const int c[3], int f, int side)
{
    int e[3] = {0, 0, 0};
    e[f] = side;
    const int face[3] = {c[0] + (e[0] > 0), c[1] + (e[1] > 0), c[2] + (e[2] > 0)};
    const double u0 = *at(u, c[0], c[1], c[2]), u1 = *at(u, c[0] + e[0], c[1] + e[1], c[2] + e[2]);
    const double b = d->op.variable ? beta_at(d, f, face[0], face[1], face[2]) : 1.0;
    if (on_neumann_wall(d, f, face[f]))
        return 0.0;
    if (d->op.order == 2)
        return b * (u1 - u0);
    const double u2 = *at(u, c[0] + 2 * e[0], c[1] + 2 * e[1], c[2] + 2 * e[2]);
    const double um = *at(u, c[0] - e[0], c[1] - e[1], c[2] - e[2]);
    double sum = b / 12.0 * (15.0 * (u1 - u0) - (u2 - um));
    for (int t = 0; t < 3 && d->op.variable; t++) {
        if (t == f)
            continue;
        int s[3] = {0, 0, 0};
        s[t] = 1;
        const double db = beta_at(d, f, face[0] + s[0], face[1] + s[1], face[2] + s[2]) -
                          beta_at(d, f, face[0] - s[0], face[1] - s[1], face[2] - s[2]);
        const double above = *at(u, c[0] + e[0] + s[0], c[1] + e[1] + s[1], c[2] + e[2] + s[2]) -
                             *at(u, c[0] + s[0], c[1] + s[1], c[2] + s[2]);
        const double below = *at(u, c[0] + e[0] - s[0], c[1] + e[1] - s[1], c[2] + e[2] - s[2]) -
                             *at(u, c[0] - s[0], c[1] - s[1], c[2] - s[2]);
        sum += db * (above - below) / 48.0;
    }
    return sum;
}

static double apply_at(struct definition *d, struct grid *u, const int c[3])
{
    double sum = 0.0;
    for (int f = 0; f < 3; f++)
        sum += flux(d, u, c, f, -1) + flux(d, u, c, f, 1);
    const double a = !d->op.equation  ? 0.0
                     : d->op.variable ? *at(&d->alpha, c[0], c[1], c[2])
                                      : 1.0;
    return a * *at(u, c[0], c[1], c[2]) - (double)d->n * d->n * sum;
}

/* The matrix, column by column. */
static void build_matrix(struct definition *d, double *matrix)
{
    static struct grid u;
    const int n = d->n, unknowns = n * n * n;
    for (int column = 0; column < unknowns; column++) {
        memset(&u, 0, sizeof u);
        *at(&u, column % n, column / n % n, column / n / n) = 1.0;
        fill_ghosts(d, &u);
        for (int row = 0; row < unknowns; row++) {
            const int c[3] = {row % n, row / n % n, row / n / n};
            matrix[(long)row * unknowns + column] = apply_at(d, &u, c);
        }
    }
}

/* The program's level with the same coefficients. */
static struct level *make_level(struct definition *d)
{
    struct decomposition one_box = decomposition_create(spec_cube(1, d->n, 1), 1);
    struct level *l = level_create(0, one_box, d->op.sides, G, &backend_cpu, backend_cpu.row_align);
    l->stencil = memory_alloc(sizeof *l->stencil, "stencil");
    *l->stencil = stencil_create(d->op, l->n);
    const enum field fields[] = {FIELD_U,     FIELD_F,      FIELD_TMP,    FIELD_DINV,
                                 FIELD_ALPHA, FIELD_BETA_I, FIELD_BETA_J, FIELD_BETA_K};
    for (int f = 0; f < 8; f++)
        if (d->op.variable || f < 4)
            level_allocate(l, fields[f]);
    const struct patch *p = &l->patches[0];
    for (int k = 0; k <= d->n && d->op.variable; k++)
        for (int j = 0; j <= d->n; j++)
            for (int i = 0; i <= d->n; i++) {
                const long cell = p->offset + i + j * p->sj + k * p->sk;
                level_natural(l, FIELD_ALPHA)[cell] = *at(&d->alpha, i, j, k);
                for (int f = 0; f < 3; f++)
                    level_natural(l, FIELD_BETA_I + f)[cell] = *at(&d->beta[f], i, j, k);
            }
    if (d->op.variable)
        setup_close_neumann_walls(l);
    for (int f = 0; f < 4 && d->op.variable && l->connected; f++) {
        struct plan *halo = plan_create(l, l, TARGET_GHOSTS, G, f == 3 ? CENTRE_CELL : f);
        double *field = level_natural(l, f == 3 ? FIELD_ALPHA : (enum field)(FIELD_BETA_I + f));
        plan_execute(halo, field, field, NULL);
        plan_destroy(halo);
    }
    if (d->op.variable && d->op.order == 4)
        setup_extrapolate_beta(l);
    return l;
}

static void free_level(struct level *l)
{
    memory_free(l->stencil);
    level_destroy(l);
}

static double *cell(struct level *l, enum field f, int c)
{
    const struct patch *p = &l->patches[0];
    const int n = l->n[0];
    return level_natural(l, f) + p->offset + c % n + c / n % n * p->sj + c / n / n * p->sk;
}

static double matrix_norm(const double *matrix, int unknowns)
{
    double most = 0.0;
    for (long e = 0; e < (long)unknowns * unknowns; e++)
        most = fabs(matrix[e]) > most ? fabs(matrix[e]) : most;
    return most;
}

/* A x for random x, the program's against the matrix's. */
static void check_apply(struct level *l, const double *matrix)
{
    const int n = l->n[0], unknowns = n * n * n;
    static double x[MAX_UNKNOWNS];
    for (int c = 0; c < unknowns; c++)
        *cell(l, FIELD_U, c) = x[c] = random_between(-1.0, 1.0);
    level_exchange_halo(l, FIELD_U);
    backend_cpu.passes->apply(l, FIELD_F, FIELD_U);
    for (int row = 0; row < unknowns; row++) {
        double sum = 0.0;
        for (int c = 0; c < unknowns; c++)
            sum += matrix[(long)row * unknowns + c] * x[c];
        EXPECT(fabs(sum - *cell(l, FIELD_F, row)) <=
               64.0 * DBL_EPSILON * matrix_norm(matrix, unknowns));
    }
}

/* Relaxation weights and eigenvalue bound of one smoother. */
static void check_diagonal(struct level *l, const double *matrix, enum smoother smoother)
{
    const int n = l->n[0], unknowns = n * n * n;
    uint64_t bits = 0;
    double bound = 0.0;
    struct operator_choice choice = l->stencil->choice;
    choice.smoother = smoother;
    *l->stencil = stencil_create(choice, l->n);
    setup_diagonal(l, &bits);
    for (int row = 0; row < unknowns; row++) {
        const double diagonal = matrix[(long)row * unknowns + row];
        double others = 0.0;
        for (int c = 0; c < unknowns; c++)
            others += c == row ? 0.0 : fabs(matrix[(long)row * unknowns + c]);
        double weight = 1.0 / diagonal;
        if (smoother == SMOOTHER_L1JACOBI && diagonal < 1.5 * others)
            weight = 1.0 / (diagonal + 0.5 * others);
        EXPECT(fabs(*cell(l, FIELD_DINV, row) / weight - 1.0) <= 1e-12);
        bound = fmax(bound, (diagonal + others) / diagonal);
    }
    if (smoother == SMOOTHER_CHEBYSHEV)
        EXPECT(fabs(bits_to_double(bits) / bound - 1.0) <= 1e-12);
}

/* Largest |A_ij − A_ji| over the largest entry. */
static double asymmetry(const double *matrix, int unknowns)
{
    double most = 0.0;
    for (int row = 0; row < unknowns; row++)
        for (int c = 0; c < row; c++)
            most = fmax(most,
                        fabs(matrix[(long)row * unknowns + c] - matrix[(long)c * unknowns + row]));
    return most / matrix_norm(matrix, unknowns);
}

static void check_symmetry(const struct definition *d, const double *matrix)
{
    const double measured = asymmetry(matrix, d->n * d->n * d->n);
    const bool symmetric = d->op.order == 2
                               ? !sides_have(&d->op.sides, BOUNDARY_DIRICHLET)
                               : sides_are(&d->op.sides, BOUNDARY_PERIODIC) && !d->op.variable;
    if (symmetric)
        EXPECT(measured <= 1e-13);
    else if (d->n >= 4)
        EXPECT(measured >= 1e-4);
}

/* Poisson without Dirichlet walls: A 1 = 0 and the columns sum to 0. */
static void check_constants(const struct definition *d, const double *matrix)
{
    const int unknowns = d->n * d->n * d->n;
    if (!operator_is_singular(&d->op))
        return;
    for (int row = 0; row < unknowns; row++) {
        double across = 0.0, down = 0.0;
        for (int c = 0; c < unknowns; c++) {
            across += matrix[(long)row * unknowns + c];
            down += matrix[(long)c * unknowns + row];
        }
        EXPECT(fabs(across) <= 1e-12 * matrix_norm(matrix, unknowns));
        EXPECT(fabs(down) <= 1e-12 * matrix_norm(matrix, unknowns));
    }
}

static void random_coefficients(struct definition *d)
{
    for (int k = 0; k <= d->n; k++)
        for (int j = 0; j <= d->n; j++)
            for (int i = 0; i <= d->n; i++) {
                *at(&d->alpha, i, j, k) = random_between(0.5, 2.0);
                for (int f = 0; f < 3; f++)
                    *at(&d->beta[f], i, j, k) = random_between(0.9, 1.1);
            }
}

static void check_definition(int n, int choice, struct sides sides)
{
    static struct definition d;
    static double matrix[MAX_UNKNOWNS * MAX_UNKNOWNS];
    memset(&d, 0, sizeof d);
    d.n = n;
    d.op = (struct operator_choice){.order = choice & 1 ? 4 : 2,
                                    .equation = (choice & 2) != 0,
                                    .variable = (choice & 4) != 0,
                                    .sides = sides};
    random_coefficients(&d);
    build_matrix(&d, matrix);
    struct level *l = make_level(&d);
    check_apply(l, matrix);
    for (int s = SMOOTHER_GSRB; s <= SMOOTHER_L1JACOBI; s++)
        check_diagonal(l, matrix, (enum smoother)s);
    check_symmetry(&d, matrix);
    check_constants(&d, matrix);
    free_level(l);
}

static void test_definition(void **state)
{
    enum { ALONE = 3, MIXED = 3, LARGEST_MIXED = 6 };
    static const enum boundary alone[ALONE] = {BOUNDARY_DIRICHLET, BOUNDARY_PERIODIC,
                                               BOUNDARY_NEUMANN};
    (void)state;
    for (int n = 2; n <= MAX_N; n++)
        for (int choice = 0; choice < 8; choice++)
            for (int kind = 0; kind < (n > LARGEST_MIXED ? ALONE : ALONE + MIXED); kind++) {
                random_begin(1000L * n + 100L * kind + choice);
                check_definition(n, choice, kind < ALONE ? sides_all(alone[kind]) : random_sides());
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition)};
    return RUN_WITH_MPI(tests, argc, argv);
}
