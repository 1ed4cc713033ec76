/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_BENCHMARK_H
#define APP_BENCHMARK_H
/* The benchmark procedure (NUMERICS, The benchmark procedure and its report): timed solves for h,
 * 2h and 4h, the Richardson analysis, and the checks that make a run VALID. Fills a record, of
 * which all reports are made; prints only a progress line on a terminal. */
#include <stdbool.h>
#include "app/meters.h"
#include "app/options.h"
#include "app/ranks.h"
#include "app/verdict.h"
#include "solvers/solver.h"

/* All stages of one name on one level, per solve. Seconds are the slowest rank's, bytes the sum
 * over ranks. */
struct stage_record {
    int level;
    const char *work;           /* see stage_work() */
    char name[48], kernels[80]; /* that ran; "" where nothing computes */
    double calls, seconds, bytes;
    double pack, local, wait, unpack; /* of halo exchanges and redistribution, seconds */
};

struct size_record {
    const char *name; /* "h", "2h", "4h" */
    int level, n[3];
    double unknowns, h;
    struct solve_result solve; /* of the last solve */
    long solves;               /* timed */
    double *samples, total;    /* seconds of each, and of all */
    double mean, median, min, max, deviation;
    double spread, drift;  /* see size_noise() */
    double dof_per_second; /* unknowns/median; 0 if not timed */
    uint64_t checksum;     /* of u after the first solve */
    bool reproducible;     /* the last solve has the same checksum */
    const char *hand_over; /* between GPU and CPU levels: "graph", "host"; NULL: none */
    struct hand_over_times hand_over_times; /* of a solve, if hand_over is "graph" */
    struct meters meters;                   /* of the timed solves; joules per solve */
    double rhs_norm, solution_norm;         /* ‖f‖_max, and ‖u‖_max after the first solve */
    double true_error;                      /* ‖u − u_exact‖_max; NaN if not known */
    int nstages;
    struct stage_record *stages;
};

enum { IDLE_SIZE = 120 };

struct benchmark {
    int nsizes; /* min(3, levels) */
    struct size_record sizes[SOLVED_LEVELS];
    bool has_richardson; /* all three sizes exist */
    double richardson_error, richardson_order;
    double copy_bytes_per_second; /* read + write, all ranks; 0 if not measured */
    struct rank_table ranks;
    char idle[IDLE_SIZE]; /* options that changed nothing, "--loops, --transport"; or "" */
    struct bottom_counts bottom;
    struct verdict verdict;
    struct timeline *timeline; /* of a solve of size h; NULL unless asked for */
};

/* True if the restricted right-hand side is 0 but for rounding, so that relative residuals mean
 * nothing. */
bool size_is_trivial(const struct benchmark *b, const struct size_record *r);

/* How badly the median of the solve times tells what a solve takes: the larger of the spread, the
 * distance between the quartiles over the median, and the size of the drift, the median of the last
 * half of the solves over that of the first half, minus 1. The quartiles are the medians of the
 * smaller and of the larger half of the times. Of an odd number the middle one is in neither half.
 * NaN of fewer than two solves. Times are noisy unless this is at most NOISE. */
#define NOISE 0.1
double size_noise(const struct size_record *r);
bool size_is_noisy(const struct size_record *r);
/* "spread 0.4 %", "spread 0.4 %, drift -23.0 %" where the drift is too large, or "spread unknown".
 * Returns text. */
enum { NOISE_TEXT_SIZE = 64 };
const char *size_noise_text(const struct size_record *r, char text[NOISE_TEXT_SIZE]);

/* The record is complete on rank 0; verdict.valid on all ranks. Collective over the world. */
struct benchmark *benchmark_run(struct hierarchy *h, const struct options *options);
void benchmark_destroy(struct benchmark *b);

/* The hierarchy and solver that the options ask for; on_gpu: on the GPU that is open. */
struct hierarchy_choice benchmark_hierarchy_choice(const struct options *options, bool on_gpu);
struct solver_choice benchmark_solver_choice(const struct options *options);

#endif
