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

/* Short rows, as of ghost layers in i, and those with steps are copied in a loop: a call would take
 * longer. */
#define COPY_PART(name, FROM, TO, value)                                                           \
    static void name(const FROM *from, TO *to, const struct part *p, double factor)                \
    {                                                                                              \
        (void)factor;                                                                              \
        for (int i = 0; i < p->count; i++)                                                         \
            to[i * p->to_step] = (TO)(value);                                                      \
    }
COPY_PART(copy_double, double, double, from[i * p->from_step])
COPY_PART(copy_single, float, float, from[i * p->from_step])
COPY_PART(widen, float, double, (double)from[i * p->from_step] * factor)
COPY_PART(narrow, double, float, from[i * p->from_step] * factor)

/* `from` and `to` are elements of fields or messages. */
static void copy_row(const struct copy_list *list, const struct copy *x, const void *from_field,
                     void *to_field, long from, long to)
{
    enum { SHORT = 4 };
    const int parts = list->own_from || list->own_to ? 2 : 1;
    for (int odd = 0; odd < parts; odd++) {
        const struct part p = part_of(list, x, odd);
        const double *double_from = (const double *)from_field + from + p.from;
        const float *single_from = (const float *)from_field + from + p.from;
        double *double_to = (double *)to_field + to + p.to;
        float *single_to = (float *)to_field + to + p.to;
        const bool whole = parts == 1 && p.count > SHORT;
        if (list->from_single && list->to_single && whole)
            memcpy(single_to, single_from, (size_t)p.count * sizeof *single_to);
        else if (list->from_single && list->to_single)
            copy_single(single_from, single_to, &p, 1.0);
        else if (list->from_single)
            widen(single_from, double_to, &p, list->factor);
        else if (list->to_single)
            narrow(double_from, single_to, &p, list->factor);
        else if (whole)
            memcpy(double_to, double_from, (size_t)p.count * sizeof *double_to);
        else
            copy_double(double_from, double_to, &p, 1.0);
    }
}

static void copy_plane(const struct copy_list *list, const struct copy *x, const void *from,
                       void *to, int k)
{
    for (int j = 0; j < x->n[1]; j++)
        copy_row(list, x, from, to, x->from + j * x->from_sj + k * x->from_sk,
                 x->to + j * x->to_sj + k * x->to_sk);
}

/* One thread works without a parallel region, whose start and end take a microsecond even then. */
void cpu_copy_cells(const struct copy_list *list, const void *from, void *to)
{
    for (int c = 0; c < list->count; c++) {
        const struct copy *x = &list->copies[c];
        const int threads = cpu_threads(copy_cells(x));
        if (threads == 1) {
            for (int k = 0; k < x->n[2]; k++)
                copy_plane(list, x, from, to, k);
            continue;
        }
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int k = 0; k < x->n[2]; k++)
            copy_plane(list, x, from, to, k);
    }
}
