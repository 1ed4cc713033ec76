/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments: what there is, what each counts, and what each must give. */
#include <math.h>
#include <string.h>
#include "lab/machine.h"

const struct machine_row machine_rows[] = {
    {SECTION_MEMORY, "copy", WORK_COPY, 1, 0, ON_BOTH},
    {SECTION_MEMORY, "copy, 4 x 16 bytes per thread", WORK_COPY, COPY_PER_THREAD, 0, ON_GPU},
    {SECTION_MEMORY, "read", WORK_READ, 0, 0, ON_BOTH},
    {SECTION_MEMORY, "write", WORK_WRITE, 0, 0, ON_BOTH},
    {SECTION_MEMORY, "triad: 2 reads, 1 write", WORK_TRIAD, 0, 0, ON_BOTH},
    {SECTION_MEMORY, "5 reads, 1 write", WORK_FIVE_READS, 0, 0, ON_BOTH},

    {SECTION_INTENSITY, "1 FMA per double", WORK_INTENSITY, 1, 0, ON_BOTH},
    {SECTION_INTENSITY, "2 FMAs per double", WORK_INTENSITY, 2, 0, ON_BOTH},
    {SECTION_INTENSITY, "4 FMAs per double", WORK_INTENSITY, 4, 0, ON_BOTH},
    {SECTION_INTENSITY, "8 FMAs per double", WORK_INTENSITY, 8, 0, ON_BOTH},
    {SECTION_INTENSITY, "16 FMAs per double", WORK_INTENSITY, 16, 0, ON_BOTH},
    {SECTION_INTENSITY, "32 FMAs per double", WORK_INTENSITY, 32, 0, ON_BOTH},
    {SECTION_INTENSITY, "64 FMAs per double", WORK_INTENSITY, 64, 0, ON_BOTH},
    {SECTION_INTENSITY, "128 FMAs per double", WORK_INTENSITY, 128, 0, ON_BOTH},
    {SECTION_INTENSITY, "256 FMAs per double", WORK_INTENSITY, 256, 0, ON_BOTH},

    {SECTION_PEAK, "FP64", WORK_PEAK_64, 0, 0, ON_BOTH},
    {SECTION_PEAK, "FP32", WORK_PEAK_32, 0, 0, ON_BOTH},

    {SECTION_CACHE, "read within the cache", WORK_CACHE_READ, 0, 0, ON_BOTH},
    {SECTION_CACHE, "copy within the cache", WORK_CACHE_COPY, 0, 0, ON_BOTH},
    {SECTION_CACHE, "read shared memory", WORK_SHARED_READ, 0, 0, ON_GPU},

    {SECTION_LATENCY, "launches back to back, each", WORK_LAUNCH, EVENTS, 0, ON_GPU},
    {SECTION_LATENCY, "launch and wait", WORK_LAUNCH_WAIT, EVENTS, 0, ON_GPU},
    {SECTION_LATENCY, "node of a graph", WORK_NOTHING, 1, 0, ON_GPU},
    {SECTION_LATENCY, "grid.sync in a kernel", WORK_SYNC, EVENTS, 0, ON_GPU},
    {SECTION_LATENCY, "8 bytes to the device, waited for", WORK_TO_DEVICE, 1, 0, ON_GPU},
    {SECTION_LATENCY, "8 bytes to the host, waited for", WORK_TO_HOST, 1, 0, ON_GPU},
    {SECTION_LATENCY, "parallel region", WORK_LAUNCH, EVENTS, 0, ON_CPU},
    {SECTION_LATENCY, "barrier in a parallel region", WORK_SYNC, EVENTS, 0, ON_CPU},

    {SECTION_TRANSFER, "pinned host to device", WORK_TO_DEVICE, 0, 0, ON_GPU},
    {SECTION_TRANSFER, "device to pinned host", WORK_TO_HOST, 0, 0, ON_GPU},
};
const int machine_row_count = sizeof machine_rows / sizeof machine_rows[0];

/* Doubles that one run names, reads and writes. */
static double named_doubles(const struct experiment *e)
{
    const double n = (double)e->n;
    switch (e->work) {
    case WORK_WRITE:
    case WORK_READ:
    case WORK_TO_DEVICE:
    case WORK_TO_HOST:
        return n;
    case WORK_COPY:
    case WORK_INTENSITY:
        return 2.0 * n;
    case WORK_TRIAD:
        return 3.0 * n;
    case WORK_FIVE_READS:
        return 6.0 * n;
    case WORK_CACHE_READ:
        return n * CACHE_SWEEPS;
    case WORK_SHARED_READ:
        return n * SHARED_SWEEPS * (double)e->results;
    case WORK_CACHE_COPY:
        return 2.0 * n * CACHE_SWEEPS;
    default:
        return 0.0;
    }
}

double experiment_bytes(const struct experiment *e)
{
    return named_doubles(e) * sizeof(double);
}

double experiment_flops(const struct experiment *e)
{
    switch (e->work) {
    case WORK_INTENSITY:
        return 2.0 * e->a * (double)e->n;
    case WORK_PEAK_64:
    case WORK_PEAK_32:
        return 2.0 * PEAK_STEPS * PEAK_CHAINS * (double)e->results;
    default:
        return 0.0;
    }
}

/* --- what the results must be ----------------------------------------------------------------- */

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool is_sum(const struct experiment *e)
{
    return e->work == WORK_READ || e->work == WORK_CACHE_READ || e->work == WORK_SHARED_READ;
}

double experiment_poison(const struct experiment *e)
{
    return is_sum(e) ? 0.0 : NAN;
}

/* Σ of the first n values of input 0: whole periods, and the rest. */
static double input_sum(long n)
{
    const double period = 0.5 * PERIOD * (PERIOD - 1), whole = (double)(n / PERIOD);
    const double rest = (double)(n % PERIOD);
    return whole * period + 0.5 * rest * (rest - 1.0);
}

/* How often every value is read. */
static double sweeps_of(const struct experiment *e)
{
    return e->work == WORK_CACHE_READ    ? CACHE_SWEEPS
           : e->work == WORK_SHARED_READ ? SHARED_SWEEPS * (double)e->results
                                         : 1.0;
}

static bool sum_is_right(const struct experiment *e, const double *out)
{
    const long most = e->work == WORK_SHARED_READ ? MAX_PARTIALS : e->n;
    double sum = 0.0;
    for (long x = 0; x < most && x < MAX_PARTIALS; x++)
        sum += out[x];
    return sum == input_sum(e->n) * sweeps_of(e);
}

static double chain_end(double x, int steps)
{
    for (int step = 0; step < steps; step++)
        x = fma(x, CHAIN_C, CHAIN_D);
    return x;
}

static float chain_end_single(float x, int steps)
{
    for (int step = 0; step < steps; step++)
        x = fmaf(x, (float)CHAIN_C, (float)CHAIN_D);
    return x;
}

/* Every result is the sum of its thread's chains. */
static bool peak_is_right(const struct experiment *e, const double *out)
{
    double ends[PEAK_PERIOD];
    for (int c = 0; c < PEAK_PERIOD; c++)
        ends[c] = e->work == WORK_PEAK_64
                      ? chain_end(chain_start(c), PEAK_STEPS)
                      : (double)chain_end_single((float)chain_start(c), PEAK_STEPS);
    for (long result = 0; result < e->results; result++) {
        double sum = 0.0;
        for (int c = 0; c < PEAK_CHAINS; c++)
            sum += ends[(result * PEAK_CHAINS + c) % PEAK_PERIOD];
        if (!same_bits(out[result], sum))
            return false;
    }
    return e->results > 0;
}

static bool intensity_is_right(const struct experiment *e, const double *out)
{
    double ends[PERIOD];
    for (int x = 0; x < PERIOD; x++)
        ends[x] = chain_end(input_value(0, x), e->a);
    bool right = true;
#pragma omp parallel for reduction(&& : right)
    for (long x = 0; x < e->n; x++)
        right = right && same_bits(out[x], ends[x % PERIOD]);
    return right;
}

/* The value at out[x], for experiments with one for each element. */
static double expected(const struct experiment *e, long x)
{
    switch (e->work) {
    case WORK_WRITE:
        return e->value;
    case WORK_TRIAD:
        return input_value(0, x) + 3.0 * input_value(1, x);
    case WORK_FIVE_READS: {
        double sum = 0.0;
        for (int i = 0; i < INPUTS; i++)
            sum += input_value(i, x);
        return sum;
    }
    default:
        return input_value(0, x);
    }
}

static bool values_are_right(const struct experiment *e, const double *out)
{
    bool right = true;
#pragma omp parallel for reduction(&& : right)
    for (long x = 0; x < e->n; x++)
        right = right && out[x] == expected(e, x);
    return right;
}

bool experiment_is_right(const struct experiment *e, const double *out)
{
    switch (e->work) {
    case WORK_READ:
    case WORK_CACHE_READ:
    case WORK_SHARED_READ:
        return sum_is_right(e, out);
    case WORK_PEAK_64:
    case WORK_PEAK_32:
        return peak_is_right(e, out);
    case WORK_INTENSITY:
        return intensity_is_right(e, out);
    case WORK_TO_HOST: {
        struct experiment copy = *e;
        copy.work = WORK_COPY;
        return values_are_right(&copy, e->host_out);
    }
    case WORK_LAUNCH:
    case WORK_LAUNCH_WAIT:
    case WORK_NOTHING:
        return true;
    case WORK_SYNC: /* as many as were asked for */
        return out[0] == EVENTS;
    default:
        return values_are_right(e, out);
    }
}
