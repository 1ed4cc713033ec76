/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_KRYLOV_H
#define SOLVERS_KRYLOV_H
/* Krylov methods on one level, preconditioned by its diagonal. They use the fields FIELD_KRYLOV ….
 */
#include "level/level.h"
#include "solvers/bottom.h"

struct krylov_result {
    int iterations;
    enum breakdown breakdown;
};

/* Both improve u until ‖f − A u‖_max ≤ reduction·(its first value), in at most max_iterations. */
struct krylov_result krylov_bicgstab(struct level *level, enum field u, enum field f,
                                     double reduction, int max_iterations);
struct krylov_result krylov_cg(struct level *level, enum field u, enum field f, double reduction,
                               int max_iterations);

/* residual = f − A u, halos included. */
void krylov_residual(struct level *level, enum field residual, enum field u, enum field f);
/* Residuals of a singular operator have no mean, but for rounding, and what rounding leaves no
 * method can reduce: subtracts the mean of x. Twice, since the first time rounds too. Does nothing
 * to others. */
void krylov_project(struct level *level, enum field x);
/* out = A x, halos included. */
void krylov_apply(struct level *level, enum field out, enum field x);

#endif
