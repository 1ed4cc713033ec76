/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab memory` and `hpgmg-lab methods`: every case checked, then timed. */
#include "lab/experiments.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "cli/nearest.h"
#include "cuda/cuda.h"
#include "lab/fault.h"
#include "lab/kernels.h"
#include "lab/lab.h"

#define EXPERIMENT(subcommand, name, where, summary) void subcommand##_##name(struct bench *bench);
#include "lab/experiments.def"
#undef EXPERIMENT

static const struct experiment_row {
    const char *subcommand, *name;
    int where;
    const char *summary;
    void (*run)(struct bench *bench);
} rows[] = {
#define EXPERIMENT(subcommand, name, where, summary)                                               \
    {#subcommand, #name, where, summary, subcommand##_##name},
#include "lab/experiments.def"
#undef EXPERIMENT
};
enum { ROWS = sizeof rows / sizeof rows[0] };

bool bench_on_gpu(const struct bench *bench)
{
    return bench->pool.backend->on_device;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

double bench_moved_by_reads(const struct bench *bench, long stride, int size)
{
    return least((double)stride * size, bench->fetch_bytes);
}

double bench_moved_by_writes(const struct bench *bench, long stride, int size)
{
    return stride == 1 ? size : 2.0 * least((double)stride * size, bench->sector_bytes);
}

bool bench_has_room(const struct bench *bench, double on_backend, double on_host)
{
    const double reserve = 0.9; /* others allocate too */
    const double host = reserve * (double)memory_available_bytes() / sizeof(double);
    if (!bench_on_gpu(bench))
        return host == 0.0 || on_backend + on_host < host;
    const double device = reserve * (double)cuda_device()->free_bytes / sizeof(double) -
                          (double)(INPUTS + 1) * (double)bench->pool.n;
    return on_backend < device && (host == 0.0 || on_host < host);
}

struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n)
{
    struct bench_case c = {.elements = (double)n, .results = n};
    c.steps[0].kernel = kernel;
    c.steps[0].o = (struct bench_operands){.n = n, .out = bench->pool.out};
    for (int array = 0; array < INPUTS; array++)
        c.steps[0].o.in[array] = bench->pool.in[array];
    return c;
}

double bench_expected_copy(const struct bench_operands *o, long x)
{
    (void)o;
    return input_value(0, x);
}

/* --- running ---------------------------------------------------------------------------------- */

struct running {
    const struct bench_case *c;
    bench_kernel_fn *const *kernels;
};

static void run_steps(void *data)
{
    const struct running *r = data;
    for (int s = 0; s < MOST_STEPS && r->c->steps[s].kernel != KERNEL_none; s++)
        r->kernels[r->c->steps[s].kernel](&r->c->steps[s].o);
}

static const struct bench_operands *last_operands(const struct bench_case *c)
{
    int last = 0;
    while (last + 1 < MOST_STEPS && c->steps[last + 1].kernel != KERNEL_none)
        last++;
    return &c->steps[last].o;
}

/* --- checking --------------------------------------------------------------------------------- */

static int bytes_of_result(const struct bench_case *c)
{
    return c->single ? sizeof(float) : sizeof(double);
}

/* Doubles that hold so many results. */
static long doubles_for(const struct bench_case *c, long results)
{
    return (results * bytes_of_result(c) + (long)sizeof(double) - 1) / (long)sizeof(double);
}

static double *address_of(const struct bench_case *c, long result)
{
    char *start = c->results_at ? (void *)c->results_at : last_operands(c)->out;
    return (double *)(void *)(start + result * bytes_of_result(c));
}

/* Results come to the host in parts of at most as many doubles as pool.copy has: the results of the
 * part that begins with `first`. */
static long part_from(const struct bench *bench, const struct bench_case *c, long first)
{
    const long most = bench->pool.n * (long)sizeof(double) / bytes_of_result(c);
    return c->results - first < most ? c->results - first : most;
}

/* All bits set is NaN for doubles and for floats. */
static void poison(const struct bench *bench, const struct bench_case *c)
{
    memset(bench->pool.copy, 0xff, (size_t)bench->pool.n * sizeof(double));
    for (long first = 0, count; first < c->results; first += count) {
        count = part_from(bench, c, first);
        if (c->on_host)
            memset(address_of(c, first), 0xff, (size_t)(count * bytes_of_result(c)));
        else
            bench->pool.backend->upload(address_of(c, first), bench->pool.copy,
                                        doubles_for(c, count));
    }
}

static void spoil(const struct bench *bench, const struct bench_case *c)
{
    const long doubles = c->results * bytes_of_result(c) / (long)sizeof(double);
    const long at = fault_index(doubles);
    if (at < 0)
        return;
    double *result = address_of(c, 0) + at;
    if (c->on_host)
        *result = fault_value;
    else
        bench->pool.backend->upload(result, &fault_value, 1);
}

static double error_of(double result, double wanted)
{
    if (isnan(wanted))
        return isnan(result) ? 0.0 : INFINITY;
    return isnan(result) ? INFINITY : fabs(result - wanted);
}

/* Of `count` results, which begin with number `first` and lie at `results`. */
static double error_of_part(const struct bench_case *c, const double *results, long first,
                            long count)
{
    const struct bench_operands *o = last_operands(c);
    double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (long x = 0; x < count; x++) {
        const double result =
            c->single ? (double)((const float *)(const void *)results)[x] : results[x];
        const double error = error_of(result, c->expected(o, first + x));
        largest = error > largest ? error : largest;
    }
    return largest;
}

/* The largest error of one run's results. */
static double check(const struct bench *bench, struct running *r)
{
    const struct bench_case *c = r->c;
    double largest = 0.0;
    CHECK(c->results > 0 && c->expected);
    poison(bench, c);
    run_steps(r);
    bench->pool.backend->synchronise();
    spoil(bench, c);
    for (long first = 0, count; first < c->results; first += count) {
        count = part_from(bench, c, first);
        const double *results = c->on_host ? address_of(c, first) : bench->pool.copy;
        if (!c->on_host)
            bench->pool.backend->download(address_of(c, first), bench->pool.copy,
                                          doubles_for(c, count));
        const double error = error_of_part(c, results, first, count);
        largest = error > largest ? error : largest;
    }
    return largest;
}

/* --- reporting -------------------------------------------------------------------------------- */

static void print_rate(double quantity, double seconds)
{
    const double rate = 1e-9 * quantity / seconds;
    if (quantity > 0.0)
        printf(" %9.*f", rate < 10.0 ? 3 : 1, rate);
    else
        printf(" %9s", "");
}

static void print_columns(void)
{
    printf("  %-42s %9s %9s %9s %9s %9s %9s\n", "", "ms", "min", "Gelem/s", "GB/s", "moved",
           "GFLOP/s");
}

static double moved_of(const struct bench_case *c)
{
    return c->moved_bytes > 0.0 ? c->moved_bytes : c->bytes;
}

static void print_case(const struct bench_case *c, const struct spread *s, double error)
{
    printf("  %-42s %9.4f %9.4f", c->name, 1e3 * s->median, 1e3 * s->min);
    print_rate(c->elements, s->median);
    print_rate(c->bytes, s->median);
    print_rate(moved_of(c), s->median);
    print_rate(c->flops, s->median);
    if (c->tolerance > 0.0)
        printf("  error %.1e", error);
    printf("\n");
    fflush(stdout);
}

static double per_second(double quantity, double seconds)
{
    return quantity > 0.0 ? quantity / seconds : NAN;
}

static void add_case(const struct bench *bench, const struct bench_case *c, const struct spread *s,
                     double error)
{
    struct json *object = json_add_object(bench->figures, NULL);
    JSON_TEXTS(object, {"experiment", bench->experiment}, {"name", c->name});
    json_add_numbers(json_add_object(object, "parameters"), c->parameters);
    JSON_NUMBERS(object, {"elements", c->elements}, {"bytes", c->bytes},
                 {"moved_bytes", moved_of(c)}, {"flops", c->flops});
    spread_add_json(object, s);
    JSON_NUMBERS(object, {"elements_per_second", per_second(c->elements, s->median)},
                 {"bytes_per_second", per_second(c->bytes, s->median)},
                 {"moved_bytes_per_second", per_second(moved_of(c), s->median)},
                 {"flops_per_second", per_second(c->flops, s->median)}, {"error", error});
}

void bench_measure(struct bench *bench, const struct bench_case *c)
{
    struct running r = {c, bench_on_gpu(bench) ? gpu_kernels : cpu_kernels};
    const double error = check(bench, &r);
    if (!(error <= c->tolerance)) {
        bench->wrong++;
        printf("  %-42s wrong result, not timed\n", c->name);
        return;
    }
    if (checks_only(&bench->lab->options)) {
        printf("  %-42s right\n", c->name);
        return;
    }
    const struct spread s =
        time_work(bench->pool.backend, c->by, run_steps, &r, (int)bench->lab->options.samples);
    print_case(c, &s, error);
    add_case(bench, c, &s, error);
}

void bench_skip(struct bench *bench, const char *name, const char *why)
{
    (void)bench;
    printf("  %-42s not measured: %s\n", name, why);
}

/* --- the subcommands -------------------------------------------------------------------------- */

/* Whether `word` is among the names between commas; NULL has all. */
static bool has_word(const char *names, const char *word)
{
    const size_t length = strlen(word);
    for (const char *name = names; name && *name; name += strspn(name, ",")) {
        const size_t its = strcspn(name, ",");
        if (its == length && strncmp(name, word, length) == 0)
            return true;
        name += its;
    }
    return !names;
}

static bool is_of(const struct experiment_row *row, const char *subcommand)
{
    return strcmp(row->subcommand, subcommand) == 0;
}

static bool runs_here(const struct experiment_row *row, const struct lab *lab)
{
    return row->where & (lab->backend->on_device ? ON_GPU : ON_CPU);
}

static const struct experiment_row *find_row(const char *subcommand, const char *name)
{
    for (int r = 0; r < ROWS; r++)
        if (is_of(&rows[r], subcommand) && strcmp(rows[r].name, name) == 0)
            return &rows[r];
    return NULL;
}

/* Refuses names that are no experiments of this subcommand, or none of this backend. */
static enum status check_names(const struct lab *lab, const char *subcommand, char *message,
                               int size)
{
    char name[64];
    for (const char *at = lab->options.experiments; at && *at; at += strspn(at, ",")) {
        const size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        const struct experiment_row *row = find_row(subcommand, name);
        struct nearest search = {.word = name};
        for (int r = 0; r < ROWS && !row; r++)
            if (is_of(&rows[r], subcommand))
                nearest_try(&search, rows[r].name);
        if (row && runs_here(row, lab))
            continue;
        if (row)
            snprintf(message, (size_t)size, "experiment %s needs a GPU", name);
        else
            snprintf(message, (size_t)size, "unknown experiment '%s'; %s%s%s", name,
                     search.best ? "did you mean " : "--help lists all",
                     search.best ? search.best : "", search.best ? "?" : "");
        return STATUS_USAGE;
    }
    return STATUS_VALID;
}

/* Refuses options of experiments that do not run. */
static enum status check_own_options(const struct lab *lab, char *message, int size)
{
    const struct lab_options *o = &lab->options;
    if (o->managed && !lab->backend->on_device)
        snprintf(message, (size_t)size, "--managed: a CPU has no experiment host");
    else if (o->managed && !has_word(o->experiments, "host"))
        snprintf(message, (size_t)size, "--managed: experiment host is not among those named");
    else if (o->points > 0 && !has_word(o->experiments, "points"))
        snprintf(message, (size_t)size, "--points: experiment points is not among those named");
    else
        return STATUS_VALID;
    return STATUS_USAGE;
}

/* Array 3 as floats. */
static void fill_floats(struct pool *pool)
{
    float *values = (float *)(void *)pool->copy;
#pragma omp parallel for schedule(static)
    for (long x = 0; x < 2 * pool->n; x++)
        values[x] = (float)input_value(3, x);
    pool->backend->upload(pool->in[3], pool->copy, pool->n);
}

static enum status run_all(struct lab *lab, const char *subcommand, char *message, int size)
{
    enum { GPU_SECTOR_BYTES = 32, CPU_LINE_BYTES = 64 };
    struct bench bench = {.lab = lab};
    enum status status = check_names(lab, subcommand, message, size);
    if (status == STATUS_VALID)
        status = check_own_options(lab, message, size);
    if (status != STATUS_VALID)
        return status;
    if (!fault_is_legal(message, size))
        return STATUS_USAGE;
    if (!pool_create(&bench.pool, lab->backend, lab->options.array_mib, message, size))
        return STATUS_MEMORY;
    fill_floats(&bench.pool);
    bench.sector_bytes = lab->backend->on_device ? GPU_SECTOR_BYTES : CPU_LINE_BYTES;
    bench.fetch_bytes = lab->backend->on_device ? gpu_fetch_bytes() : CPU_LINE_BYTES;
    bench.figures = json_add_array(lab->json, "figures");
    print_machine(lab);
    printf("arrays of %.1f MB, %ld samples of each figure; memory is read by %d bytes, written by "
           "%d\n",
           (double)bench.pool.n * 8e-6, lab->options.samples, bench.fetch_bytes,
           bench.sector_bytes);
    JSON_NUMBERS(lab->json, {"array_bytes", (double)bench.pool.n * sizeof(double)},
                 {"fetch_bytes", bench.fetch_bytes}, {"sector_bytes", bench.sector_bytes});
    for (int r = 0; r < ROWS; r++) {
        if (!is_of(&rows[r], subcommand) || !runs_here(&rows[r], lab) ||
            !has_word(lab->options.experiments, rows[r].name))
            continue;
        bench.experiment = rows[r].name;
        print_heading("%s: %s", rows[r].name, rows[r].summary);
        if (!checks_only(&lab->options))
            print_columns();
        rows[r].run(&bench);
    }
    pool_destroy(&bench.pool);
    if (bench.wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)size, "%d cases gave wrong results", bench.wrong);
    return STATUS_INVALID;
}

enum status memory_command(struct lab *lab, char *message, int message_size)
{
    return run_all(lab, "memory", message, message_size);
}

enum status methods_command(struct lab *lab, char *message, int message_size)
{
    return run_all(lab, "methods", message, message_size);
}

void experiments_print(const char *subcommand)
{
    bool any = false;
    for (int r = 0; r < ROWS; r++) {
        if (!is_of(&rows[r], subcommand))
            continue;
        printf("%s  %-16s %s%s\n", any ? "" : "\nExperiments:\n", rows[r].name, rows[r].summary,
               rows[r].where == ON_GPU ? " (GPU)" : "");
        any = true;
    }
}
