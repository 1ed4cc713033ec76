/* SPDX-License-Identifier: BSD-3-Clause */
/* How a case is checked, timed and reported, and the subcommands `memory` and `methods`. */
#include "lab/experiments.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include "base/check.h"
#include "base/memory.h"
#include "lab/bodies.h"

#define EXPERIMENT(subcommand, name, where, summary) void subcommand##_##name(struct bench *bench);
#include "lab/experiments.def"
#undef EXPERIMENT

const struct experiment_row experiments[] = {
#define EXPERIMENT(subcommand, name, where, summary)                                               \
    {#subcommand, #name, where, summary, subcommand##_##name},
#include "lab/experiments.def"
#undef EXPERIMENT
    {NULL, NULL, 0, NULL, NULL},
};

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

bool bench_has_room(const struct bench *bench, double on_backend, double on_host)
{
    const double reserve = 0.9; /* others allocate too */
    const double host = reserve * (double)memory_available_bytes() / sizeof(double);
    if (!bench_on_gpu(bench))
        return host == 0.0 || on_backend + on_host < host;
    const double device = reserve * pool_available_bytes(bench->pool.backend) / sizeof(double) -
                          (double)(INPUTS + 1) * (double)bench->pool.n;
    return on_backend < device && (host == 0.0 || on_host < host);
}

struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n,
                                const char *name, ...)
{
    struct bench_case c = {.elements = (double)n, .results = n};
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(c.name, sizeof c.name, name, arguments);
    va_end(arguments);
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

struct running {
    const struct bench_case *c;
    bench_kernel_fn *const *kernels;
};

static struct running running_of(const struct bench *bench, const struct bench_case *c)
{
    return (struct running){c, bench_on_gpu(bench) ? gpu_kernels : cpu_kernels};
}

static void run_steps(void *data)
{
    const struct running *r = data;
    for (int s = 0; s < MAX_STEPS && r->c->steps[s].kernel != KERNEL_none; s++)
        r->kernels[r->c->steps[s].kernel](&r->c->steps[s].o);
}

struct spread bench_time(const struct bench *bench, const struct bench_case *c, int samples)
{
    struct running r = running_of(bench, c);
    return time_work(bench->pool.backend, c->by, run_steps, &r, samples);
}

static const struct bench_operands *last_operands(const struct bench_case *c)
{
    int last = 0;
    while (last + 1 < MAX_STEPS && c->steps[last + 1].kernel != KERNEL_none)
        last++;
    return &c->steps[last].o;
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
    if (!bench->spoils || at < 0)
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
    const struct bench_operands *o = last_operands(c);
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

static int columns_of_experiment(const struct bench_case *c, const struct spread *s, double error,
                                 struct column *columns)
{
    const double moved = c->moved_bytes > 0.0 ? c->moved_bytes : c->bytes, t = s->median;
    const struct column list[] = {
        {NULL, "elements", 0, 0, 1, c->elements},
        {NULL, "bytes", 0, 0, 1, c->bytes},
        {NULL, "moved_bytes", 0, 0, 1, moved},
        {NULL, "flops", 0, 0, 1, c->flops},
        {"ms", NULL, 9, 4, 1e-3, t},
        {"min", NULL, 9, 4, 1e-3, s->min},
        {"Gelem/s", "elements_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->elements, t)},
        {"GB/s", "bytes_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->bytes, t)},
        {"moved", "moved_bytes_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(moved, t)},
        {"GFLOP/s", "flops_per_second", 9, DECIMALS_OF_RATE, 1e9, per_second(c->flops, t)},
        {NULL, "error", 0, 0, 1, error},
    };
    memcpy(columns, list, sizeof list);
    return BENCH_COUNT(list);
}

void bench_begin(struct bench *bench, const char *experiment, const char *title,
                 const struct bench_case *like)
{
    static const struct spread none = {.samples = 0};
    struct column columns[MAX_COLUMNS];
    bench->experiment = experiment;
    print_heading("%s", title);
    if (checks_only(&bench->lab->options))
        return;
    columns_print_titles("", bench->name_width, columns, bench->columns(like, &none, 0.0, columns));
    printf("\n");
}

static void report(const struct bench *bench, const struct bench_case *c, const struct spread *s,
                   double error)
{
    struct column columns[MAX_COLUMNS];
    const int count = bench->columns(c, s, error, columns);
    columns_print(c->name, bench->name_width, columns, count);
    if (c->tolerance > 0.0)
        printf("  error %.1e", error);
    printf("\n");
    fflush(stdout);
    struct json *object = json_add_object(bench->figures, NULL);
    JSON_TEXTS(object, {bench->kind, bench->experiment}, {"name", c->name});
    if (bench->spoils) /* `machine` has none */
        json_add_numbers(json_add_object(object, "parameters"), c->parameters);
    spread_add_json(object, s);
    columns_add_json(object, columns, count);
}

void bench_measure(struct bench *bench, const struct bench_case *c)
{
    const double error = bench_error(bench, c);
    const bool right = error <= c->tolerance;
    bench->wrong += !right;
    if (!right || checks_only(&bench->lab->options)) {
        printf("  %-*s %s\n", bench->name_width, c->name,
               right ? "right" : "wrong result, not timed");
        return;
    }
    const struct spread s = bench_time(bench, c, (int)bench->lab->options.samples);
    report(bench, c, &s, error);
}

void bench_skip(struct bench *bench, const char *name, const char *why)
{
    printf("  %-*s not measured: %s\n", bench->name_width, name, why);
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

/* Refuses names that are no experiments of this subcommand, or none of this backend. */
static enum status check_names(const struct lab *lab, const char *subcommand)
{
    const char *rest = lab->options.experiments;
    for (char name[NAME_SIZE]; next_name(&rest, name);) {
        const int row = find_name(name, name_of, subcommand, "experiment");
        if (row < 0)
            return STATUS_USAGE;
        if (!runs_here(&experiments[row], lab))
            return refuse(STATUS_USAGE, "experiment %s needs a GPU", name);
    }
    return STATUS_VALID;
}

/* Refuses options of experiments that do not run. */
static enum status check_own_options(const struct lab *lab)
{
    const struct lab_options *o = &lab->options;
    if (o->managed && !lab->backend->on_device)
        return refuse(STATUS_USAGE, "--managed: a CPU has no experiment host");
    if (o->managed && !has_word(o->experiments, "host"))
        return refuse(STATUS_USAGE, "--managed: experiment host is not among those named");
    if (o->points > 0 && !has_word(o->experiments, "points"))
        return refuse(STATUS_USAGE, "--points: experiment points is not among those named");
    return fault_check();
}

static void run_rows(struct bench *bench, const char *subcommand)
{
    static const struct bench_case any = {.results = 0};
    char title[128];
    for (int r = 0; experiments[r].name; r++) {
        if (!is_of(&experiments[r], subcommand) || !runs_here(&experiments[r], bench->lab) ||
            !has_word(bench->lab->options.experiments, experiments[r].name))
            continue;
        snprintf(title, sizeof title, "%s: %s", experiments[r].name, experiments[r].summary);
        bench_begin(bench, experiments[r].name, title, &any);
        experiments[r].run(bench);
    }
}

static enum status run_all(struct lab *lab, const char *subcommand)
{
    enum { GPU_SECTOR_BYTES = 32, CPU_LINE_BYTES = 64 };
    struct bench bench = {.lab = lab,
                          .kind = "experiment",
                          .name_width = 42,
                          .spoils = true,
                          .columns = columns_of_experiment};
    enum status status = check_names(lab, subcommand);
    if (status == STATUS_VALID)
        status = check_own_options(lab);
    if (status == STATUS_VALID)
        status = pool_create(&bench.pool, lab->backend, lab->options.array_mib);
    if (status != STATUS_VALID)
        return status;
    pool_fill_floats(&bench.pool);
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
    run_rows(&bench, subcommand);
    pool_destroy(&bench.pool);
    return all_right(bench.wrong, "cases");
}

enum status memory_command(struct lab *lab)
{
    return run_all(lab, "memory");
}

enum status methods_command(struct lab *lab)
{
    return run_all(lab, "methods");
}

void experiments_print(const char *subcommand)
{
    bool any = false;
    for (int r = 0; experiments[r].name; r++) {
        if (!is_of(&experiments[r], subcommand))
            continue;
        printf("%s  %-16s %s%s\n", any ? "" : "\nExperiments:\n", experiments[r].name,
               experiments[r].summary, experiments[r].where == ON_GPU ? " (GPU)" : "");
        any = true;
    }
}
