/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank measures of itself before solves are timed. */
#include <math.h>
#include "app/breakdown.h"
#include "app/ranks.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "level/message_trial.h"

/* A rank smooths for about this time, in samples that are longer than the clock's resolution. */
#define SMOOTHING_SECONDS 0.1
#define SAMPLE_SECONDS 1e-3
enum { MAX_SAMPLES = 20, MAX_PASSES = 100, MAX_SWEEPS = 2 };

/* The first stage of a cycle that smooths on the solver's level. */
struct found_stage {
    int level;
    const struct stage *stage;
};

static void find_smoothing(void *data, struct program *p)
{
    struct found_stage *found = data;
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        if (!found->stage && s->level == found->level && s->kind == STAGE_PASS &&
            s->pass.nsweeps > 0)
            found->stage = s;
    }
}

/* The first sweeps of a cycle's pass: two half-sweeps of gsrb, since a whole pass takes a second on
 * one core. What comes before and after sweeps may change other levels. */
static struct pass sweeps_of(const struct stage *stage)
{
    struct pass pass = stage->pass;
    pass.start = START_KEEP;
    pass.finish = FINISH_NONE;
    pass.ghosts_filled = false;
    pass.nsweeps = pass.nsweeps < MAX_SWEEPS ? pass.nsweeps : MAX_SWEEPS;
    return pass;
}

static double passes_seconds(const struct pass *pass, int count)
{
    const struct backend *backend = pass->level->backend;
    backend->memory->synchronise();
    const double start = timer_seconds();
    for (int i = 0; i < count; i++)
        backend->passes->run(pass);
    backend->memory->synchronise();
    return timer_seconds() - start;
}

/* Of one pass: the median of samples. The first pass may load kernels. */
static double pass_seconds(const struct pass *pass)
{
    double samples[MAX_SAMPLES], sum = 0.0;
    int count = 0;
    passes_seconds(pass, 1);
    const double once = passes_seconds(pass, 1);
    if (once > SMOOTHING_SECONDS)
        return once;
    const int passes = (int)fmin(ceil(SAMPLE_SECONDS / fmax(once, 1e-9)), MAX_PASSES);
    while (count < MAX_SAMPLES && sum < SMOOTHING_SECONDS) {
        samples[count] = passes_seconds(pass, passes);
        sum += samples[count++];
    }
    return timer_median(samples, count) / passes;
}

/* Cells times sweeps per second; no other rank takes part. */
static double smoothing_rate(const struct level *l, const struct stage *smoothing)
{
    double cells = 0.0;
    if (!smoothing || !l->active)
        return NAN;
    const struct pass pass = sweeps_of(smoothing);
    for (int q = 0; q < l->npatches; q++)
        cells += (double)box_cells(l->patches[q].box);
    return cells * pass.nsweeps / pass_seconds(&pass);
}

void ranks_measure(struct rank_table *t, struct solver *s)
{
    const struct level *l = s->hierarchy->levels[s->top];
    const double start = timer_seconds();
    struct found_stage found = {.level = s->top};
    solver_programs(s, find_smoothing, &found);
    t->count = comm_size();
    t->ranks = memory_alloc_zero(sizeof *t->ranks, "ranks");
    double *rates = t->ranks->rates;
    comm_barrier(comm_world());
    rates[RATE_COPY] = l->backend->on_device ? cuda_copy_rate() : breakdown_copy_rate();
    comm_barrier(comm_world());
    rates[RATE_SMOOTHING] = smoothing_rate(l, found.stage);
    comm_barrier(comm_world());
    if (l->backend->on_device && comm_size() > 1 &&
        !messages_arrive(s->hierarchy->choice.placement.coarse_backend))
        die(STATUS_SYSTEM, "messages between levels on the CPU do not arrive as they were sent");
    t->seconds = timer_seconds() - start;
}
