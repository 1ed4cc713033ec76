/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/pool.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "cuda/cuda.h"
#include "lab/cache.h"
#include "lab/gpu.h"

enum { GRAIN = 4096, SLACK = STRIDE, ARRAYS = INPUTS + 1, CEILING_SAMPLES = 5 };
static const long MIB = 1024 * 1024;
static const long GPU_ARRAY_MIB = 256, CACHE_BYTES = 16 * 1024 * 1024;

static double available_bytes(const struct backend *backend)
{
    return backend->on_device ? (double)cuda_device()->free_bytes
                              : (double)memory_available_bytes();
}

/* Three times the last-level cache. All arrays with the copy take at most half of the memory. */
static long chosen_mib(const struct backend *backend)
{
    const long of_cpu = 3 * cache_bytes(omp_get_max_threads()) / MIB;
    long mib = backend->on_device ? GPU_ARRAY_MIB : of_cpu < 16 ? 16 : of_cpu;
    const double available = available_bytes(backend), limit = available / 2 / (ARRAYS + 1);
    if (available > 0 && (double)mib * (double)MIB > limit)
        mib = limit < (double)MIB ? 1 : (long)(limit / (double)MIB);
    return mib;
}

static bool fits(const struct backend *backend, long array_mib, char *message, int size)
{
    const double needed = (double)(ARRAYS + 1) * (double)array_mib * (double)MIB;
    const double available = available_bytes(backend);
    if (available == 0.0 || needed <= available)
        return true;
    snprintf(message, (size_t)size,
             "--array-mib: %d arrays of %ld MiB need %.0f bytes, %.0f are available", ARRAYS + 1,
             array_mib, needed, available);
    return false;
}

/* Of host memory to and from which the backend copies fast. */
static const struct backend *host_of(const struct backend *backend)
{
    return backend->staging ? backend->staging : backend;
}

static void fill_inputs(struct pool *pool)
{
    for (int array = 0; array < INPUTS; array++) {
#pragma omp parallel for schedule(static)
        for (long x = 0; x < pool->n + SLACK; x++)
            pool->copy[x] = input_value(array, x);
        pool->backend->upload(pool->in[array], pool->copy, pool->n + SLACK);
    }
}

bool pool_create(struct pool *pool, const struct backend *backend, long array_mib, char *message,
                 int message_size)
{
    const long mib = array_mib > 0 ? array_mib : chosen_mib(backend);
    const long cache = backend->on_device ? gpu_cache_bytes() : cache_bytes(omp_get_max_threads());
    const long in_cache = cache / 2 < CACHE_BYTES ? cache / 2 : CACHE_BYTES;
    if (!fits(backend, mib, message, message_size))
        return false;
    memset(pool, 0, sizeof *pool);
    pool->backend = backend;
    pool->n = mib * MIB / (long)sizeof(double) / GRAIN * GRAIN;
    pool->cache_n = in_cache / (long)sizeof(double) / GRAIN * GRAIN;
    pool->cache_n = pool->cache_n < pool->n ? pool->cache_n : pool->n;
    pool->block = backend->allocate(ARRAYS * (pool->n + SLACK), "arrays");
    for (int array = 0; array < ARRAYS; array++) {
        double *start = pool->block + array * (pool->n + SLACK);
        if (array < INPUTS)
            pool->in[array] = start;
        else
            pool->out = start;
    }
    pool->copy = host_of(backend)->allocate(pool->n + SLACK, "a copy");
    for (int side = 0; side < 2 && backend->on_device; side++)
        pool->pinned[side] = host_of(backend)->allocate(pool->n, "transfers");
    fill_inputs(pool);
    if (pool->pinned[0])
        backend->download(pool->in[0], pool->pinned[0], pool->n);
    return true;
}

void pool_destroy(struct pool *pool)
{
    for (int side = 0; side < 2 && pool->pinned[side]; side++)
        host_of(pool->backend)->release(pool->pinned[side]);
    host_of(pool->backend)->release(pool->copy);
    pool->backend->release(pool->block);
}

/* Doubles of an array that take part. */
static long doubles_of(const struct pool *pool, const struct machine_row *row)
{
    switch (row->work) {
    case WORK_CACHE_READ:
        return pool->cache_n;
    case WORK_SHARED_READ:
        return SHARED_DOUBLES;
    case WORK_CACHE_COPY: /* two arrays */
        return pool->cache_n / 2;
    case WORK_TO_DEVICE:
    case WORK_TO_HOST:
        return row->a == 1 ? 1 : pool->n;
    default:
        return pool->n;
    }
}

struct experiment pool_experiment(const struct pool *pool, const struct machine_row *row)
{
    struct experiment e = {.work = row->work, .a = row->a, .b = row->b, .value = 1.0};
    e.n = doubles_of(pool, row);
    for (int array = 0; array < INPUTS; array++)
        e.in[array] = pool->in[array];
    e.out = pool->out;
    e.host_in = pool->pinned[0];
    e.host_out = pool->pinned[1];
    return e;
}

static void run(const struct pool *pool, struct experiment *e)
{
    if (pool->backend->on_device)
        machine_run_gpu(e);
    else
        machine_run_cpu(e);
    pool->backend->synchronise();
}

static void poison_host(const struct pool *pool)
{
#pragma omp parallel for schedule(static)
    for (long x = 0; x < pool->n; x++)
        pool->pinned[1][x] = NAN;
}

bool pool_check(const struct pool *pool, struct experiment *e)
{
    struct experiment poison = *e;
    poison.work = WORK_WRITE;
    poison.n = pool->n;
    poison.value = experiment_poison(e);
    run(pool, &poison);
    if (e->work == WORK_TO_HOST)
        poison_host(pool);
    run(pool, e);
    pool->backend->download(pool->out, pool->copy, pool->n);
    return experiment_is_right(e, pool->copy);
}

struct spread pool_time(const struct pool *pool, struct experiment *e, int samples)
{
    return time_work(pool->backend, e->work < WORK_LAUNCH ? TIMED_BY_BACKEND : TIMED_BY_HOST,
                     pool->backend->on_device ? machine_run_gpu : machine_run_cpu, e, samples);
}

/* The highest rate of the experiments of that kind, by what `counted` counts of a run: the best
 * that there is. NaN if there is none here. */
static double best_rate(const struct pool *pool, enum experiment_work work,
                        double (*counted)(const struct experiment *e))
{
    const int where = pool->backend->on_device ? ON_GPU : ON_CPU;
    double best = NAN;
    for (int r = 0; r < machine_row_count; r++) {
        if (machine_rows[r].work != work || !(machine_rows[r].where & where))
            continue;
        struct experiment e = pool_experiment(pool, &machine_rows[r]);
        if (!pool_check(pool, &e))
            die(STATUS_SYSTEM, "the %s experiment gives wrong results", machine_rows[r].name);
        best = fmax(best, counted(&e) / pool_time(pool, &e, CEILING_SAMPLES).min);
    }
    return best;
}

bool ceilings_measure(struct ceilings *c, const struct backend *backend,
                      const struct lab_options *options, char *message, int message_size)
{
    struct pool pool;
    *c = (struct ceilings){NAN, NAN, NAN, NAN, NAN, NAN};
    if (checks_only(options))
        return true;
    if (!pool_create(&pool, backend, options->array_mib, message, message_size))
        return false;
    c->copy_bytes_per_second = best_rate(&pool, WORK_COPY, experiment_bytes);
    c->cache_bytes_per_second = best_rate(&pool, WORK_CACHE_READ, experiment_bytes);
    c->shared_bytes_per_second = best_rate(&pool, WORK_SHARED_READ, experiment_bytes);
    c->fp64_flops_per_second = best_rate(&pool, WORK_PEAK_64, experiment_flops);
    c->fp32_flops_per_second = best_rate(&pool, WORK_PEAK_32, experiment_flops);
    /* A GPU issues no instruction more often than FP32's; a CPU issues others beside them. */
    c->instructions_per_second = backend->on_device ? 0.5 * c->fp32_flops_per_second : NAN;
    pool_destroy(&pool);
    return true;
}
