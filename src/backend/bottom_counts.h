/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What solvers of the coarsest level report, on the host and on a device. */

/* Why a solve did not reach its tolerance. After a breakdown of a Krylov method the smoother takes
 * over. */
enum breakdown {
    BREAKDOWN_NONE,
    BREAKDOWN_PIVOT,
    BREAKDOWN_NOT_FINITE,
    BREAKDOWN_ITERATIONS,
    BREAKDOWN_SWEEPS, /* the smoother's limit of sweeps */
    NUM_BREAKDOWNS
};

/* What a method did: its iterations or sweeps, and why it stopped short. */
struct krylov_result {
    int iterations;
    enum breakdown breakdown;
};

struct bottom_counts {
    long solves, iterations;         /* since the hierarchy was created */
    long breakdowns[NUM_BREAKDOWNS]; /* by reason; one solve may count for two */
};
