/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What `machine`, `memory` and `methods` measure are cases: kernels, their operands, what they must
 * give, and what to count. bench_measure() runs a case, compares its results with what they must
 * be, and times and reports it if they are right. */
#include <stdio.h>
#include <string.h>
#include "lab/kernels.h"
#include "lab/lab.h"

enum { ON_CPU = 1, ON_GPU = 2, ON_BOTH = 3 };
enum { MAX_STEPS = 12, MAX_PARAMETERS = 6 };

/* The value that element x must have; NaN: nothing is written there. */
typedef double expected_fn(const struct bench_operands *o, long x);
#define EXPECTED(name, value)                                                                      \
    static double expected_##name(const struct bench_operands *o, long x)                          \
    {                                                                                              \
        (void)o, (void)x;                                                                          \
        return value;                                                                              \
    }

struct bench_case {
    char name[64];
    struct json_number parameters[MAX_PARAMETERS]; /* for the report; the last has no key */
    struct bench_step {
        enum bench_kernel kernel;
        struct bench_operands o;
    } steps[MAX_STEPS]; /* run in turn */

    /* Counts of one run. */
    double elements, flops;
    double bytes, moved_bytes; /* that the algorithm names; that memory moves, 0: the same */
    int events;                /* dependent events in a run; 0: none */

    /* The results that are checked. */
    long results;
    double *results_at;    /* NULL: the last step's `out` */
    bool single;           /* they are floats, else doubles */
    bool on_host;          /* they are in host memory, on a GPU too */
    expected_fn *expected; /* NULL: results are parts of a sum, which must be `sum` */
    double sum;
    double tolerance; /* of the largest error; 0: results must be equal */

    enum timed_by by;
};

/* The arrays that experiments share. */
struct pool {
    const struct backend *backend;
    long n;        /* doubles of an array; a multiple of 4096 */
    long cache_n;  /* of an array that stays in the cache */
    double *block; /* all arrays, one after the other, on the backend */
    double *in[INPUTS], *out;
    double *copy;      /* of out, in host memory */
    double *pinned[2]; /* for transfers; NULL on a CPU */
};

/* array_mib: MiB of an array; 0: several times the last cache. What does not fit is refused. */
enum status pool_create(struct pool *pool, const struct backend *backend, long array_mib);
void pool_destroy(struct pool *pool);
/* Bytes that are free for arrays; 0: unknown. */
double pool_available_bytes(const struct backend *backend);

/* A run of a subcommand. Arrays in[0] to in[2] of the pool hold doubles, in[3] floats (`machine`:
 * doubles), all input_value(array, x); in[4] is free for an experiment's use, for `machine` as the
 * others. */
struct bench {
    struct lab *lab;
    struct pool pool;
    const struct experiment_row *experiment; /* that runs */
    bool titled;                             /* its table has titles */
    bool spoils;                             /* HPGMG_FAULT holds */
    struct json *figures;
    int fetch_bytes, sector_bytes; /* by which memory is read and written */
    int wrong;                     /* cases with wrong results so far */
};

/* An experiment, which measures its cases. To add one: a row in experiments.c, this function, and
 * its kernels (kernels.h). */
typedef void experiment_fn(struct bench *bench);
struct experiment_row {
    const char *subcommand, *name;
    int where;
    experiment_fn *run;
    const char *summary;
};
extern const struct experiment_row experiments[]; /* the last has no name */
experiment_fn machine_section, memory_strides, memory_access, memory_alignment, memory_records,
    memory_copy, memory_host, memory_points, memory_switch, memory_index, memory_unroll,
    memory_fusion, methods_interpolation, methods_convolution, methods_lu, methods_masks,
    methods_gradients;

#define BENCH_COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* A case of one step with the pool's arrays, n elements, all of them results, and that name. */
struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n,
                                const char *name, ...) __attribute__((format(printf, 4, 5)));
/* BENCH_PARAMETERS(c, {"stride", 2}, ...) */
#define BENCH_PARAMETERS(c, ...)                                                                   \
    memcpy((c).parameters, ((const struct json_number[]){__VA_ARGS__}),                            \
           sizeof((const struct json_number[]){__VA_ARGS__}))
/* `expected` of a copy of in[0], and of a table's value for each value of in[0]. */
expected_fn bench_expected_copy, bench_expected_in_table;
/* Fills such a table: every value after `fmas` links of the chain, in single precision or not. */
void bench_fill_chain_ends(double *table, int fmas, bool single);

/* Checks, times and reports a case. */
void bench_measure(struct bench *bench, const struct bench_case *c);
/* The largest error of one run's results; seconds of a run. */
double bench_error(const struct bench *bench, const struct bench_case *c);
struct spread bench_time(const struct bench *bench, const struct bench_case *c, int samples);
/* Says why a case is not measured. */
void bench_skip(const char *name, const char *why);
/* Bytes that memory moves for each element of `size` bytes if one of every `stride` is read or is
 * written. A partially written sector is read first. */
double bench_moved_by_reads(const struct bench *bench, long stride, int size);
double bench_moved_by_writes(const struct bench *bench, long stride, int size);
/* Doubles on the backend and in (pinned) host memory; false, and said so, if they are not free. */
bool bench_has_room(const struct bench *bench, const char *name, double on_backend, double on_host);
bool bench_on_gpu(const struct bench *bench);

/* For tests only: the environment variable HPGMG_FAULT (first, middle, last) puts a wrong value
 * among the results of every case and rung, to show that no check loses it. Refuses another word.
 */
enum status fault_check(void);
/* Index of the result to falsify; -1: none. */
long fault_index(long results);
extern const double fault_value; /* wrong as two floats too */
