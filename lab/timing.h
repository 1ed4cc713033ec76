/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_TIMING_H
#define LAB_TIMING_H
/* How long something takes: median and spread of repeated samples. */
#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of one run. */
struct spread {
    double median, min, max;
    int samples;
};

/* Begins the work to be timed; it need not wait for it. */
typedef void work_fn(void *data);

/* Which clock measures. */
enum timed_by {
    TIMED_BY_BACKEND, /* a GPU's events around a graph of runs, as the solver runs its kernels; the
                      host's clock on a CPU. The work must be on the backend's stream. */
    TIMED_BY_HOST,    /* the host's clock, until the backend has finished */
};

/* Warms up, then takes `samples` samples. A sample is as many runs as fill a few milliseconds, so
 * that neither a clock's resolution nor a launch matters. Collective over the world: where several
 * ranks do the work together, each time is the slowest one's. Dies if samples < 1. */
struct spread time_work(const struct backend *backend, enum timed_by by, work_fn *work, void *data,
                        int samples);

#ifdef __cplusplus
}
#endif
#endif
