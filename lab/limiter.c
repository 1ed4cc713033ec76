/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/limiter.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *key;
    bool computes; /* else it moves bytes */
} resources[RESOURCES] = {
    [RESOURCE_MEMORY] = {"memory", "fraction_of_copy", false},
    [RESOURCE_CACHE] = {"cache", "fraction_of_cache", false},
    [RESOURCE_SHARED] = {"shared memory", "fraction_of_shared", false},
    [RESOURCE_FP64] = {"FP64", "fraction_of_fp64", true},
    [RESOURCE_ISSUE] = {"issue", "fraction_of_issue", true},
};

/* What is faster than its ceiling uses something else, as caches instead of memory. */
static double share_of(double per_run, double seconds, double ceiling)
{
    const double share = per_run / seconds / ceiling;
    return share <= 1.0 ? share : NAN;
}

struct shares shares_of(const struct ceilings *c, const struct usage *u, double seconds)
{
    struct shares s;
    s.of[RESOURCE_MEMORY] = share_of(u->bytes, seconds, c->copy_bytes_per_second);
    s.of[RESOURCE_CACHE] = share_of(u->cache_bytes, seconds, c->cache_bytes_per_second);
    s.of[RESOURCE_SHARED] = share_of(u->shared_bytes, seconds, c->shared_bytes_per_second);
    /* The peak is of instructions that are two operations each. */
    s.of[RESOURCE_FP64] = share_of(u->fp64_instructions, seconds, 0.5 * c->fp64_flops_per_second);
    s.of[RESOURCE_ISSUE] = share_of(u->instructions, seconds, c->instructions_per_second);
    return s;
}

static bool limits(const struct shares *s, bool by_computing, double threshold)
{
    bool any = false; /* a share that is not known, NaN, limits nothing */
    for (int r = 0; r < RESOURCES; r++)
        any = any || (resources[r].computes == by_computing && s->of[r] >= threshold);
    return any;
}

static bool all_known(const struct shares *s)
{
    bool all = true;
    for (int r = 0; r < RESOURCES; r++)
        all = all && !isnan(s->of[r]);
    return all;
}

static const char *limiter_at(const struct shares *s, double threshold)
{
    const bool bandwidth = limits(s, false, threshold), compute = limits(s, true, threshold);
    return bandwidth && compute ? "both"
           : bandwidth          ? "bandwidth"
           : compute            ? "compute"
           : all_known(s)       ? "latency"
                                : "unknown";
}

const char *limiter_of(const struct shares *s)
{
    return limiter_at(s, LIMITING_SHARE);
}

bool limiter_is_near(const struct shares *s)
{
    return strcmp(limiter_at(s, LIMITING_SHARE - NEAR_SHARE),
                  limiter_at(s, LIMITING_SHARE + NEAR_SHARE)) != 0;
}

const char *most_used_of(const struct shares *s)
{
    int most = RESOURCE_MEMORY;
    for (int r = 1; r < RESOURCES; r++)
        if (isnan(s->of[most]) || s->of[r] > s->of[most])
            most = r;
    return isnan(s->of[most]) ? NULL : resources[most].name;
}

void ceilings_report(struct json *object, const struct ceilings *c)
{
    if (!isnan(c->copy_bytes_per_second))
        printf("  copy %.1f GB/s, FP64 %.1f GFLOP/s\n", 1e-9 * c->copy_bytes_per_second,
               1e-9 * c->fp64_flops_per_second);
    JSON_NUMBERS(object, {"copy_bytes_per_second", c->copy_bytes_per_second},
                 {"cache_bytes_per_second", c->cache_bytes_per_second},
                 {"shared_bytes_per_second", c->shared_bytes_per_second},
                 {"fp64_flops_per_second", c->fp64_flops_per_second},
                 {"fp32_flops_per_second", c->fp32_flops_per_second});
}

struct measurement measure_work(const struct lab *lab, work_fn *work, void *data,
                                const struct ceilings *ceilings, const struct usage *usage)
{
    struct measurement m = {.usage = *usage};
    m.seconds = time_work(lab->backend, TIMED_BY_BACKEND, work, data, (int)lab->options.samples);
    m.shares = shares_of(ceilings, usage, m.seconds.median);
    if (lab->backend->on_device)
        m.nlaunches = gpu_kernels_of(work, data, m.launches, MAX_LAUNCHES);
    return m;
}

static void report_launches(struct json *launches, const struct measurement *m)
{
    for (const struct gpu_kernel *k = m->launches; k < m->launches + m->nlaunches; k++) {
        struct json *launch = json_add_object(launches, NULL);
        printf("      %s: %d x %ld blocks of %d threads, %d registers, %d bytes shared, %d local, "
               "occupancy %.0f %%\n",
               k->name, k->launches, k->blocks, k->threads, k->registers, k->shared_bytes,
               k->local_bytes, 100.0 * k->occupancy);
        json_add_text(launch, "name", k->name);
        JSON_NUMBERS(launch, {"launches", k->launches}, {"blocks", (double)k->blocks},
                     {"threads", k->threads}, {"registers", k->registers},
                     {"shared_bytes", k->shared_bytes}, {"local_bytes", k->local_bytes},
                     {"occupancy", k->occupancy});
    }
}

void measurement_report(struct json *object, const struct measurement *m, double cells)
{
    const struct usage *u = &m->usage;
    const double t = m->seconds.median;
    const char *before = ":";
    spread_add_json(object, &m->seconds);
    JSON_NUMBERS(object, {"bytes", u->bytes}, {"cache_bytes", u->cache_bytes},
                 {"shared_bytes", u->shared_bytes}, {"flops", u->flops},
                 {"bytes_per_cell", u->bytes / cells}, {"bytes_per_second", u->bytes / t},
                 {"flops_per_second", u->flops / t});
    printf("      limited by %s%s", limiter_of(&m->shares),
           limiter_is_near(&m->shares) ? ", near 60 %" : "");
    for (int r = 0; r < RESOURCES; r++) {
        json_add_number(object, resources[r].key, m->shares.of[r]);
        if (isnan(m->shares.of[r]))
            continue;
        printf("%s %.0f %% of %s", before, 100.0 * m->shares.of[r], resources[r].name);
        before = ",";
    }
    printf("\n");
    JSON_TEXTS(object, {"limiter", limiter_of(&m->shares)},
               {"most_used", most_used_of(&m->shares)});
    json_add_flag(object, "limiter_is_near", limiter_is_near(&m->shares));
    report_launches(json_add_array(object, "launches"), m);
    fflush(stdout);
}
