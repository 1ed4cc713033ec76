/* SPDX-License-Identifier: BSD-3-Clause */
#include "cpu/halves.h"
#include <omp.h>
#include <string.h>
#include "base/memory.h"
#include "cpu/operations.h"

/* Passes on fewer cells take as long as the change of their fields' order. */
enum { MIN_CELLS = 512 };

/* A row's halves with their ghosts begin and end within the row and the ghosts before it. */
static bool fits(const struct level *l, const struct patch *p)
{
    return patch_cells_count(p) > MIN_CELLS && p->sj % 16 == 0 &&
           p->sj / 2 >= (p->n[0] + 1) / 2 + 2 * ((l->ghosts + 1) / 2);
}

bool halves_used(const struct level *l)
{
    if (!l->stencil || !l->stencil->coloured || l->prepared ||
        (l->correction && !halves_used_single(l->correction)))
        return false;
    for (int q = 0; q < l->npatches; q++)
        if (!fits(l, &l->patches[q]))
            return false;
    return true;
}

/* A range of the rows of a field, ghosts included, in memory's order. `last` is the row that is
 * converted last: where ghosts are many, its own halves or ghosts share memory with those of the
 * row after it in one order and with those of the row before it in the other. */
struct rows {
    const struct patch *patch;
    int ghosts;
    real *first; /* cell 0 of the first of all */
    long low, high;
    bool split;
};

static void convert_row(const struct rows *r, real *at, real *copy, bool copied)
{
    const int g = r->ghosts, end = r->patch->n[0] + g;
    const long sj = r->patch->sj;
    if (!copied)
        memcpy(copy - g, at - g, (size_t)(sj + g) * sizeof *at);
    if (r->split)
        row_split(at, sj, copy, -g, end);
    else
        row_join(at, copy, sj, -g, end);
}

/* By the threads of the enclosing parallel region, each from a row that no other thread's rows
 * share memory with to one that has been copied before. */
static void convert_rows(const struct rows *r, real *scratch)
{
    const long sj = r->patch->sj, length = sj + r->ghosts, step = r->split ? -sj : sj;
    real *const last = r->first + (r->split ? r->low : r->high - 1) * sj,
                *const copy = scratch + r->ghosts, *const copy_of_last = copy + length;
    if (r->low < r->high)
        memcpy(copy_of_last - r->ghosts, last - r->ghosts, (size_t)length * sizeof *last);
#pragma omp barrier
    if (r->low == r->high)
        return;
    for (real *at = r->first + (r->split ? r->high - 1 : r->low) * sj; at != last; at += step)
        convert_row(r, at, copy, false);
    convert_row(r, last, copy_of_last, true);
}

static void convert_patch(const struct patch *p, int ghosts, real *field, bool split)
{
    const long rows = (long)(p->n[1] + 2 * ghosts) * (p->n[2] + 2 * ghosts);
    const int threads = cpu_threads(patch_cells_count(p));
    const size_t length = 2 * (size_t)(p->sj + ghosts);
    real *scratch =
        memory_alloc((size_t)threads * length * sizeof *scratch, "rows that change their order");
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const int thread = omp_get_thread_num(), team = omp_get_num_threads();
        const struct rows r = {.patch = p,
                               .ghosts = ghosts,
                               .first = field + p->offset - ghosts * (p->sj + p->sk),
                               .low = rows * thread / team,
                               .high = rows * (thread + 1) / team,
                               .split = split};
        convert_rows(&r, scratch + (size_t)thread * length);
    }
    memory_free(scratch);
}

static void convert(const struct level *l, enum field field, bool split)
{
    for (int q = 0; q < l->npatches; q++)
        convert_patch(&l->patches[q], l->ghosts, l->fields[field], split);
}

void halves_order(const struct level *l, enum field field, bool halves)
{
    if (l->fields[field] && l->own_order[field] != halves)
        convert(l, field, halves);
    l->own_order[field] = halves;
}

void halves_order_coefficients(const struct level *l, bool halves)
{
    for (int c = FIELD_DINV; c <= FIELD_BETA_K; c++)
        halves_order(l, (enum field)c, halves);
}

void halves_restore(const struct level *l, enum field field)
{
    halves_order(l, field, false);
}
