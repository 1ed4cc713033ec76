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
#pragma omp simd
    for (int c = 0; c < count; c++) {
        const double x1 = x[c], x2 = rule > 1 ? x[c + s] : 0.0;
        const double x3 = rule > 2 ? x[c + 2 * s] : 0.0, x4 = rule > 2 ? x[c + 3 * s] : 0.0;
        x[c - s] = rule == 4   ? wall_quartic(x1, x2, x3, x4)
                   : rule == 2 ? wall_quadratic(x1, x2)
                               : wall_linear(x1);
        if (layers > 1)
            x[c - 2 * s] = rule == 4 ? wall_quartic_second(x1, x2, x3, x4) : 0.0;
    }
}

/* The same for any number of columns, apart, so that short rows pay nothing for it. */
static __attribute__((noinline)) void extrapolate_many(double *x, long inward, int rule, int layers,
                                                       int count)
{
    if (rule == 4 && layers == 2)
        extrapolate(x, inward, 4, 2, count);
    else if (rule == 2 && layers == 1)
        extrapolate(x, inward, 2, 1, count);
    else
        extrapolate(x, inward, rule, layers, count);
}

/* Ghosts beyond a wall in j or k, over the cells i of a row of n cells. x points at cell 0 of the
 * row next to the wall. The rows of small levels have lengths that are constants. */
INLINE void extrapolate_row(double *x, long inward, int rule, int layers, int n, struct range i)
{
    if (n == 16)
        extrapolate(x, inward, rule, layers, 16);
    else if (n == 8)
        extrapolate(x, inward, rule, layers, 8);
    else if (n == 4)
        extrapolate(x, inward, rule, layers, 4);
    else if (n == 2)
        extrapolate(x, inward, rule, layers, 2);
    else
        extrapolate_many(x, inward, rule, layers, n);
    for (int beside = i.low; beside < 0; beside++)
        extrapolate(x + beside, inward, rule, layers, 1);
    for (int beside = n; beside < i.high; beside++)
        extrapolate(x + beside, inward, rule, layers, 1);
}

/* The cells of direction d, with ghosts: `beside` layers beyond walls, `extent` beyond other sides.
 */
static struct range with_ghosts(const struct patch *p, int d, int beside, int extent)
{
    return (struct range){-(p->wall[d][0] ? beside : extent),
                          p->n[d] + (p->wall[d][1] ? beside : extent)};
}

static bool contains(struct range r, int x)
{
    return r.low <= x && x < r.high;
}

INLINE void after_rows(const struct patch *p, double *x, const struct walls *w, int rule,
                       int layers, struct range rows, struct range planes)
{
    const struct range i = with_ghosts(p, 0, w->beside, w->extent);
    const bool low = p->wall[1][0] && contains(rows, rule - 1),
               high = p->wall[1][1] && contains(rows, p->n[1] - 1);
    for (int k = planes.low; k < planes.high; k++) {
        double *plane = x + k * p->sk;
        for (int j = rows.low; j < rows.high; j++) {
            if (p->wall[0][0])
                extrapolate(plane + j * p->sj, 1, rule, layers, 1);
            if (p->wall[0][1])
                extrapolate(plane + j * p->sj + p->n[0] - 1, -1, rule, layers, 1);
        }
        if (low)
            extrapolate_row(plane, p->sj, rule, layers, p->n[0], i);
        if (high)
            extrapolate_row(plane + (p->n[1] - 1) * p->sj, -p->sj, rule, layers, p->n[0], i);
    }
}

INLINE void after_planes(const struct patch *p, double *x, const struct walls *w, int rule,
                         int layers, struct range rows, struct range planes)
{
    const struct range i = with_ghosts(p, 0, w->beside, w->extent),
                       all = with_ghosts(p, 1, w->beside, w->extent);
    const int first = p->wall[1][0] && contains(rows, rule - 1) ? all.low : rows.low,
              end = p->wall[1][1] && contains(rows, p->n[1] - 1) ? all.high : rows.high;
    if (p->wall[2][0] && contains(planes, rule - 1))
        for (int j = first; j < end; j++)
            extrapolate_row(x + j * p->sj, p->sk, rule, layers, p->n[0], i);
    if (p->wall[2][1] && contains(planes, p->n[2] - 1))
        for (int j = first; j < end; j++)
            extrapolate_row(x + j * p->sj + (p->n[2] - 1) * p->sk, -p->sk, rule, layers, p->n[0],
                            i);
}

/* Calls `fill` with rule and layers as constants. */
#define BY_RULE(fill, layers)                                                                      \
    do {                                                                                           \
        if (w->rule == 1)                                                                          \
            fill(p, x, w, 1, layers, rows, planes);                                                \
        else if (w->rule == 2)                                                                     \
            fill(p, x, w, 2, layers, rows, planes);                                                \
        else                                                                                       \
            fill(p, x, w, 4, layers, rows, planes);                                                \
    } while (0)

void walls_after_rows(const struct patch *p, double *x, const struct walls *w, struct range rows,
                      struct range planes)
{
    if (w->layers == 1)
        BY_RULE(after_rows, 1);
    else
        BY_RULE(after_rows, 2);
}

void walls_after_planes(const struct patch *p, double *x, const struct walls *w, struct range rows,
                        struct range planes)
{
    if (w->layers == 1)
        BY_RULE(after_planes, 1);
    else
        BY_RULE(after_planes, 2);
}

static void fill_patch(const struct patch *p, double *x, const struct walls *w)
{
    const struct range rows = with_ghosts(p, 1, 0, w->extent),
                       planes = with_ghosts(p, 2, 0, w->extent);
    const int threads = cpu_threads((long)p->n[1] * p->n[2]);
    if (threads == 1) {
        walls_after_rows(p, x, w, rows, planes);
        walls_after_planes(p, x, w, rows, planes);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (int k = planes.low; k < planes.high; k++)
            walls_after_rows(p, x, w, rows, (struct range){k, k + 1});
#pragma omp for schedule(static)
        for (int j = rows.low; j < rows.high; j++)
            walls_after_planes(p, x, w, (struct range){j, j + 1}, planes);
    }
}

void walls_fill(const struct level *level, enum field field, int rule, int layers)
{
    const struct walls w = {rule, layers, layers, level->ghosts};
    for (int q = 0; q < level->npatches; q++)
        fill_patch(&level->patches[q], patch_cells(level, &level->patches[q], field), &w);
}
