/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_EXPERIMENTS_H
#define LAB_EXPERIMENTS_H
/* The experiments of `hpgmg-lab memory` and `hpgmg-lab methods`. An experiment (experiments.def) is
 * a function that sets up its cases one by one: a kernel, its operands, what it must give, and what
 * to count. bench_measure() runs a case, compares its results with what they must be, and times it
 * if they are right. */
#include "cli/json.h"
#include "lab/pool.h"

struct lab;

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel gets. The meaning of a, b and c is the kernel's. */
struct bench_operands {
    long n; /* how often its body runs: for 0 <= x < n */
    const void *in[INPUTS];
    void *out;
    long a, b, c;
    const double *table;        /* in host memory, for `expected` */
    unsigned long long texture; /* of a GPU */
};

/* The kernels, by number (lab/kernels.def); KERNEL_none ends the steps of a case. */
enum bench_kernel {
    KERNEL_none,
#define BODY(name) KERNEL_##name,
#define OWN(name) KERNEL_##name,
#define GPU(name) KERNEL_##name,
#include "lab/kernels.def"
    KERNEL_COUNT
};
/* Of the kernel points_transfers: what goes between host and device. */
enum points_transfers {
    POINTS_KERNEL, /* nothing */
    POINTS_ONE_WAY,
    POINTS_BOTH_WAYS,
    POINTS_OVERLAPPED,
    POINTS_MODES
};

typedef void bench_kernel_fn(const struct bench_operands *o);
/* By number; NULL where there is none. */
extern bench_kernel_fn *const cpu_kernels[KERNEL_COUNT], *const gpu_kernels[KERNEL_COUNT];

enum { MOST_STEPS = 2, MOST_PARAMETERS = 6 };

struct bench_case {
    char name[64];
    struct json_number parameters[MOST_PARAMETERS]; /* for the report; the last has no key */
    struct bench_step {
        enum bench_kernel kernel;
        struct bench_operands o;
    } steps[MOST_STEPS]; /* run in turn */

    /* Counts of one run. */
    double elements, flops;
    double bytes, moved_bytes; /* that the algorithm names; that memory moves, 0: as many */

    /* The results that are checked. */
    long results;
    double *results_at; /* NULL: the last step's `out` */
    bool single;        /* they are floats, else doubles */
    bool on_host;       /* they are in host memory, on a GPU too */
    /* The value that element x must have; NaN: nothing is written there. */
    double (*expected)(const struct bench_operands *o, long x);
    double tolerance; /* of the largest error; 0: results must be equal */

    enum timed_by by;
};

/* A run of a subcommand. Arrays in[0] to in[2] of the pool hold doubles, in[3] floats, all
 * input_value(array, x); in[4] is free for an experiment's use. */
struct bench {
    struct lab *lab;
    struct pool pool;
    const char *experiment; /* the one that runs */
    struct json *figures;
    int fetch_bytes, sector_bytes; /* by which memory is read and written */
    int wrong;                     /* cases with wrong results so far */
};

#define BENCH_COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* A case of one step with the pool's arrays, n elements, all of them results. */
struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n);
/* `expected` of a copy of in[0]. */
double bench_expected_copy(const struct bench_operands *o, long x);
/* Checks, times and reports a case. */
void bench_measure(struct bench *bench, const struct bench_case *c);
/* Says why a case is not measured. */
void bench_skip(struct bench *bench, const char *name, const char *why);
/* Bytes that memory moves for each element of `size` bytes if one of every `stride` is read or is
 * written. A sector of which a write covers a part is read first. */
double bench_moved_by_reads(const struct bench *bench, long stride, int size);
double bench_moved_by_writes(const struct bench *bench, long stride, int size);
/* Doubles on the backend and in (page-locked) host memory; false if that much is not free. */
bool bench_has_room(const struct bench *bench, double on_backend, double on_host);
bool bench_on_gpu(const struct bench *bench);

#ifdef __cplusplus
}
#endif
#endif
