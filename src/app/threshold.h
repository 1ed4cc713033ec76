/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_THRESHOLD_H
#define APP_THRESHOLD_H
/* Thresholds between levels that are found by trying: --cpu-below auto, which small levels the CPU
 * should have, and --agglomerate-below auto, which small levels one rank should have. */
#include "app/options.h"

struct threshold_trial {
    long below;     /* the option's value */
    double seconds; /* median of a solve, of the slowest rank */
};

enum { MAX_THRESHOLD_TRIALS = 8 };

struct threshold {
    const char *option, *title;
    int count, best; /* trials, and which was fastest */
    int dim;         /* cells a side of the finest level tried */
    struct threshold_trial trials[MAX_THRESHOLD_TRIALS];
};

/* Both time F-cycles with each candidate and return the fastest; answers do not depend on it. For
 * runs on GPUs; collective over the world. The first one tries on at most 64³ cells, the second
 * one on the run's own boxes, but smaller, and with no level on the CPU. */
long threshold_try_cpu(const struct options *options);
long threshold_try_agglomeration(const struct options *options);

/* Calls visit for every threshold that was tried. */
void threshold_visit(void (*visit)(void *data, const struct threshold *t), void *data);

#endif
