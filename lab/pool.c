/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/pool.h"
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "cuda/cuda.h"
#include "lab/bodies.h"
#include "lab/gpu.h"
#include "lab/lab.h"

enum { GRAIN = 4096, SLACK = STRIDE, ARRAYS = INPUTS + 1 };
static const long MIB = 1024 * 1024;
static const long GPU_ARRAY_MIB = 256, CACHE_BYTES = 16 * 1024 * 1024;

/* --- a CPU's cache ---------------------------------------------------------------------------- */

/* The first line of a file about cache `index` of the first processor. */
static bool read_line(int index, const char *file, char *line, int size)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, file);
    FILE *in = fopen(path, "r");
    if (!in)
        return false;
    const bool good = fgets(line, size, in) != NULL;
    fclose(in);
    return good;
}

/* "32768K" */
static long bytes_of(const char *text)
{
    long number = 0;
    char unit = ' ';
    sscanf(text, "%ld%c", &number, &unit);
    return number * (unit == 'K' ? 1024L : unit == 'M' ? 1024L * 1024 : 1);
}

/* Ones in a mask of hexadecimal digits. */
static int ones_of(const char *mask)
{
    int ones = 0;
    for (unsigned digit; *mask; mask++)
        if (*mask != ',' && sscanf(mask, "%1x", &digit) == 1)
            ones += __builtin_popcount(digit);
    return ones;
}

/* Bytes of the last caches that all threads reach, as far as the system tells; several where
 * processors share them in groups. 32 MiB if it does not tell. */
static long cpu_cache_bytes(void)
{
    char size[64], mask[4096];
    long bytes = 0;
    int sharing = 1;
    const int threads = omp_get_max_threads();
    for (int index = 0; read_line(index, "size", size, sizeof size); index++) {
        if (bytes_of(size) <= bytes)
            continue;
        bytes = bytes_of(size);
        sharing = read_line(index, "shared_cpu_map", mask, sizeof mask) ? ones_of(mask) : 1;
    }
    if (bytes == 0)
        return 32 * MIB;
    return sharing > 0 ? bytes * ((threads + sharing - 1) / sharing) : bytes;
}

/* --- the arrays ------------------------------------------------------------------------------- */

double pool_available_bytes(const struct backend *backend)
{
    return backend->on_device ? (double)cuda_device()->free_bytes
                              : (double)memory_available_bytes();
}

/* Three times the last-level cache. All arrays with the copy take at most half of the memory. */
static long chosen_mib(const struct backend *backend, long cache_bytes)
{
    const long of_cpu = 3 * cache_bytes / MIB;
    const long mib = backend->on_device ? GPU_ARRAY_MIB : of_cpu < 16 ? 16 : of_cpu;
    const double available = pool_available_bytes(backend), limit = available / 2 / (ARRAYS + 1);
    if (available == 0.0 || (double)mib * (double)MIB <= limit)
        return mib;
    return limit < (double)MIB ? 1 : (long)(limit / (double)MIB);
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
        pool->backend->memory->upload(pool->in[array], pool->copy, pool->n + SLACK);
    }
}

void pool_fill_floats(struct pool *pool)
{
    float *values = (float *)(void *)pool->copy;
#pragma omp parallel for schedule(static)
    for (long x = 0; x < 2 * pool->n; x++)
        values[x] = (float)input_value(3, x);
    pool->backend->memory->upload(pool->in[3], pool->copy, pool->n);
}

static long whole_grains(long bytes)
{
    return bytes / (long)sizeof(double) / GRAIN * GRAIN;
}

enum status pool_create(struct pool *pool, const struct backend *backend, long array_mib)
{
    const long cache = backend->on_device ? gpu_cache_bytes() : cpu_cache_bytes();
    const long mib = array_mib > 0 ? array_mib : chosen_mib(backend, cache);
    const long in_cache = whole_grains(cache / 2 < CACHE_BYTES ? cache / 2 : CACHE_BYTES);
    const double needed = (ARRAYS + 1.0) * (double)mib * (double)MIB;
    const double available = pool_available_bytes(backend);
    if (available > 0.0 && needed > available)
        return refuse(STATUS_MEMORY,
                      "--array-mib: %d arrays of %ld MiB need %.0f bytes, %.0f are available",
                      ARRAYS + 1, mib, needed, available);
    memset(pool, 0, sizeof *pool);
    pool->backend = backend;
    pool->n = whole_grains(mib * MIB);
    pool->cache_n = in_cache < pool->n ? in_cache : pool->n;
    pool->block = backend->memory->allocate(ARRAYS * (pool->n + SLACK), "arrays");
    for (int array = 0; array < INPUTS; array++)
        pool->in[array] = pool->block + array * (pool->n + SLACK);
    pool->out = pool->block + INPUTS * (pool->n + SLACK);
    pool->copy = host_of(backend)->memory->allocate(pool->n + SLACK, "a copy");
    for (int side = 0; side < 2 && backend->on_device; side++)
        pool->pinned[side] = host_of(backend)->memory->allocate(pool->n, "transfers");
    fill_inputs(pool);
    if (pool->pinned[0])
        backend->memory->download(pool->in[0], pool->pinned[0], pool->n);
    return STATUS_VALID;
}

void pool_destroy(struct pool *pool)
{
    for (int side = 0; side < 2 && pool->pinned[side]; side++)
        host_of(pool->backend)->memory->release(pool->pinned[side]);
    host_of(pool->backend)->memory->release(pool->copy);
    pool->backend->memory->release(pool->block);
}
