/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_MEASUREMENT_H
#define LAB_MEASUREMENT_H
/* What `kernel` and `ladder` measure and report of one kernel or rung. */
#include "lab/gpu.h"
#include "lab/lab.h"
#include "lab/limiter.h"

enum { MAX_LAUNCHES = 8 };

struct measurement {
    struct spread seconds;
    struct usage usage;
    struct shares shares;
    int nlaunches;
    struct gpu_kernel launches[MAX_LAUNCHES]; /* on a GPU */
};

/* Times the work, and finds what it launches and what limits it. `usage` is of one run. */
struct measurement measure_work(const struct lab *lab, work_fn *work, void *data,
                                const struct ceilings *ceilings, const struct usage *usage);

/* Prints the limiter and the launches, indented below a line of a table. */
void measurement_print(const struct measurement *m);
/* Adds "seconds", what is counted per run and per cell, the shares, the limiter and "launches". */
void measurement_add_json(struct json *object, const struct measurement *m, double cells);

#endif
