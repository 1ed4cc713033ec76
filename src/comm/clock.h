/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How timer_seconds() of this rank differs from that of rank 0. All times are in seconds. */

/* One measurement. */
struct clock_offset {
    double at;      /* when, by this rank's clock */
    double seconds; /* to add to this rank's clock for rank 0's */
    double error;   /* `seconds` is wrong by at most this */
};

/* Measures with round trips of small messages between rank 0 and each other rank. Offset and error
 * are 0 on rank 0, and on ranks of its node unless the measurement proves two clocks: processes of
 * a node share CLOCK_MONOTONIC, unless they have time namespaces of their own. Collective over the
 * world. */
struct clock_offset clock_measure(void);

/* The offset at the time `at` of this rank's clock, from a measurement before and one after it:
 * linear in between where the clocks have drifted apart by more than the errors, else the more
 * exact of both. */
struct clock_offset clock_between(const struct clock_offset *before,
                                  const struct clock_offset *after, double at);
