/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_RANKS_H
#define APP_RANKS_H
/* The ranks of a run: where each of them is, and how fast it copies and smooths while it waits
 * for no other rank. A rank that is slower than the others slows all of them down. */
#include "app/meters.h"
#include "cli/place.h"
#include "solvers/solver.h"

enum rank_rate {
    RATE_COPY,      /* bytes per second, read and written, between arrays larger than the caches */
    RATE_SMOOTHING, /* cells of the finest level times sweeps, per second */
    NUM_RANK_RATES,
};

struct rank_record {
    struct place place;
    char gpu[64], uuid[48], bus_id[32]; /* "" without a GPU */
    double slowest_mhz, fastest_mhz;    /* of the GPU in timed solves of size h; NaN: unknown */
    double rates[NUM_RANK_RATES];       /* NaN: nothing to measure, or not measured */
};

struct rank_table {
    int count;
    double seconds;            /* that measuring took */
    struct rank_record *ranks; /* rank 0 has all, the others themselves; NULL: not measured */
};

/* Measures this rank. The fields that the solver's cycles work on are scratch until it has solved.
 * Dies if messages between levels on the CPU do not arrive as they were sent, which GPUs send from
 * pinned memory. Collective over the world. */
void ranks_measure(struct rank_table *t, struct solver *s);
/* Completes the table on rank 0, with what the meters say of this rank. Collective over the world.
 */
void ranks_gather(struct rank_table *t, const struct meters *meters);
void ranks_release(struct rank_table *t);

/* Over the ranks that have this rate. */
struct rank_summary {
    int count;
    double min, median, max; /* NaN if count is 0 */
    double lower, upper;     /* the middle two, or the middle one twice */
};
struct rank_summary ranks_summary(const struct rank_table *t, enum rank_rate rate);
/* The sum over all ranks. */
double ranks_sum(const struct rank_table *t, enum rank_rate rate);

/* A rate further than this from those of more than half of the ranks is an outlier. Where one half
 * of the ranks, or one of two, differs as much from the other half, no rank is known to be one. */
#define RANK_TOLERANCE 0.1
struct rank_outlier {
    int rank; /* NO_RANK: half of the ranks */
    enum rank_rate rate;
    double relative; /* the rate, or the upper of the middle two, over the median */
};
enum { NO_RANK = -1 };
/* The furthest ones first; returns how many there are and writes at most `most` of them. */
int ranks_outliers(const struct rank_table *t, struct rank_outlier *outliers, int most);
/* "rank 3: smoothing at 0.42 of the median of all ranks", "smoothing: half of the ranks are 1.9
 * times as fast as the others". */
enum { OUTLIER_TEXT_SIZE = 96 };
const char *ranks_outlier_text(const struct rank_outlier *o, char text[OUTLIER_TEXT_SIZE]);

/* "copy", "smoothing" */
const char *rank_rate_name(enum rank_rate rate);

#endif
