/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients that jump: 90 problems (shapes, walls, contrasts) and the V-cycles that each solver
 * needs to 1e-8; and smooth ones of high contrast. `jumps_test cpu --table` prints the figures of
 * docs/NUMERICS.md, `jumps_test cpu --answers` the bits of the 90 problems' solutions, which are
 * those of any backend. One rank. */
#include <math.h>
#include "operators/hash.h"
#include "support/library.h"

enum { SHAPES = 6, BOUNDARIES = 3, CONTRASTS = 5, MAX_V_CYCLES = 200, WANTED_V_CYCLES = 40 };
static const char *const shapes[SHAPES] = {"ball",   "inverse ball", "checkerboard",
                                           "layers", "random",       "slab"};
enum { SMOOTH = SHAPES }; /* beside these, in no table */
static const char *const boundaries[BOUNDARIES] = {"dirichlet", "neumann", "periodic"};
static const double contrasts[CONTRASTS] = {1e2, 1e3, 1e4, 1e5, 1e6};

/* β of a cell: 1, or the contrast c (inverse ball: 1/c) in a ball, in every second cube of 4³
 * cells, in every second layer of 3 cells, in the middle third; or c to a power from 0 to 1 that is
 * random, or from −1/2 to 1/2 that is a product of sines. */
static double cell_beta(int shape, int n, const int at[3], double c)
{
    double square = 0.0, sines = 1.0;
    for (int d = 0; d < 3; d++)
        square += pow((at[d] + 0.5) / n - 0.5, 2);
    const bool in_ball = square < 0.3 * 0.3;
    unsigned hash =
        (unsigned)at[0] * 73856093u ^ (unsigned)at[1] * 19349663u ^ (unsigned)at[2] * 83492791u;
    switch (shape) {
    case 0:
        return in_ball ? c : 1.0;
    case 1:
        return in_ball ? 1.0 / c : 1.0;
    case 2:
        return (at[0] / 4 + at[1] / 4 + at[2] / 4) % 2 ? c : 1.0;
    case 3:
        return at[2] / 3 % 2 ? c : 1.0;
    case 4:
        hash ^= hash >> 13;
        hash *= 0x5bd1e995u;
        hash ^= hash >> 15;
        return pow(c, (hash & 0xffff) / 65535.0);
    case SMOOTH:
        for (int d = 0; d < 3; d++)
            sines *= sin(2.0 * M_PI * (at[d] + 0.5) / n);
        return pow(c, 0.5 * sines);
    default:
        return at[2] >= n / 3 && at[2] < n * 2 / 3 ? c : 1.0;
    }
}

/* On the low face of a cell in direction d, the harmonic mean of both cells. At the sides of the
 * domain a cell's neighbour is its image, or the cell itself. */
static double face_beta(int shape, int n, const int at[3], int d, bool periodic, double c)
{
    int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    low[d] = at[d] > 0 ? at[d] - 1 : periodic ? n - 1 : 0;
    high[d] = at[d] < n ? at[d] : periodic ? 0 : n - 1;
    const double a = cell_beta(shape, n, low, c), b = cell_beta(shape, n, high, c);
    return 2.0 * a * b / (a + b);
}

/* Sets a field from the whole domain's values on rank 0; the other ranks have none. */
static void set_values(struct hpgmg *s, enum hpgmg_field field, int n, double *data)
{
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {n, n, n}}, .data = data};
    REQUIRE(hpgmg_set(s, field, comm_rank() == 0, &block) == HPGMG_OK);
}

static void set_problem(struct hpgmg *s, int shape, int n, bool periodic, double c)
{
    double *data = malloc((size_t)(n + 1) * (size_t)n * (size_t)n * sizeof *data);
    long v = 0;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                data[v++] = sin(7 * (i + 0.5) / n) * cos(5 * (j + 0.5) / n) + 0.3 * (k % 3);
    set_values(s, HPGMG_F, n, data);
    for (int d = 0; d < 3; d++) {
        v = 0;
        for (int k = 0; k < n + (d == 2); k++)
            for (int j = 0; j < n + (d == 1); j++)
                for (int i = 0; i < n + (d == 0); i++)
                    data[v++] = face_beta(shape, n, (const int[3]){i, j, k}, d, periodic, c);
        set_values(s, HPGMG_BETA_I + (enum hpgmg_field)d, n, data);
    }
    free(data);
}

/* The bits of u, of the residual and of its history. */
static void print_answer(struct hpgmg *s, int n, const struct hpgmg_result *r)
{
    const size_t cells = (size_t)n * (size_t)n * (size_t)n;
    double *u = malloc(cells * sizeof *u);
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {n, n, n}}, .data = u};
    uint64_t hash = 0;
    REQUIRE(hpgmg_get(s, HPGMG_U, 1, &block) == HPGMG_OK);
    for (size_t c = 0; c < cells; c++)
        hash += hash_cell(c, u[c]);
    for (int c = 0; c < r->cycles; c++)
        hash += hash_cell(cells + (size_t)c, r->history[c]);
    printf(" %d cycles, %d of them with idr: %016llx\n", r->cycles, r->krylov_cycles,
           (unsigned long long)hash);
    free(u);
}

static bool prints_answers;

/* V-cycles of a solve; 0 if it does not converge. In mixed precision levels of more than 300 cells
 * are corrected. */
static int cycles_of(int shape, int n, int boundary, double c, const char *solver,
                     const char *precision)
{
    const char *const options[] = {
        "boundary", boundaries[boundary], "solver", solver, "max-cycles", "200", "precision",
        precision,  "single-above",       "300",    NULL};
    struct hpgmg_result r;
    struct hpgmg *s = create_solver((const int[3]){n, n, n}, options);
    set_problem(s, shape, n, boundary == 2, c);
    const bool solved = hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK;
    if (prints_answers) {
        printf("%s %s %g %s %s:", shapes[shape], boundaries[boundary], c, solver, precision);
        print_answer(s, n, &r);
    }
    EXPECT(!solved || r.residual < 1e-8);
    EXPECT(!solved || strcmp(solver, "idr") || r.krylov_cycles == r.cycles);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return solved ? r.cycles : 0;
}

/* Both solve all problems, and mixed precision takes at most twice as many V-cycles. In these more
 * than 40 V-cycles are needed: coarse grids represent neither many thin layers that no wall holds
 * nor 1e5 between neighbours (docs/NUMERICS.md). */
static bool is_known_as_slow(int shape, double c)
{
    return c >= 1e5 && (shape == 3 || shape == 4);
}

static void problems_are_solved(int n)
{
    for (int shape = 0; shape < SHAPES; shape++)
        for (int boundary = 0; boundary < BOUNDARIES; boundary++)
            for (int c = 0; c < CONTRASTS; c++) {
                const int idr = cycles_of(shape, n, boundary, contrasts[c], "idr", "double"),
                          chosen = cycles_of(shape, n, boundary, contrasts[c], "auto", "double"),
                          mixed = cycles_of(shape, n, boundary, contrasts[c], "idr", "mixed"),
                          wanted = is_known_as_slow(shape, contrasts[c]) ? MAX_V_CYCLES
                                                                         : WANTED_V_CYCLES;
                if (idr > 0 && idr <= wanted && chosen > 0 && chosen <= wanted && mixed > 0 &&
                    mixed <= 2 * idr)
                    continue;
                failures++;
                printf("%s %s %d^3 contrast %g: %d cycles with idr, %d with auto, %d with idr in "
                       "mixed precision\n",
                       shapes[shape], boundaries[boundary], n, contrasts[c], idr, chosen, mixed);
            }
}

/* V-cycles from zero until the residual is below `rtol`, in each precision, with levels of more
 * than 8³ cells corrected. The answers must agree. */
static void smooth_cycles(int n, const char *order, const char *smoother, double c,
                          const char *rtol, int cycles[2])
{
    const size_t cells = (size_t)n * (size_t)n * (size_t)n;
    double *u[2], largest = 0.0, difference = 0.0;
    for (int mixed = 0; mixed < 2; mixed++) {
        const char *const options[] = {
            "order",        order, "smoother",   smoother, "solver",    "mg",
            "rtol",         rtol,  "max-cycles", "40",     "precision", mixed ? "mixed" : "double",
            "single-above", "512", NULL};
        struct hpgmg_result r;
        struct hpgmg *s = create_solver((const int[3]){n, n, n}, options);
        u[mixed] = malloc(cells * sizeof **u);
        const struct hpgmg_block block = {.box = {{0, 0, 0}, {n, n, n}}, .data = u[mixed]};
        set_problem(s, SMOOTH, n, false, c);
        EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
        REQUIRE(hpgmg_get(s, HPGMG_U, 1, &block) == HPGMG_OK);
        cycles[mixed] = r.cycles;
        EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    }
    for (size_t at = 0; at < cells; at++) {
        largest = fmax(largest, fabs(u[0][at]));
        difference = fmax(difference, fabs(u[1][at] - u[0][at]));
    }
    EXPECT(difference < 100 * atof(rtol) * largest);
    free(u[0]);
    free(u[1]);
}

/* Mixed precision takes the V-cycles of double precision. */
static void smooth_contrasts(int n, bool prints)
{
    static const char *const cases[][2] = {{"2", "gsrb"}, {"4", "chebyshev"}};
    for (int code = 0; code < 4; code++) {
        const char *const *with = cases[code % 2], *rtol = code / 2 ? "1e-11" : "1e-8";
        int cycles[2];
        smooth_cycles(n, with[0], with[1], 1e3, rtol, cycles);
        EXPECT(cycles[1] == cycles[0]);
        if (prints)
            printf("order %s, %s, %d^3, contrast 1000, to %s: %d cycles in double, %d in mixed "
                   "precision\n",
                   with[0], with[1], n, rtol, cycles[0], cycles[1]);
    }
}

static void print_row(int shape, int n, const char *solver)
{
    printf("| %s, %d³ |", shapes[shape], n);
    for (int c = 0; c < CONTRASTS; c++) {
        for (int boundary = 0; boundary < BOUNDARIES; boundary++) {
            const int cycles = cycles_of(shape, n, boundary, contrasts[c], solver, "double");
            printf("%s", boundary ? " · " : " ");
            if (cycles)
                printf("%d", cycles);
            else
                printf("–");
        }
        printf(" |");
    }
    printf("\n");
    fflush(stdout);
}

static void print_table(const char *solver)
{
    printf("| `%s` |", solver);
    for (int c = 0; c < CONTRASTS; c++)
        printf(" %.0e |", contrasts[c]);
    printf("\n| --- | --- | --- | --- | --- | --- |\n");
    for (int shape = 0; shape < SHAPES; shape++)
        for (int n = 8; n <= 32; n *= 2)
            print_row(shape, n, solver);
    printf("\n");
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (argc > 2 && strcmp(argv[2], "--table") == 0) {
        print_table("mg");
        print_table("idr");
        print_table("auto");
        for (int n = 32; n <= 128; n *= 2)
            smooth_contrasts(n, true);
    } else {
        prints_answers = argc > 2;
        problems_are_solved(16);
        if (!prints_answers)
            smooth_contrasts(32, false);
    }
    return test_end();
}
