/* SPDX-License-Identifier: BSD-3-Clause */
/* The experiments of `machine` as OpenMP loops. */
#include <omp.h>
#include <string.h>
#include "lab/machine.h"

/* out[x] = value for all x; a to e are the inputs. */
#define STREAM(name, value)                                                                        \
    void cpu_##name(const struct bench_operands *o)                                                \
    {                                                                                              \
        const double *a = o->in[0], *b = o->in[1], *c = o->in[2], *d = o->in[3], *e = o->in[4];    \
        double *out = o->out;                                                                      \
        (void)a, (void)b, (void)c, (void)d, (void)e;                                               \
        _Pragma("omp parallel for simd schedule(static)") for (long x = 0; x < o->n; x++) out[x] = \
            (value);                                                                               \
    }
STREAM(write, 1.0)
STREAM(copy, a[x])
STREAM(triad, a[x] + 3.0 * b[x])
STREAM(five_reads, a[x] + b[x] + c[x] + d[x] + e[x])

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

/* Each thread reads its share a times; its sum is one of the results. */
void cpu_read(const struct bench_operands *o)
{
#pragma omp parallel
    {
        double sum = 0.0;
        for (int sweep = 0; sweep < o->a; sweep++)
            sum += sum_of(DOUBLES(0), share_of(o->n));
        OUT_DOUBLES[omp_get_thread_num()] = sum;
    }
}

static void copy_share(const double *in, double *out, struct share s)
{
#pragma omp simd
    for (long x = s.low; x < s.high; x++)
        out[x] = in[x];
}

void cpu_copy_again(const struct bench_operands *o)
{
#pragma omp parallel
    for (int sweep = 0; sweep < CACHE_SWEEPS; sweep++)
        copy_share(DOUBLES(0), OUT_DOUBLES, share_of(o->n));
}

/* So many bytes of chains at once fill a processor's pipelines (eight vectors: two units of latency
 * four) and still fit into its registers. */
#ifdef __AVX512F__
enum { CHAIN_BYTES = 512 };
#else
enum { CHAIN_BYTES = 256 };
#endif

#define CHAIN_STEPS(type, fused, x, steps)                                                         \
    for (int step = 0; step < (steps); step++) {                                                   \
        for (int c = 0; c < CHAIN_BYTES / (int)sizeof(type); c++)                                  \
            x[c] = fused(x[c], (type)CHAIN_C, (type)CHAIN_D);                                      \
    }

void cpu_intensity(const struct bench_operands *o)
{
    enum { CHAINS = CHAIN_BYTES / sizeof(double) };
    const int fmas = (int)o->a;
#pragma omp parallel for schedule(static)
    for (long block = 0; block < o->n / CHAINS; block++) {
        double x[CHAINS];
        memcpy(x, DOUBLES(0) + block * CHAINS, sizeof x);
        CHAIN_STEPS(double, fma, x, fmas)
        memcpy(OUT_DOUBLES + block * CHAINS, x, sizeof x);
    }
}

#define PEAK(name, type, fused)                                                                    \
    void cpu_##name(const struct bench_operands *o)                                                \
    {                                                                                              \
        enum { CHAINS = CHAIN_BYTES / sizeof(type), RESULTS = CHAINS / PEAK_CHAINS };              \
        _Pragma("omp parallel for schedule(static)") for (long first = 0; first < o->n;            \
                                                          first += RESULTS)                        \
        {                                                                                          \
            type x[CHAINS];                                                                        \
            for (int c = 0; c < CHAINS; c++)                                                       \
                x[c] = (type)chain_start(first * PEAK_CHAINS + c);                                 \
            CHAIN_STEPS(type, fused, x, PEAK_STEPS)                                                \
            for (int r = 0; r < RESULTS; r++) {                                                    \
                const type *of = x + r * PEAK_CHAINS;                                              \
                OUT_DOUBLES[first + r] =                                                           \
                    (((double)of[0] + (double)of[1]) + (double)of[2]) + (double)of[3];             \
            }                                                                                      \
        }                                                                                          \
    }
PEAK(peak_f64, double, fma)
PEAK(peak_f32, float, fmaf)

/* Parallel regions that the compiler must not remove. */
void cpu_launches(const struct bench_operands *o)
{
    for (int event = 0; event < EVENTS; event++) {
#pragma omp parallel
        if (omp_get_thread_num() < 0)
            OUT_DOUBLES[0] = 0.0;
    }
}

void cpu_synchronisations(const struct bench_operands *o)
{
#pragma omp parallel
    {
        int passed = 0;
        for (int event = 0; event < EVENTS; event++) {
#pragma omp barrier
            passed++;
        }
#pragma omp master
        OUT_DOUBLES[0] = passed;
    }
}
