/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/timer.h"
#include <time.h>

static struct {
    double offset, rate, since;
} pretended;

void timer_pretend(double offset, double rate)
{
    pretended.offset = pretended.rate = 0.0;
    pretended.since = timer_seconds();
    pretended.offset = offset;
    pretended.rate = rate;
}

double timer_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return seconds + pretended.offset + pretended.rate * (seconds - pretended.since);
}
