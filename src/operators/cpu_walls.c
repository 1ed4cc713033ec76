/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored Dirichlet ghosts. Each is filled as soon as the cells that it follows from are done. */
#include "operators/boundary.h"
#include "operators/cpu.h"

#define INLINE static inline __attribute__((always_inline))

/* Ghosts beyond a wall for `count` neighbouring columns. x points at the cell next to the wall in
 * the first column. `inward` is the stride away from the wall. */
INLINE void extrapolate(double *x, long inward, int rule, int layers, int count)
{
    const long s = inward;
    for (int layer = 0; layer < layers; layer++) {
        double *ghost = x - (layer + 1) * s;
#pragma omp simd
        for (int c = 0; c < count; c++) {
            const double v[4] = {x[c], rule > 1 ? x[c + s] : 0.0, rule > 2 ? x[c + 2 * s] : 0.0,
                                 rule > 2 ? x[c + 3 * s] : 0.0};
            ghost[c] = wall_ghost(rule, layer, v);
        }
    }
}

/* The rows or planes beyond the walls of direction d that hold values too. */
static struct range with_ghosts(const struct patch *p, int d, int layers, int extent)
{
    return (struct range){-(p->wall[d][0] ? layers : extent),
                          p->n[d] + (p->wall[d][1] ? layers : extent)};
}

static bool contains(struct range r, int x)
{
    return r.low <= x && x < r.high;
}

/* Ghosts beyond a wall in j or k, over all of i. x is the row next to the wall. */
INLINE void extrapolate_row(const struct patch *p, double *x, long inward, int rule, int layers,
                            int extent)
{
    const struct range i = with_ghosts(p, 0, layers, extent);
    extrapolate(x + i.low, inward, rule, layers, i.high - i.low);
}

INLINE void after_rows(const struct patch *p, double *x, int rule, int layers, int extent,
                       struct range rows, struct range planes)
{
    const bool low = p->wall[1][0] && contains(rows, rule - 1),
               high = p->wall[1][1] && contains(rows, p->n[1] - 1);
    for (int k = planes.low; k < planes.high; k++) {
        double *plane = x + k * p->sk;
        for (int j = rows.low; j < rows.high && p->wall[0][0]; j++)
            extrapolate(plane + j * p->sj, 1, rule, layers, 1);
        for (int j = rows.low; j < rows.high && p->wall[0][1]; j++)
            extrapolate(plane + j * p->sj + p->n[0] - 1, -1, rule, layers, 1);
        if (low)
            extrapolate_row(p, plane, p->sj, rule, layers, extent);
        if (high)
            extrapolate_row(p, plane + (p->n[1] - 1) * p->sj, -p->sj, rule, layers, extent);
    }
}

INLINE void after_planes(const struct patch *p, double *x, int rule, int layers, int extent,
                         struct range rows, struct range planes)
{
    const struct range all = with_ghosts(p, 1, layers, extent);
    const int first = p->wall[1][0] && contains(rows, rule - 1) ? all.low : rows.low,
              end = p->wall[1][1] && contains(rows, p->n[1] - 1) ? all.high : rows.high;
    if (p->wall[2][0] && contains(planes, rule - 1))
        for (int j = first; j < end; j++)
            extrapolate_row(p, x + j * p->sj, p->sk, rule, layers, extent);
    if (p->wall[2][1] && contains(planes, p->n[2] - 1))
        for (int j = first; j < end; j++)
            extrapolate_row(p, x + j * p->sj + (p->n[2] - 1) * p->sk, -p->sk, rule, layers, extent);
}

/* Calls `fill` with rule and layers as constants. */
#define BY_RULE(fill, ...)                                                                         \
    do {                                                                                           \
        if (layers == 1)                                                                           \
            BY_RULE_OF_LAYERS(fill, 1, __VA_ARGS__);                                               \
        else                                                                                       \
            BY_RULE_OF_LAYERS(fill, 2, __VA_ARGS__);                                               \
    } while (0)
#define BY_RULE_OF_LAYERS(fill, layers, ...)                                                       \
    do {                                                                                           \
        if (rule == 1)                                                                             \
            fill(p, x, 1, layers, __VA_ARGS__);                                                    \
        else if (rule == 2)                                                                        \
            fill(p, x, 2, layers, __VA_ARGS__);                                                    \
        else                                                                                       \
            fill(p, x, 4, layers, __VA_ARGS__);                                                    \
    } while (0)

void walls_after_rows(const struct patch *p, double *x, int rule, int layers, int extent,
                      struct range rows, struct range planes)
{
    BY_RULE(after_rows, extent, rows, planes);
}

void walls_after_planes(const struct patch *p, double *x, int rule, int layers, int extent,
                        struct range rows, struct range planes)
{
    BY_RULE(after_planes, extent, rows, planes);
}

/* Rows or planes with ghosts beyond the sides of direction d that are no walls. */
static struct range beyond_open_sides(const struct level *level, const struct patch *p, int d)
{
    return with_ghosts(p, d, 0, level->ghosts);
}

static void fill_patch(const struct level *level, const struct patch *p, double *x, int rule,
                       int layers)
{
    const struct range rows = beyond_open_sides(level, p, 1),
                       planes = beyond_open_sides(level, p, 2);
    const int threads = cpu_threads((long)p->n[1] * p->n[2]);
    if (threads == 1) {
        walls_after_rows(p, x, rule, layers, level->ghosts, rows, planes);
        walls_after_planes(p, x, rule, layers, level->ghosts, rows, planes);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int k = planes.low; k < planes.high; k++)
            walls_after_rows(p, x, rule, layers, level->ghosts, rows, (struct range){k, k + 1});
#pragma omp for schedule(static)
        for (int j = rows.low; j < rows.high; j++)
            walls_after_planes(p, x, rule, layers, level->ghosts, (struct range){j, j + 1}, planes);
    }
}

void walls_fill(const struct level *level, enum field field, int rule, int layers)
{
    for (int q = 0; q < level->npatches; q++)
        fill_patch(level, &level->patches[q], patch_cells(level, &level->patches[q], field), rule,
                   layers);
}
