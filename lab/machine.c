/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab machine`: what the machine can do, experiment by experiment. */
#include "lab/machine.h"
#include <math.h>
#include <omp.h>
#include "base/check.h"
#include "cuda/cuda.h"
#include "lab/experiments.h"
#include "lab/limiter.h"

const struct choice section_choices[] = {
    {"all", SECTION_ALL},
    {"memory", SECTION_MEMORY},
    {"intensity", SECTION_INTENSITY},
    {"peak", SECTION_PEAK},
    {"cache", SECTION_CACHE},
    {"latency", SECTION_LATENCY},
    {"transfer", SECTION_TRANSFER},
    {NULL, 0},
};
static const char *const titles[] = {"",      "Memory",  "Arithmetic intensity", "Arithmetic peak",
                                     "Cache", "Latency", "Host and device"};

/* --- what results must be --------------------------------------------------------------------- */

static double expected_one(const struct bench_operands *o, long x)
{
    (void)o, (void)x;
    return 1.0;
}

static double expected_triad(const struct bench_operands *o, long x)
{
    (void)o;
    return input_value(0, x) + 3.0 * input_value(1, x);
}

static double expected_five(const struct bench_operands *o, long x)
{
    double sum = 0.0;
    (void)o;
    for (int array = 0; array < INPUTS; array++)
        sum += input_value(array, x);
    return sum;
}

/* Every result is the sum of its chains; table: where a chain from each value ends. */
static double expected_peak(const struct bench_operands *o, long x)
{
    double sum = 0.0;
    for (int c = 0; c < PEAK_CHAINS; c++)
        sum += o->table[(int)chain_start(x * PEAK_CHAINS + c)];
    return sum;
}

/* As many as were asked for. */
static double expected_events(const struct bench_operands *o, long x)
{
    (void)o, (void)x;
    return EVENTS;
}

/* Σ of the first n values of input 0: whole periods, and the rest. */
static double input_sum(long n)
{
    const double period = 0.5 * PERIOD * (PERIOD - 1), whole = (double)(n / PERIOD);
    const double rest = (double)(n % PERIOD);
    return whole * period + 0.5 * rest * (rest - 1.0);
}

/* By kernel; NULL where results are sums, or there are none. */
static double (*const expected[KERNEL_COUNT])(const struct bench_operands *o, long x) = {
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
    enum section section;
    const char *name;
    int where;
    enum bench_kernel kernel;
    long a;         /* of the kernel */
    double doubles; /* per element, that are read and written */
    int events;
    bool to_host;
} machine_rows[] = {
    {SECTION_MEMORY, "copy", ON_BOTH, KERNEL_copy, .a = 1, .doubles = 2},
    {SECTION_MEMORY, "copy, 4 x 16 bytes per thread", ON_GPU, KERNEL_copy, .a = COPY_PER_THREAD,
     .doubles = 2},
    {SECTION_MEMORY, "read", ON_BOTH, KERNEL_read, .a = 1, .doubles = 1},
    {SECTION_MEMORY, "write", ON_BOTH, KERNEL_write, .doubles = 1},
    {SECTION_MEMORY, "triad: 2 reads, 1 write", ON_BOTH, KERNEL_triad, .doubles = 3},
    {SECTION_MEMORY, "5 reads, 1 write", ON_BOTH, KERNEL_five_reads, .doubles = 6},

    {SECTION_INTENSITY, "1 FMA per double", ON_BOTH, KERNEL_intensity, .a = 1, .doubles = 2},
    {SECTION_INTENSITY, "2 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 2, .doubles = 2},
    {SECTION_INTENSITY, "4 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 4, .doubles = 2},
    {SECTION_INTENSITY, "8 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 8, .doubles = 2},
    {SECTION_INTENSITY, "16 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 16, .doubles = 2},
    {SECTION_INTENSITY, "32 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 32, .doubles = 2},
    {SECTION_INTENSITY, "64 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 64, .doubles = 2},
    {SECTION_INTENSITY, "128 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 128, .doubles = 2},
    {SECTION_INTENSITY, "256 FMAs per double", ON_BOTH, KERNEL_intensity, .a = 256, .doubles = 2},

    {SECTION_PEAK, "FP64", ON_BOTH, KERNEL_peak_f64, .a = 0},
    {SECTION_PEAK, "FP32", ON_BOTH, KERNEL_peak_f32, .a = 0},

    {SECTION_CACHE, "read within the cache", ON_BOTH, KERNEL_read, .a = CACHE_SWEEPS,
     .doubles = CACHE_SWEEPS},
    {SECTION_CACHE, "copy within the cache", ON_BOTH, KERNEL_copy_again,
     .doubles = 2 * CACHE_SWEEPS},
    {SECTION_CACHE, "read shared memory", ON_GPU, KERNEL_read_shared, .doubles = SHARED_SWEEPS},

    {SECTION_LATENCY, "launches back to back, each", ON_GPU, KERNEL_launches, .events = EVENTS},
    {SECTION_LATENCY, "launch and wait", ON_GPU, KERNEL_awaited_launches, .events = EVENTS},
    {SECTION_LATENCY, "node of a graph", ON_GPU, KERNEL_nothing, .events = 1},
    {SECTION_LATENCY, "grid.sync in a kernel", ON_GPU, KERNEL_synchronisations, .events = EVENTS},
    {SECTION_LATENCY, "8 bytes to the device, waited for", ON_GPU, KERNEL_transfer, .events = 1},
    {SECTION_LATENCY, "8 bytes to the host, waited for", ON_GPU, KERNEL_transfer, .events = 1,
     .to_host = true},
    {SECTION_LATENCY, "parallel region", ON_CPU, KERNEL_launches, .events = EVENTS},
    {SECTION_LATENCY, "barrier in a parallel region", ON_CPU, KERNEL_synchronisations,
     .events = EVENTS},

    {SECTION_TRANSFER, "pinned host to device", ON_GPU, KERNEL_transfer, .doubles = 1},
    {SECTION_TRANSFER, "device to pinned host", ON_GPU, KERNEL_transfer, .doubles = 1,
     .to_host = true},
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

/* How many elements take part. */
static long extent_of(const struct bench *bench, const struct machine_row *row)
{
    const struct pool *p = &bench->pool;
    const long threads = resident_threads(bench);
    switch (row->section) {
    case SECTION_PEAK:
        return threads < p->n ? threads : p->n;
    case SECTION_CACHE:
        return row->kernel == KERNEL_read          ? p->cache_n
               : row->kernel == KERNEL_read_shared ? SHARED_DOUBLES
                                                   : p->cache_n / 2; /* two arrays */
    case SECTION_LATENCY:
        return 1;
    default:
        return p->n;
    }
}

/* Sums come in parts, of warps or threads, and of shared memory from every block. */
static void expect_sum(const struct bench *bench, const struct machine_row *row,
                       struct bench_case *c)
{
    const long most = bench->pool.n;
    const bool by_blocks = row->kernel == KERNEL_read_shared;
    const double sweeps =
        row->doubles * (by_blocks ? (double)(resident_threads(bench) / GPU_BLOCK) : 1.0);
    CHECK(!bench_on_gpu(bench) || resident_threads(bench) / 32 <= MAX_PARTIALS);
    c->bytes = sweeps * c->elements * sizeof(double);
    c->sum = sweeps * input_sum(c->steps[0].o.n);
    c->results = row->events ? 0 : most < MAX_PARTIALS ? most : MAX_PARTIALS;
}

/* table: PERIOD values that live as long as the case. */
static struct bench_case case_of(const struct bench *bench, const struct machine_row *row,
                                 double *table)
{
    struct bench_case c = bench_case_of(bench, row->kernel, extent_of(bench, row), "%s", row->name);
    struct bench_operands *o = &c.steps[0].o;
    const bool peak = row->section == SECTION_PEAK, intensity = row->section == SECTION_INTENSITY;
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

/* --- the ceilings of `kernel` and `ladder` ---------------------------------------------------- */

/* The highest rate of the section's experiments with that kernel, by what a run moves or computes:
 * the best that there is. NaN if there is none here. */
static double best_rate(const struct bench *bench, enum section section, enum bench_kernel kernel)
{
    enum { SAMPLES = 5 };
    double best = NAN, table[PERIOD];
    for (int r = 0; r < BENCH_COUNT(machine_rows); r++) {
        const struct machine_row *row = &machine_rows[r];
        if (row->section != section || row->kernel != kernel ||
            !(row->where & (bench_on_gpu(bench) ? ON_GPU : ON_CPU)))
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
    c->copy_bytes_per_second = best_rate(&bench, SECTION_MEMORY, KERNEL_copy);
    c->cache_bytes_per_second = best_rate(&bench, SECTION_CACHE, KERNEL_read);
    c->shared_bytes_per_second = best_rate(&bench, SECTION_CACHE, KERNEL_read_shared);
    c->fp64_flops_per_second = best_rate(&bench, SECTION_PEAK, KERNEL_peak_f64);
    c->fp32_flops_per_second = best_rate(&bench, SECTION_PEAK, KERNEL_peak_f32);
    /* A GPU issues no instruction more often than FP32's; a CPU issues others beside them. */
    c->instructions_per_second = bench_on_gpu(&bench) ? 0.5 * c->fp32_flops_per_second : NAN;
    pool_destroy(&bench.pool);
    return STATUS_VALID;
}

/* --- the subcommand --------------------------------------------------------------------------- */

/* Of a latency seconds per event, else rates. */
static int columns_of_machine(const struct bench_case *c, const struct spread *s, double error,
                              struct column *columns)
{
    const bool times = c->events > 0;
    const double unit = times ? 1e-6 : 1e9, n = times ? 1.0 / c->events : c->bytes;
#define FIGURE(seconds) (times ? (seconds)*n : per_second(n, seconds))
    const struct column list[] = {
        {NULL, "bytes", 0, 0, 1, c->bytes},
        {NULL, "flops", 0, 0, 1, c->flops},
        {times ? "us" : "GB/s", NULL, 10, 2, unit, FIGURE(s->median)},
        {"min", NULL, 10, 2, unit, FIGURE(times ? s->min : s->max)},
        {"max", NULL, 10, 2, unit, FIGURE(times ? s->max : s->min)},
        {times ? NULL : "GFLOP/s", "flops_per_second", 10, 2, 1e9, per_second(c->flops, s->median)},
        {NULL, "bytes_per_second", 0, 0, 1, per_second(c->bytes, s->median)},
        {NULL, "seconds_per_event", 0, 0, 1, times ? s->median * n : NAN},
    };
#undef FIGURE
    (void)error;
    memcpy(columns, list, sizeof list);
    return BENCH_COUNT(list);
}

static bool is_wanted(const struct lab *lab, const struct machine_row *row)
{
    const int section = lab->options.section;
    return (section == SECTION_ALL || section == (int)row->section) &&
           (row->where & (lab->backend->on_device ? ON_GPU : ON_CPU));
}

static void measure_all(struct bench *bench)
{
    double table[PERIOD];
    enum section shown = SECTION_ALL;
    for (int r = 0; r < BENCH_COUNT(machine_rows); r++) {
        const struct machine_row *row = &machine_rows[r];
        if (!is_wanted(bench->lab, row))
            continue;
        const struct bench_case c = case_of(bench, row, table);
        if (row->section != shown)
            bench_begin(bench, section_choices[row->section].name, titles[row->section], &c);
        shown = row->section;
        bench_measure(bench, &c);
    }
}

enum status machine_command(struct lab *lab)
{
    struct bench bench = {
        .lab = lab, .kind = "section", .name_width = 36, .columns = columns_of_machine};
    int wanted = 0;
    for (int r = 0; r < BENCH_COUNT(machine_rows); r++)
        wanted += is_wanted(lab, &machine_rows[r]);
    if (wanted == 0)
        return refuse(STATUS_USAGE, "--section: a CPU has no ceilings of this section");
    const enum status status = pool_create(&bench.pool, lab->backend, lab->options.array_mib);
    if (status != STATUS_VALID)
        return status;
    print_machine(lab);
    printf("arrays of %.1f MB, %ld samples of each figure\n", (double)bench.pool.n * 8e-6,
           lab->options.samples);
    JSON_NUMBERS(lab->json, {"array_bytes", (double)bench.pool.n * sizeof(double)},
                 {"cache_bytes", (double)bench.pool.cache_n * sizeof(double)});
    bench.figures = json_add_array(lab->json, "figures");
    measure_all(&bench);
    pool_destroy(&bench.pool);
    return all_right(bench.wrong, "experiments");
}
