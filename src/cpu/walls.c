/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored ghosts behind walls. Each is filled as soon as the cells that it follows from are done. */
#include "operators/boundary.h"
#include "cpu/operations.h"
#include "cpu/halves.h"

#define INLINE static inline __attribute__((always_inline))

/* Where a column's ghosts beyond a wall and its cells next to it are. */
struct wall_places {
    long ghost[2], cell[MAX_WALL_CELLS];
};

/* Ghosts beyond a wall of one column. */
INLINE void extrapolate(real *x, const struct wall_places *at, struct side_weights side, int cells,
                        int layers)
{
    const real x1 = x[at->cell[0]], x2 = cells > 1 ? x[at->cell[1]] : (real)0.0;
    const real x3 = cells > 2 ? x[at->cell[2]] : (real)0.0,
               x4 = cells > 3 ? x[at->cell[3]] : (real)0.0;
    x[at->ghost[0]] = side_value(&side, cells, 0, x1, x2, x3, x4);
    if (layers > 1)
        x[at->ghost[1]] = side_value(&side, cells, 1, x1, x2, x3, x4);
}

/* The same of `count` neighbouring columns. x points at the cell next to the wall in the first
 * column. `inward` is the stride away from the wall. */
INLINE void extrapolate_row(real *x, long inward, struct side_weights side, int cells, int layers,
                            int count)
{
    const struct wall_places at = {{-inward, -2 * inward}, {0, inward, 2 * inward, 3 * inward}};
#pragma omp simd
    for (int c = 0; c < count; c++)
        extrapolate(x + c, &at, side, cells, layers);
}

/* Calls `fill` with a copy of the weights, which no store changes, and with cells and layers as
 * constants. */
#define BY_RULE(fill, ...)                                                                         \
    do {                                                                                           \
        if (side->cells == WALL_QUARTIC)                                                           \
            fill(*side, WALL_QUARTIC, 2, __VA_ARGS__);                                             \
        else if (side->cells == WALL_QUADRATIC && w->layers == 1)                                  \
            fill(*side, WALL_QUADRATIC, 1, __VA_ARGS__);                                           \
        else if (side->cells == WALL_QUADRATIC)                                                    \
            fill(*side, WALL_QUADRATIC, 2, __VA_ARGS__);                                           \
        else                                                                                       \
            fill(*side, WALL_LINEAR, w->layers, __VA_ARGS__);                                      \
    } while (0)

/* The rows of small levels have lengths that are constants. */
INLINE void row_by(struct side_weights side, int cells, int layers, real *x, long inward, int n,
                   struct range i)
{
    if (n == 16)
        extrapolate_row(x, inward, side, cells, layers, 16);
    else if (n == 8)
        extrapolate_row(x, inward, side, cells, layers, 8);
    else if (n == 4)
        extrapolate_row(x, inward, side, cells, layers, 4);
    else if (n == 2)
        extrapolate_row(x, inward, side, cells, layers, 2);
    else
        extrapolate_row(x, inward, side, cells, layers, n);
    for (int beside = i.low; beside < 0; beside++)
        extrapolate_row(x + beside, inward, side, cells, layers, 1);
    for (int beside = n; beside < i.high; beside++)
        extrapolate_row(x + beside, inward, side, cells, layers, 1);
}

/* Ghosts beyond a wall in j or k, over the cells i of a row of n cells. x points at cell 0 of the
 * row next to the wall. (Inlined, all these loops would be prepared before the rows of a plane.) */
static __attribute__((noinline)) void fill_row(const struct walls *w,
                                               const struct side_weights *side, real *x,
                                               long inward, int n, struct range i)
{
    BY_RULE(row_by, x, inward, n, i);
}

INLINE void column_by(struct side_weights side, int cells, int layers, real *x,
                      const struct wall_places *at, long sj, struct range rows)
{
    for (int j = rows.low; j < rows.high; j++)
        extrapolate(x + j * sj, at, side, cells, layers);
}

/* Ghosts beyond a wall in i next to cell `last`. x points at cell 0 of row 0. */
static __attribute__((noinline)) void fill_column(const struct walls *w,
                                                  const struct side_weights *side, real *x,
                                                  int last, int inward, long sj, struct range rows)
{
    struct wall_places at;
    for (int c = 0; c < MAX_WALL_CELLS; c++)
        at.cell[c] = w->halves ? half_place(last + c * inward, sj) : last + c * inward;
    for (int g = 0; g < 2; g++)
        at.ghost[g] = w->halves ? half_place(last - (g + 1) * inward, sj) : last - (g + 1) * inward;
    BY_RULE(column_by, x, &at, sj, rows);
}

/* Ghosts beyond a wall in j or k next to a row of n cells. */
static void fill_rows(const struct walls *w, const struct side_weights *side, real *x, long inward,
                      int n, long sj, struct range i)
{
    if (!w->halves)
        fill_row(w, side, x, inward, n, i);
    for (int odd = 0; w->halves && odd < 2; odd++)
        fill_row(w, side, x + odd * (sj / 2), inward, half_index(n, odd),
                 (struct range){half_index(i.low, odd), half_index(i.high, odd)});
}

static bool contains(struct range r, int x)
{
    return r.low <= x && x < r.high;
}

void walls_after_rows(const struct patch *p, real *x, const struct walls *w, struct range rows,
                      struct range planes)
{
    const struct range i = with_ghosts(p, 0, w->beside, w->extent);
    const int n = p->n[0], last = p->n[1] - 1;
    const bool low = p->wall[1][0] && contains(rows, w->rule->cells - 1),
               high = p->wall[1][1] && contains(rows, last);
    for (int k = planes.low; k < planes.high; k++) {
        real *plane = x + k * p->sk;
        if (p->wall[0][0])
            fill_column(w, &w->rule->side[0][0], plane, 0, 1, p->sj, rows);
        if (p->wall[0][1])
            fill_column(w, &w->rule->side[0][1], plane, n - 1, -1, p->sj, rows);
        if (low)
            fill_rows(w, &w->rule->side[1][0], plane, p->sj, n, p->sj, i);
        if (high)
            fill_rows(w, &w->rule->side[1][1], plane + last * p->sj, -p->sj, n, p->sj, i);
    }
}

void walls_after_planes(const struct patch *p, real *x, const struct walls *w, struct range rows,
                        struct range planes)
{
    const struct range i = with_ghosts(p, 0, w->beside, w->extent),
                       all = with_ghosts(p, 1, w->beside, w->extent);
    const int n = p->n[0], last = p->n[2] - 1;
    const int first = p->wall[1][0] && contains(rows, w->rule->cells - 1) ? all.low : rows.low,
              end = p->wall[1][1] && contains(rows, p->n[1] - 1) ? all.high : rows.high;
    const bool low = p->wall[2][0] && contains(planes, w->rule->cells - 1),
               high = p->wall[2][1] && contains(planes, last);
    for (int j = first; j < end && low; j++)
        fill_rows(w, &w->rule->side[2][0], x + j * p->sj, p->sk, n, p->sj, i);
    for (int j = first; j < end && high; j++)
        fill_rows(w, &w->rule->side[2][1], x + j * p->sj + last * p->sk, -p->sk, n, p->sj, i);
}

static void fill_patch(const struct patch *p, real *x, const struct walls *w)
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

static void fill_level(const struct level *level, enum field field, const struct walls *w)
{
    for (int q = 0; q < level->npatches; q++)
        fill_patch(&level->patches[q], cpu_cells(level, &level->patches[q], field), w);
}

void walls_fill(const struct level *level, enum field field, const struct wall_weights *rule,
                int layers)
{
    const struct walls w = {rule, layers, layers, level->ghosts, level->own_order[field]};
    fill_level(level, field, &w);
}

void cpu_fill_ghosts(const struct pass *pass)
{
    const struct stencil *s = pass->level->stencil;
    const int extent = pass->level->connected ? pass_operations(pass) * s->radius : 0;
    const struct walls w = walls_around(s, extent, pass->level->own_order[pass_reads(pass)]);
    fill_level(pass->level, pass_reads(pass), &w);
}
