/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat conduction ∂u/∂t = ∇·(κ∇u) in a cube that is heated through its bottom and insulated
 * elsewhere, by implicit Euler: each step solves u/Δt − ∇·(κ∇u) = u_old/Δt, from u_old on. The heat
 * in the cube must grow by what flows in; this is checked after each step. Every tenth step writes
 * the slice in the middle of y to PREFIX-STEP.vti, VTK image data, which ParaView reads.
 *
 *     cc heat.c -o heat $(pkg-config --cflags --libs hpgmg) -lm
 *     mpirun -n 2 ./heat cpu 32 heat
 *
 * Arguments: backend (auto, cpu or gpu), cells per side, and PREFIX ("-": no files). Exit status: 0
 * if the heat is right to 1e-8 of it. */
#include <hpgmg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, STEPS_PER_FILE = 10 };
#define TIME_STEP 0.002

static double sum_over_ranks(double x)
{
#if HPGMG_MPI
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    return x;
}

/* --- the problem
 * ---------------------------------------------------------------------------------- */

/* κ: a ball that conducts well. */
static double conductivity(double x, double y, double z, void *data)
{
    const double r = sqrt((x - 0.6) * (x - 0.6) + (y - 0.5) * (y - 0.5) + (z - 0.4) * (z - 0.4));
    (void)data;
    return 1.0 - 0.9 * tanh(30.0 * (r - 0.25));
}

static double warm_corner(double x, double y, double z, void *data)
{
    (void)data;
    return exp(-20.0 * (x * x + y * y + z * z));
}

/* ∂u/∂n at the bottom. */
static double heating(double x, double y, double z, void *data)
{
    (void)z, (void)data;
    return 4.0 * x * (1.0 - x) * (1.0 + y);
}

static double per_time_step(double x, double y, double z, void *data)
{
    (void)x, (void)y, (void)z, (void)data;
    return 1.0 / TIME_STEP;
}

/* What flows in per unit of time: κ ∂u/∂n in the middle of each face at the bottom. */
static double inflow(int n)
{
    const double h = 1.0 / n;
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const double x = h * (i + 0.5), y = h * (j + 0.5);
            sum += conductivity(x, y, 0.0, NULL) * heating(x, y, 0.0, NULL) * h * h;
        }
    return sum;
}

/* --- data of this rank
 * ---------------------------------------------------------------------------- */

/* One array for each of the solver's boxes. */
struct fields {
    int count;
    struct hpgmg_block *blocks;
};

static size_t cells_of(const struct hpgmg_block *b)
{
    return (size_t)b->box.n[0] * (size_t)b->box.n[1] * (size_t)b->box.n[2];
}

static struct fields fields_create(struct hpgmg *solver)
{
    const struct hpgmg_box *boxes;
    struct fields x;
    hpgmg_check(hpgmg_boxes(solver, &x.count, &boxes));
    x.blocks = calloc((size_t)x.count + 1, sizeof *x.blocks);
    for (int b = 0; b < x.count; b++) {
        x.blocks[b].box = boxes[b];
        x.blocks[b].data = calloc(cells_of(&x.blocks[b]), sizeof(double));
    }
    return x;
}

static void fields_release(struct fields *x)
{
    for (int b = 0; b < x->count; b++)
        free(x->blocks[b].data);
    free(x->blocks);
}

/* Gets u and sets f = u/Δt; returns the heat in the cube. */
static double take_step_back(struct hpgmg *solver, struct fields *x, double h)
{
    double heat = 0.0;
    hpgmg_check(hpgmg_get(solver, HPGMG_U, x->count, x->blocks));
    for (int b = 0; b < x->count; b++)
        for (size_t cell = 0; cell < cells_of(&x->blocks[b]); cell++) {
            heat += x->blocks[b].data[cell] * h * h * h;
            x->blocks[b].data[cell] /= TIME_STEP;
        }
    hpgmg_check(hpgmg_set(solver, HPGMG_F, x->count, x->blocks));
    return sum_over_ranks(heat);
}

/* --- slices
 * --------------------------------------------------------------------------------------- */

static void print_slice(FILE *file, const double *u, int n)
{
    const double h = 1.0 / n;
    fprintf(file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"ImageData\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
            "<ImageData WholeExtent=\"0 %d 0 1 0 %d\" Origin=\"0 %.17g 0\" Spacing=\"%.17g %.17g "
            "%.17g\">\n"
            "<Piece Extent=\"0 %d 0 1 0 %d\">\n<CellData Scalars=\"u\">\n"
            "<DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">\n",
            n, n, 0.5, h, h, h, n, n);
    for (int cell = 0; cell < n * n; cell++)
        fprintf(file, "%.9g%c", u[cell], (cell + 1) % n == 0 ? '\n' : ' ');
    fprintf(file, "</DataArray>\n</CellData>\n</Piece>\n</ImageData>\n</VTKFile>\n");
}

/* Rank 0 gets the cells above the middle of y, and writes them. */
static void write_slice(struct hpgmg *solver, int n, const char *prefix, int step, int rank)
{
    const int mine = rank == 0;
    struct hpgmg_block slice = {.box = {{0, n / 2, 0}, {n, 1, n}}};
    char name[256];
    slice.data = mine ? malloc((size_t)n * (size_t)n * sizeof(double)) : NULL;
    hpgmg_check(hpgmg_get(solver, HPGMG_U, mine, mine ? &slice : NULL));
    snprintf(name, sizeof name, "%s-%02d.vti", prefix, step);
    FILE *file = mine ? fopen(name, "w") : NULL;
    if (file)
        print_slice(file, slice.data, n);
    if (mine && (!file || fclose(file) != 0)) {
        perror(name);
        exit(1);
    }
    free(slice.data);
}

/* --- steps
 * ---------------------------------------------------------------------------------------- */

static void set_up(struct hpgmg *solver)
{
    hpgmg_check(hpgmg_set_function(solver, HPGMG_ALPHA, per_time_step, NULL));
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        hpgmg_check(hpgmg_set_function(solver, (enum hpgmg_field)field, conductivity, NULL));
    hpgmg_check(hpgmg_set_wall_function(solver, 2, 0, heating, NULL));
    hpgmg_check(hpgmg_set_function(solver, HPGMG_U, warm_corner, NULL));
}

/* The largest relative error of the heat. */
static double run(struct hpgmg *solver, int n, const char *prefix, int rank)
{
    struct fields x = fields_create(solver);
    const double h = 1.0 / n, gain = TIME_STEP * inflow(n), first = take_step_back(solver, &x, h);
    double most = 0.0;
    for (int step = 1; step <= STEPS; step++) {
        struct hpgmg_result result;
        hpgmg_check(hpgmg_solve(solver, HPGMG_FROM_GUESS, &result));
        const double expected = first + step * gain, heat = take_step_back(solver, &x, h);
        most = fmax(most, fabs(heat / expected - 1.0));
        if (step % STEPS_PER_FILE)
            continue;
        if (rank == 0)
            printf("step %d: heat %.9f, expected %.9f, %d cycles\n", step, heat, expected,
                   result.cycles);
        if (strcmp(prefix, "-") != 0)
            write_slice(solver, n, prefix, step, rank);
    }
    fields_release(&x);
    return most;
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "auto", *prefix = argc > 3 ? argv[3] : "-";
    const char *options[] = {"equation", "helmholtz", "boundary", "neumann", "backend",
                             backend,    "rtol",      "1e-11",    NULL};
    const int n = argc > 2 ? atoi(argv[2]) : 32;
    int rank = 0;
    struct hpgmg *solver;
#if HPGMG_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    hpgmg_check(hpgmg_create(&solver, HPGMG_COMM_WORLD, (const int[3]){n, n, n},
                             (const double[3]){1.0, 1.0, 1.0}, options));
    set_up(solver);
    const double error = run(solver, n, prefix, rank);
    if (rank == 0)
        printf("largest relative error of the heat: %.1e\n", error);
    hpgmg_check(hpgmg_destroy(&solver));
#if HPGMG_MPI
    MPI_Finalize();
#endif
    return error < 1e-8 ? 0 : 1;
}
