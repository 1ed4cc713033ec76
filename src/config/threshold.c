/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/threshold.h"
#include <omp.h>
#include "comm/comm.h"
#include "base/timer.h"
#include "cpu/cpu.h"
#include "solvers/solver.h"

/* Enough to see launches and transfers, small enough to be built several times. */
enum { TRIAL_LOG2_BOX_DIM = 5, TRIAL_BOXES = 8, TRIAL_CELLS = 64 * 64 * 64, MIN_CPU_CELLS = 64 };
/* Sizes, in cells, on which agglomeration is tried. */
enum { SHARED_TRIAL_CELLS = 256 * 256 * 256, MIN_LOG2_BOX_DIM = 4, MIN_SHARED_CELLS = 4096 };
/* The second solve records the CUDA graph, the third is its first replay. */
enum { WARM_UP = 3, SAMPLES = 21 };

static double median_seconds(const struct hierarchy_choice *choice, struct solver_choice solver)
{
    double samples[SAMPLES];
    struct solve_result result;
    struct hierarchy *h = hierarchy_create(choice);
    struct solver *s = solver_create(h, 0, solver);
    cpu_release_threads();
    for (int i = -WARM_UP; i < SAMPLES; i++) {
        solver_run(s, &result);
        if (i >= 0)
            samples[i] = result.seconds;
    }
    solver_destroy(s);
    hierarchy_destroy(h);
    comm_max_f64(comm_world(), samples, SAMPLES); /* so that all ranks choose alike */
    return timer_median(samples, SAMPLES);
}

static double finest_cells(const struct hierarchy_choice *choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    return spec_cells(&shape.specs[0]);
}

/* The run's size if that is small. */
static struct hierarchy_choice cpu_trial(const struct hierarchy_choice *own)
{
    struct hierarchy_choice trial = *own;
    if (finest_cells(own) > TRIAL_CELLS) {
        trial.log2_box_dim = TRIAL_LOG2_BOX_DIM;
        trial.boxes_per_rank = TRIAL_BOXES;
        trial.domain.boxes[0] = DOMAIN_CUBE;
    }
    return trial;
}

/* The run's boxes, halved until the domain is small enough. */
static struct hierarchy_choice agglomeration_trial(const struct hierarchy_choice *own)
{
    struct hierarchy_choice trial = *own;
    double cells = finest_cells(own);
    trial.placement.cpu_below = 1; /* none */
    for (; cells > SHARED_TRIAL_CELLS && trial.log2_box_dim > MIN_LOG2_BOX_DIM; cells /= 8)
        trial.log2_box_dim--;
    return trial;
}

static struct threshold on_cpu = {.option = "cpu_below"},
                        on_one_rank = {.option = "agglomerate_below"};

/* The size below which levels of a trial are on the CPU, or on one rank. */
static double *bound_of(const struct threshold *t, struct hierarchy_choice *choice)
{
    return t == &on_cpu ? &choice->placement.cpu_below : &choice->placement.agglomerate_below;
}

void threshold_add(struct threshold *t, long below, int threads, double seconds)
{
    t->trials[t->count] = (struct threshold_trial){below, threads, seconds};
    if (seconds < t->trials[t->best].seconds)
        t->best = t->count;
    t->count++;
}

static void try_one(struct threshold *t, struct hierarchy_choice *choice, int threads)
{
    cpu_use_threads(threads);
    threshold_add(t, (long)*bound_of(t, choice), threads,
                  median_seconds(choice, (struct solver_choice){.f_cycle = true}));
}

/* True if `threads` threads work together on some level of the CPU. */
static bool work_together(const struct hierarchy_choice *choice, int threads)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    cpu_use_threads(threads);
    for (int l = 0; l < shape.nlevels; l++) {
        const double cells = spec_cells(&shape.specs[l]);
        if (!hierarchy_level_backend(choice, cells)->on_device &&
            cpu_threads((long)cells / shape.specs[l].ranks) > 1)
            return true;
    }
    return false;
}

/* The most threads that do, of those that the rank with the fewest has. */
static int max_threads(const struct hierarchy_choice *choice)
{
    int threads = (int)comm_min_i64(comm_world(), omp_get_max_threads());
    while (threads > 1 && !work_together(choice, threads))
        threads /= 2;
    return threads;
}

/* Tries one thread, and twice as many again while that is faster. */
static void try_threads(struct threshold *t, struct hierarchy_choice *choice)
{
    const int most = max_threads(choice);
    int threads = 1;
    try_one(t, choice, threads);
    while (threads < most && t->count < MAX_THRESHOLD_TRIALS) {
        threads = 2 * threads < most ? 2 * threads : most;
        try_one(t, choice, threads);
        if (t->trials[t->count - 1].seconds >= t->trials[t->count - 2].seconds)
            return;
    }
}

static void begin_trials(struct threshold *t, const struct hierarchy_shape *shape)
{
    t->count = t->best = 0;
    spec_extent(&shape->specs[0], t->n);
}

/* Tries no level, those that must be there anyway, and then more and more levels, from the coarsest
 * with at least min_cells. */
static const struct threshold_trial *try_levels(struct threshold *t, struct hierarchy_choice choice,
                                                double min_cells)
{
    double *below = bound_of(t, &choice);
    *below = 1.0;
    const struct hierarchy_shape shape = hierarchy_shape(&choice, comm_size());
    begin_trials(t, &shape);
    try_threads(t, &choice);
    for (int l = shape.nlevels - 1; l > 0 && t->count < MAX_THRESHOLD_TRIALS; l--) {
        const double cells = spec_cells(&shape.specs[l]);
        *below = cells + 1.0;
        if (cells >= min_cells && *below != (double)t->trials[t->count - 1].below)
            try_threads(t, &choice);
    }
    return &t->trials[t->best];
}

double threshold_try_cpu(const struct hierarchy_choice *own)
{
    const struct threshold_trial *best = try_levels(&on_cpu, cpu_trial(own), MIN_CPU_CELLS);
    cpu_use_threads(best->threads);
    return (double)best->below;
}

void threshold_try_threads(const struct hierarchy_choice *own)
{
    struct hierarchy_choice trial = cpu_trial(own);
    const struct hierarchy_shape shape = hierarchy_shape(&trial, comm_size());
    const bool several = max_threads(own) > 1 && max_threads(&trial) > 1;
    if (several) {
        begin_trials(&on_cpu, &shape);
        try_threads(&on_cpu, &trial);
    }
    cpu_use_threads(several ? on_cpu.trials[on_cpu.best].threads : 1);
}

double threshold_try_agglomeration(const struct hierarchy_choice *own)
{
    return (double)try_levels(&on_one_rank, agglomeration_trial(own), MIN_SHARED_CELLS)->below;
}

void threshold_visit(void (*visit)(void *data, const struct threshold *t), void *data)
{
    if (on_one_rank.count > 0)
        visit(data, &on_one_rank);
    if (on_cpu.count > 0)
        visit(data, &on_cpu);
}
