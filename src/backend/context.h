/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What is chosen at run time beside the problem, and who watches cycles. A program has one context,
 * and each solver of the library another one, which every call selects. */
#include <stdbool.h>
#include "base/linkage.h"

C_BEGIN

struct program;
struct stage;

enum { MAX_KERNELS = 16 };

/* See program_observe(), program_watch() and program_trace() (solvers/program.h). */
typedef void observe_fn(void *data, const struct program *p, const struct stage *stage);
typedef void trace_fn(void *data, const struct program *p, const struct stage *stage, double begin,
                      double end);

struct context {
    int kernels[MAX_KERNELS]; /* numbers of rows of the table of kernels, in their order */
    int nkernels;             /* 0: all */
    int threads;              /* maximum on levels of the CPU; 0: OpenMP's number */
    observe_fn *observe;
    void *observe_data;
    bool observes_each_stage;
    trace_fn *trace;
    void *trace_data;
    double trace_origin; /* the host's time of the event before the first stage */
};

/* The selected one. */
struct context *context_current(void);
/* Selects a context; NULL: the program's own. Returns the one that was selected before. */
struct context *context_select(struct context *context);

C_END
