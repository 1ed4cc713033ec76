/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored Dirichlet ghosts. Each is filled as soon as the cells that it follows from are done. */
#include "operators/boundary.h"
#include "operators/cpu.h"

/* Ghosts beyond a wall for `count` neighbouring columns. x points at the cell next to the wall in
 * the first column. `inward` is the stride away from the wall. */
static void extrapolate(double *x, long inward, int rule, int layers, int count)
{
    const long s = inward;
    if (rule == 1) {
        for (int c = 0; c < count; c++)
            x[c - s] = wall_linear(x[c]);
    } else if (rule == 2) {
#pragma omp simd
        for (int c = 0; c < count; c++)
            x[c - s] = wall_quadratic(x[c], x[c + s]);
    } else {
#pragma omp simd
        for (int c = 0; c < count; c++)
            x[c - s] = wall_quartic(x[c], x[c + s], x[c + 2 * s], x[c + 3 * s]);
    }
    if (layers < 2)
        return;
    if (rule == 4) {
#pragma omp simd
        for (int c = 0; c < count; c++)
            x[c - 2 * s] = wall_quartic_second(x[c], x[c + s], x[c + 2 * s], x[c + 3 * s]);
    } else {
        for (int c = 0; c < count; c++)
            x[c - 2 * s] = 0.0;
    }
}

/* Cells of direction d that hold values once its walls are filled: from -low to n + high. */
static int valid_low(const struct patch *p, int d, int layers, int extent)
{
    return p->wall[d][0] ? layers : extent;
}

static int valid_high(const struct patch *p, int d, int layers, int extent)
{
    return p->wall[d][1] ? layers : extent;
}

/* Ghost rows beyond a wall in j or k, over all of i. x is the row next to the wall. */
static void extrapolate_row(const struct patch *p, double *x, long inward, int rule, int layers,
                            int extent)
{
    const int low = valid_low(p, 0, layers, extent), high = valid_high(p, 0, layers, extent);
    extrapolate(x - low, inward, rule, layers, p->n[0] + low + high);
}

void walls_after_row(const struct patch *p, double *x, int rule, int layers, int extent, int j,
                     int k)
{
    double *row = x + j * p->sj + k * p->sk;
    if (p->wall[0][0])
        extrapolate(row, 1, rule, layers, 1);
    if (p->wall[0][1])
        extrapolate(row + p->n[0] - 1, -1, rule, layers, 1);
    if (p->wall[1][0] && j == rule - 1)
        extrapolate_row(p, x + k * p->sk, p->sj, rule, layers, extent);
    if (p->wall[1][1] && j == p->n[1] - 1)
        extrapolate_row(p, row, -p->sj, rule, layers, extent);
}

/* Row j of the ghost planes, and the ghost rows in j that follow from it. */
static void extrapolate_plane_row(const struct patch *p, double *plane, long inward, int rule,
                                  int layers, int extent, int j)
{
    int first = j, last = j;
    if (p->wall[1][0] && j == rule - 1)
        first = -layers;
    if (p->wall[1][1] && j == p->n[1] - 1)
        last = j + layers;
    if (first < 0)
        for (int ghost = first; ghost < 0; ghost++)
            extrapolate_row(p, plane + ghost * p->sj, inward, rule, layers, extent);
    for (int row = j; row <= last; row++)
        extrapolate_row(p, plane + row * p->sj, inward, rule, layers, extent);
}

void walls_after_plane(const struct patch *p, double *x, int rule, int layers, int extent, int j,
                       int k)
{
    if (p->wall[2][0] && k == rule - 1)
        extrapolate_plane_row(p, x, p->sk, rule, layers, extent, j);
    if (p->wall[2][1] && k == p->n[2] - 1)
        extrapolate_plane_row(p, x + k * p->sk, -p->sk, rule, layers, extent, j);
}

void walls_fill(const struct level *level, enum field field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        double *x = patch_cells(level, p, field);
        const int extent = level->ghosts;
        const int low_j = p->wall[1][0] ? 0 : -extent,
                  high_j = p->n[1] + (p->wall[1][1] ? 0 : extent);
        const int low_k = p->wall[2][0] ? 0 : -extent,
                  high_k = p->n[2] + (p->wall[2][1] ? 0 : extent);
        const int threads = cpu_threads((long)p->n[1] * p->n[2]);
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
#pragma omp for schedule(static)
            for (int k = low_k; k < high_k; k++)
                for (int j = low_j; j < high_j; j++)
                    walls_after_row(p, x, rule, layers, extent, j, k);
#pragma omp for schedule(static)
            for (int j = low_j; j < high_j; j++)
                for (int k = low_k; k < high_k; k++)
                    walls_after_plane(p, x, rule, layers, extent, j, k);
        }
    }
}
