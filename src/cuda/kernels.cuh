/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The table of kernels. A pass is a list of operations: its start, its sweeps, its finish. The
 * dispatcher gives the first operations, as a pass of their own, to the first row that covers them,
 * and goes on with the rest. kernels.def lists the rows. */
#include "backend/context.h"
#include "cuda/device_limits.h"
#include "cuda/pass.cuh"
#include "operators/traffic.h"

struct cuda_counts; /* cuda.h */

struct kernel {
    const char *name, *summary;

    /* How many operations of the pass, from its beginning, run() does together; 0 where the kernel
     * does not fit the level, the operator or the device. */
    int (*covers)(const struct pass *pass, const struct device_limits *device);

    /* Runs the operations that covers() accepted, on all patches. */
    void (*run)(const struct pass *pass);

    /* Bytes per cell that must move. */
    double (*bytes)(const struct pass *pass);

    /* True if run() can do the inner cells first and then the outer ones. NULL: it cannot. */
    bool (*splits)(const struct pass *pass);

    /* What moves nearer to the multiprocessors than memory, and what is issued, per cell, for
     * hpgmg-lab's limiters. NULL: not counted. */
    struct cuda_counts (*counts)(const struct pass *pass);

    /* True if run() leaves u with all ghosts that the next operation reads. NULL: it does not. */
    bool (*leaves_ghosts)(const struct level *level);
};

/* Bytes per cell if each two half-sweeps, the last with the finish, are one pass over memory that
 * recomputes D⁻¹ but for cells next to walls. */
double red_black_bytes(const struct pass *pass);

/* The rows of kernels.def that work on this precision; NULL for the others, and after the last. */
extern const struct kernel *const cuda_kernel_table[MAX_KERNELS];

/* The context with the numbers of the rows that the run may use, in its order: see --kernels. */
const struct context *cuda_chosen_kernels();
/* True if the kernel, of double precision, is among them. */
extern const struct kernel kernel_tail, kernel_generic;
bool kernel_is_chosen(const struct kernel *kernel);
