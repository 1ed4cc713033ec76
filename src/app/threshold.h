/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_THRESHOLD_H
#define APP_THRESHOLD_H
/* Thresholds that are found by timing trials: --cpu-below auto (small levels on the CPU) and
 * --agglomerate-below auto (small levels on one rank). */
#include "app/options.h"

struct threshold_trial {
    long below;     /* value of the option */
    double seconds; /* median time of a solve on the slowest rank */
};

enum { MAX_THRESHOLD_TRIALS = 8 };

struct threshold {
    const char *option, *title;
    int count, best; /* number of trials; index of the fastest */
    int dim;         /* cells per side of the finest level */
    struct threshold_trial trials[MAX_THRESHOLD_TRIALS];
};

/* Both time F-cycles with each candidate and return the fastest one; the solution does not depend
 * on it. For runs on GPUs. The first tries at most 64³ cells; the second shrinks the run's boxes
 * and has no level on the CPU. Collective over the world. */
long threshold_try_cpu(const struct options *options);
long threshold_try_agglomeration(const struct options *options);

/* Calls visit for every threshold that was tried. */
void threshold_visit(void (*visit)(void *data, const struct threshold *t), void *data);

#endif
