/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves −∇·(β∇u) = f in the box (0,2)×(0,1)×(0,1) with u = 0 on its walls, for a known u, on two
 * grids, and prints errors and the order that follows from them.
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

#define PI 3.14159265358979323846
static const double LENGTHS[3] = {2.0, 1.0, 1.0};

static void check(enum hpgmg_status status)
{
    if (status == HPGMG_OK)
        return;
    fprintf(stderr, "poisson: %s\n", hpgmg_message());
#if HPGMG_MPI
    MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    exit(1);
}

/* --- the problem: u, and β and f that belong to it
 * ------------------------------------------------ */

/* u is a product of sin(π x/L) over the directions; this is the mean of one factor over a cell. */
static double factor_mean(int cell, double h, double length)
{
    const double c = PI / length;
    return (cos(c * h * cell) - cos(c * h * (cell + 1))) / (c * h);
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
    double s[3], c[3], sum = 0.0;
    for (int d = 0; d < 3; d++) {
        s[d] = sin(PI * at[d] / LENGTHS[d]);
        c[d] = PI / LENGTHS[d] * cos(PI * at[d] / LENGTHS[d]);
    }
    for (int d = 0; d < 3; d++) {
        const double others = s[(d + 1) % 3] * s[(d + 2) % 3], wave = PI / LENGTHS[d];
        sum += slope[d] * c[d] * others - beta(x, y, z, data) * wave * wave * s[0] * s[1] * s[2];
    }
    return -sum;
}

/* --- one grid
 * ------------------------------------------------------------------------------------- */

/* The largest error in a box, by means over cells. */
static double box_error(const struct hpgmg_box *box, const double *u, double h)
{
    double most = 0.0;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++)
            for (int i = 0; i < box->n[0]; i++, u++) {
                const double exact = factor_mean(box->lo[0] + i, h, LENGTHS[0]) *
                                     factor_mean(box->lo[1] + j, h, LENGTHS[1]) *
                                     factor_mean(box->lo[2] + k, h, LENGTHS[2]);
                most = fmax(most, fabs(*u - exact));
            }
    return most;
}

/* The largest error in this rank's boxes. */
static double own_error(struct hpgmg *solver)
{
    const struct hpgmg_box *boxes;
    int count;
    double h, most = 0.0;
    check(hpgmg_boxes(solver, &count, &boxes));
    check(hpgmg_cell_size(solver, &h));
    struct hpgmg_block *blocks = calloc((size_t)count, sizeof *blocks);
    for (int b = 0; b < count; b++) {
        const int *n = boxes[b].n;
        blocks[b].box = boxes[b];
        blocks[b].data = malloc((size_t)n[0] * (size_t)n[1] * (size_t)n[2] * sizeof(double));
    }
    check(hpgmg_get(solver, HPGMG_U, count, blocks));
    for (int b = 0; b < count; b++) {
        most = fmax(most, box_error(&boxes[b], blocks[b].data, h));
        free(blocks[b].data);
    }
    free(blocks);
    return most;
}

static double solve(int n, const char *order, const char *backend, int rank)
{
    const char *options[] = {"order", order, "backend", backend, "rtol", "1e-10", NULL};
    struct hpgmg *solver;
    struct hpgmg_result result;
    check(hpgmg_create(&solver, HPGMG_COMM_WORLD, (const int[3]){2 * n, n, n}, LENGTHS, options));
    check(hpgmg_set_function(solver, HPGMG_F, rhs, NULL));
    check(hpgmg_set_function(solver, HPGMG_BETA_I, beta, NULL));
    check(hpgmg_set_function(solver, HPGMG_BETA_J, beta, NULL));
    check(hpgmg_set_function(solver, HPGMG_BETA_K, beta, NULL));
    check(hpgmg_solve(solver, HPGMG_FROM_ZERO, &result));
    double error = own_error(solver);
    check(hpgmg_destroy(&solver));
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
