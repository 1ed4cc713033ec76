/* SPDX-License-Identifier: BSD-3-Clause */
/* `hpgmg-lab machine`: every experiment of the backend, checked and timed. */
#include <math.h>
#include <stdio.h>
#include "lab/lab.h"
#include "lab/pool.h"

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

/* What one row gave. Rates are NaN where they mean nothing. */
struct result {
    double bytes, flops;   /* of one run */
    int events;            /* 0: none */
    struct spread seconds; /* of one run */
};

/* Quantity a second, or NaN if there is none of it. */
static double rate(double quantity, double seconds)
{
    return quantity > 0.0 && seconds > 0.0 ? quantity / seconds : NAN;
}

static void add_row(struct json *rows, const struct machine_row *row, const struct result *r)
{
    struct json *object = json_add_object(rows, NULL);
    const double seconds = r->seconds.median;
    JSON_TEXTS(object, {"section", section_choices[row->section].name}, {"name", row->name});
    JSON_NUMBERS(object, {"bytes", r->bytes}, {"flops", r->flops});
    spread_add_json(object, &r->seconds);
    JSON_NUMBERS(object, {"bytes_per_second", rate(r->bytes, seconds)},
                 {"flops_per_second", rate(r->flops, seconds)},
                 {"seconds_per_event", r->events ? seconds / r->events : NAN});
}

/* "  4250.12", or blanks where there is nothing to say. */
static void print_figure(double value, double unit)
{
    if (isnan(value))
        printf(" %10s", "");
    else
        printf(" %10.2f", value / unit);
}

static void print_columns(enum section section)
{
    print_heading("%s", titles[section]);
    if (section == SECTION_LATENCY)
        printf("  %-36s %10s %10s %10s\n", "", "us", "min", "max");
    else
        printf("  %-36s %10s %10s %10s %10s\n", "", "GB/s", "min", "max", "GFLOP/s");
}

static void print_row(const struct machine_row *row, const struct result *r)
{
    const struct spread *s = &r->seconds;
    printf("  %-36s", row->name);
    if (r->events) {
        print_figure(s->median / r->events, 1e-6);
        print_figure(s->min / r->events, 1e-6);
        print_figure(s->max / r->events, 1e-6);
    } else {
        print_figure(rate(r->bytes, s->median), 1e9);
        print_figure(rate(r->bytes, s->max), 1e9);
        print_figure(rate(r->bytes, s->min), 1e9);
        print_figure(rate(r->flops, s->median), 1e9);
    }
    printf("\n");
    fflush(stdout);
}

/* False if the result is wrong: it is then not timed. */
static bool measure_row(const struct lab *lab, const struct pool *pool,
                        const struct machine_row *row, struct result *r)
{
    struct experiment e = pool_experiment(pool, row);
    if (!pool_check(pool, &e))
        return false;
    r->events = row->section == SECTION_LATENCY ? row->a : 0;
    r->bytes = r->events ? 0.0 : experiment_bytes(&e);
    r->flops = experiment_flops(&e);
    r->seconds = pool_time(pool, &e, (int)lab->options.samples);
    return true;
}

static bool is_wanted(const struct lab *lab, const struct machine_row *row)
{
    const int section = lab->options.section;
    return (section == SECTION_ALL || section == (int)row->section) &&
           (row->where & (lab->backend->on_device ? ON_GPU : ON_CPU));
}

/* Returns how many experiments gave wrong results. */
static int measure_all(struct lab *lab, const struct pool *pool)
{
    struct json *rows = json_add_array(lab->json, "figures");
    enum section shown = SECTION_ALL;
    int wrong = 0;
    for (int r = 0; r < machine_row_count; r++) {
        const struct machine_row *row = &machine_rows[r];
        struct result result;
        if (!is_wanted(lab, row))
            continue;
        if (row->section != shown)
            print_columns(row->section);
        shown = row->section;
        if (measure_row(lab, pool, row, &result)) {
            print_row(row, &result);
            add_row(rows, row, &result);
        } else {
            wrong++;
            printf("  %-36s wrong result, not timed\n", row->name);
        }
    }
    return wrong;
}

static void describe_pool(struct lab *lab, const struct pool *pool)
{
    print_machine(lab);
    printf("arrays of %.1f MB, %ld samples of each figure\n", (double)pool->n * 8e-6,
           lab->options.samples);
    JSON_NUMBERS(lab->json, {"array_bytes", (double)pool->n * sizeof(double)},
                 {"cache_bytes", (double)pool->cache_n * sizeof(double)});
}

enum status machine_command(struct lab *lab, char *message, int message_size)
{
    struct pool pool;
    int wanted = 0;
    for (int r = 0; r < machine_row_count; r++)
        wanted += is_wanted(lab, &machine_rows[r]);
    if (wanted == 0) {
        snprintf(message, (size_t)message_size, "--section: a CPU has no ceilings of this section");
        return STATUS_USAGE;
    }
    if (!pool_create(&pool, lab->backend, lab->options.array_mib, message, message_size))
        return STATUS_MEMORY;
    describe_pool(lab, &pool);
    const int wrong = measure_all(lab, &pool);
    pool_destroy(&pool);
    if (wrong == 0)
        return STATUS_VALID;
    snprintf(message, (size_t)message_size, "%d experiments gave wrong results", wrong);
    return STATUS_INVALID;
}
