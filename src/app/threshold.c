#include "app/threshold.h"
#include <stdlib.h>
#include "app/benchmark.h"
#include "comm/comm.h"
#include "base/timer.h"
#include "level/backend.h"

/* Enough to see launches and transfers, small enough to be built several times. */
enum { TRIAL_LOG2_BOX_DIM = 5, TRIAL_BOXES = 8, TRIAL_DIM = 64, LEAST_DIM = 4 };
/* The second solve is recorded, the third a first replay. */
enum { WARM_UP = 3, SAMPLES = 7 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

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
    comm_max_f64(MPI_COMM_WORLD, samples, SAMPLES); /* and all ranks choose alike */
    qsort(samples, SAMPLES, sizeof *samples, ascending);
    return samples[SAMPLES / 2];
}

/* The run's own size if that is small. */
static struct options trial_options(const struct options *options)
{
    struct options o = *options;
    const struct hierarchy_choice own = benchmark_hierarchy_choice(&o, true);
    if (cut_dim(hierarchy_shape(&own, comm_size()).cuts[0]) <= TRIAL_DIM)
        return o;
    o.log2_box_dim = TRIAL_LOG2_BOX_DIM;
    o.boxes_per_rank = TRIAL_BOXES;
    return o;
}

static struct threshold tried;

/* The levels of at most dim cells a side on the CPU, and those that have to be there anyway. */
static void try(struct options *o, long dim)
{
    struct threshold_trial *trial = &tried.trials[tried.count];
    o->cpu_below = dim * dim * dim + 1;
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(o, true);
    trial->cpu_below = (long)choice.cpu_below;
    if (tried.count > 0 && trial->cpu_below == tried.trials[tried.count - 1].cpu_below)
        return;
    trial->seconds = median_seconds(&choice, (struct solver_choice){.f_cycle = true});
    if (trial->seconds < tried.trials[tried.best].seconds)
        tried.best = tried.count;
    tried.count++;
}

long threshold_try(const struct options *options)
{
    struct options o = trial_options(options);
    const struct hierarchy_choice choice = benchmark_hierarchy_choice(&o, true);
    const struct hierarchy_shape shape = hierarchy_shape(&choice, comm_size());
    tried = (struct threshold){.dim = cut_dim(shape.cuts[0])};
    try(&o, 0);
    for (int l = shape.nlevels - 1; l > 0 && tried.count < MAX_THRESHOLD_TRIALS; l--)
        if (cut_dim(shape.cuts[l]) >= LEAST_DIM)
            try(&o, cut_dim(shape.cuts[l]));
    return tried.trials[tried.best].cpu_below;
}

const struct threshold *threshold_tried(void)
{
    return tried.count > 0 ? &tried : NULL;
}
