/* SPDX-License-Identifier: BSD-3-Clause */
/* Solid cells (docs/API.md): β = 0 on their faces, and a small α in them. Multigrid is about as
 * fast as without them, IDR(3) is where it is not, and nothing passes a closed wall. `masks_test
 * cpu
 * --table` prints the table of docs/NUMERICS.md. One rank. */
#include <math.h>
#include "support/library.h"

enum { BALL, STRAIT, PLATES, ISLANDS, CLOSED, NUM_MASKS };
static const char *const names[NUM_MASKS] = {"ball", "wall with a strait", "plates", "islands",
                                             "closed wall"};

/* A grid of n³ cells in the unit cube, and what is solid in it. */
struct mask {
    int shape, n;
    int direction; /* of β */
};

static bool is_solid(const struct mask *m, const int at[3])
{
    const int n = m->n, middle = n / 2;
    const double x = (at[0] + 0.5) / n - 0.5, y = (at[1] + 0.5) / n - 0.5,
                 z = (at[2] + 0.5) / n - 0.5;
    const unsigned hash =
        ((unsigned)(at[0] / 3) * 73856093u ^ (unsigned)(at[1] / 3) * 19349663u) * 0x5bd1e995u;
    switch (m->shape) {
    case BALL:
        return x * x + y * y + z * z < 0.3 * 0.3;
    case STRAIT: /* one cell wide, over the whole height */
        return at[0] == middle && at[1] != middle;
    case PLATES: /* with a gap at one end */
        return at[0] % 8 == 3 && at[1] >= n / 10;
    case ISLANDS: /* columns of 2×2 cells over the whole depth, and straits of one cell between them
                   */
        return hash >> 30 && at[0] % 3 && at[1] % 3;
    default:
        return at[0] == middle;
    }
}

static int cell_of(const struct mask *m, double x)
{
    const int cell = (int)floor(x * m->n);
    return cell < 0 ? 0 : cell < m->n ? cell : m->n - 1;
}

static double alpha(double x, double y, double z, void *data)
{
    const struct mask *m = data;
    const int at[3] = {cell_of(m, x), cell_of(m, y), cell_of(m, z)};
    return is_solid(m, at) ? 1.0 : 0.0;
}

/* 0 where a cell on either side is solid. */
static double beta(double x, double y, double z, void *data)
{
    const struct mask *m = data;
    double low[3] = {x, y, z}, high[3] = {x, y, z};
    low[m->direction] -= 0.5 / m->n;
    high[m->direction] += 0.5 / m->n;
    return alpha(low[0], low[1], low[2], data) > 0.0 || alpha(high[0], high[1], high[2], data) > 0.0
               ? 0.0
               : 1.0;
}

/* Of a closed wall, 0 beyond it. */
static double rhs(double x, double y, double z, void *data)
{
    const struct mask *m = data;
    if (alpha(x, y, z, data) > 0.0 || (m->shape == CLOSED && x > 0.5))
        return 0.0;
    return sin(7.0 * x) * cos(5.0 * y) + 0.3 * z;
}

/* The largest |u| in solid cells, and beyond the closed wall. */
static double spilt(struct hpgmg *s, const struct mask *m)
{
    const int n = m->n;
    double most = 0.0, *u = malloc((size_t)n * (size_t)n * (size_t)n * sizeof *u), *next = u;
    const struct hpgmg_block block = {.box = {{0, 0, 0}, {n, n, n}}, .data = u};
    REQUIRE(hpgmg_get(s, HPGMG_U, 1, &block) == HPGMG_OK);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++, next++)
                if (is_solid(m, (const int[3]){i, j, k}) || (m->shape == CLOSED && i > n / 2))
                    most = fmax(most, fabs(*next));
    free(u);
    return most;
}

/* V-cycles of a solve; 0 if it does not converge. */
static int cycles_of(struct mask m, const char *solver, const char *precision)
{
    const char *const options[] = {"equation",
                                   "helmholtz",
                                   "boundary",
                                   m.shape == ISLANDS ? "neumann,neumann,neumann/dirichlet"
                                                      : "dirichlet",
                                   "solver",
                                   solver,
                                   "precision",
                                   precision,
                                   "single-above",
                                   "300",
                                   NULL};
    struct hpgmg_result r;
    struct hpgmg *s = create_solver((const int[3]){m.n, m.n, m.n}, options);
    REQUIRE(hpgmg_set_function(s, HPGMG_ALPHA, alpha, &m) == HPGMG_OK);
    REQUIRE(hpgmg_set_function(s, HPGMG_F, rhs, &m) == HPGMG_OK);
    for (m.direction = 0; m.direction < 3; m.direction++)
        REQUIRE(hpgmg_set_function(s, (enum hpgmg_field)(HPGMG_BETA_I + m.direction), beta, &m) ==
                HPGMG_OK);
    const bool solved = hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK;
    EXPECT(!solved || spilt(s, &m) < 1e-9);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return solved ? r.cycles : 0;
}

static void masks_are_solved(int n)
{
    for (int shape = 0; shape < NUM_MASKS; shape++) {
        const struct mask m = {shape, n, 0};
        const int mg = cycles_of(m, "mg", "double"), idr = cycles_of(m, "idr", "double"),
                  mixed = cycles_of(m, "idr", "mixed");
        if (mg > 0 && mg <= 15 && idr > 0 && idr <= 15 && mixed > 0 && mixed <= 20)
            continue;
        failures++;
        printf("%s, %d^3: %d cycles, %d with idr, %d with idr in mixed precision\n", names[shape],
               n, mg, idr, mixed);
    }
}

static void print_table(void)
{
    printf("| | 16³ | 32³ | 64³ |\n| --- | --- | --- | --- |\n");
    for (int shape = 0; shape < NUM_MASKS; shape++) {
        printf("| %s |", names[shape]);
        for (int n = 16; n <= 64; n *= 2) {
            const struct mask m = {shape, n, 0};
            printf(" %d · %d |", cycles_of(m, "mg", "double"), cycles_of(m, "idr", "double"));
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    if (argc > 2 && strcmp(argv[2], "--table") == 0) {
        print_table();
    } else {
        masks_are_solved(16);
        masks_are_solved(32);
    }
    return test_end();
}
