/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_BOTTOM_H
#define SOLVERS_BOTTOM_H
/* Solvers of the coarsest level, which always is one box on one rank. */
#include "level/level.h"

struct step;

/* In the order of enum bottom_kind in app/options.h. */
enum bottom_method {
    BOTTOM_METHOD_BICGSTAB,
    BOTTOM_METHOD_CG,
    BOTTOM_METHOD_SMOOTH,
    BOTTOM_METHOD_DIRECT
};

/* Why a solve stopped short of its tolerance: a Krylov method, after which the smoother takes over,
 * or the smoother. */
enum breakdown {
    BREAKDOWN_NONE,
    BREAKDOWN_PIVOT,
    BREAKDOWN_NOT_FINITE,
    BREAKDOWN_ITERATIONS,
    BREAKDOWN_SWEEPS, /* the smoother's: the last resort */
    NUM_BREAKDOWNS
};
const char *breakdown_text(enum breakdown breakdown);

struct bottom_counts {
    long solves, iterations;         /* since the start */
    long breakdowns[NUM_BREAKDOWNS]; /* by reason; one solve may count for two */
};

struct bottom {
    struct level *level;
    enum bottom_method method;
    bool singular;  /* solutions are determined up to a constant: the mean is subtracted */
    double *matrix; /* direct: LU factors, row by row */
    int *pivots;
    struct bottom_counts counts; /* of what ran on the host; see bottom_counts() */
};

/* A direct solver's factorisation is made here: N³ ≤ 1331 unknowns. */
struct bottom *bottom_create(struct level *level, enum bottom_method method, bool singular);
void bottom_destroy(struct bottom *b);

/* Improves u so that ‖f − A u‖_max falls to 10⁻³ of what it is, in at most 200 iterations. After a
 * breakdown the smoother takes over, for at most 200 sweeps; the counts say where it fell short. */
void bottom_solve(struct bottom *b, enum field u, enum field f);

/* True if the level's backend solves by itself, without the host in between. */
bool bottom_on_device(const struct bottom *b);
/* bottom_solve() as a step of the level's backend; false if it does not solve by itself. */
bool bottom_step(const struct bottom *b, enum field u, enum field f, struct step *step);

/* What has been counted so far, on the host and on a device. */
struct bottom_counts bottom_counts(const struct bottom *b);

#endif
