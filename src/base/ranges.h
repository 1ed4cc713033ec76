/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Named, nested ranges of time for profilers: NVTX (Nsight Systems), and regions of Caliper where
 * CALI_CONFIG is set and libcaliper.so is found. They cost a few nanoseconds without a profiler. */

/* The name must stay as it is until the range ends. */
void range_push(const char *name);
/* Ends the range that was begun last. */
void range_pop(void);

/* Why Caliper does not measure what the environment asks for, in one line; NULL: it does, or
 * nothing is asked for. */
const char *ranges_complaint(void);
