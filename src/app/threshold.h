#ifndef APP_THRESHOLD_H
#define APP_THRESHOLD_H
/* --cpu-below auto: which small levels the CPU should have, found by trying. */
#include "app/options.h"

struct threshold_trial {
    long cpu_below;
    double seconds; /* median of a solve */
};

enum { MAX_THRESHOLD_TRIALS = 8 };

struct threshold {
    int count, best; /* trials, and which was fastest */
    int dim;         /* cells a side of the finest level tried */
    struct threshold_trial trials[MAX_THRESHOLD_TRIALS];
};

/* Times F-cycles on at most 64³ cells with the levels below each candidate on the CPU. For runs on
 * a GPU. Returns the fastest; answers do not depend on it. */
long threshold_try(const struct options *options);
/* What was tried; NULL if nothing was. */
const struct threshold *threshold_tried(void);

#endif
