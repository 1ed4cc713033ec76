/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_BREAKDOWN_H
#define APP_BREAKDOWN_H
/* Where the time of a solve goes, from runs of its own so that the score is not disturbed by the
 * clock. */
#include "app/benchmark.h"

/* Runs a few more solves with every stage timed, and fills r->stages on rank 0. Collective over the
 * ranks of the level. */
void breakdown_measure(struct solver *s, struct size_record *r);

/* Bytes per second, read + write, of a copy between two arrays larger than the caches, all ranks
 * and threads at once. Collective over the world. */
double breakdown_copy_rate(void);

#endif
