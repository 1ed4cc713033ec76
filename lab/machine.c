/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab machine`: what the machine can do, experiment by experiment. */
#include <math.h>
#include <omp.h>
#include "base/check.h"
#include "cuda/cuda.h"
#include "lab/bodies.h"
#include "lab/experiments.h"
#include "lab/limiter.h"

/* --- what results must be --------------------------------------------------------------------- */

EXPECTED(one, 1.0)
EXPECTED(triad, input_value(0, x) + 3.0 * input_value(1, x))
EXPECTED(five, input_value(0, x) + input_value(1, x) + input_value(2, x) + input_value(3, x) +
                   input_value(4, x))
EXPECTED(events, EVENTS) /* the number that was asked for */

/* Every result is the sum of its chains; table: where a chain from each value ends. */
static double expected_peak(const struct bench_operands *o, long x)
{
    double sum = 0.0;
    for (int c = 0; c < PEAK_CHAINS; c++)
        sum += o->table[(int)chain_start(x * PEAK_CHAINS + c)];
    return sum;
}

/* Σ of the first n values of input 0: whole periods, and the rest. */
static double input_sum(long n)
{
    const double period = 0.5 * PERIOD * (PERIOD - 1), whole = (double)(n / PERIOD);
    const double rest = (double)(n % PERIOD);
    return whole * period + 0.5 * rest * (rest - 1.0);
}

/* By kernel; NULL where results are sums, or there are none. */
static expected_fn *const expected[KERNEL_COUNT] = {
    [KERNEL_write] = expected_one,
    [KERNEL_copy] = bench_expected_copy,
    [KERNEL_copy_again] = bench_expected_copy,
    [KERNEL_transfer] = bench_expected_copy,
    [KERNEL_triad] = expected_triad,
    [KERNEL_five_reads] = expected_five,
    [KERNEL_intensity] = bench_expected_in_table,
    [KERNEL_peak_f64] = expected_peak,
    [KERNEL_peak_f32] = expected_peak,
    [KERNEL_synchronisations] = expected_events,
};

/* --- the experiments -------------------------------------------------------------------------- */

static const struct machine_row {
    const char *section, *name;
    int where;
    enum bench_kernel kernel;
    long a;         /* of the kernel */
    double doubles; /* per element, that are read and written */
    int events;
    bool to_host;
} machine_rows[] = {
    {"memory", "copy", ON_BOTH, KERNEL_copy, .a = 1, .doubles = 2},
    {"memory", "copy, 4 x 16 bytes per thread", ON_GPU, KERNEL_copy, .a = COPY_PER_THREAD,
     .doubles = 2},
    {"memory", "read", ON_BOTH, KERNEL_read, .a = 1, .doubles = 1},
    {"memory", "write", ON_BOTH, KERNEL_write, .doubles = 1},
    {"memory", "triad: 2 reads, 1 write", ON_BOTH, KERNEL_triad, .doubles = 3},
    {"memory", "5 reads, 1 write", ON_BOTH, KERNEL_five_reads, .doubles = 6},

    {"intensity", "1 FMA per double", ON_BOTH, KERNEL_intensity, .a = 1, .doubles = 2},
    {"intensity", "2 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 2, .doubles = 2},
    {"intensity", "4 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 4, .doubles = 2},
    {"intensity", "8 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 8, .doubles = 2},
    {"intensity", "16 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 16, .doubles = 2},
    {"intensity", "32 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 32, .doubles = 2},
    {"intensity", "64 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 64, .doubles = 2},
    {"intensity", "128 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 128, .doubles = 2},
    {"intensity", "256 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 256, .doubles = 2},

    {"peak", "FP64", ON_BOTH, KERNEL_peak_f64, .a = 0},
    {"peak", "FP32", ON_BOTH, KERNEL_peak_f32, .a = 0},

    {"cache", "read within the cache", ON_BOTH, KERNEL_read, .a = CACHE_SWEEPS,
     .doubles = CACHE_SWEEPS},
    {"cache", "copy within the cache", ON_BOTH, KERNEL_copy_again, .doubles = 2 * CACHE_SWEEPS},
    {"cache", "read shared memory", ON_GPU, KERNEL_read_shared, .doubles = SHARED_SWEEPS},

    {"latency", "launches back to back, each", ON_GPU, KERNEL_launches, .events = EVENTS},
    {"latency", "launch and wait", ON_GPU, KERNEL_awaited_launches, .events = EVENTS},
    {"latency", "node of a graph", ON_GPU, KERNEL_nothing, .events = 1},
    {"latency", "grid.sync in a kernel", ON_GPU, KERNEL_synchronisations, .events = EVENTS},
    {"latency", "8 bytes to the device, waited for", ON_GPU, KERNEL_transfer, .events = 1},
    {"latency", "8 bytes to the host, waited for", ON_GPU, KERNEL_transfer, .events = 1,
     .to_host = true},
    {"latency", "parallel region", ON_CPU, KERNEL_launches, .events = EVENTS},
    {"latency", "barrier in a parallel region", ON_CPU, KERNEL_synchronisations, .events = EVENTS},

    {"transfer", "pinned host to device", ON_GPU, KERNEL_transfer, .doubles = 1},
    {"transfer", "device to pinned host", ON_GPU, KERNEL_transfer, .doubles = 1, .to_host = true},
};

/* Threads of a GPU that fill it once, in whole blocks; results of a CPU's peak: enough for some
 * milliseconds. */
static long resident_threads(const struct bench *bench)
{
    enum { RESULTS_PER_THREAD = 4096 };
    return bench_on_gpu(bench)
               ? (long)cuda_device()->multiprocessors * BLOCKS_PER_MULTIPROCESSOR * GPU_BLOCK
               : (long)omp_get_max_threads() * RESULTS_PER_THREAD;
}

static bool is_in(const struct machine_row *row, const char *section)
{
    return strcmp(row->section, section) == 0;
}

static bool runs_here(const struct bench *bench, const struct machine_row *row)
{
    return row->where & (bench_on_gpu(bench) ? ON_GPU : ON_CPU);
}

/* How many elements take part. */
static long extent_of(const struct bench *bench, const struct machine_row *row)
{
    const struct pool *p = &bench->pool;
    const long threads = resident_threads(bench);
    if (is_in(row, "peak"))
        return threads < p->n ? threads : p->n;
    if (is_in(row, "cache"))
        return row->kernel == KERNEL_read          ? p->cache_n
               : row->kernel == KERNEL_read_shared ? SHARED_DOUBLES
                                                   : p->cache_n / 2; /* two arrays */
    return row->events ? 1 : p->n;
}

/* Sums come in parts, of warps or threads, and of shared memory from every block. */
static void expect_sum(const struct bench *bench, const struct machine_row *row,
                       struct bench_case *c)
{
    enum { MAX_PARTS = 65536 };
    const long most = bench->pool.n;
    const bool by_blocks = row->kernel == KERNEL_read_shared;
    const double sweeps =
        row->doubles * (by_blocks ? (double)(resident_threads(bench) / GPU_BLOCK) : 1.0);
    CHECK(!bench_on_gpu(bench) || resident_threads(bench) / 32 <= MAX_PARTS);
    c->bytes = sweeps * c->elements * sizeof(double);
    c->sum = sweeps * input_sum(c->steps[0].o.n);
    c->results = row->events ? 0 : most < MAX_PARTS ? most : MAX_PARTS;
}

/* table: PERIOD values that live as long as the case. */
static struct bench_case case_of(const struct bench *bench, const struct machine_row *row,
                                 double *table)
{
    struct bench_case c = bench_case_of(bench, row->kernel, extent_of(bench, row), "%s", row->name);
    struct bench_operands *o = &c.steps[0].o;
    const bool peak = is_in(row, "peak"), intensity = is_in(row, "intensity");
    const bool transfer = row->kernel == KERNEL_transfer;
    c.bytes = row->doubles * c.elements * sizeof(double);
    c.flops = (peak ? PEAK_FLOPS : intensity ? 2.0 * (double)row->a : 0.0) * c.elements;
    c.events = row->events;
    c.expected = expected[row->kernel];
    if (!c.expected)
        expect_sum(bench, row, &c);
    if (peak || intensity)
        bench_fill_chain_ends(table, peak ? PEAK_STEPS : (int)row->a,
                              row->kernel == KERNEL_peak_f32);
    c.elements = peak || row->events ? 0.0 : c.elements; /* they are none of memory */
    o->a = row->a;
    o->table = table;
    if (transfer && row->to_host)
        o->out = bench->pool.pinned[1];
    else if (transfer)
        o->in[0] = bench->pool.pinned[0];
    c.on_host = row->to_host;
    if (transfer || (row->events && row->kernel != KERNEL_nothing))
        c.by = TIMED_BY_HOST;
    return c;
}

void machine_section(struct bench *bench)
{
    double table[PERIOD];
    for (int r = 0; r < BENCH_COUNT(machine_rows); r++)
        if (is_in(&machine_rows[r], bench->experiment->name) &&
            runs_here(bench, &machine_rows[r])) {
            const struct bench_case c = case_of(bench, &machine_rows[r], table);
            bench_measure(bench, &c);
        }
}

/* --- the ceilings of `kernel` and `ladder` ---------------------------------------------------- */

/* The highest rate of the section's experiments with that kernel, by what a run moves or computes:
 * the best that there is. NaN if there is none here. */
static double best_rate(const struct bench *bench, const char *section, enum bench_kernel kernel)
{
    enum { SAMPLES = 5 };
    double best = NAN, table[PERIOD];
    for (int r = 0; r < BENCH_COUNT(machine_rows); r++) {
        const struct machine_row *row = &machine_rows[r];
        if (!is_in(row, section) || row->kernel != kernel || !runs_here(bench, row))
            continue;
        const struct bench_case c = case_of(bench, row, table);
        if (bench_error(bench, &c) != 0.0)
            die(STATUS_SYSTEM, "the %s experiment gives wrong results", row->name);
        best = fmax(best, fmax(c.bytes, c.flops) / bench_time(bench, &c, SAMPLES).min);
    }
    return best;
}

enum status ceilings_measure(struct ceilings *c, const struct lab *lab)
{
    struct bench bench = {.experiment = NULL};
    *c = (struct ceilings){NAN, NAN, NAN, NAN, NAN, NAN};
    if (checks_only(&lab->options))
        return STATUS_VALID;
    const enum status status = pool_create(&bench.pool, lab->backend, lab->options.array_mib);
    if (status != STATUS_VALID)
        return status;
    c->copy_bytes_per_second = best_rate(&bench, "memory", KERNEL_copy);
    c->cache_bytes_per_second = best_rate(&bench, "cache", KERNEL_read);
    c->shared_bytes_per_second = best_rate(&bench, "cache", KERNEL_read_shared);
    c->fp64_flops_per_second = best_rate(&bench, "peak", KERNEL_peak_f64);
    c->fp32_flops_per_second = best_rate(&bench, "peak", KERNEL_peak_f32);
    /* A GPU issues no instruction more often than FP32's; a CPU issues others beside them. */
    c->instructions_per_second = bench_on_gpu(&bench) ? 0.5 * c->fp32_flops_per_second : NAN;
    pool_destroy(&bench.pool);
    return STATUS_VALID;
}
