/* SPDX-License-Identifier: BSD-3-Clause */
/* Random grids: numbers and widths of cells, boundaries, coefficients, and solid cells, of which β
 * is 0 on all faces. All ranks together, on the backend of the test, get the bits of one rank on
 * its CPU. (tests/python/poisson_test.py compares such grids with dense matrices.) */
#include <stdint.h>
#include "support/library.h"

enum { GRIDS = 60, MAX_CELLS = 16, MAX_VALUES = (MAX_CELLS + 1) * MAX_CELLS * MAX_CELLS };

static const enum hpgmg_field fields[] = {HPGMG_F, HPGMG_ALPHA, HPGMG_BETA_I, HPGMG_BETA_J,
                                          HPGMG_BETA_K};
enum { SET_FIELDS = 5, FIRST_BETA = 2 };

struct grid {
    int n[3];
    double widths[3][MAX_CELLS];
    char boundary[64];
    bool periodic[3];
    bool solid[MAX_VALUES]; /* by cell, i fastest, then j, then k */
    double values[SET_FIELDS][MAX_VALUES];
};

static uint64_t state;

/* From low to high; the same numbers on all ranks (Marsaglia's xorshift64). */
static double random_between(double low, double high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
}

static int cell_of(const struct grid *g, const int at[3])
{
    return at[0] + g->n[0] * (at[1] + g->n[1] * at[2]);
}

/* Whether one of the two cells at the low face of cell `at` in direction d is solid. */
static bool is_closed(const struct grid *g, const int at[3], int d)
{
    int low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]};
    low[d] = at[d] > 0 ? at[d] - 1 : g->periodic[d] ? g->n[d] - 1 : 0;
    high[d] = at[d] < g->n[d] ? at[d] : g->periodic[d] ? 0 : g->n[d] - 1;
    return g->solid[cell_of(g, low)] || g->solid[cell_of(g, high)];
}

/* Values on faces in direction d. The first and the last of a periodic direction are one. */
static void make_beta(struct grid *g, int d)
{
    const int m[3] = {g->n[0] + (d == 0), g->n[1] + (d == 1), g->n[2] + (d == 2)};
    const int step = d == 0 ? 1 : d == 1 ? m[0] : m[0] * m[1];
    double *beta = g->values[FIRST_BETA + d];
    int v = 0;
    for (int k = 0; k < m[2]; k++)
        for (int j = 0; j < m[1]; j++)
            for (int i = 0; i < m[0]; i++, v++) {
                const int at[3] = {i, j, k};
                beta[v] = is_closed(g, at, d) ? 0.0 : random_between(0.5, 2.0);
                if (g->periodic[d] && at[d] == g->n[d])
                    beta[v] = beta[v - g->n[d] * step];
            }
}

static void make_grid(struct grid *g, int number)
{
    static const char *const words[] = {"dirichlet", "neumann", "periodic", "dirichlet/neumann"};
    state = 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
    g->boundary[0] = '\0';
    for (int d = 0; d < 3; d++) {
        const int word = (int)random_between(0.0, 4.0);
        g->n[d] = 4 * (2 + (int)random_between(0.0, 3.0));
        g->periodic[d] = word == 2;
        snprintf(g->boundary + strlen(g->boundary), sizeof g->boundary - strlen(g->boundary),
                 "%s%s", d ? "," : "", words[word]);
        for (int i = 0; i < g->n[d]; i++)
            g->widths[d][i] = random_between(0.05, 3.0);
    }
    for (int c = 0; c < g->n[0] * g->n[1] * g->n[2]; c++) {
        g->solid[c] = random_between(0.0, 1.0) < 0.2;
        g->values[0][c] = g->solid[c] ? 0.0 : random_between(-1.0, 1.0);
        g->values[1][c] = g->solid[c] ? 1.0 : random_between(0.1, 1.0);
    }
    for (int d = 0; d < 3; d++)
        make_beta(g, d);
}

/* Solves on all ranks of comm, whose rank 0 is that of the world. It has all data, and gets u. */
static int solve(hpgmg_comm comm, const struct grid *g, const char *on, double *u)
{
    const double *const widths[3] = {g->widths[0], g->widths[1], g->widths[2]};
    const char *const options[] = {"backend",
                                   on,
                                   "boundary",
                                   g->boundary,
                                   "equation",
                                   "helmholtz",
                                   "solver",
                                   "idr",
                                   "rtol",
                                   "1e-10",
                                   strcmp(on, "gpu") ? NULL : "cpu-below",
                                   "never",
                                   NULL};
    const int parts = comm_rank() == 0;
    struct hpgmg *s;
    struct hpgmg_result r;
    struct hpgmg_block block = {.box = {{0, 0, 0}, {g->n[0], g->n[1], g->n[2]}}};
    REQUIRE(hpgmg_create_stretched(&s, comm, g->n, widths, options) == HPGMG_OK);
    for (int f = 0; f < SET_FIELDS; f++) {
        struct hpgmg_block values = block;
        values.data = (double *)g->values[f];
        REQUIRE(hpgmg_set(s, fields[f], parts, &values) == HPGMG_OK);
    }
    EXPECT(hpgmg_solve(s, HPGMG_FROM_ZERO, &r) == HPGMG_OK);
    block.data = u;
    REQUIRE(hpgmg_get(s, HPGMG_U, parts, &block) == HPGMG_OK);
    EXPECT(hpgmg_destroy(&s) == HPGMG_OK);
    return r.cycles;
}

static void one_answer(int number)
{
    static struct grid g;
    static double together[MAX_VALUES], alone[MAX_VALUES];
    make_grid(&g, number);
    const size_t cells = (size_t)g.n[0] * (size_t)g.n[1] * (size_t)g.n[2];
    const int cycles = solve(HPGMG_COMM_WORLD, &g, backend, together);
    if (comm_rank() > 0)
        return;
    EXPECT(solve(MPI_COMM_SELF, &g, "cpu", alone) == cycles);
    if (memcmp(together, alone, cells * sizeof *alone) == 0)
        return;
    failures++;
    printf("grid %d, %d×%d×%d, %s: another answer than of one rank on its CPU\n", number, g.n[0],
           g.n[1], g.n[2], g.boundary);
}

int main(int argc, char **argv)
{
    test_begin(argc, argv);
    for (int number = 0; number < GRIDS; number++)
        one_answer(number);
    return test_end();
}
