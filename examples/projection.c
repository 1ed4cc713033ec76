/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the velocity of a fluid of variable density ρ free of divergence, as each step of an
 * incompressible flow solver does: −∇·(∇p/ρ) = −(∇·v)/Δt, then v −= Δt ∇p/ρ. The domain is periodic
 * in i and j, and has walls without flow (Neumann walls of p) in k. Each step stirs the fluid and
 * lets gravity act on it; there is no advection. Prints max|∇·v| before and after each projection.
 *
 *     cc projection.c -o projection $(pkg-config --cflags --libs hpgmg) -lm
 *     mpirun -n 2 ./projection cpu 32
 *
 * Arguments: backend (auto, cpu or gpu), and cells per side. Velocities are on faces; each rank has
 * planes k of its own, so it needs p of one plane more on either side. Exit status: 0 if every
 * projection leaves less than 1e-6 of the divergence. */
#include <hpgmg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 5 };
#define TWO_PI 6.28318530717958647692
#define TIME_STEP 0.01
#define GRAVITY 9.81

/* A light bubble in a heavy fluid: β = 1/ρ. */
static double specific_volume(double x, double y, double z, void *data)
{
    const double r = sqrt((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) + (z - 0.4) * (z - 0.4));
    (void)data;
    return 1.0 / (5.5 + 4.5 * tanh(20.0 * (r - 0.2)));
}

/* --- this rank's planes
 * ---------------------------------------------------------------------------
 */

/* n×n cells in planes first … first + planes − 1. v[d] is on low faces in direction d: n·n values
 * per plane, and of v[2] one plane more. p has the planes next to these as well, where there are
 * any. */
struct slab {
    int n, first, planes;
    int below; /* 1 if p has a plane below the first one, else 0 */
    double h, *v[3], *p, *f;
};

static double *array(size_t length)
{
    double *x = calloc(length, sizeof *x);
    if (x)
        return x;
    fprintf(stderr, "projection: no memory\n");
    exit(1);
}

static struct slab slab_create(int n, int rank, int ranks)
{
    struct slab s = {.n = n, .first = n * rank / ranks, .h = 1.0 / n};
    const size_t plane = (size_t)n * (size_t)n;
    s.planes = n * (rank + 1) / ranks - s.first;
    s.below = s.first > 0;
    for (int d = 0; d < 3; d++)
        s.v[d] = array(plane * (size_t)(s.planes + 1));
    s.p = array(plane * (size_t)(s.planes + 2));
    s.f = array(plane * (size_t)s.planes);
    return s;
}

static void slab_release(struct slab *s)
{
    for (int d = 0; d < 3; d++)
        free(s->v[d]);
    free(s->p);
    free(s->f);
}

/* Of cell (i,j) in plane k, 0 <= k; i and j are periodic. */
static size_t at(const struct slab *s, int i, int j, int k)
{
    const int n = s->n;
    return (size_t)((i + n) % n) + (size_t)n * ((size_t)((j + n) % n) + (size_t)n * (size_t)k);
}

/* --- velocities
 * ----------------------------------------------------------------------------------- */

/* Adds Δt times the forces to v. The walls let no fluid through. */
static void accelerate(struct slab *s, int step)
{
    for (int k = 0; k <= s->planes; k++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < s->n; i++) {
                const double x = TWO_PI * s->h * i, y = TWO_PI * s->h * j,
                             z = TWO_PI * s->h * (s->first + k);
                const size_t cell = at(s, i, j, k);
                const int on_wall = s->first + k == 0 || s->first + k == s->n;
                s->v[0][cell] += TIME_STEP * sin(x + step) * cos(z);
                s->v[1][cell] += TIME_STEP * cos(x) * sin(2.0 * y) * cos(z + step);
                s->v[2][cell] += on_wall ? 0.0 : TIME_STEP * (sin(y) - GRAVITY);
            }
}

/* f = −(∇·v)/Δt; returns max|∇·v|. */
static double divergence(struct slab *s)
{
    double most = 0.0;
    for (int k = 0; k < s->planes; k++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < s->n; i++) {
                const size_t cell = at(s, i, j, k);
                const double sum = s->v[0][at(s, i + 1, j, k)] - s->v[0][cell] +
                                   s->v[1][at(s, i, j + 1, k)] - s->v[1][cell] +
                                   s->v[2][at(s, i, j, k + 1)] - s->v[2][cell];
                s->f[cell] = -sum / s->h / TIME_STEP;
                most = fmax(most, fabs(sum / s->h));
            }
#if HPGMG_MPI
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
    return most;
}

/* v −= Δt ∇p/ρ, with 1/ρ in the middle of faces, as the solver has it to order 2. */
static void correct(struct slab *s)
{
    for (int k = 0; k <= s->planes; k++)
        for (int j = 0; j < s->n; j++)
            for (int i = 0; i < s->n; i++) {
                const double x = s->h * i, y = s->h * j, z = s->h * (s->first + k),
                             half = 0.5 * s->h, factor = TIME_STEP / s->h;
                const size_t cell = at(s, i, j, k);
                const double *p = s->p + (size_t)s->below * (size_t)s->n * (size_t)s->n;
                const int on_wall = s->first + k == 0 || s->first + k == s->n;
                if (!on_wall)
                    s->v[2][cell] -= factor * specific_volume(x + half, y + half, z, NULL) *
                                     (p[cell] - (p - (size_t)s->n * (size_t)s->n)[cell]);
                if (k == s->planes)
                    continue;
                s->v[0][cell] -= factor * specific_volume(x, y + half, z + half, NULL) *
                                 (p[cell] - p[at(s, i - 1, j, k)]);
                s->v[1][cell] -= factor * specific_volume(x + half, y, z + half, NULL) *
                                 (p[cell] - p[at(s, i, j - 1, k)]);
            }
}

/* --- a projection
 * --------------------------------------------------------------------------------- */

static void solve(struct hpgmg *solver, struct slab *s, enum hpgmg_start start,
                  struct hpgmg_result *result)
{
    const int above = s->first + s->planes < s->n;
    const struct hpgmg_block f = {.box = {{0, 0, s->first}, {s->n, s->n, s->planes}}, .data = s->f};
    const struct hpgmg_block p = {
        .box = {{0, 0, s->first - s->below}, {s->n, s->n, s->planes + s->below + above}},
        .data = s->p};
    hpgmg_check(hpgmg_set(solver, HPGMG_F, 1, &f));
    hpgmg_check(hpgmg_solve(solver, start, result));
    hpgmg_check(hpgmg_get(solver, HPGMG_U, 1, &p));
}

/* 1 if all steps end without divergence. */
static int run(struct hpgmg *solver, struct slab *s, int rank)
{
    int good = 1;
    for (int step = 0; step < STEPS; step++) {
        struct hpgmg_result result;
        accelerate(s, step);
        const double before = divergence(s);
        solve(solver, s, step ? HPGMG_FROM_GUESS : HPGMG_FROM_ZERO, &result);
        correct(s);
        const double after = divergence(s);
        good = good && after < 1e-6 * before;
        if (rank == 0)
            printf("step %d: max|div v| %.3e before, %.3e after %d cycles\n", step, before, after,
                   result.cycles);
    }
    return good;
}

int main(int argc, char **argv)
{
    const char *backend = argc > 1 ? argv[1] : "auto";
    const char *options[] = {
        "boundary", "periodic,periodic,neumann", "backend", backend, "rtol", "1e-9", NULL};
    const int n = argc > 2 ? atoi(argv[2]) : 32;
    int rank = 0, ranks = 1;
#if HPGMG_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
    struct hpgmg *solver;
    hpgmg_check(hpgmg_create(&solver, HPGMG_COMM_WORLD, (const int[3]){n, n, n},
                             (const double[3]){1.0, 1.0, 1.0}, options));
    for (int field = HPGMG_BETA_I; field <= HPGMG_BETA_K; field++)
        hpgmg_check(hpgmg_set_function(solver, (enum hpgmg_field)field, specific_volume, NULL));
    struct slab s = slab_create(n, rank, ranks);
    const int good = run(solver, &s, rank);
    slab_release(&s);
    hpgmg_check(hpgmg_destroy(&solver));
#if HPGMG_MPI
    MPI_Finalize();
#endif
    return good ? 0 : 1;
}
