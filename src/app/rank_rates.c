/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank measures of itself before solves are timed. */
#include <math.h>
#include <stdio.h>
#include "app/breakdown.h"
#include "app/ranks.h"
#include "app/transport.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "cuda/cuda.h"
#include "level/message_trial.h"
#include "level/neighbours.h"

/* A rank smooths for about this time, in samples that are longer than the clock's resolution. */
#define SMOOTHING_SECONDS 0.1
#define SAMPLE_SECONDS 1e-3
enum { MAX_SAMPLES = 20, MAX_PASSES = 100, MAX_SWEEPS = 2 };
/* Both ends of a message repeat it equally often, which follows from its length. */
#define SAMPLE_BYTES 8e6
enum { MESSAGE_SAMPLES = 5, MAX_MESSAGES = 16 };

/* The first stages of a cycle on the solver's level that smooth and that exchange a halo. */
struct measured_work {
    int level;
    const struct stage *smoothing, *halo;
};

static void find_work(void *data, struct program *p)
{
    struct measured_work *w = data;
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        if (s->level != w->level)
            continue;
        if (!w->smoothing && s->kind == STAGE_PASS && s->pass.nsweeps > 0)
            w->smoothing = s;
        if (!w->halo && s->kind == STAGE_HALO)
            w->halo = s;
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
    backend->synchronise();
    const double start = timer_seconds();
    for (int i = 0; i < count; i++)
        backend->passes->run(pass);
    backend->synchronise();
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

/* Of `count` exchanges with the neighbour. Both ends begin together. */
static double messages_seconds(const struct neighbour *n, const struct level *l, double *field,
                               int count)
{
    char ready = 1, other;
    comm_swap(1, &n->rank, &ready, &other, 1);
    const double start = timer_seconds();
    for (int i = 0; i < count; i++)
        plan_execute(n->plan, field, field, NULL);
    l->backend->synchronise();
    return timer_seconds() - start;
}

static const char *transport_to(const struct neighbour *n, bool same_node)
{
    const struct transport_chosen *t = transport_chosen();
    if (!t->name)
        return n->plan->shared && same_node ? "shared" : "MPI";
    return t->transport && !t->transport->reaches(n->rank) ? t->elsewhere : t->name;
}

/* Of all messages, both ways; equal at both ends of a plan between two ranks. */
static double plan_bytes(const struct plan *plan)
{
    double doubles = 0.0;
    for (const struct plan *p = plan; p; p = p->direct)
        doubles += (double)(p->exchange.sends.length + p->exchange.receives.length);
    return doubles * sizeof(double);
}

/* Times the halo messages with a neighbour, and tries whether they arrive. The fastest sample
 * counts: others may have waited for a process, not for a message. */
static struct neighbour_record measure_neighbour(const struct neighbour *n, const struct level *l,
                                                 double *field, bool same_node)
{
    struct neighbour_record r = {
        .rank = n->rank, .same_node = same_node, .bytes = plan_bytes(n->plan), .seconds = INFINITY};
    const int count = (int)fmax(1.0, fmin(SAMPLE_BYTES / r.bytes, MAX_MESSAGES));
    snprintf(r.transport, sizeof r.transport, "%s", transport_to(n, same_node));
    messages_seconds(n, l, field, 1);
    if (!neighbour_verify(n, field))
        die(STATUS_SYSTEM, "rank %d: the halo of rank %d does not arrive as it was sent, by %s",
            comm_rank(), n->rank, r.transport);
    for (int i = 0; i < MESSAGE_SAMPLES; i++)
        r.seconds = fmin(r.seconds, messages_seconds(n, l, field, count) / count);
    return r;
}

static void measure_neighbours(struct rank_table *t, const struct level *l,
                               const struct stage *halo)
{
    struct neighbours n = neighbours_create(halo ? l->halos[halo->layers] : NULL);
    int *nodes = memory_alloc((size_t)comm_size() * sizeof *nodes, "nodes of ranks");
    comm_nodes(nodes);
    t->most = n.most;
    t->ranks->nneighbours = n.count;
    t->neighbours = memory_alloc_zero((size_t)n.most * sizeof *t->neighbours, "neighbours");
    for (int i = 0; i < n.count; i++)
        t->neighbours[i] = measure_neighbour(&n.list[i], l, l->fields[halo->field],
                                             nodes[n.list[i].rank] == nodes[comm_rank()]);
    memory_free(nodes);
    neighbours_destroy(&n);
}

void ranks_measure(struct rank_table *t, struct solver *s)
{
    const struct level *l = s->hierarchy->levels[s->top];
    const double start = timer_seconds();
    struct measured_work w = {.level = s->top};
    solver_programs(s, find_work, &w);
    t->count = comm_size();
    t->ranks = memory_alloc_zero(sizeof *t->ranks, "ranks");
    double *rates = t->ranks->rates;
    comm_barrier(comm_world());
    rates[RATE_COPY] = l->backend->on_device ? cuda_copy_rate() : breakdown_copy_rate();
    comm_barrier(comm_world());
    rates[RATE_SMOOTHING] = smoothing_rate(l, w.smoothing);
    comm_barrier(comm_world());
    measure_neighbours(t, l, w.halo);
    if (l->backend->on_device && comm_size() > 1 &&
        !messages_arrive(s->hierarchy->choice.coarse_backend))
        die(STATUS_SYSTEM, "messages between levels on the CPU do not arrive as they were sent");
    t->seconds = timer_seconds() - start;
}
