/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_KERNELS_CUH
#define CUDA_KERNELS_CUH
/* The table of kernels. A pass is a list of operations: its start, its sweeps, its finish. The
 * dispatcher gives the first operations to the first row that covers them, and goes on with what is
 * left. kernels.def lists the rows. */
#include "cuda/device_limits.h"
#include "cuda/pass.cuh"

/* Operations of a pass that follow each other. */
struct part {
    struct pass pass; /* these operations alone */
    int after;        /* operations of the whole pass that follow them */
    bool ghosts;      /* u has its ghosts already: Dirichlet and wrapped ones */
};

/* How much of a part, from its beginning, a kernel does. */
struct coverage {
    bool start;
    int nsweeps;
    bool finish;
    bool ghosts; /* it leaves u with its Dirichlet ghosts, if something follows */
};

struct cuda_counts; /* cuda.h */

struct kernel {
    const char *name, *summary;
    /* Nothing covered where the kernel does not fit the level, the operator or the device. */
    struct coverage (*covers)(const struct part *part, const struct device_limits *device);
    /* Runs exactly the operations of the part, on all patches. */
    void (*run)(const struct part *part);
    /* Bytes per cell that must move. */
    double (*bytes)(const struct part *part);
    /* True if run() can do the inner cells first and then the outer ones. NULL: it cannot. */
    bool (*splits)(const struct part *part);
    /* What moves nearer to the multiprocessors than memory, and what is issued, per cell, for
     * hpgmg-lab's limiters. NULL: not counted. */
    struct cuda_counts (*counts)(const struct part *part);
};

/* Covers nothing, or the start alone, or the first operation, or all of the part. */
struct coverage cover_nothing();
struct coverage cover_start(const struct part *part);
struct coverage cover_first(const struct part *part);
struct coverage cover_all(const struct part *part);

/* Bytes per cell if every operation of the part reads and writes its arrays. */
double part_bytes(const struct part *part);
/* Bytes per cell if each two half-sweeps, the last with the finish, are one pass over memory that
 * recomputes D⁻¹ but for cells next to walls. */
double red_black_bytes(const struct part *part);

/* Layers beyond open sides that an operation works on, of which `following` operations of
 * the same pass follow. */
int part_extent(const struct part *part, int following);

/* True if the run may use the kernel: see --kernels. */
extern const struct kernel kernel_tail;
bool kernel_is_chosen(const struct kernel *kernel);

#endif
