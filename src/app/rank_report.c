/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/rank_report.h"
#include <math.h>
#include <stdio.h>
#include "cli/command_line.h"

enum { SHOWN_OUTLIERS = 8, PLACE_SIZE = 320 };

static const struct {
    const char *title, *unit, *column;
    double scale;
} shown[NUM_RANK_RATES] = {
    [RATE_COPY] = {"copy, GB/s", "bytes per second", "copy", 1e-9},
    [RATE_SMOOTHING] = {"smoothing, Gcells/s", "cells per second", "smoothing", 1e-9},
};

/* Whom to look for: the GPU, or the processors of the rank. */
static const char *place_text(const struct rank_record *r, char text[PLACE_SIZE])
{
    if (r->gpu[0])
        snprintf(text, PLACE_SIZE, "host %s, %s, %s, %s", r->place.host, r->gpu, r->uuid,
                 r->bus_id);
    else
        snprintf(text, PLACE_SIZE, "host %s, processors %s", r->place.host, r->place.cpuset);
    return text;
}

static void print_outliers(const struct rank_table *t)
{
    struct rank_outlier outliers[SHOWN_OUTLIERS];
    char text[OUTLIER_TEXT_SIZE], place[PLACE_SIZE];
    const int count = ranks_outliers(t, outliers, SHOWN_OUTLIERS);
    for (int i = 0; i < count && i < SHOWN_OUTLIERS; i++) {
        const int rank = outliers[i].rank;
        printf("  %s: %s%s%s\n", rank == NO_RANK ? "UNEQUAL" : "OUTLIER",
               ranks_outlier_text(&outliers[i], text), rank == NO_RANK ? "" : "; ",
               rank == NO_RANK ? "" : place_text(&t->ranks[rank], place));
    }
    if (count > SHOWN_OUTLIERS)
        printf("  and %d more outliers (--ranks-table shows all rates)\n", count - SHOWN_OUTLIERS);
}

void rank_report_print(const struct rank_table *t)
{
    if (!t->ranks || t->count == 1)
        return;
    print_heading("Ranks, each by itself");
    printf("  %-28s %7s %10s %10s %10s\n", "rate", "ranks", "min", "median", "max");
    for (int rate = 0; rate < NUM_RANK_RATES; rate++) {
        const struct rank_summary s = ranks_summary(t, (enum rank_rate)rate);
        const double scale = shown[rate].scale;
        if (s.count > 0)
            printf("  %-28s %7d %10.4g %10.4g %10.4g\n", shown[rate].title, s.count, scale * s.min,
                   scale * s.median, scale * s.max);
    }
    print_outliers(t);
    printf("  measured in %.3f seconds\n", t->seconds);
}

static void print_rank(const struct rank_table *t, int rank)
{
    const struct rank_record *r = &t->ranks[rank];
    char place[PLACE_SIZE];
    printf("  %6d", rank);
    for (int rate = 0; rate < NUM_RANK_RATES; rate++)
        if (isnan(r->rates[rate]))
            printf(" %9s", "");
        else
            printf(" %9.4g", shown[rate].scale * r->rates[rate]);
    printf("  %s, NUMA node %d", place_text(r, place), r->place.numa_node);
    if (r->gpu[0])
        printf(", processors %s", r->place.cpuset);
    if (!isnan(r->slowest_mhz))
        printf(", %.0f to %.0f MHz", r->slowest_mhz, r->fastest_mhz);
    printf("\n");
}

void rank_report_print_all(const struct rank_table *t)
{
    print_heading("Table of ranks");
    printf("  %6s", "rank");
    for (int rate = 0; rate < NUM_RANK_RATES; rate++)
        printf(" %9s", shown[rate].column);
    printf("  (units as above)\n");
    for (int r = 0; r < t->count; r++)
        print_rank(t, r);
}

static void add_rates(struct json *root, const struct rank_table *t)
{
    struct json *rates = json_add_array(root, "rank_rates");
    for (int rate = 0; rate < NUM_RANK_RATES; rate++) {
        const struct rank_summary s = ranks_summary(t, (enum rank_rate)rate);
        if (s.count == 0)
            continue;
        struct json *object = json_add_object(rates, NULL);
        JSON_TEXTS(object, {"rate", rank_rate_name((enum rank_rate)rate)},
                   {"unit", shown[rate].unit});
        JSON_NUMBERS(object, {"ranks", s.count}, {"min", s.min}, {"median", s.median},
                     {"max", s.max});
    }
}

static void add_outliers(struct json *root, const struct rank_table *t)
{
    struct rank_outlier outliers[SHOWN_OUTLIERS];
    struct json *array = json_add_array(root, "rank_outliers");
    const int count = ranks_outliers(t, outliers, SHOWN_OUTLIERS);
    for (int i = 0; i < count && i < SHOWN_OUTLIERS; i++) {
        struct json *object = json_add_object(array, NULL);
        json_add_number(object, "rank", outliers[i].rank == NO_RANK ? NAN : outliers[i].rank);
        json_add_text(object, "rate", rank_rate_name(outliers[i].rate));
        json_add_number(object, "of_median", outliers[i].relative);
    }
}

/* null without a GPU. */
static void add_gpu(struct json *object, const struct rank_record *r)
{
    if (!r->gpu[0]) {
        json_add_text(object, "gpu", NULL);
        return;
    }
    struct json *gpu = json_add_object(object, "gpu");
    JSON_TEXTS(gpu, {"name", r->gpu}, {"uuid", r->uuid}, {"bus_id", r->bus_id});
    JSON_NUMBERS(gpu, {"slowest_mhz", r->slowest_mhz}, {"fastest_mhz", r->fastest_mhz});
}

void rank_report_add_json(struct json *root, const struct rank_table *t)
{
    add_rates(root, t);
    add_outliers(root, t);
    struct json *table = json_add_array(root, "rank_table");
    for (int rank = 0; t->ranks && rank < t->count; rank++) {
        const struct rank_record *r = &t->ranks[rank];
        struct json *object = json_add_object(table, NULL);
        json_add_number(object, "rank", rank);
        JSON_TEXTS(object, {"host", r->place.host}, {"cpuset", r->place.cpuset});
        json_add_number(object, "numa_node", r->place.numa_node < 0 ? NAN : r->place.numa_node);
        add_gpu(object, r);
        JSON_NUMBERS(object, {"copy_bytes_per_second", r->rates[RATE_COPY]},
                     {"smoothed_cells_per_second", r->rates[RATE_SMOOTHING]});
    }
}
