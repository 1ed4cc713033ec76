/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A cycle as data: a flat list of stages, built once, then fused and scheduled by rewriting the
 * list, and executed, recorded, timed and printed by loops over it. All ranks hold the same list; a
 * rank without boxes on a stage's level has nothing to do there. */
#include <stdio.h>
#include "backend/context.h"
#include "operators/pass.h"
#include "solvers/hierarchy.h"

/* Seconds of one stage, summed over executions. */
struct stage_times {
    double total;
    double begin, end;      /* of the last execution: see program_trace() */
    struct plan_times halo; /* the parts of STAGE_HALO, DOWN and UP */
};

enum { RANGE_SIZE = 80 };

struct program {
    const char *name;
    struct hierarchy *hierarchy;
    int count;
    struct stage *stages;
    struct stage_times *times;   /* one per stage; NULL unless timed */
    char (*ranges)[RANGE_SIZE];  /* what profilers call each stage, from its first execution on */
    struct recording *recording; /* of all stages, if the backend can; see backend.h */
    bool not_recorded;           /* the backend could not */
    uint64_t norm;               /* bits of the local residual norm of the last execution */
    long executions;
};

/* What a program leaves. */
enum cycle_end {
    END_SOLUTION,
    END_NORM,     /* the residual norm too */
    END_RESIDUAL, /* and what a V-cycle that continues begins with: with mixed precision its first
                     residual, from the same trip through memory as the norm */
};
/* Full multigrid on level `top`: restrict f, solve the coarsest, prolong and V-cycle upwards. */
struct program *program_f_cycle(struct hierarchy *h, int top, enum cycle_end end);
/* One V-cycle on level `top` for A u = f, from u = 0, or from what a program with END_RESIDUAL has
 * left there. */
struct program *program_v_cycle(struct hierarchy *h, int top, enum field u, enum field f,
                                bool from_zero, enum cycle_end end);
/* The residual norm of the u on level `top`, with END_RESIDUAL. */
struct program *program_residual(struct hierarchy *h, int top);
void program_destroy(struct program *p);
/* The next execution makes the recording anew. */
void program_forget_recording(struct program *p);

/* Calls `observe` after every stage of every program of the context, until called with NULL. For
 * tests and fault injection. */
void program_observe(observe_fn *observe, void *data);
/* The same without keeping programs from being recorded, or stages from being executed together:
 * calls `observe` before every execution, with NULL for the stage, and after every stage that the
 * host still executes alone. */
void program_watch(observe_fn *observe, void *data);

/* Calls `trace` for every stage of every timed execution, after the execution, until called with
 * NULL. begin and end are seconds of timer_seconds(), on a GPU by its events. */
void program_trace(trace_fn *trace, void *data);

/* Where stages of GPU levels and of CPU levels follow each other. */
enum hand_over_way {
    HAND_OVER_NONE,  /* nowhere */
    HAND_OVER_HOST,  /* the host launches what the GPU does in between, and waits for it */
    HAND_OVER_GRAPH, /* the recording waits for the host */
};
/* How the last execution handed over. */
enum hand_over_way program_hand_over(const struct program *p);
/* What the hand-overs of its recording have taken; zero without one. */
struct hand_over_times program_hand_over_times(const struct program *p);

/* Executes the stages, and times each while timing is on. */
void program_execute(struct program *p);
/* Turns timing on, from zero, or off. */
void program_time(struct program *p, bool on);

/* " fp32" for stages of correction levels, else "". */
const char *stage_precision(const struct program *p, const struct stage *stage);
/* Name of a stage's work as reports print it, "smooth+restrict" or "halo"; a string that lives as
 * long as the program. */
const char *stage_name(const struct stage *stage, char *buffer, int size);
/* The kind of work by which times are summed: "smoother" for every pass with sweeps, "residual",
 * "interpolation", "zero", "restriction", "halo", "boundary", "hand-over" between GPU and CPU
 * levels, "redistribution", "bottom", "mean", "walls". */
const char *stage_work(const struct program *p, const struct stage *stage);
/* The kernels or loops that compute the stage on this rank, separated by commas; "" if there are
 * none. */
const char *stage_kernels(const struct stage *stage, char *buffer, int size);
/* Bytes that the stage must move between memory and processor on this rank: its kernels' reads and
 * writes, and both ends of every copy. */
double stage_bytes(const struct program *p, const struct stage *stage);
/* Prints the program, one stage per line. */
void program_print(const struct program *p, FILE *out);
