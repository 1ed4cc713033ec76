/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What is found by timing trials: --cpu-below auto (small levels on the CPU), the threads that work
 * on these levels, and --agglomerate-below auto (small levels on one rank). */
#include "solvers/hierarchy.h"

struct threshold_trial {
    long below;     /* value of the option */
    int threads;    /* the most that work on levels of the CPU */
    double seconds; /* median time of a solve on the slowest rank */
};

enum { MAX_THRESHOLD_TRIALS = 24 };

struct threshold {
    const char *option;
    int count, best; /* number of trials; index of the fastest */
    int n[3];        /* cells of the finest level by direction */
    struct threshold_trial trials[MAX_THRESHOLD_TRIALS];
};

/* These time F-cycles with each candidate and return the fastest one, or set the number of threads;
 * the solution does not depend on it. For runs on GPUs. Collective over the world. */
/* Threads too. On the run's own domain if that is small, else on 8 boxes of 32³ cells per rank. */
double threshold_try_cpu(const struct hierarchy_choice *own);
/* Threads alone, for the run's --cpu-below; one without trials if no level has work for more. */
void threshold_try_threads(const struct hierarchy_choice *own);
/* The run's boxes, made smaller, with no level on the CPU. */
double threshold_try_agglomeration(const struct hierarchy_choice *own);

/* Adds a trial; the fastest is best, the first of equals. */
void threshold_add(struct threshold *t, long below, int threads, double seconds);

/* Calls visit for every threshold that was tried. */
void threshold_visit(void (*visit)(void *data, const struct threshold *t), void *data);
