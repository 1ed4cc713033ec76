/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_OPERATIONS_H
#define LAB_OPERATIONS_H
/* Arithmetic of a stage, counted from the formulas as they are written (operators/fv2.h, fv4.h,
 * smoothers.h, transfers.h): one thread per cell, so a kernel that shares fluxes between cells
 * does less; but values interpolated in one or two directions once, since all loops share them. */
#include "lab/limiter.h"
#include "operators/pass.h"

struct operations {
    double instructions; /* an fma is one, */
    double flops;        /* and two of these */
};

/* Of one cell of the level, on average (sweeps of red and black work on half of the cells). */
struct operations operations_of_pass(const struct pass *pass);
/* The same for restricting a field of cells. */
struct operations operations_of_restriction(void);

/* Adds what the kernels of a pass (NULL: another stage) count on that backend: bytes of caches and
 * of shared memory, instructions. NaN where nothing is known. */
void usage_add_counts(struct usage *usage, const struct backend *backend, const struct pass *pass,
                      double cells);

#endif
