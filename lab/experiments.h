/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_EXPERIMENTS_H
#define LAB_EXPERIMENTS_H
/* What `machine`, `memory` and `methods` measure are cases: kernels, their operands, what they must
 * give, and what to count. bench_measure() runs a case, compares its results with what they must
 * be, and times and reports it if they are right. */
#include <stdio.h>
#include <string.h>
#include "lab/lab.h"
#include "lab/pool.h"

enum { ON_CPU = 1, ON_GPU = 2, ON_BOTH = 3 };
enum { MAX_STEPS = 12, MAX_PARAMETERS = 6 };

struct bench_case {
    char name[64];
    struct json_number parameters[MAX_PARAMETERS]; /* for the report; the last has no key */
    struct bench_step {
        enum bench_kernel kernel;
        struct bench_operands o;
    } steps[MAX_STEPS]; /* run in turn */

    /* Counts of one run. */
    double elements, flops;
    double bytes, moved_bytes; /* that the algorithm names; that memory moves, 0: as many */
    int events;                /* dependent events in a run; 0: none */

    /* The results that are checked. */
    long results;
    double *results_at; /* NULL: the last step's `out` */
    bool single;        /* they are floats, else doubles */
    bool on_host;       /* they are in host memory, on a GPU too */
    /* The value that element x must have; NaN: nothing is written there. NULL: results are parts of
     * a sum, which must be `sum`. */
    double (*expected)(const struct bench_operands *o, long x);
    double sum;
    double tolerance; /* of the largest error; 0: results must be equal */

    enum timed_by by;
};

/* A run of a subcommand. Arrays in[0] to in[2] of the pool hold doubles, in[3] floats (`machine`:
 * doubles), all input_value(array, x); in[4] is free for an experiment's use, for `machine` as the
 * others. */
struct bench {
    struct lab *lab;
    struct pool pool;
    const char *kind, *experiment; /* "section" or "experiment"; the one that runs */
    int name_width;
    bool spoils; /* HPGMG_FAULT holds */
    struct json *figures;
    int fetch_bytes, sector_bytes; /* by which memory is read and written */
    int wrong;                     /* cases with wrong results so far */
    /* The columns of a case with that time and error; returns their number. */
    int (*columns)(const struct bench_case *c, const struct spread *s, double error,
                   struct column *columns);
};

/* A row of experiments.def. */
struct experiment_row {
    const char *subcommand, *name;
    int where;
    const char *summary;
    void (*run)(struct bench *bench);
};
extern const struct experiment_row experiments[]; /* the last has no name */

#define BENCH_COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

/* A case of one step with the pool's arrays, n elements, all of them results, and that name. */
struct bench_case bench_case_of(const struct bench *bench, enum bench_kernel kernel, long n,
                                const char *name, ...) __attribute__((format(printf, 4, 5)));
#define BENCH_NAME(c, ...) snprintf((c).name, sizeof(c).name, __VA_ARGS__)
/* BENCH_PARAMETERS(c, {"stride", 2}, ...) */
#define BENCH_PARAMETERS(c, ...)                                                                   \
    memcpy((c).parameters, ((const struct json_number[]){__VA_ARGS__}),                            \
           sizeof((const struct json_number[]){__VA_ARGS__}))
/* `expected` of a copy of in[0], and of a table's value for each value of in[0]. */
double bench_expected_copy(const struct bench_operands *o, long x);
double bench_expected_in_table(const struct bench_operands *o, long x);
/* Fills such a table: every value after `fmas` links of the chain, in single precision or not. */
void bench_fill_chain_ends(double *table, int fmas, bool single);

/* Prints a heading, and titles that fit a case like this one. */
void bench_begin(struct bench *bench, const char *experiment, const char *title,
                 const struct bench_case *like);
/* Checks, times and reports a case. */
void bench_measure(struct bench *bench, const struct bench_case *c);
/* The largest error of one run's results; seconds of a run. */
double bench_error(const struct bench *bench, const struct bench_case *c);
struct spread bench_time(const struct bench *bench, const struct bench_case *c, int samples);
/* Says why a case is not measured. */
void bench_skip(struct bench *bench, const char *name, const char *why);
/* Bytes that memory moves for each element of `size` bytes if one of every `stride` is read or is
 * written. A partially written sector is read first. */
double bench_moved_by_reads(const struct bench *bench, long stride, int size);
double bench_moved_by_writes(const struct bench *bench, long stride, int size);
/* Doubles on the backend and in (pinned) host memory; false if that much is not free. */
bool bench_has_room(const struct bench *bench, double on_backend, double on_host);
bool bench_on_gpu(const struct bench *bench);

/* For tests only: the environment variable HPGMG_FAULT (first, middle, last) puts a wrong value
 * among the results of every case and rung, to show that no check loses it. Refuses another word.
 */
enum status fault_check(void);
/* Index of the result to falsify; -1: none. */
long fault_index(long results);
extern const double fault_value; /* wrong as two floats too */

#endif
