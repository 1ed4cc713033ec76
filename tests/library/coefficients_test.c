/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients and right-hand sides with which there is no solution, none that is unique, or one
 * that a solver finds slowly: what a solve says of them. */
#include <math.h>
#include "support/library.h"

enum { N = 16 };
static const int CELLS[3] = {N, N, N};

#define REFUSED(call, status, text)                                                                \
    do {                                                                                           \
        EXPECT((call) == (status));                                                                \
        EXPECT(strstr(hpgmg_message(), text) && !strchr(hpgmg_message(), '\n'));                   \
    } while (0)

typedef double value_fn(const int at[3], int direction);

/* A field of the whole domain, from rank 0. */
static enum hpgmg_status set_values(struct hpgmg *s, enum hpgmg_field field, const int n[3],
                                    value_fn *value)
{
    const int d = field >= HPGMG_BETA_I ? (int)field - HPGMG_BETA_I : -1;
    const int m[3] = {n[0] + (d == 0), n[1] + (d == 1), n[2] + (d == 2)};
    double *data = malloc((size_t)m[0] * (size_t)m[1] * (size_t)m[2] * sizeof *data);
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {n[0], n[1], n[2]}}, .data = data};
    long v = 0;
    for (int k = 0; k < m[2]; k++)
        for (int j = 0; j < m[1]; j++)
            for (int i = 0; i < m[0]; i++)
                data[v++] = value((const int[3]){i, j, k}, d);
    const enum hpgmg_status status = hpgmg_set(s, field, comm_rank() == 0, &block);
    free(data);
    return status;
}

static void set_beta_of(struct hpgmg *s, const int cells[3], value_fn *value)
{
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        REQUIRE(set_values(s, (enum hpgmg_field)field, cells, value) == HPGMG_OK);
}

static void set_beta(struct hpgmg *s, value_fn *value)
{
    set_beta_of(s, CELLS, value);
}

static double one(const int at[3], int d)
{
    (void)at, (void)d;
    return 1.0;
}

static double zero(const int at[3], int d)
{
    (void)at, (void)d;
    return 0.0;
}

static double tiny(const int at[3], int d)
{
    (void)at, (void)d;
    return 1e-20;
}

static double wave(const int at[3], int d)
{
    (void)d;
    return cos(at[0] * 0.7) + sin(at[1] * 0.3 + at[2]);
}

/* 0 on all faces around the cells from lo[d] to hi[d] − 1. */
static double sealed(const int at[3], int d, const int lo[3], const int hi[3])
{
    int inside[2] = {1, 1}; /* the cells on both sides of the face */
    for (int e = 0; e < 3; e++) {
        inside[0] &= at[e] >= lo[e] && at[e] < hi[e];
        inside[1] &= at[e] - (e == d) >= lo[e] && at[e] - (e == d) < hi[e];
    }
    return inside[0] == inside[1] ? 1.0 : 0.0;
}

static double around_a_cell(const int at[3], int d)
{
    return sealed(at, d, (const int[3]){3, 9, 5}, (const int[3]){4, 10, 6});
}

static double around_eight_cells(const int at[3], int d)
{
    return sealed(at, d, (const int[3]){4, 8, 14}, (const int[3]){6, 10, 16});
}

static void a_cell_without_coupling_is_named(void)
{
    static const char *const options[] = {"boundary", "neumann", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    REQUIRE(set_values(s, HPGMG_F, CELLS, wave) == HPGMG_OK);
    set_beta(s, around_a_cell);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_ARGUMENT, "the 1^3 cells from (3,9,5) on");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_ARGUMENT, "(3,9,5)");
    set_beta(s, around_eight_cells);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_ARGUMENT, "the 2^3 cells from (4,8,14) on");
    set_beta(s, one);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static double around_two_cells(const int at[3], int d)
{
    return sealed(at, d, (const int[3]){5, 25, 40}, (const int[3]){6, 26, 41}) *
           sealed(at, d, (const int[3]){2, 30, 41}, (const int[3]){3, 31, 42});
}

static double around_two_cubes(const int at[3], int d)
{
    return sealed(at, d, (const int[3]){12, 20, 30}, (const int[3]){14, 22, 32}) *
           sealed(at, d, (const int[3]){4, 26, 30}, (const int[3]){6, 28, 32});
}

/* The first one, counted along i first, of a domain whose sides all differ, on any rank. */
static void the_first_cell_without_coupling_is_named(void)
{
    static const char *const options[] = {"boundary", "neumann", NULL};
    static const int cells[3] = {16, 32, 48};
    struct hpgmg *s = create_solver(cells, options);
    REQUIRE(set_values(s, HPGMG_F, cells, wave) == HPGMG_OK);
    set_beta_of(s, cells, around_two_cells);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT,
            "the 1^3 cells from (5,25,40) on");
    set_beta_of(s, cells, around_two_cubes);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, NULL), HPGMG_ARGUMENT,
            "the 2^3 cells from (12,20,30) on");
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static double only_in_one_cell(const int at[3], int d)
{
    (void)d;
    return at[0] == 5 && at[1] == 6 && at[2] == 7;
}

static double negative_in_one_cell(const int at[3], int d)
{
    return 1.0 - 1.5 * only_in_one_cell(at, d);
}

/* α must hold u where no Dirichlet wall does. */
static void helmholtz_needs_alpha(void)
{
    static const char *const options[] = {"boundary", "periodic,neumann,neumann", "equation",
                                          "helmholtz", NULL};
    static const char *const walls[] = {"equation", "helmholtz", NULL};
    static value_fn *const lost[] = {zero, tiny};
    struct hpgmg_result r;
    struct hpgmg *s = create_solver(CELLS, options), *held = create_solver(CELLS, walls);
    REQUIRE(set_values(s, HPGMG_F, CELLS, wave) == HPGMG_OK);
    set_beta(s, one);
    for (int i = 0; i < 2; i++) {
        EXPECT(set_values(s, HPGMG_ALPHA, CELLS, lost[i]) == HPGMG_OK);
        REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_ARGUMENT, "take equation poisson");
    }
    EXPECT(set_values(s, HPGMG_ALPHA, CELLS, only_in_one_cell) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    REFUSED(set_values(s, HPGMG_ALPHA, CELLS, negative_in_one_cell), HPGMG_ARGUMENT,
            "alpha has the negative value -0.5");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_ORDER, "alpha must be set");
    REQUIRE(set_values(held, HPGMG_F, CELLS, wave) == HPGMG_OK);
    set_beta(held, one);
    EXPECT(set_values(held, HPGMG_ALPHA, CELLS, zero) == HPGMG_OK);
    EXPECT(hpgmg_solve(held, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK && hpgmg_destroy(&held) == HPGMG_OK);
}

static double cut_in_halves(const int at[3], int d)
{
    return d == 2 && at[2] == N / 2 ? 0.0 : 1.0;
}

/* Of mean 0 in either half. */
static double wave_along_i(const int at[3], int d)
{
    (void)d;
    return cos(3.14159265358979 * (at[0] + 0.5) / N) * (at[2] < N / 2 ? 1.0 : 2.0);
}

static void halves_are_solved_by_every_bottom(void)
{
    static const char *const bottoms[] = {"bicgstab", "cg", "smooth"};
    for (int b = 0; b < 3; b++) {
        const char *const options[] = {"boundary", "neumann", "bottom", bottoms[b], NULL};
        struct hpgmg *s = create_solver(CELLS, options);
        struct hpgmg_result r;
        REQUIRE(set_values(s, HPGMG_F, CELLS, wave_along_i) == HPGMG_OK);
        set_beta(s, cut_in_halves);
        EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles < 12);
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    }
}

/* 1e6 on faces within the black cubes of 4³ cells, 1 within the white ones, 2 between them. */
static double checkerboard(const int at[3], int d)
{
    const bool black = (at[0] / 4 + at[1] / 4 + at[2] / 4) % 2, between = at[d] % 4 == 0;
    return between ? 2.0 : black ? 1e6 : 1.0;
}

/* A diverged u is no solution, nor a guess; the library's own choice of solver solves the problem.
 */
static void a_diverged_solution_is_not_handed_out(void)
{
    static const char *const options[] = {"solver", "mg", "max-cycles", "200", NULL};
    struct hpgmg *s = create_solver(CELLS, options), *chosen = create_solver(CELLS, NULL);
    struct hpgmg_result r;
    REQUIRE(set_values(s, HPGMG_F, CELLS, wave) == HPGMG_OK);
    set_beta(s, checkerboard);
    REFUSED(hpgmg_solve(s, HPGMG_FROM_ZERO, &r), HPGMG_NOT_CONVERGED, "diverged");
    EXPECT(r.cycles < 200);
    REFUSED(hpgmg_get(s, HPGMG_U, 0, NULL), HPGMG_ORDER, "u was neither set nor solved for");
    REFUSED(hpgmg_solve(s, HPGMG_FROM_GUESS, &r), HPGMG_ORDER, "u must be set");
    REQUIRE(set_values(chosen, HPGMG_F, CELLS, wave) == HPGMG_OK);
    set_beta(chosen, checkerboard);
    EXPECT(hpgmg_solve(chosen, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(r.krylov_cycles > 0 && r.krylov_cycles < r.cycles && r.residual < 1e-8);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK && hpgmg_destroy(&chosen) == HPGMG_OK);
}

static double tall_wave(const int at[3], int d)
{
    return 1000.0 * wave(at, d);
}

static void an_absolute_tolerance_is_enough(void)
{
    static const char *const options[] = {"rtol",         "none",     "atol", "1e-5",
                                          "coefficients", "constant", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    REQUIRE(set_values(s, HPGMG_F, CELLS, tall_wave) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    EXPECT(r.cycles > 1 && r.residual * r.rhs_norm < 1e-5);
    EXPECT(r.history[r.cycles - 2] * r.rhs_norm >= 1e-5);
    const double last = r.residual;
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &r) == HPGMG_OK);
    EXPECT(r.cycles == 0 && r.residual == last && r.krylov_cycles == 0);
    REQUIRE(set_values(s, HPGMG_U, CELLS, zero) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_GUESS, &r) == HPGMG_OK && r.cycles > 1);
    REQUIRE(set_values(s, HPGMG_F, CELLS, zero) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles == 0 && r.residual == 0.0);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static double nearly_constant(const int at[3], int d)
{
    return 1e13 + wave(at, d);
}

/* As little more than a constant as doubles can tell. */
static double barely_varying(const int at[3], int d)
{
    return 1e13 + 0.02 * wave(at, d);
}

static double a_tenth(const int at[3], int d)
{
    (void)at, (void)d;
    return 0.1;
}

/* A constant leaves rounding errors after its mean was subtracted, and a large one does not hide
 * the rest of f. */
static void constants_are_subtracted(void)
{
    static const char *const options[] = {"boundary", "neumann", "coefficients", "constant", NULL};
    struct hpgmg *s = create_solver(CELLS, options);
    struct hpgmg_result r;
    REQUIRE(set_values(s, HPGMG_F, CELLS, nearly_constant) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles > 1);
    EXPECT(fabs(r.rhs_mean - 1e13) < 1.0 && fabs(r.rhs_norm - 2.0) < 0.5);
    REQUIRE(set_values(s, HPGMG_F, CELLS, barely_varying) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles > 1);
    REQUIRE(set_values(s, HPGMG_F, CELLS, a_tenth) == HPGMG_OK);
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK && r.cycles == 0);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

/* Thin domains between Neumann walls coarsen to one cell across, and warn of what is left. */
static void large_coarsest_levels_are_told(void)
{
    static const struct {
        int cells[3];
        const char *boundary, *warning;
    } cases[] = {
        {{16, 16, 16}, "neumann", ""},         {{4, 256, 256}, "neumann", ""},
        {{4, 256, 256}, "dirichlet", ""},      {{4, 256, 256}, "periodic,neumann,neumann", ""},
        {{4, 260, 260}, "neumann", "1x65x65"}, {{68, 68, 68}, "dirichlet", "17^3"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const char *const options[] = {
            "boundary", cases[c].boundary, "coefficients", "constant", "rtol", "none", NULL};
        struct hpgmg *s = create_solver(cases[c].cells, options);
        struct hpgmg_result r;
        REQUIRE(set_values(s, HPGMG_F, cases[c].cells, wave) == HPGMG_OK);
        EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
        EXPECT(cases[c].warning[0] ? strstr(r.warning, cases[c].warning) != NULL : !r.warning[0]);
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    a_cell_without_coupling_is_named();
    the_first_cell_without_coupling_is_named();
    helmholtz_needs_alpha();
    halves_are_solved_by_every_bottom();
    a_diverged_solution_is_not_handed_out();
    an_absolute_tolerance_is_enough();
    constants_are_subtracted();
    large_coarsest_levels_are_told();
    return test_end();
}
