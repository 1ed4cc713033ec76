/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies cuboids of cells between fields and messages of either precision. */
#include <string.h>
#include "cpu/halves.h"
#include "cpu/operations.h"

/* From the copy's first cell of a row to cell `i` after it. */
static long place(bool halves, int first, int i, long sj)
{
    return halves ? half_place(first + i, sj) - first : i;
}

typedef void copy_planes_fn(const struct copy_list *list, const struct copy *x, const void *from,
                            void *to, int low, int high);

/* A row with one or both ends in halves is copied in two parts: cells with even i after the first
 * one, then the others. */
struct part {
    long from, to; /* from the copy's first cell in the row */
    int from_step, to_step, count;
};

static struct part part_of(const struct copy_list *list, const struct copy *x, int odd)
{
    if (!list->own_from && !list->own_to)
        return (struct part){0, 0, 1, 1, x->n[0]};
    return (struct part){place(list->own_from, x->from_i, odd, x->from_sj),
                         place(list->own_to, x->to_i, odd, x->to_sj), list->own_from ? 1 : 2,
                         list->own_to ? 1 : 2, (x->n[0] + 1 - odd) / 2};
}

/* Planes [low, high) of a copy between fields or messages of these types. Short rows, as of ghost
 * layers in i, and those with steps are copied in a loop: a call would take longer. */
enum { SHORT = 4 };
#define COPY_PLANES(name, FROM, TO, value)                                                         \
    static void name(const struct copy_list *list, const struct copy *x, const void *from_field,   \
                     void *to_field, int low, int high)                                            \
    {                                                                                              \
        const double factor = list->factor;                                                        \
        const int parts = list->own_from || list->own_to ? 2 : 1;                                  \
        (void)factor;                                                                              \
        for (int odd = 0; odd < parts; odd++) {                                                    \
            const struct part p = part_of(list, x, odd);                                           \
            const bool whole = sizeof(FROM) == sizeof(TO) && parts == 1 && p.count > SHORT;        \
            for (int k = low; k < high; k++) {                                                     \
                const FROM *from = (const FROM *)from_field + x->from + k * x->from_sk + p.from;   \
                TO *to = (TO *)to_field + x->to + k * x->to_sk + p.to;                             \
                for (int j = 0; j < x->n[1]; j++, from += x->from_sj, to += x->to_sj) {            \
                    for (int i = 0; !whole && i < p.count; i++) {                                  \
                        const FROM cell = from[i * p.from_step];                                   \
                        to[i * p.to_step] = (TO)(value);                                           \
                    }                                                                              \
                    if (whole)                                                                     \
                        memcpy(to, from, (size_t)p.count * sizeof *to);                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
COPY_PLANES(copy_double, double, double, cell)
COPY_PLANES(copy_single, float, float, cell)
COPY_PLANES(widen, float, double, (factor * (double)cell))
COPY_PLANES(narrow, double, float, (factor * cell))

static copy_planes_fn *planes_of(const struct copy_list *list)
{
    static copy_planes_fn *const planes[2][2] = {{copy_double, narrow}, {widen, copy_single}};
    return planes[list->from_single][list->to_single];
}

/* One thread works without a parallel region, whose start and end take a microsecond even then. */
void cpu_copy_cells(const struct copy_list *list, const void *from, void *to)
{
    copy_planes_fn *copy_planes = planes_of(list);
    for (int c = 0; c < list->count; c++) {
        const struct copy *x = &list->copies[c];
        const int threads = cpu_threads(copy_cells(x));
        if (threads == 1) {
            copy_planes(list, x, from, to, 0, x->n[2]);
            continue;
        }
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int k = 0; k < x->n[2]; k++)
            copy_planes(list, x, from, to, k, k + 1);
    }
}
