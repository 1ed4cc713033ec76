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
static void use_large_pages(real *data, long length)
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
static real *allocate(long length, const char *what)
{
    real *data = memory_alloc((size_t)length * sizeof *data, what);
    use_large_pages(data, length);
    const int pieces = cpu_max_threads();
#pragma omp parallel for schedule(static, 1)
    for (int piece = 0; piece < pieces; piece++) {
        const long from = length * piece / pieces, to = length * (piece + 1) / pieces;
        memset(data + from, 0, (size_t)(to - from) * sizeof *data);
    }
    return data;
}

static void release(real *data)
{
    memory_free(data);
}

static void forget(const struct copy_list *list)
{
    (void)list;
}

static void upload(real *field, const double *values, long count)
{
    for (long i = 0; i < count; i++)
        field[i] = (real)values[i];
}

static void download(const real *field, double *values, long count)
{
    for (long i = 0; i < count; i++)
        values[i] = (double)field[i];
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

enum { ROW_ALIGN = 64 / sizeof(real) }; /* one cache line, one AVX-512 register */

static const struct backend_memory memory = {
    .allocate = allocate,
    .release = release,
    .copy = cpu_copy_cells,
    .forget = forget,
    .upload = upload,
    .download = download,
    .synchronise = synchronise,
};

/* The same backend for levels of single precision. */
#ifdef SINGLE
#define TWIN(name) NULL
#else
#define TWIN(name) &name##_single
#endif
#define BACKEND(table, twin)                                                                       \
    {                                                                                              \
        .name = "cpu", .real_bytes = sizeof(real), .row_align = ROW_ALIGN, .memory = &memory,      \
        .passes = &(table), .single = (twin),                                                      \
    }
const struct backend backend_cpu = BACKEND(cpu_passes, TWIN(backend_cpu));
const struct backend backend_cpu_plain = BACKEND(plain_passes, TWIN(backend_cpu_plain));
