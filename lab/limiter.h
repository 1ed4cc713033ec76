/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What limits a kernel, by the rule of 60 %: bandwidth if it uses that share of what some memory
 * can move, compute if it uses that share of what the machine can issue, both, or neither: then it
 * is latency, that is waiting, or unknown where a share is not known. Bytes and instructions are
 * counted, ceilings are measured. */
#include "lab/timing.h"
#include "lab/lab.h"

#define LIMITING_SHARE 0.60
#define NEAR_SHARE 0.05

/* Of a machine; NaN where it cannot be measured. */
struct ceilings {
    double copy_bytes_per_second, cache_bytes_per_second, shared_bytes_per_second;
    double fp64_flops_per_second, fp32_flops_per_second; /* by fused multiply-adds */
    double instructions_per_second;                      /* all that threads can issue */
};

/* Of one run of a kernel; NaN where it is not counted. */
struct usage {
    double bytes, cache_bytes, shared_bytes;
    double flops, fp64_instructions, instructions; /* of threads */
};

enum resource {
    RESOURCE_MEMORY,
    RESOURCE_CACHE, /* of a GPU the second level, of a CPU the last */
    RESOURCE_SHARED,
    RESOURCE_FP64,
    RESOURCE_ISSUE,
    RESOURCES
};

/* Shares of the ceilings; NaN where one is not known. */
struct shares {
    double of[RESOURCES];
};

struct shares shares_of(const struct ceilings *ceilings, const struct usage *usage, double seconds);
/* "bandwidth", "compute", "both", "latency" or "unknown". */
const char *limiter_of(const struct shares *shares);
/* Whether it would be another one if LIMITING_SHARE were NEAR_SHARE more or less. */
bool limiter_is_near(const struct shares *shares);
/* The most used resource; "memory", "cache", "shared memory", "FP64" or "issue";
 * NULL if no share is known. */
const char *most_used_of(const struct shares *shares);

/* The best of a few samples of the experiments of `machine`, unless nothing is to be timed: then
 * all are unknown. */
enum status ceilings_measure(struct ceilings *ceilings, const struct lab *lab);
/* Adds them to the JSON, and prints the first, unless nothing is timed. */
void ceilings_report(struct json *object, const struct ceilings *ceilings);

/* What `kernel` and `ladder` measure and report of one kernel or rung. */
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

/* Prints the limiter and the launches, indented below a line of a table, and adds "seconds", what
 * is counted per run and per cell, the shares, the limiter and "launches" to the JSON. */
void measurement_report(struct json *object, const struct measurement *m, double cells);
