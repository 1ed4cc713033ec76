/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The record of a run: the machine, the hierarchy, the solves of h, 2h and 4h, and the verdict. The
 * procedure fills it (app/benchmark.h) and the reports read it. Complete on rank 0.
 */
#include <stdbool.h>
#include "cli/build_info.h"
#include "config/environment.h"
#include "cli/place.h"
#include "solvers/solver.h"

struct options;
struct timeline;

struct level_record {
    int level;
    int n[3];                /* cells by direction */
    int boxes, box_cells[3]; /* boxes of the level, cells of each by direction */
    int cuboids;             /* after each rank has merged its boxes */
    int ranks;
    const char *backend;
    int threads;  /* per rank that work on it; 0 on a GPU */
    double bytes; /* of fields, all ranks, with the redistribution buffers to the next level */
};

/* All stages of one name on one level, per solve. Seconds are the slowest rank's, bytes the sum
 * over ranks. */
struct stage_record {
    int level;
    const char *work;           /* see stage_work() */
    char name[48], kernels[80]; /* that ran; "" where nothing computes */
    double calls, seconds, bytes;
    double share;                              /* of the seconds of all stages */
    double pack, local, wait, unpack;          /* of halo exchanges and redistribution, seconds */
    double bytes_per_second, fraction_of_copy; /* NaN where nothing is counted or measured */
};

/* Clock, throttling and energy of all GPUs of a run while solves are timed. */
struct meters {
    double slowest, fastest;    /* MHz, of any GPU at any time; NaN: not known */
    unsigned long long reasons; /* see cuda/power.h */
    double joules;              /* of all GPUs; NaN: not known */
    /* MHz of this rank's GPU; NaN: not known, or another rank watches it */
    double own_slowest, own_fastest;
};

struct size_record {
    const char *name; /* "h", "2h", "4h" */
    int level, n[3];
    double unknowns, h;
    struct solve_result solve; /* of the last solve */
    long solves;               /* timed */
    double *samples, total;    /* seconds of each, and of all */
    double mean, median, min, max, deviation;
    double spread, drift; /* see size_noise() */
    bool noisy;
    double dof_per_second; /* unknowns/median; NaN if not timed, or of an INVALID run */
    uint64_t checksum;     /* of u after the first solve */
    bool reproducible;     /* the last solve has the same checksum */
    const char *outcome;   /* of the last solve, in words */
    double rel_residual;   /* its last one; NaN without a cycle */
    const char *hand_over; /* between GPU and CPU levels: "graph", "host"; NULL: none */
    double hand_over_seconds, cpu_seconds; /* of a solve, if hand_over is "graph"; else NaN */
    bool has_meters;
    struct meters meters;           /* of the timed solves; joules per solve */
    double dof_per_joule;           /* NaN: not known */
    double rhs_norm, solution_norm; /* ‖f‖_max, and ‖u‖_max after the first solve */
    double true_error, true_order; /* ‖u − u_exact‖_max, log₂ of 2h's over it; NaN if not known */
    int nstages;
    struct stage_record *stages;
    double bytes_per_second, fraction_of_copy; /* of all stages, by the median; NaN: not known */
};

enum rank_rate {
    RATE_COPY,      /* bytes per second, read and written, between arrays larger than the caches */
    RATE_SMOOTHING, /* cells of the finest level times sweeps, per second */
    NUM_RANK_RATES,
};

/* One rank: where it is, and how fast it is while it waits for no other. */
struct rank_record {
    int rank;
    struct place place;
    char gpu[64], uuid[48], bus_id[32]; /* "" without a GPU */
    double slowest_mhz, fastest_mhz;    /* of the GPU in timed solves of size h; NaN: unknown */
    double rates[NUM_RANK_RATES];       /* NaN: nothing to measure, or not measured */
};

/* Over the ranks that have this rate. */
struct rank_summary {
    const char *name, *unit, *title; /* "copy", "bytes per second", "copy, GB/s" */
    int count;
    double min, median, max; /* NaN if count is 0 */
    double lower, upper;     /* the middle two, or the middle one twice */
};

struct rank_outlier {
    int rank; /* NO_RANK: half of the ranks */
    enum rank_rate rate;
    const char *name; /* of the rate */
    double relative;  /* the rate, or the upper of the middle two, over the median */
};
enum { NO_RANK = -1, SHOWN_OUTLIERS = 8 };

struct rank_table {
    int count;
    double seconds;            /* that measuring took */
    struct rank_record *ranks; /* rank 0 has all, the others themselves; NULL: not measured */
    int nsummaries, noutliers; /* of the rates that some rank has; of the furthest outliers */
    struct rank_summary summaries[NUM_RANK_RATES];
    struct rank_outlier outliers[SHOWN_OUTLIERS];
    int more_outliers; /* than there is room for */
};

enum check_state { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_MADE, NUM_CHECK_STATES };

enum { GROUNDS_SIZE = 160, CHECK_TEXT_SIZE = 240 };

struct check {
    const char *name; /* "residual", "repetition", "error", "order" */
    const char *size; /* "h", "2h", "4h" */
    enum check_state state;
    const char *result;            /* the state in words */
    double value, lowest, highest; /* NaN: there is none */
    char grounds[GROUNDS_SIZE]; /* what failed, why it was not made, or the source of the bounds */
};

/* Residual and repetition of three sizes, error, order. */
enum { MAX_CHECKS = 8 };

struct verdict {
    const char *word;             /* "VALID", "INVALID" */
    bool valid, accuracy_checked; /* error and order both passed */
    int nchecks, accuracy; /* the number of the check of the error; that of the order follows */
    struct check checks[MAX_CHECKS];
    int nreasons; /* why it is not valid */
    char reasons[MAX_CHECKS][CHECK_TEXT_SIZE];
};

enum { DEVIATIONS_SIZE = 400 };

/* Whether the rates may be compared with those of other machines. */
struct score {
    bool official;
    const char *division; /* "double" or "mixed"; scores of different ones are not compared */
    char deviations[DEVIATIONS_SIZE]; /* "--order 2; 4096 unknowns per node < 2^24"; "" if none */
};

enum { MAX_WARNINGS = 16, WARNING_SIZE = 160, IDLE_SIZE = 120 };

struct record {
    const struct options *options;
    struct build_info build;
    struct environment environment;
    const char *tuning; /* which tuned rows kernels follow; NULL without a GPU */
    const char *gpu;    /* of rank 0; NULL if the run uses none */
    const char *transport, *transport_elsewhere; /* as in struct transport_chosen */
    const char *proc_bind; /* how OpenMP binds threads: "false", "close", … */
    int nlevels;
    struct level_record levels[MAX_LEVELS];
    /* The most ranks that one rank exchanges messages of the finest level with: by the chosen
     * transport, and by the one between nodes. 0 in a dry run. */
    int neighbours, neighbours_elsewhere;
    double overlap_above; /* as in hierarchy_choice; infinite where nothing overlaps */
    double unknowns, unknowns_per_rank; /* cells of the finest level */
    int order;                          /* of the operator */
    double build_seconds;               /* of the hierarchy */
    double rhs_mean; /* of f, which was subtracted; NaN if the operator is not singular */
    double field_bytes, bytes_per_unknown; /* of all levels and ranks */
    double peak_bytes;                     /* of host memory, summed over ranks; 0 before a run */
    double device_peak_bytes;              /* the same of GPU memory */
    int nwarnings;
    char warnings[MAX_WARNINGS][WARNING_SIZE];

    int nsizes; /* min(3, levels) */
    struct size_record sizes[SOLVED_LEVELS];
    bool has_richardson;                       /* all three sizes exist */
    double richardson_error, richardson_order; /* NaN without */
    double copy_bytes_per_second;              /* read + write, all ranks; NaN if not measured */
    struct rank_table ranks;
    char idle[IDLE_SIZE]; /* options that changed nothing, "--loops, --transport"; or "" */
    struct bottom_counts bottom;
    struct verdict verdict;
    struct score score;
    bool complete;             /* every size was solved and timed */
    struct timeline *timeline; /* of a solve of size h; NULL unless asked for */
};

/* A new record, of a hierarchy as built, before the solves. Collective over the world. */
struct record *record_create(const struct options *options, const struct hierarchy *h);
/* A new record, of the hierarchy that the choice would give; builds nothing. Collective over the
 * world. */
struct record *record_estimate(const struct options *options,
                               const struct hierarchy_choice *choice);
/* After the solves: peaks of memory, what follows from the rest, and warnings. Collective over the
 * world. */
void record_complete(struct record *r);
void record_destroy(struct record *r);

/* True if the finest level lives on a GPU. */
static inline bool record_on_gpu(const struct record *r)
{
    return r->levels[0].threads == 0;
}

/* True if the restricted right-hand side is 0 but for rounding, so that relative residuals mean
 * nothing. */
bool size_is_trivial(const struct record *r, const struct size_record *size);

/* How badly the median of the solve times tells what a solve takes: the larger of the spread, the
 * distance between the quartiles over the median, and the size of the drift, the median of the last
 * half of the solves over that of the first half, minus 1. The quartiles are the medians of the
 * smaller and of the larger half of the times. Of an odd number the middle one is in neither half.
 * NaN of fewer than two solves. Times are noisy unless this is at most NOISE. */
#define NOISE 0.1
double size_noise(const struct size_record *size);
bool size_is_noisy(const struct size_record *size);
/* "spread 0.4 %", "spread 0.4 %, drift -23.0 %" where the drift is too large, or "spread unknown".
 * Returns text. */
enum { NOISE_TEXT_SIZE = 64 };
const char *size_noise_text(const struct size_record *size, char text[NOISE_TEXT_SIZE]);
