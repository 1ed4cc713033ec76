/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/threshold.h"
#include "app/benchmark.h"
#include "comm/comm.h"
#include "base/timer.h"
#include "level/backend.h"

/* Enough to see launches and transfers, small enough to be built several times. */
enum { TRIAL_LOG2_BOX_DIM = 5, TRIAL_BOXES = 8, TRIAL_DIM = 64, LEAST_CPU_DIM = 4 };
/* Sizes, in cells per side, on which agglomeration is tried. */
enum { SHARED_TRIAL_DIM = 256, LEAST_LOG2_BOX_DIM = 4, LEAST_SHARED_DIM = 16 };
/* The second solve records the CUDA graph, the third is its first replay. */
enum { WARM_UP = 3, SAMPLES = 7 };

static double median_seconds(const struct hierarchy_choice *choice, struct solver_choice solver)
{
    double samples[SAMPLES];
    struct solve_result result;
    struct hierarchy *h = hierarchy_create(choice);
    struct solver *s = solver_create(h, 0, solver);
    for (int i = -WARM_UP; i < SAMPLES; i++) {
        const double start = timer_seconds();
        solver_run(s, &result);
        h->levels[0]->backend->synchronise();
        if (i >= 0)
            samples[i] = timer_seconds() - start;
    }
    solver_destroy(s);
    hierarchy_destroy(h);
    comm_max_f64(MPI_COMM_WORLD, samples, SAMPLES); /* so that all ranks choose alike */
    return timer_median(samples, SAMPLES);
}

/* The run's size if that is small. */
static struct options cpu_trial(const struct options *options)
{
    struct options o = *options;
    const struct hierarchy_choice own = benchmark_hierarchy_choice(&o, true);
    if (spec_dim(hierarchy_shape(&own, comm_size()).specs[0]) <= TRIAL_DIM)
        return o;
    o.log2_box_dim = TRIAL_LOG2_BOX_DIM;
    o.boxes_per_rank = TRIAL_BOXES;
    return o;
}

/* The run's boxes, halved until the domain is small enough. */
static struct options agglomeration_trial(const struct options *options)
{
    struct options o = *options;
    o.cpu_below = CPU_BELOW_NEVER;
    const struct hierarchy_choice own = benchmark_hierarchy_choice(&o, true);
    long dim = spec_dim(hierarchy_shape(&own, comm_size()).specs[0]);
    for (; dim > SHARED_TRIAL_DIM && o.log2_box_dim > LEAST_LOG2_BOX_DIM; dim /= 2)
        o.log2_box_dim--;
    return o;
}

static struct threshold on_cpu = {.option = "cpu_below",
                                  .title = "Levels on the CPU (--cpu-below auto)"},
                        on_one_rank = {.option = "agglomerate_below",
                                       .title = "Levels on one rank (--agglomerate-below auto)"};

/* Tries the levels of at most dim cells per side, and those that must be there anyway. */
static void add_trial(struct threshold *t, struct options *o, long dim)
{
    struct threshold_trial *trial = &t->trials[t->count];
    *(t == &on_cpu ? &o->cpu_below : &o->agglomerate_below) = dim * dim * dim + 1;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(o, true);
    const long below = (long)(t == &on_cpu ? choice.cpu_below : choice.agglomerate_below);
    if (t->count > 0 && below == t->trials[t->count - 1].below)
        return;
    trial->below = below;
    trial->seconds = median_seconds(&choice, (struct solver_choice){.f_cycle = true});
    if (trial->seconds < t->trials[t->best].seconds)
        t->best = t->count;
    t->count++;
}

/* Tries no level, and then more and more levels, from the coarsest with least_dim cells per side.
 */
static long try_levels(struct threshold *t, struct options o, int least_dim)
{
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&o, true);
    const struct hierarchy_shape shape = hierarchy_shape(&choice, comm_size());
    t->count = t->best = 0;
    t->dim = spec_dim(shape.specs[0]);
    add_trial(t, &o, 0);
    for (int l = shape.nlevels - 1; l > 0 && t->count < MAX_THRESHOLD_TRIALS; l--)
        if (spec_dim(shape.specs[l]) >= least_dim)
            add_trial(t, &o, spec_dim(shape.specs[l]));
    return t->trials[t->best].below;
}

long threshold_try_cpu(const struct options *options)
{
    return try_levels(&on_cpu, cpu_trial(options), LEAST_CPU_DIM);
}

long threshold_try_agglomeration(const struct options *options)
{
    return try_levels(&on_one_rank, agglomeration_trial(options), LEAST_SHARED_DIM);
}

void threshold_visit(void (*visit)(void *data, const struct threshold *t), void *data)
{
    if (on_one_rank.count > 0)
        visit(data, &on_one_rank);
    if (on_cpu.count > 0)
        visit(data, &on_cpu);
}
