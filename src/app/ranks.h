/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The ranks of a run: where each of them is, and how fast it copies and smooths while it waits
 * for no other rank. A rank that is slower than the others slows all of them down. */
#include "app/record.h"

/* Measures this rank. The fields that the solver's cycles work on are scratch until it has solved.
 * Dies if messages between levels on the CPU do not arrive as they were sent, which GPUs send from
 * pinned memory. Collective over the world. */
void ranks_measure(struct rank_table *t, struct solver *s);
/* Completes the table on rank 0, with what the meters say of this rank. Collective over the world.
 */
void ranks_gather(struct rank_table *t, const struct meters *meters);

struct rank_summary ranks_summary(const struct rank_table *t, enum rank_rate rate);
/* The sum over all ranks; NaN if they were not measured. For rank 0. */
double ranks_sum(const struct rank_table *t, enum rank_rate rate);

/* A rate further than this from those of more than half of the ranks is an outlier. Where one half
 * of the ranks, or one of two, differs as much from the other half, no rank is known to be one. */
#define RANK_TOLERANCE 0.1
/* The furthest ones first; returns how many there are and writes at most `most` of them. */
int ranks_outliers(const struct rank_table *t, struct rank_outlier *outliers, int most);
/* "rank 3: smoothing at 0.42 of the median of all ranks", "smoothing: half of the ranks are 1.9
 * times as fast as the others". */
enum { OUTLIER_TEXT_SIZE = 96 };
const char *ranks_outlier_text(const struct rank_outlier *o, char text[OUTLIER_TEXT_SIZE]);
