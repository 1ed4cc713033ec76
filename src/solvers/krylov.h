/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Krylov methods on one level, preconditioned by its diagonal. Work vectors: FIELD_KRYLOV …. */
#include "backend/bottom_counts.h"
#include "level/level.h"

/* Both improve u until ‖f − A u‖_max < reduction·(its first value), in at most max_iterations. */
struct krylov_result krylov_bicgstab(struct level *level, enum field u, enum field f,
                                     double reduction, int max_iterations);
struct krylov_result krylov_cg(struct level *level, enum field u, enum field f, double reduction,
                               int max_iterations);

/* Smooths u until ‖f − A u‖_max is at most reduction·(its first value), for at most max_sweeps; the
 * result counts sweeps. */
struct krylov_result krylov_smooth(struct level *level, enum field u, enum field f,
                                   double reduction, int max_sweeps);

/* residual = f − A u, after a halo exchange of u. */
void krylov_residual(struct level *level, enum field residual, enum field u, enum field f);
/* If the operator is singular, subtracts the mean of x. A residual's mean is then a rounding error,
 * which no method can reduce. The mean is subtracted twice, because the first time rounds too. */
void krylov_project(struct level *level, enum field x);
/* out = A x, after a halo exchange of x. */
void krylov_apply(struct level *level, enum field out, enum field x);
