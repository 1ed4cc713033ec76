/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments as OpenMP loops. */
#include <math.h>
#include <omp.h>
#include <string.h>
#include "base/check.h"
#include "lab/machine.h"

static void write_value(struct experiment *e)
{
    double *out = e->out;
    const double value = e->value;
#pragma omp parallel for simd schedule(static)
    for (long x = 0; x < e->n; x++)
        out[x] = value;
}

static void copy(struct experiment *e)
{
    const double *in = e->in[0];
    double *out = e->out;
#pragma omp parallel for simd schedule(static)
    for (long x = 0; x < e->n; x++)
        out[x] = in[x];
}

static void triad(struct experiment *e)
{
    const double *a = e->in[0], *b = e->in[1];
    double *out = e->out;
#pragma omp parallel for simd schedule(static)
    for (long x = 0; x < e->n; x++)
        out[x] = a[x] + 3.0 * b[x];
}

static void five_reads(struct experiment *e)
{
    const double *const *in = e->in;
    const double *a = in[0], *b = in[1], *c = in[2], *d = in[3], *f = in[4];
    double *out = e->out;
#pragma omp parallel for simd schedule(static)
    for (long x = 0; x < e->n; x++)
        out[x] = a[x] + b[x] + c[x] + d[x] + f[x];
}

/* The part of n that belongs to one thread. */
struct share {
    long low, high;
};

static struct share share_of(long n)
{
    const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
    return (struct share){n * thread / threads, n * (thread + 1) / threads};
}

static double sum_of(const double *in, struct share s)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (long x = s.low; x < s.high; x++)
        sum += in[x];
    return sum;
}

/* Each thread reads its share, of a cached array several times; its sum is one of the results. */
static void read_all(struct experiment *e)
{
    const int sweeps = e->work == WORK_CACHE_READ ? CACHE_SWEEPS : 1;
#pragma omp parallel
    {
        double sum = 0.0;
        for (int sweep = 0; sweep < sweeps; sweep++)
            sum += sum_of(e->in[0], share_of(e->n));
        e->out[omp_get_thread_num()] = sum;
    }
}

static void copy_share(const double *in, double *out, struct share s)
{
#pragma omp simd
    for (long x = s.low; x < s.high; x++)
        out[x] = in[x];
}

static void copy_again(struct experiment *e)
{
#pragma omp parallel
    for (int sweep = 0; sweep < CACHE_SWEEPS; sweep++)
        copy_share(e->in[0], e->out, share_of(e->n));
}

/* So many bytes of chains at once fill a processor's pipelines (eight vectors: two units of latency
 * four) and still fit into its registers. */
#ifdef __AVX512F__
enum { CHAIN_BYTES = 512 };
#else
enum { CHAIN_BYTES = 256 };
#endif
enum { CHAINS_64 = CHAIN_BYTES / sizeof(double), CHAINS_32 = CHAIN_BYTES / sizeof(float) };

#define CHAIN_STEPS(type, fused, x, steps)                                                         \
    for (int step = 0; step < (steps); step++) {                                                   \
        for (int c = 0; c < CHAIN_BYTES / (int)sizeof(type); c++)                                  \
            x[c] = fused(x[c], (type)CHAIN_C, (type)CHAIN_D);                                      \
    }

/* `fmas` is a constant wherever this is called, so that short chains are unrolled. */
static inline __attribute__((always_inline)) void intensity_of(const struct experiment *e, int fmas)
{
    const long blocks = e->n / CHAINS_64;
    for (long block = share_of(blocks).low; block < share_of(blocks).high; block++) {
        double x[CHAINS_64];
        memcpy(x, e->in[0] + block * CHAINS_64, sizeof x);
        CHAIN_STEPS(double, fma, x, fmas)
        memcpy(e->out + block * CHAINS_64, x, sizeof x);
    }
}

static void intensity(struct experiment *e)
{
#pragma omp parallel
    switch (e->a) {
    case 1:
        intensity_of(e, 1);
        break;
    case 2:
        intensity_of(e, 2);
        break;
    case 4:
        intensity_of(e, 4);
        break;
    case 8:
        intensity_of(e, 8);
        break;
    default:
        intensity_of(e, e->a);
    }
}

/* A block of chains; `result` is the number of its first result. */
#define PEAK_BLOCK(name, type, fused, chains)                                                      \
    static void name(double *out, long result)                                                     \
    {                                                                                              \
        type x[chains];                                                                            \
        for (int c = 0; c < chains; c++)                                                           \
            x[c] = (type)chain_start(result * PEAK_CHAINS + c);                                    \
        CHAIN_STEPS(type, fused, x, PEAK_STEPS)                                                    \
        for (int c = 0; c < chains; c += PEAK_CHAINS)                                              \
            out[result + c / PEAK_CHAINS] =                                                        \
                (((double)x[c] + (double)x[c + 1]) + (double)x[c + 2]) + (double)x[c + 3];         \
    }
PEAK_BLOCK(peak_block_64, double, fma, CHAINS_64)
PEAK_BLOCK(peak_block_32, float, fmaf, CHAINS_32)

static void peak(struct experiment *e)
{
    enum { BLOCKS_PER_THREAD = 256 };
    const bool is_64 = e->work == WORK_PEAK_64;
    const long results = (is_64 ? CHAINS_64 : CHAINS_32) / PEAK_CHAINS; /* of a block */
    const long wanted = (long)omp_get_max_threads() * BLOCKS_PER_THREAD, most = e->n / results;
    const long blocks = wanted < most ? wanted : most;
    e->results = blocks * results;
#pragma omp parallel for schedule(static)
    for (long block = 0; block < blocks; block++) {
        if (is_64)
            peak_block_64(e->out, block * results);
        else
            peak_block_32(e->out, block * results);
    }
}

/* Parallel regions, each of which the compiler must believe in. */
static void regions(struct experiment *e)
{
    for (int event = 0; event < EVENTS; event++) {
#pragma omp parallel
        if (omp_get_thread_num() < 0)
            e->out[0] = 0.0;
    }
}

static void barriers(struct experiment *e)
{
#pragma omp parallel
    {
        int passed = 0;
        for (int event = 0; event < EVENTS; event++) {
#pragma omp barrier
            passed++;
        }
#pragma omp master
        e->out[0] = passed;
    }
}

static void (*const runs[])(struct experiment *) = {
    [WORK_WRITE] = write_value,     [WORK_READ] = read_all,         [WORK_COPY] = copy,
    [WORK_TRIAD] = triad,           [WORK_FIVE_READS] = five_reads, [WORK_INTENSITY] = intensity,
    [WORK_PEAK_64] = peak,          [WORK_PEAK_32] = peak,          [WORK_CACHE_READ] = read_all,
    [WORK_CACHE_COPY] = copy_again, [WORK_LAUNCH] = regions,        [WORK_SYNC] = barriers,
};

void machine_run_cpu(void *experiment)
{
    struct experiment *e = experiment;
    CHECK(e->work < sizeof runs / sizeof runs[0] && runs[e->work]);
    runs[e->work](e);
}
