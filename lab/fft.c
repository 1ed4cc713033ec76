/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms on a CPU by FFTW 3, if this machine has it: the program is built without. Types and
 * numbers are those of fftw3.h. */
#include <omp.h>
#include "base/check.h"
#include "base/library.h"
#include "lab/bodies.h"

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
