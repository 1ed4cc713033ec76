/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves −∇·(β∇u) = f in the box (0,2)×(0,1)×(0,1), with values of u on five walls and its normal
 * derivative on the sixth, for a known u. Solves on two grids, and prints errors and the order that
 * follows from them.
 *
 *     cc poisson.c -o poisson $(pkg-config --cflags --libs hpgmg) -lm
 *     mpirun -n 2 ./poisson 4 cpu
 *
 * Arguments: order (2 or 4) and backend (auto, cpu or gpu). Exit status: 0 if the order is
 * observed. */
#include <hpgmg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double LENGTHS[3] = {2.0, 1.0, 1.0};
static const double WAVE[3] = {1.5, 2.0, 2.5}, SHIFT[3] = {0.3, 0.5, 0.8};

/* --- the problem: u, and β, f and walls that belong to it
 * -----------------------------------------
 */

/* u is a product over the directions of sin(WAVE·x + SHIFT). */
static double factor(int d, double x)
{
    return sin(WAVE[d] * x + SHIFT[d]);
}

static double factor_slope(int d, double x)
{
    return WAVE[d] * cos(WAVE[d] * x + SHIFT[d]);
}

/* The mean of one factor over a cell. */
static double factor_mean(int d, int cell, double h)
{
    const double low = WAVE[d] * h * cell + SHIFT[d];
    return (cos(low) - cos(low + WAVE[d] * h)) / (WAVE[d] * h);
}

static double solution(double x, double y, double z, void *data)
{
    (void)data;
    return factor(0, x) * factor(1, y) * factor(2, z);
}

/* ∂u/∂z, which is ∂u/∂n on the high wall in k. */
static double slope_k(double x, double y, double z, void *data)
{
    (void)data;
    return factor(0, x) * factor(1, y) * factor_slope(2, z);
}

static double beta(double x, double y, double z, void *data)
{
    (void)data;
    return 2.0 + sin(x + 2.0 * y) * cos(z);
}

/* f = −∇β·∇u − β∇²u */
static double rhs(double x, double y, double z, void *data)
{
    const double at[3] = {x, y, z};
    const double slope[3] = {cos(x + 2.0 * y) * cos(z), 2.0 * cos(x + 2.0 * y) * cos(z),
                             -sin(x + 2.0 * y) * sin(z)};
    double sum = 0.0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        sum += slope[d] * factor_slope(d, at[d]) * factor(e, at[e]) * factor(f, at[f]) -
               beta(x, y, z, data) * WAVE[d] * WAVE[d] * solution(x, y, z, NULL);
    }
    return -sum;
}

/* --- one grid
 * ------------------------------------------------------------------------------------- */

/* The largest error in a box, by means over cells. */
static double box_error(const struct hpgmg_box *box, const double *u, const double h[3])
{
    double most = 0.0;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++)
            for (int i = 0; i < box->n[0]; i++, u++) {
                const double exact = factor_mean(0, box->lo[0] + i, h[0]) *
                                     factor_mean(1, box->lo[1] + j, h[1]) *
                                     factor_mean(2, box->lo[2] + k, h[2]);
                most = fmax(most, fabs(*u - exact));
            }
    return most;
}

/* The largest error in this rank's boxes. */
static double own_error(struct hpgmg *solver)
{
    const struct hpgmg_box *boxes;
    int count;
    double h[3], most = 0.0;
    hpgmg_check(hpgmg_boxes(solver, &count, &boxes));
    hpgmg_check(hpgmg_cell_sizes(solver, h));
    struct hpgmg_block *blocks = calloc((size_t)count, sizeof *blocks);
    for (int b = 0; b < count; b++) {
        const int *n = boxes[b].n;
        blocks[b].box = boxes[b];
        blocks[b].data = malloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof(double));
    }
    hpgmg_check(hpgmg_get(solver, HPGMG_U, count, blocks));
    for (int b = 0; b < count; b++) {
        most = fmax(most, box_error(&boxes[b], blocks[b].data, h));
        free(blocks[b].data);
    }
    free(blocks);
    return most;
}

static double solve(int n, const char *order, const char *backend, int rank)
{
    const char *options[] = {"order", order,   "backend",  backend,
                             "rtol",  "1e-11", "boundary", "dirichlet,dirichlet,dirichlet/neumann",
                             NULL};
    struct hpgmg *solver;
    struct hpgmg_result result;
    hpgmg_check(
        hpgmg_create(&solver, HPGMG_COMM_WORLD, (const int[3]){2 * n, n, n}, LENGTHS, options));
    hpgmg_check(hpgmg_set_function(solver, HPGMG_F, rhs, NULL));
    hpgmg_check(hpgmg_set_function(solver, HPGMG_BETA_I, beta, NULL));
    hpgmg_check(hpgmg_set_function(solver, HPGMG_BETA_J, beta, NULL));
    hpgmg_check(hpgmg_set_function(solver, HPGMG_BETA_K, beta, NULL));
    for (int wall = 0; wall < 5; wall++) /* u, on all walls but the high one in k */
        hpgmg_check(hpgmg_set_wall_function(solver, wall / 2, wall % 2, solution, NULL));
    hpgmg_check(hpgmg_set_wall_function(solver, 2, 1, slope_k, NULL));
    hpgmg_check(hpgmg_solve(solver, HPGMG_FROM_ZERO, &result));
    double error = own_error(solver);
    hpgmg_check(hpgmg_destroy(&solver));
#if HPGMG_MPI
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
    if (rank == 0)
        printf("%3dx%dx%d: error %.3e, relative residual %.1e after %d cycles\n", 2 * n, n, n,
               error, result.residual, result.cycles);
    return error;
}

int main(int argc, char **argv)
{
    const char *order = argc > 1 ? argv[1] : "2", *backend = argc > 2 ? argv[2] : "auto";
    int rank = 0;
#if HPGMG_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    const double coarse = solve(16, order, backend, rank), fine = solve(32, order, backend, rank),
                 observed = log2(coarse / fine);
    if (rank == 0)
        printf("observed order %.2f\n", observed);
#if HPGMG_MPI
    MPI_Finalize();
#endif
    return observed > atoi(order) - 0.3 ? 0 : 1;
}
