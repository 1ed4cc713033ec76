/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_LIMITER_H
#define LAB_LIMITER_H
/* What limits a kernel, by the rule of 60 %: bandwidth if it uses that share of what some memory
 * can move, compute if it uses that share of what the machine can issue, both, or neither: then it
 * is latency, that is waiting. Bytes and instructions are counted, ceilings are measured. */
#include "base/status.h"
#include "cli/json.h"

#define LIMITING_SHARE 0.60

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

/* Shares of the ceilings. */
struct shares {
    double of[RESOURCES];
};

struct shares shares_of(const struct ceilings *ceilings, const struct usage *usage, double seconds);
/* "bandwidth", "compute", "both" or "latency". */
const char *limiter_of(const struct shares *shares);
/* The resource of which most is used; "memory", "cache", "shared memory", "FP64" or "issue". */
const char *most_used_of(const struct shares *shares);

/* Prints one line: the limiter and the shares that are known. */
void limiter_print(const struct shares *shares);
/* Adds the members of a measurement to a report (docs/LAB.md, JSON), but for its seconds. */
void limiter_add_json(struct json *object, const struct usage *usage, const struct shares *shares,
                      double cells, double seconds);

/* The best of a few samples of the experiments of `machine`, unless nothing is to be timed: then
 * all are unknown. */
struct lab;
enum status ceilings_measure(struct ceilings *ceilings, const struct lab *lab);
void ceilings_add_json(struct json *object, const struct ceilings *ceilings);

#endif
