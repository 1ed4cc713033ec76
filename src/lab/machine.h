/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H
/* The ceilings of a machine: small experiments, each checked before it is timed. One table for CPU
 * and GPU (machine_table.c); the loops are in machine_cpu.c, the kernels in machine_gpu.cu. */
#include <stdbool.h>
#include "lab/timing.h"
#include "operators/formula.h"

#ifdef __cplusplus
extern "C" {
#endif

enum section {
    SECTION_ALL,
    SECTION_MEMORY,
    SECTION_INTENSITY,
    SECTION_PEAK,
    SECTION_CACHE,
    SECTION_LATENCY,
    SECTION_TRANSFER,
};

/* What an experiment does. in[] are arrays of n doubles, out one of n. */
enum experiment_work {
    WORK_WRITE,       /* out[x] = value */
    WORK_READ,        /* sums of in[0] */
    WORK_COPY,        /* out[x] = in[0][x], a times 16 bytes per thread of a GPU */
    WORK_TRIAD,       /* out[x] = in[0][x] + 3·in[1][x] */
    WORK_FIVE_READS,  /* out[x] = Σ in[0..4][x] */
    WORK_INTENSITY,   /* out[x] = in[0][x] after a times fma(x, c, d) */
    WORK_PEAK_64,     /* chains of fma without memory */
    WORK_PEAK_32,     /* the same in single precision */
    WORK_CACHE_READ,  /* sums of the first n of in[0], CACHE_SWEEPS times */
    WORK_SHARED_READ, /* sums of the first n of in[0] from shared memory, SHARED_SWEEPS times, by
                         every block */
    WORK_CACHE_COPY,  /* out[x] = in[0][x] for the first n, CACHE_SWEEPS times */
    WORK_NOTHING,     /* one kernel that does nothing, to be recorded in a graph */
    /* From here on the work waits for the host, and cannot be recorded in a graph. */
    WORK_LAUNCH,      /* EVENTS kernels that do nothing (CPU: parallel regions) */
    WORK_LAUNCH_WAIT, /* the same, waited for one by one */
    WORK_SYNC,        /* EVENTS synchronisations inside one kernel (CPU: barriers) */
    WORK_TO_DEVICE,   /* n doubles from page-locked host memory */
    WORK_TO_HOST,
};

enum {
    INPUTS = 5,
    PERIOD = 1021, /* of the input's values */
    STRIDE = 16,   /* doubles: 128 bytes, a line of a GPU's caches */
    CACHE_SWEEPS = 32,
    SHARED_DOUBLES = 2048, /* of a block */
    SHARED_SWEEPS = 512,
    COPY_PER_THREAD = 4,
    EVENTS = 1000,
    PEAK_CHAINS = 4, /* independent ones per thread */
    PEAK_PERIOD = 64,
    PEAK_STEPS = 4096,
    MAX_PARTIALS = 65536, /* sums may come in so many parts, in out */
};

struct experiment {
    enum experiment_work work;
    int a, b;
    long n; /* doubles of an array that take part */
    double value;
    const double *in[INPUTS];
    double *out;
    double *host_in, *host_out; /* page-locked, for transfers */
    long results; /* WORK_PEAK: how many results are in out; WORK_SHARED: blocks; set by the run */
};

struct machine_row {
    enum section section;
    const char *name;
    enum experiment_work work;
    int a, b; /* of the experiment; of a latency: a events per run */
    enum { ON_CPU = 1, ON_GPU = 2, ON_BOTH = 3 } where;
};
extern const struct machine_row machine_rows[];
extern const int machine_row_count;

/* Of one run: bytes that the algorithm names, and floating-point operations. */
double experiment_bytes(const struct experiment *e);
double experiment_flops(const struct experiment *e);
/* Whether out holds what it must after one run; `out` is a copy of it in host memory. */
bool experiment_is_right(const struct experiment *e, const double *out);
/* What out must be filled with before that run. */
double experiment_poison(const struct experiment *e);

void machine_run_cpu(void *experiment);

/* --- formulas of the experiments, the same on host and device -------------------------------- */

/* Inputs: small integers, so that sums are exact in any order. */
FORMULA double input_value(int array, long x)
{
    return (double)((x + 7 * array) % PERIOD);
}

/* One step of the chains that measure arithmetic; c and d keep values near 1. */
#define CHAIN_C 0.999
#define CHAIN_D 0.001
FORMULA double chain_start(long chain)
{
    return 1.0 + (double)(chain % PEAK_PERIOD);
}

#ifdef __cplusplus
}
#endif
#endif
