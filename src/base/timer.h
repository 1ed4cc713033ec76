/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdlib.h>
#include "base/linkage.h"

C_BEGIN
/* Seconds of a monotonic clock; only differences have a meaning. */
double timer_seconds(void);
/* For tests: from now on timer_seconds() is `offset` seconds ahead of the clock, and gains `rate`
 * seconds per second. */
void timer_pretend(double offset, double rate);
C_END

static inline int timer_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the samples in ascending order and returns their median. */
static inline double timer_median(double *samples, long count)
{
    qsort(samples, (size_t)count, sizeof *samples, timer_compare);
    return 0.5 * (samples[(count - 1) / 2] + samples[count / 2]);
}
