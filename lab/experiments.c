/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of `machine`, `memory` and `methods`: their list, the arrays that they share, and
 * how a case is checked, timed and reported. */
#include "lab/experiments.h"
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdlib.h>
#include "base/memory.h"
#include "cuda/cuda.h"
#include "lab/bodies.h"

const struct experiment_row experiments[] = {
    {"machine", "memory", ON_BOTH, machine_section, "arrays that no cache holds: copy, read, ..."},
    {"machine", "intensity", ON_BOTH, machine_section, "1 to 256 FMAs per double read and written"},
    {"machine", "peak", ON_BOTH, machine_section, "FMAs in registers, FP64 and FP32"},
    {"machine", "cache", ON_BOTH, machine_section, "arrays that stay in a cache; shared memory"},
    {"machine", "latency", ON_BOTH, machine_section, "launches, barriers, small transfers"},
    {"machine", "transfer", ON_GPU, machine_section, "pinned host memory to the device and back"},

    {"memory", "strides", ON_BOTH, memory_strides,
     "one element of every 1 to 32 read, 1 to 256 FMAs for each"},
    {"memory", "access", ON_BOTH, memory_access,
     "coalesced and uncoalesced reads and writes, and degrees between"},
    {"memory", "alignment", ON_BOTH, memory_alignment,
     "arrays that begin within a sector of memory"},
    {"memory", "records", ON_BOTH, memory_records,
     "records as array of structures and as structure of arrays"},
    {"memory", "copy", ON_BOTH, memory_copy, "copy kernels and the library's copy"},
    {"memory", "host", ON_GPU, memory_host, "pageable, pinned, mapped and managed host memory"},
    {"memory", "points", ON_BOTH, memory_points,
     "a field of points: the kernel alone, and with its transfers"},
    {"memory", "switch", ON_BOTH, memory_switch,
     "a switch for each element, and a kernel for each case"},
    {"memory", "index", ON_BOTH, memory_index,
     "an index kept in a register, and one computed anew"},
    {"memory", "unroll", ON_BOTH, memory_unroll, "loops within a thread, unrolled and not"},
    {"memory", "fusion", ON_BOTH, memory_fusion, "two kernels with an array between them, and one"},

    {"methods", "interpolation", ON_BOTH, methods_interpolation,
     "trilinear and tricubic, by arrays and by textures"},
    {"methods", "convolution", ON_BOTH, methods_convolution,
     "a separable filter, with a rolling buffer of rows"},
    {"methods", "lu", ON_BOTH, methods_lu, "batches of small LU factorisations"},
    {"methods", "masks", ON_BOTH, methods_masks, "loops over the elements that a mask selects"},
    {"methods", "gradients", ON_BOTH, methods_gradients,
     "differences of order 2 and 4, and spectral; stored or used at once"},
    {NULL, NULL, 0, NULL, NULL},
};

/* --- the arrays ------------------------------------------------------------------------------- */

enum { GRAIN = 4096, SLACK = STRIDE, ARRAYS = INPUTS + 1 };
static const long MIB = 1024 * 1024;
static const long GPU_ARRAY_MIB = 256, CACHE_BYTES = 16 * 1024 * 1024;

/* What the system says of cache `index` of the first processor; NULL if there is none. */
static FILE *cache_file(int index, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
    return fopen(path, "r");
}

/* "32768K", and the processors that share it: "0-7,64-71". */
static long read_cache(int index, long *sharing)
{
    FILE *in = cache_file(index, "size");
    long size = 0;
    char unit = ' ';
    if (!in)
        return 0;
    if (fscanf(in, "%ld%c", &size, &unit) < 1)
        size = 0;
    fclose(in);
    *sharing = 0;
    in = cache_file(index, "shared_cpu_list");
    for (int first, last, read; in && (read = fscanf(in, "%d-%d", &first, &last)) >= 1; fgetc(in))
        *sharing += read == 2 ? last - first + 1 : 1;
    if (in)
        fclose(in);
    return size * (unit == 'K' ? 1024 : unit == 'M' ? MIB : 1);
}

/* Bytes of the last caches that all threads reach, as far as the system tells; several where
 * processors share them in groups. 32 MiB if it does not tell. */
static long cpu_cache_bytes(void)
{
    long bytes = 0, sharing = 1, size, by;
    for (int index = 0; (size = read_cache(index, &by)) > 0; index++)
        if (size > bytes) {
            bytes = size;
            sharing = by > 0 ? by : 1;
        }
    return bytes == 0 ? 32 * MIB : bytes * ((omp_get_max_threads() + sharing - 1) / sharing);
}

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
    pool->out = pool->block + INPUTS * (pool->n + SLACK);
    pool->copy = host_of(backend)->memory->allocate(pool->n + SLACK, "a copy");
    for (int side = 0; side < 2 && backend->on_device; side++)
        pool->pinned[side] = host_of(backend)->memory->allocate(pool->n, "transfers");
    for (int array = 0; array < INPUTS; array++) {
        pool->in[array] = pool->block + array * (pool->n + SLACK);
#pragma omp parallel for schedule(static)
        for (long x = 0; x < pool->n + SLACK; x++)
            pool->copy[x] = input_value(array, x);
        backend->memory->upload(pool->in[array], pool->copy, pool->n + SLACK);
    }
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

/* Array 3 as floats. */
static void fill_floats(struct pool *pool)
{
    float *values = (float *)(void *)pool->copy;
#pragma omp parallel for schedule(static)
    for (long x = 0; x < 2 * pool->n; x++)
        values[x] = (float)input_value(3, x);
    pool->backend->memory->upload(pool->in[3], pool->copy, pool->n);
}

/* --- cases ------------------------------------------------------------------------------------ */

bool bench_on_gpu(const struct bench *bench)
{
    return bench->pool.backend->on_device;
}

double bench_moved_by_reads(const struct bench *bench, long stride, int size)
{
    return fmin((double)stride * size, bench->fetch_bytes);
}

double bench_moved_by_writes(const struct bench *bench, long stride, int size)
{
    return stride == 1 ? size : 2.0 * fmin((double)stride * size, bench->sector_bytes);
}

void bench_skip(const char *name, const char *why)
{
    printf("  %-42s not measured: %s\n", name, why);
}

bool bench_has_room(const struct bench *bench, const char *name, double on_backend, double on_host)
{
    const double reserve = 0.9; /* others allocate too */
    const double host = reserve * (double)memory_available_bytes() / sizeof(double);
    const double device = reserve * pool_available_bytes(bench->pool.backend) / sizeof(double) -
                          (double)ARRAYS * (double)bench->pool.n;
    const double in_host = bench_on_gpu(bench) ? on_host : on_backend + on_host;
    const bool fits =
        (host == 0.0 || in_host < host) && (!bench_on_gpu(bench) || on_backend < device);
    if (!fits)
        bench_skip(name, "not that much memory is free");
    return fits;
}

struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n,
                                const char *name, ...)
{
    struct bench_case c = {.elements = (double)n, .results = n};
    struct bench_operands *o = &c.steps[0].o;
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(c.name, sizeof c.name, name, arguments);
    va_end(arguments);
    c.steps[0].kernel = kernel;
    *o = (struct bench_operands){.n = n, .out = bench->pool.out};
    for (int array = 0; array < INPUTS; array++)
        o->in[array] = bench->pool.in[array];
    return c;
}

double bench_expected_copy(const struct bench_operands *o, long x)
{
    (void)o;
    return input_value(0, x);
}

double bench_expected_in_table(const struct bench_operands *o, long x)
{
    return o->table[x % PERIOD];
}

void bench_fill_chain_ends(double *table, int fmas, bool single)
{
    for (int value = 0; value < PERIOD; value++) {
        double x = value;
        for (int step = 0; step < fmas; step++)
            x = single ? (double)fmaf((float)x, (float)CHAIN_C, (float)CHAIN_D)
                       : fma(x, CHAIN_C, CHAIN_D);
        table[value] = x;
    }
}

/* --- running ---------------------------------------------------------------------------------- */

/* Its number of steps. */
static int steps_of(const struct bench_case *c)
{
    int steps = 0;
    while (steps < MAX_STEPS && c->steps[steps].kernel != KERNEL_none)
        steps++;
    return steps;
}

struct running {
    const struct bench_case *c;
    bench_kernel_fn *const *kernels;
};

static void run_steps(void *data)
{
    const struct running *r = data;
    for (int s = 0; s < steps_of(r->c); s++)
        r->kernels[r->c->steps[s].kernel](&r->c->steps[s].o);
}

static struct running running_of(const struct bench *bench, const struct bench_case *c)
{
    return (struct running){c, bench_on_gpu(bench) ? gpu_kernels : cpu_kernels};
}

struct spread bench_time(const struct bench *bench, const struct bench_case *c, int samples)
{
    struct running r = running_of(bench, c);
    return time_work(bench->pool.backend, c->by, run_steps, &r, samples);
}

/* --- checking --------------------------------------------------------------------------------- */

static int bytes_of_result(const struct bench_case *c)
{
    return c->single ? sizeof(float) : sizeof(double);
}

/* Doubles that hold `results` results. */
static long doubles_for(const struct bench_case *c, long results)
{
    return (results * bytes_of_result(c) + (long)sizeof(double) - 1) / (long)sizeof(double);
}

static double *address_of(const struct bench_case *c, long result)
{
    char *start = c->results_at ? (void *)c->results_at : c->steps[steps_of(c) - 1].o.out;
    return (double *)(void *)(start + result * bytes_of_result(c));
}

/* Results come to the host in parts of at most as many doubles as pool.copy has: the results of the
 * part that begins with `first`. */
static long part_from(const struct bench *bench, const struct bench_case *c, long first)
{
    const long most = bench->pool.n * (long)sizeof(double) / bytes_of_result(c);
    return c->results - first < most ? c->results - first : most;
}

/* All bits set is NaN for doubles and for floats. Parts of a sum that nothing writes are 0. */
static void poison(const struct bench *bench, const struct bench_case *c)
{
    const int byte = c->expected ? 0xff : 0;
    memset(bench->pool.copy, byte, (size_t)bench->pool.n * sizeof(double));
    for (long first = 0, count; first < c->results; first += count) {
        count = part_from(bench, c, first);
        if (c->on_host)
            memset(address_of(c, first), byte, (size_t)(count * bytes_of_result(c)));
        else
            bench->pool.backend->memory->upload(address_of(c, first), bench->pool.copy,
                                                doubles_for(c, count));
    }
}

const double fault_value = -12345.678;

/* The place's number; -1 without the variable, 3 if there is no such place. */
static int fault_place(void)
{
    static const char *const places[] = {"first", "middle", "last"};
    const char *text = getenv("HPGMG_FAULT");
    int place = 0;
    while (text && place < 3 && strcmp(text, places[place]) != 0)
        place++;
    return text ? place : -1;
}

enum status fault_check(void)
{
    return fault_place() < 3 ? STATUS_VALID
                             : refuse(STATUS_USAGE, "HPGMG_FAULT is not first, middle or last");
}

long fault_index(long results)
{
    return fault_place() < 0 ? -1 : fault_place() * (results - 1) / 2;
}

static void spoil(const struct bench *bench, const struct bench_case *c)
{
    const long at = fault_index(c->results * bytes_of_result(c) / (long)sizeof(double));
    if (!bench->spoils || at < 0 || c->results == 0)
        return;
    if (c->on_host)
        address_of(c, 0)[at] = fault_value;
    else
        bench->pool.backend->memory->upload(address_of(c, 0) + at, &fault_value, 1);
}

static double error_of(double result, double wanted)
{
    if (isnan(wanted))
        return isnan(result) ? 0.0 : INFINITY;
    return isnan(result) ? INFINITY : fabs(result - wanted);
}

/* Of `count` results, which begin with number `first` and lie at `results`; adds to their sum. */
static double error_of_part(const struct bench_case *c, const double *results, long first,
                            long count, double *sum)
{
    const struct bench_operands *o = &c->steps[steps_of(c) - 1].o;
    double largest = 0.0, of_part = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(+ : of_part)
    for (long x = 0; x < count; x++) {
        const double result =
            c->single ? (double)((const float *)(const void *)results)[x] : results[x];
        of_part += result;
        if (c->expected)
            largest = fmax(largest, error_of(result, c->expected(o, first + x)));
    }
    *sum += of_part;
    return largest;
}

double bench_error(const struct bench *bench, const struct bench_case *c)
{
    double largest = 0.0, sum = 0.0;
    struct running r = running_of(bench, c);
    poison(bench, c);
    run_steps(&r);
    bench->pool.backend->memory->synchronise();
    spoil(bench, c);
    for (long first = 0, count; first < c->results; first += count) {
        count = part_from(bench, c, first);
        const double *results = c->on_host ? address_of(c, first) : bench->pool.copy;
        if (!c->on_host)
            bench->pool.backend->memory->download(address_of(c, first), bench->pool.copy,
                                                  doubles_for(c, count));
        largest = fmax(largest, error_of_part(c, results, first, count, &sum));
    }
    return c->expected ? largest : error_of(sum, c->sum);
}

/* --- reporting -------------------------------------------------------------------------------- */

static void report(struct bench *bench, const struct bench_case *c, double error)
{
    const struct spread s = bench_time(bench, c, (int)bench->lab->options.samples);
    const double moved = c->moved_bytes > 0.0 ? c->moved_bytes : c->bytes, t = s.median;
    const bool has_events = c->events > 0;
    const struct column columns[] = {
        {NULL, "elements", 0, 0, 1, c->elements},
        {NULL, "bytes", 0, 0, 1, c->bytes},
        {NULL, "moved_bytes", 0, 0, 1, moved},
        {NULL, "flops", 0, 0, 1, c->flops},
        {"ms", NULL, 9, 4, 1e-3, t},
        {"min", NULL, 9, 4, 1e-3, s.min},
        {has_events ? "us/event" : NULL, "seconds_per_event", 9, 2, 1e-6,
         has_events ? t / c->events : NAN},
        {"Gelem/s", "elements_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->elements, t)},
        {"GB/s", "bytes_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->bytes, t)},
        {"moved", "moved_bytes_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(moved, t)},
        {"GFLOP/s", "flops_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->flops, t)},
        {NULL, "error", 0, 0, 1, error},
    };
    struct json *object = json_add_object(bench->figures, NULL);
    JSON_TEXTS(object, {"experiment", bench->experiment->name}, {"name", c->name});
    json_add_numbers(json_add_object(object, "parameters"), c->parameters);
    spread_add_json(object, &s);
    bench->titled =
        report_row(object, bench->titled ? NULL : "", c->name, 42, columns, BENCH_COUNT(columns));
    if (c->tolerance > 0.0)
        printf("  error %.1e", error);
    printf("\n");
}

void bench_measure(struct bench *bench, const struct bench_case *c)
{
    const double error = bench_error(bench, c);
    const bool right = error <= c->tolerance;
    if (is_timed(bench->lab, c->name, 42, !right, NULL, &bench->wrong))
        report(bench, c, error);
}

/* --- the subcommands -------------------------------------------------------------------------- */

static bool is_of(const struct experiment_row *row, const char *subcommand)
{
    return strcmp(row->subcommand, subcommand) == 0;
}

static bool runs_here(const struct experiment_row *row, const struct lab *lab)
{
    return row->where & (lab->backend->on_device ? ON_GPU : ON_CPU);
}

/* Whether `word` is among the names; NULL has all. */
static bool has_word(const char *names, const char *word)
{
    const char *rest = names;
    for (char name[NAME_SIZE]; next_name(&rest, name);)
        if (strcmp(name, word) == 0)
            return true;
    return !names;
}

static const char *name_of(int row, const void *subcommand)
{
    if (!experiments[row].name)
        return NULL;
    return is_of(&experiments[row], subcommand) ? experiments[row].name : "";
}

/* Refuses names that are no experiments of this subcommand, or none of this backend, and options of
 * experiments that do not run. */
static enum status check_options(const struct lab *lab)
{
    const struct lab_options *o = &lab->options;
    const char *rest = o->experiments;
    for (char name[NAME_SIZE]; next_name(&rest, name);) {
        const int row = find_name(name, name_of, lab->subcommand, "experiment");
        if (row < 0)
            return STATUS_USAGE;
        if (!runs_here(&experiments[row], lab))
            return refuse(STATUS_USAGE, "experiment %s needs a GPU", name);
    }
    if (o->managed && !lab->backend->on_device)
        return refuse(STATUS_USAGE, "--managed: a CPU has no experiment host");
    if (o->managed && !has_word(o->experiments, "host"))
        return refuse(STATUS_USAGE, "--managed: experiment host is not among those named");
    if (o->points > 0 && !has_word(o->experiments, "points"))
        return refuse(STATUS_USAGE, "--points: experiment points is not among those named");
    return fault_check();
}

enum status experiments_command(struct lab *lab)
{
    enum { GPU_SECTOR_BYTES = 32, CPU_LINE_BYTES = 64 };
    const bool gpu = lab->backend->on_device;
    struct bench bench = {.lab = lab, .spoils = true};
    enum status status = check_options(lab);
    if (status == STATUS_VALID)
        status = pool_create(&bench.pool, lab->backend, lab->options.array_mib);
    if (status != STATUS_VALID)
        return status;
    if (strcmp(lab->subcommand, "machine") != 0)
        fill_floats(&bench.pool);
    bench.sector_bytes = gpu ? GPU_SECTOR_BYTES : CPU_LINE_BYTES;
    bench.fetch_bytes = gpu ? gpu_fetch_bytes() : CPU_LINE_BYTES;
    bench.figures = json_add_array(lab->json, "figures");
    print_machine(lab);
    printf("arrays of %.1f MB, %ld samples of each figure; memory is read by %d bytes, written by "
           "%d\n",
           (double)bench.pool.n * 8e-6, lab->options.samples, bench.fetch_bytes,
           bench.sector_bytes);
    JSON_NUMBERS(lab->json, {"array_bytes", (double)bench.pool.n * sizeof(double)},
                 {"cache_bytes", (double)bench.pool.cache_n * sizeof(double)},
                 {"fetch_bytes", bench.fetch_bytes}, {"sector_bytes", bench.sector_bytes});
    for (const struct experiment_row *e = experiments; e->name; e++)
        if (is_of(e, lab->subcommand) && runs_here(e, lab) &&
            has_word(lab->options.experiments, e->name)) {
            print_heading("%s: %s", e->name, e->summary);
            bench.experiment = e;
            bench.titled = false;
            e->run(&bench);
        }
    pool_destroy(&bench.pool);
    return all_right(bench.wrong, "cases");
}

void experiments_print(const char *subcommand)
{
    bool any = false;
    for (const struct experiment_row *e = experiments; e->name; e++)
        if (is_of(e, subcommand)) {
            printf("%s  %-16s %s%s\n", any ? "" : "\nExperiments:\n", e->name, e->summary,
                   e->where == ON_GPU ? " (GPU)" : "");
            any = true;
        }
}
