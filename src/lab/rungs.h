/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_RUNGS_H
#define LAB_RUNGS_H
/* The rungs of `ladder`: kernels from the simplest to the program's own for one red and one black
 * half-sweep of Gauss-Seidel with variable coefficients between Dirichlet walls. */
#include "level/level.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sweeps u of the level (one box, order 2 or 4) to FIELD_TMP and back to u, or in place; the result
 * is in u. */
struct rung {
    const char *name; /* NULL after the last */
    const char *summary;
    void (*run)(struct level *level);
};

extern const struct rung cpu_rungs[];

/* Where half-sweep 0 or 1 of the lab's own rungs reads; it writes the other. */
static inline enum field rung_source(int half)
{
    return half == 0 ? FIELD_U : FIELD_TMP;
}

/* The last rung: the pass of the level's own backend, as the solver runs it. */
void rung_default(struct level *level);

#ifdef __cplusplus
}
#endif
#endif
