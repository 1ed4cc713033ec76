/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/ranks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "cuda/cuda.h"

static const struct rank_summary none[NUM_RANK_RATES] = {
    [RATE_COPY] = {"copy", "bytes per second", "copy, GB/s", 0, NAN, NAN, NAN, NAN, NAN},
    [RATE_SMOOTHING] = {"smoothing", "cells per second", "smoothing, Gcells/s", 0, NAN, NAN, NAN,
                        NAN, NAN},
};

static void describe(struct rank_record *r, const struct meters *meters)
{
    const struct cuda_device *gpu = cuda_device();
    r->rank = comm_rank();
    place_read(&r->place);
    if (gpu) {
        snprintf(r->gpu, sizeof r->gpu, "%s", gpu->name);
        snprintf(r->uuid, sizeof r->uuid, "%s", gpu->uuid);
        snprintf(r->bus_id, sizeof r->bus_id, "%s", gpu->bus_id);
    }
    r->slowest_mhz = gpu ? meters->own_slowest : (double)NAN;
    r->fastest_mhz = gpu ? meters->own_fastest : (double)NAN;
}

/* Replaces this rank's own block by those of all ranks on rank 0. */
static void *gathered(void *own, size_t bytes)
{
    void *all = memory_alloc((comm_rank() == 0 ? (size_t)comm_size() : 1) * bytes, "ranks");
    comm_gather(comm_world(), own, all, (int)bytes);
    memory_free(own);
    return all;
}

struct rank_summary ranks_summary(const struct rank_table *t, enum rank_rate rate)
{
    struct rank_summary s = none[rate];
    double *sorted = memory_alloc((size_t)t->count * sizeof *sorted, "rates of ranks");
    for (int r = 0; t->ranks && r < t->count; r++)
        if (!isnan(t->ranks[r].rates[rate]))
            sorted[s.count++] = t->ranks[r].rates[rate];
    if (s.count > 0) {
        s.median = timer_median(sorted, s.count);
        s.min = sorted[0];
        s.max = sorted[s.count - 1];
        s.lower = sorted[(s.count - 1) / 2];
        s.upper = sorted[s.count / 2];
    }
    memory_free(sorted);
    return s;
}

double ranks_sum(const struct rank_table *t, enum rank_rate rate)
{
    double sum = t->ranks ? 0.0 : (double)NAN;
    for (int r = 0; t->ranks && r < t->count; r++)
        if (!isnan(t->ranks[r].rates[rate]))
            sum += t->ranks[r].rates[rate];
    return sum;
}

static int compare_outliers(const void *a, const void *b)
{
    const struct rank_outlier *x = a, *y = b;
    const double u = fabs(x->relative - 1.0), v = fabs(y->relative - 1.0);
    return u != v ? (u < v) - (u > v) : x->rank - y->rank;
}

int ranks_outliers(const struct rank_table *t, struct rank_outlier *outliers, int most)
{
    struct rank_outlier *all = NULL;
    int count = 0;
    for (int rate = 0; t->ranks && rate < NUM_RANK_RATES; rate++) {
        const struct rank_summary s = ranks_summary(t, (enum rank_rate)rate);
        for (int r = NO_RANK; r < t->count; r++) {
            const double own = r == NO_RANK ? s.upper : t->ranks[r].rates[rate];
            const double upper = r == NO_RANK ? s.lower : s.upper;
            if (!(own < (1.0 - RANK_TOLERANCE) * s.lower || own > (1.0 + RANK_TOLERANCE) * upper))
                continue;
            all = memory_room(all, count, sizeof *all, "outliers");
            all[count++] = (struct rank_outlier){r, (enum rank_rate)rate, s.name, own / s.median};
        }
    }
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, compare_outliers);
    for (int i = 0; i < count && i < most; i++)
        outliers[i] = all[i];
    memory_free(all);
    return count;
}

static void compare(struct rank_table *t)
{
    for (int rate = 0; rate < NUM_RANK_RATES; rate++) {
        t->summaries[t->nsummaries] = ranks_summary(t, (enum rank_rate)rate);
        t->nsummaries += t->summaries[t->nsummaries].count > 0;
    }
    const int count = ranks_outliers(t, t->outliers, SHOWN_OUTLIERS);
    t->noutliers = count < SHOWN_OUTLIERS ? count : SHOWN_OUTLIERS;
    t->more_outliers = count - t->noutliers;
}

void ranks_gather(struct rank_table *t, const struct meters *meters)
{
    if (!t->ranks)
        return;
    describe(t->ranks, meters);
    t->ranks = gathered(t->ranks, sizeof *t->ranks);
    if (comm_rank() == 0)
        compare(t);
}

const char *ranks_outlier_text(const struct rank_outlier *o, char text[OUTLIER_TEXT_SIZE])
{
    if (o->rank == NO_RANK)
        snprintf(text, OUTLIER_TEXT_SIZE,
                 "%s: half of the ranks are %.3g times as fast as the others", o->name,
                 o->relative / (2.0 - o->relative));
    else
        snprintf(text, OUTLIER_TEXT_SIZE, "rank %d: %s at %.3g of the median of all ranks", o->rank,
                 o->name, o->relative);
    return text;
}
