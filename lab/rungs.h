/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The rungs of `ladder`: kernels from the simplest to the program's own for a smoothing, three red
 * and three black half-sweeps of Gauss-Seidel by turns, with variable coefficients between
 * Dirichlet walls. */
#include "base/linkage.h"
#include "base/status.h"
#include "lab/timing.h"
#include "lab/rung_shape.h"
#include "level/level.h"
#include "operators/stencil.h"

C_BEGIN

enum { RUNG_PAIRS = SMOOTHER_SWEEPS / 2 }; /* red and black, of a smoothing */

/* Sweeps u of the level (one box, order 2 or 4) to FIELD_TMP and back to u, or in place; the result
 * is in u. */
struct rung {
    const char *name; /* NULL after the last */
    const char *summary;
    struct rung_shape shape; /* without blocks: they are not the lab's choice */
    int pairs;               /* that one run() does; RUNG_PAIRS is a multiple of it */
    void (*run)(struct level *level, const struct rung *rung, const struct rung_shape *shape);
};

extern const struct rung cpu_rungs[], gpu_rungs[];

/* --registers: the limit per thread, in blocks of at most `threads` threads. */
enum { REGISTER_LIMITS = 4 };
struct register_limit {
    int registers, threads;
};
extern const struct register_limit register_limits[REGISTER_LIMITS]; /* the most first */

/* Another block than the rung's own, and a limit of registers; 0: as the rung has them. */
struct rung_wish {
    int block[2], registers;
};

/* The shape of a rung on that level. Refuses what the rung cannot have. */
enum status rung_choose_shape(const struct rung *rung, const struct level *level,
                              const struct rung_wish *wish, struct rung_shape *shape);

/* Where half-sweep 0 or 1 of the lab's own rungs reads; it writes the other. */
static inline enum field rung_source(int half)
{
    return half == 0 ? FIELD_U : FIELD_TMP;
}

/* Runs a rung of a GPU: one pair. */
GPU_ONLY void gpu_run_rung(struct level *level, const struct rung *rung,
                           const struct rung_shape *shape);
/* Makes its kernel ready for that shape. False if a block needs more shared memory than it can
 * have; *max_bytes is that. */
GPU_ONLY bool gpu_prepare_rung(const struct rung *rung, const struct rung_shape *shape,
                               int *max_bytes);

struct pass;
/* The last rungs: a pass of the level's own backend, as the solver runs it. */
struct pass rung_pass(struct level *level, const struct rung *rung);
void rung_default(struct level *level, const struct rung *rung, const struct rung_shape *shape);

C_END
