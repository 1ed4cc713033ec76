/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells whose widths differ along a direction: order 2 with values on walls, few cycles in a
 * channel, and the caller's data. `stretch_test cpu --table` prints the tables of docs/NUMERICS.md.
 */
#include <math.h>
#include "support/library.h"

enum { MAX_CELLS = 128 };

/* Widths of cells in each direction. */
struct widths {
    double of[3][MAX_CELLS];
    const double *at[3];
};

/* Edges at x(ξ), ξ = 0, 1/n, … 1: the widths of cells that are finest at both ends. */
static double tanh_edge(double g, double xi)
{
    return 0.5 * (1.0 + tanh(g * (2.0 * xi - 1.0)) / tanh(g));
}

static double ratio_of(const double *w, int n)
{
    return w[n / 2] / w[0];
}

static void clustered(double *w, int n, double ratio)
{
    double low = 0.01, high = 10.0;
    for (int halving = 0; halving < 60; halving++) {
        const double g = 0.5 * (low + high);
        for (int i = 0; i < n; i++)
            w[i] = tanh_edge(g, (i + 1.0) / n) - tanh_edge(g, (double)i / n);
        *(ratio_of(w, n) < ratio ? &low : &high) = g;
    }
}

/* Smooth: a wave, clustered at both ends, and growing by a factor of 4 from end to end. */
static void make_widths(struct widths *w, int n)
{
    const double pi = acos(-1.0);
    for (int i = 0; i < n; i++) {
        const double a = (double)i / n, b = (i + 1.0) / n;
        w->of[0][i] = b - a + 0.1 * (sin(2.0 * pi * b) - sin(2.0 * pi * a));
        w->of[2][i] = (exp(1.4 * b) - exp(1.4 * a)) / (exp(1.4) - 1.0);
    }
    clustered(w->of[1], n, 10.0);
    for (int d = 0; d < 3; d++)
        w->at[d] = w->of[d];
}

static void equal_widths(struct widths *w, int n)
{
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < n; i++)
            w->of[d][i] = 1.0 / n;
        w->at[d] = w->of[d];
    }
}

static struct hpgmg *create_stretched(int n, const struct widths *w, const char *const *options)
{
    const char *words[MAX_WORDS] = {"backend", backend};
    int count = 2;
    for (; options[count - 2]; count++)
        words[count] = options[count - 2];
    if (strcmp(backend, "gpu") == 0) {
        words[count++] = "cpu-below";
        words[count] = "never";
    }
    struct hpgmg *s;
    REQUIRE(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, (const int[3]){n, n, n}, w->at, words) ==
            HPGMG_OK);
    return s;
}

/* --- order 2 -------------------------------------------------------------------------------------
 */

static double solution(double x, double y, double z, void *data)
{
    (void)data;
    return sin(2.1 * x + 0.3) * cos(1.7 * y) * exp(0.5 * z);
}

static double slope_y(double x, double y, double z)
{
    return -1.7 * sin(2.1 * x + 0.3) * sin(1.7 * y) * exp(0.5 * z);
}

static double coefficient(double x, double y, double z, void *data)
{
    (void)data;
    return 1.0 + 0.5 * x * y + 0.2 * z;
}

static double alpha(double x, double y, double z, void *data)
{
    (void)data;
    return 2.0 + x - 0.5 * y * z;
}

/* αu − ∇·(β∇u) */
static double rhs(double x, double y, double z, void *data)
{
    const double u = solution(x, y, z, data),
                 ux = 2.1 * cos(2.1 * x + 0.3) * cos(1.7 * y) * exp(0.5 * z), uy = slope_y(x, y, z),
                 uz = 0.5 * u, laplacian = (-2.1 * 2.1 - 1.7 * 1.7 + 0.25) * u;
    return alpha(x, y, z, data) * u - 0.5 * y * ux - 0.5 * x * uy - 0.2 * uz -
           coefficient(x, y, z, data) * laplacian;
}

/* ∂u/∂n on the walls in y. */
static double flux_low(double x, double y, double z, void *data)
{
    (void)data;
    return -slope_y(x, y, z);
}

static double flux_high(double x, double y, double z, void *data)
{
    (void)data;
    return slope_y(x, y, z);
}

static const enum hpgmg_field faces[3] = {HPGMG_BETA_I, HPGMG_BETA_J, HPGMG_BETA_K};

/* The largest |u − solution| at the centres of cells, of all ranks. */
static double error_of(struct hpgmg *s, int n, const struct widths *w)
{
    const size_t cells = (size_t)n * (size_t)n * (size_t)n;
    double *u = malloc(cells * sizeof *u), most = 0.0, edge[3][MAX_CELLS + 1];
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {n, n, n}}, .data = u};
    for (int d = 0; d < 3; d++) {
        edge[d][0] = 0.0;
        for (int i = 0; i < n; i++)
            edge[d][i + 1] = edge[d][i] + w->of[d][i];
    }
    EXPECT(hpgmg_get(s, HPGMG_U, comm_rank() == 0, &block) == HPGMG_OK);
    for (int k = 0; k < n && comm_rank() == 0; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                const double exact = solution(0.5 * (edge[0][i] + edge[0][i + 1]),
                                              0.5 * (edge[1][j] + edge[1][j + 1]),
                                              0.5 * (edge[2][k] + edge[2][k + 1]), NULL);
                most = fmax(most, fabs(u[i + n * (j + (size_t)n * k)] - exact));
            }
    free(u);
    comm_max_f64(MPI_COMM_WORLD, &most, 1);
    return most;
}

/* Dirichlet walls with values, and Neumann walls in y. */
static double solve_error(int n, const struct widths *w)
{
    static const char *const options[] = {
        "boundary", "dirichlet,neumann,dirichlet", "equation", "helmholtz", "rtol", "1e-10", NULL};
    struct hpgmg *s = create_stretched(n, w, options);
    struct hpgmg_result r;
    EXPECT(hpgmg_set_function(s, HPGMG_F, rhs, NULL) == HPGMG_OK);
    EXPECT(hpgmg_set_function(s, HPGMG_ALPHA, alpha, NULL) == HPGMG_OK);
    for (int d = 0; d < 3; d++)
        EXPECT(hpgmg_set_function(s, faces[d], coefficient, NULL) == HPGMG_OK);
    for (int side = 0; side < 2; side++) {
        EXPECT(hpgmg_set_wall_function(s, 0, side, solution, NULL) == HPGMG_OK);
        EXPECT(hpgmg_set_wall_function(s, 1, side, side ? flux_high : flux_low, NULL) == HPGMG_OK);
        EXPECT(hpgmg_set_wall_function(s, 2, side, solution, NULL) == HPGMG_OK);
    }
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    const double error = error_of(s, n, w);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return error;
}

static void errors_are_of_order_two(bool prints)
{
    static struct widths w;
    double before = 0.0;
    for (int n = 16; n <= (prints ? 128 : 32); n *= 2) {
        make_widths(&w, n);
        const double error = solve_error(n, &w);
        if (prints)
            printf("| %d³ | %.2e | %.2f |\n", n, error, before > 0.0 ? log2(before / error) : 0.0);
        EXPECT(before == 0.0 || log2(before / error) > 1.85);
        before = error;
    }
    make_widths(&w, 16);
    const double stretched = solve_error(16, &w);
    equal_widths(&w, 16);
    EXPECT(solve_error(16, &w) < stretched && stretched < 10.0 * solve_error(16, &w));
}

/* --- a channel -----------------------------------------------------------------------------------
 */

static double wave(double x, double y, double z, void *data)
{
    (void)data;
    return sin(6.283185307179586 * x) * sin(3.0 * y + 1.0) + cos(6.283185307179586 * z);
}

static double one(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z, (void)data;
    return 1.0;
}

/* Periodic in x and z, and clustered at the walls in y. */
static int channel_cycles(int n, double ratio, const char *boundary, const char *solver)
{
    static struct widths w;
    const char *const options[] = {"boundary", boundary, "solver", solver, "rtol", "1e-8", NULL};
    struct hpgmg_result r;
    equal_widths(&w, n);
    clustered(w.of[1], n, ratio);
    struct hpgmg *s = create_stretched(n, &w, options);
    EXPECT(hpgmg_set_function(s, HPGMG_F, wave, NULL) == HPGMG_OK);
    for (int d = 0; d < 3; d++)
        EXPECT(hpgmg_set_function(s, faces[d], one, NULL) == HPGMG_OK);
    const enum hpgmg_status status = hpgmg_solve(s, HPGMG_FROM_ZERO, &r);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return status == HPGMG_OK ? r.cycles : 1000;
}

static void channels_take_few_cycles(bool prints)
{
    static const double ratios[] = {5.0, 20.0, 50.0};
    static const char *const sides[] = {"periodic,dirichlet,periodic", "periodic,neumann,periodic"};
    for (int x = 0; x < 6; x++)
        for (int n = 32; n <= (prints ? 64 : 32); n *= 2) {
            const int idr = channel_cycles(n, ratios[x / 2], sides[x % 2], "idr"),
                      mg = prints ? channel_cycles(n, ratios[x / 2], sides[x % 2], "mg") : 0;
            EXPECT(idr <= 20);
            if (prints)
                printf("| %g | %s | %d³ | %d | %d |\n", ratios[x / 2], sides[x % 2], n, mg, idr);
        }
}

/* --- data ----------------------------------------------------------------------------------------
 */

static void data_are_the_callers(void)
{
    enum { N = 16, CELLS = N * N * N };
    static struct widths w;
    static double values[CELLS];
    static const char *const options[] = {"equation", "helmholtz", NULL};
    static const enum hpgmg_field fields[] = {HPGMG_U, HPGMG_F, HPGMG_ALPHA};
    make_widths(&w, N);
    struct hpgmg *s = create_stretched(N, &w, options);
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {N, N, N}}, .data = values};
    const bool mine = comm_rank() == 0;
    for (int f = 0; f < 3; f++) {
        for (int c = 0; c < CELLS; c++)
            values[c] = 1.0 + sin((double)(c + f));
        EXPECT(hpgmg_set(s, fields[f], mine, &block) == HPGMG_OK);
        memset(values, 0, sizeof values);
        EXPECT(hpgmg_get(s, fields[f], mine, &block) == HPGMG_OK);
        for (int c = 0; c < CELLS && mine; c++)
            EXPECT(fabs(values[c] - 1.0 - sin((double)(c + f))) < 1e-15);
    }
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
}

static void wrong_widths_are_refused(void)
{
    static struct widths w;
    const int cells[3] = {16, 16, 16};
    struct hpgmg *s;
    static const char *const order[] = {"order", "4", NULL}, *const constant[] = {"coefficients",
                                                                                  "constant", NULL};
    make_widths(&w, 16);
    EXPECT(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, cells, w.at, order) == HPGMG_ARGUMENT &&
           !s);
    EXPECT(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, cells, w.at, constant) == HPGMG_ARGUMENT);
    EXPECT(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, cells, NULL, NULL) == HPGMG_ARGUMENT);
    EXPECT(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, NULL, w.at, NULL) == HPGMG_ARGUMENT);
    w.of[1][15] = 0.0;
    EXPECT(hpgmg_create_stretched(&s, HPGMG_COMM_WORLD, cells, w.at, NULL) == HPGMG_ARGUMENT);
    EXPECT(strstr(hpgmg_message(), "widths[1][15]") != NULL);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    const bool prints = argc > 2 && strcmp(argv[2], "--table") == 0;
    wrong_widths_are_refused();
    data_are_the_callers();
    errors_are_of_order_two(prints);
    channels_take_few_cycles(prints);
    return test_end();
}
