/* SPDX-License-Identifier: BSD-3-Clause */
/* The CPU backend's tables: plain loops, and tiled loops that keep a pass in cache. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/halves.h"
#include "cpu/operations.h"
#include "operators/traffic.h"

/* Rows of several fields and planes lie on more pages than the first-level TLB has entries. */
static void use_large_pages(double *data, long length)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 1u << 21;
    const uintptr_t begin = ((uintptr_t)data + page - 1) & -page,
                    end = (uintptr_t)(data + length) & -page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)data, (void)length;
#endif
}

/* All threads zero equal pieces, so that on a NUMA machine each piece lies next to the thread that
 * will sweep that part of the box. */
static double *allocate(long length, const char *what)
{
    double *data = memory_alloc((size_t)length * sizeof *data, what);
    use_large_pages(data, length);
    const int pieces = cpu_max_threads();
#pragma omp parallel for schedule(static, 1)
    for (int piece = 0; piece < pieces; piece++) {
        const long from = length * piece / pieces, to = length * (piece + 1) / pieces;
        memset(data + from, 0, (size_t)(to - from) * sizeof *data);
    }
    return data;
}

static void release(double *data)
{
    memory_free(data);
}

/* Ghost layers in i make short rows, for which a call would take longer than the copy. */
static void copy_row(double *to, const double *from, int n)
{
    enum { SHORT = 4 };
    if (n <= SHORT)
        for (int i = 0; i < n; i++)
            to[i] = from[i];
    else
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* From the copy's first cell of a row to cell `i` after it. */
static long place(bool halves, int first, int i, long sj)
{
    return halves ? half_place(first + i, sj) - first : i;
}

/* A row with one or both ends in halves: cells with even i after the first one, then the others. */
static void copy_halves(const struct copy_list *list, const struct copy *x, double *to,
                        const double *from)
{
    const int from_step = list->own_from ? 1 : 2, to_step = list->own_to ? 1 : 2;
    for (int i = 0; i < 2; i++) {
        const double *source = from + place(list->own_from, x->from_i, i, x->from_sj);
        double *target = to + place(list->own_to, x->to_i, i, x->to_sj);
        for (int m = 0; 2 * m + i < x->n[0]; m++)
            target[m * to_step] = source[m * from_step];
    }
}

static void copy_plane(const struct copy_list *list, const struct copy *x, const double *from,
                       double *to, int k)
{
    for (int j = 0; j < x->n[1]; j++) {
        double *target = to + x->to + j * x->to_sj + k * x->to_sk;
        const double *source = from + x->from + j * x->from_sj + k * x->from_sk;
        if (list->own_from || list->own_to)
            copy_halves(list, x, target, source);
        else
            copy_row(target, source, x->n[0]);
    }
}

/* One thread works without a parallel region, whose start and end take a microsecond even then. */
static void copy(const struct copy_list *list, const double *from, double *to)
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

static void forget(const struct copy_list *list)
{
    (void)list;
}

static void upload(double *field, const double *values, long count)
{
    memcpy(field, values, (size_t)count * sizeof *field);
}

static void download(const double *field, double *values, long count)
{
    memcpy(values, field, (size_t)count * sizeof *field);
}

static void synchronise(void)
{
}

static void run_tiled(const struct pass *pass)
{
    if (colours_fit(pass))
        cpu_run_small(pass);
    else
        cpu_run(pass, traverse_tiled, halves_used(pass->level));
}

static void run_plain(const struct pass *pass)
{
    cpu_run(pass, traverse_plain, false);
}

static void name_tiled(const struct pass *pass, char *text, int size)
{
    (void)pass;
    snprintf(text, (size_t)size, "tiled");
}

static void name_plain(const struct pass *pass, char *text, int size)
{
    (void)pass;
    snprintf(text, (size_t)size, "plain");
}

/* Tiled loops move each array through memory once per pass. */
#define PASSES(loops, count_bytes, prepare_level)                                                  \
    {                                                                                              \
        .run = run_##loops, .fill_ghosts = cpu_fill_ghosts, .kernels = name_##loops,               \
        .bytes = count_bytes, .visit = cpu_visit, .reduce = cpu_reduce, .apply = cpu_apply,        \
        .diagonal = cpu_diagonal, .prepare = prepare_level, .restore = halves_restore,             \
        .restrict_field = cpu_restrict,                                                            \
    }
const struct passes cpu_passes = PASSES(tiled, pass_bytes_once, colours_prepare);
static const struct passes plain_passes = PASSES(plain, pass_bytes_one_by_one, NULL);

enum { ROW_ALIGN = 8 }; /* 64 bytes: one cache line, one AVX-512 register */

static const struct backend_memory memory = {
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .forget = forget,
    .upload = upload,
    .download = download,
    .synchronise = synchronise,
};

const struct backend backend_cpu = {
    .name = "cpu", .row_align = ROW_ALIGN, .memory = &memory, .passes = &cpu_passes};
const struct backend backend_cpu_plain = {
    .name = "cpu", .row_align = ROW_ALIGN, .memory = &memory, .passes = &plain_passes};
