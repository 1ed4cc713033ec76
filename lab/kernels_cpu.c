/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the experiments as OpenMP loops. */
#include <omp.h>
#include <string.h>
#include "base/check.h"
#include "base/library.h"
#include "lab/bodies.h"

/* The part of n that belongs to one thread. */
struct share {
    long low, high;
};

static struct share share_of(long n)
{
    const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
    return (struct share){n * thread / threads, n * (thread + 1) / threads};
}

/* --- machine
 * -------------------------------------------------------------------------------------- */

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

/* --- memory and methods
 * --------------------------------------------------------------------------- */

void cpu_copy_library(const struct bench_operands *o)
{
#pragma omp parallel
    {
        const struct share s = share_of(o->n);
        memcpy(OUT_DOUBLES + s.low, DOUBLES(0) + s.low, (size_t)(s.high - s.low) * sizeof(double));
    }
}

/* A row of an image, filtered along the row. */
static void filter_row(const float *in, float *out, long width)
{
#pragma omp simd
    for (long i = RADIUS; i < width - RADIUS; i++)
        out[i] = filtered(in + i, 1);
}

/* The sum of TAPS filtered rows. */
static void filter_rows(float *const rows[TAPS], float *out, long width)
{
    for (long i = RADIUS; i < width - RADIUS; i++)
        out[i] = tap(0) * rows[0][i];
    for (int t = 1; t < TAPS; t++)
#pragma omp simd
        for (long i = RADIUS; i < width - RADIUS; i++)
            out[i] = fmaf(tap(t), rows[t][i], out[i]);
}

/* One image of a x b: the last TAPS filtered rows are in a buffer, which the cache holds. */
static void roll_through(const struct bench_operands *o, const float *in, float *out)
{
    float buffer[TAPS][MAX_WIDTH];
    for (long j = 0; j < o->b; j++) {
        float *rows[TAPS];
        filter_row(in + j * o->a, buffer[j % TAPS], o->a);
        for (int t = 0; t < TAPS; t++)
            rows[t] = buffer[(j + 1 + t) % TAPS];
        if (j >= TAPS - 1)
            filter_rows(rows, out + (j - RADIUS) * o->a, o->a);
    }
}

/* c images. */
void cpu_convolve_rolling(const struct bench_operands *o)
{
    CHECK(o->a <= MAX_WIDTH);
#pragma omp parallel for schedule(static)
    for (long image = 0; image < o->c; image++)
        roll_through(o, FLOATS(3) + image * o->a * o->b, OUT_FLOATS + image * o->a * o->b);
}

/* --- transforms
 * ----------------------------------------------------------------------------------- */

/* By FFTW 3, if this machine has it: the program is built without. Types and numbers are those of
 * fftw3.h. */
enum { FFTW_ESTIMATE_FLAG = 1 << 6 };

static struct {
    void *there, *back; /* plans */
    int (*init_threads)(void);
    void (*plan_threads)(int threads);
    void *(*plan_forward)(int planes, int rows, int columns, double *in, double *out,
                          unsigned flags);
    void *(*plan_inverse)(int planes, int rows, int columns, double *in, double *out,
                          unsigned flags);
    void (*destroy)(void *plan);
    void (*forward)(const void *plan, double *in, double *out);
    void (*inverse)(const void *plan, double *in, double *out);
} fftw;

static bool find_fftw(void)
{
    static const char *const files[] = {"libfftw3_omp.so.3", NULL};
    const struct library_function functions[] = {{"fftw_init_threads", &fftw.init_threads},
                                                 {"fftw_plan_with_nthreads", &fftw.plan_threads},
                                                 {"fftw_plan_dft_r2c_3d", &fftw.plan_forward},
                                                 {"fftw_plan_dft_c2r_3d", &fftw.plan_inverse},
                                                 {"fftw_destroy_plan", &fftw.destroy},
                                                 {"fftw_execute_dft_r2c", &fftw.forward},
                                                 {"fftw_execute_dft_c2r", &fftw.inverse}};
    return library_load(files, functions, 7);
}

const char *cpu_fft_open(double *field, double *transform, int side)
{
    if (!find_fftw())
        return "libfftw3_omp.so.3 is not available";
    CHECK(fftw.init_threads() != 0);
    fftw.plan_threads(omp_get_max_threads());
    fftw.there = fftw.plan_forward(side, side, side, field, transform, FFTW_ESTIMATE_FLAG);
    fftw.back = fftw.plan_inverse(side, side, side, transform, field, FFTW_ESTIMATE_FLAG);
    CHECK(fftw.there && fftw.back);
    return NULL;
}

void cpu_fft_close(void)
{
    fftw.destroy(fftw.there);
    fftw.destroy(fftw.back);
}

void cpu_fft(const struct bench_operands *o)
{
    fftw.forward(fftw.there, (double *)DOUBLES(0), OUT_DOUBLES);
}

void cpu_inverse_fft(const struct bench_operands *o)
{
    fftw.inverse(fftw.back, (double *)DOUBLES(0), OUT_DOUBLES);
}

/* --- one element at a time
 * ------------------------------------------------------------------------ */

#define LOOP(name, statement)                                                                      \
    static void cpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        _Pragma("omp parallel for schedule(static)") for (long x = 0; x < o.n; x++)                \
            body_##name(&o, x);                                                                    \
    }
ELEMENTS(LOOP)

#define CELL_LOOP(name)                                                                            \
    static void cpu_##name(const struct bench_operands *operands)                                  \
    {                                                                                              \
        const struct bench_operands o = *operands;                                                 \
        const int side = (int)o.a;                                                                 \
        _Pragma("omp parallel for collapse(2) schedule(static) firstprivate(o)") for (             \
            int k = 0; k < side; k++) for (int j = 0; j < side; j++)                               \
        {                                                                                          \
            for (int i = 0; i < CELL_EDGE; i++) {                                                  \
                cell_##name(&o, i, j, k, 0);                                                       \
                cell_##name(&o, side - 1 - i, j, k, 0);                                            \
            }                                                                                      \
            _Pragma("omp simd") for (int i = CELL_EDGE; i < side - CELL_EDGE; i++)                 \
                cell_##name(&o, i, j, k, 1);                                                       \
        }                                                                                          \
    }
CELLS(CELL_LOOP)

#define ENTRY(name) [KERNEL_##name] = cpu_##name,
#define ELEMENT_ENTRY(name, statement) ENTRY(name)
bench_kernel_fn *const cpu_kernels[KERNEL_COUNT] = {ELEMENTS(ELEMENT_ENTRY) CELLS(ENTRY)
                                                        OWN_KERNELS(ENTRY)};
