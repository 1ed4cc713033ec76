/* SPDX-License-Identifier: BSD-3-Clause */
/* Executing a program: stage by stage, timed or observed, or several stages in one call. */
#include <math.h>
#include "backend/context.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/ranges.h"
#include "base/timer.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "operators/wall_terms.h"
#include "solvers/reduce.h"
#include "solvers/stages.h"

static void observe_by(observe_fn *observe, void *data, bool of_each_stage)
{
    struct context *c = context_current();
    c->observe = observe;
    c->observe_data = data;
    c->observes_each_stage = of_each_stage;
}

void program_observe(observe_fn *observe, void *data)
{
    observe_by(observe, data, observe != NULL);
}

void program_watch(observe_fn *observe, void *data)
{
    observe_by(observe, data, false);
}

void program_trace(trace_fn *trace, void *data)
{
    context_current()->trace = trace;
    context_current()->trace_data = data;
}

static void execute_stage(const struct program *p, const struct stage *s, struct plan_times *times)
{
    const struct hierarchy *h = p->hierarchy;
    struct level *l = h->levels[s->level];
    const struct level *from, *to;
    struct plan *plan = stage_endpoints(p, s, &from, &to);
    switch (s->kind) {
    case STAGE_PASS:
        l->backend->passes->run(&s->pass);
        return;
    case STAGE_HALO:
    case STAGE_REDISTRIBUTE_DOWN:
    case STAGE_REDISTRIBUTE_UP:
        plan_move(plan, from, s->whole.field, to, s->whole.field, times);
        return;
    case STAGE_RESTRICT:
        vector_restrict(l, s->pass.f, s->pass.coarse, s->pass.coarse_f);
        return;
    case STAGE_BOUNDARY:
        l->backend->passes->fill_ghosts(&s->pass);
        return;
    case STAGE_BOTTOM:
        if (l->active)
            bottom_solve(h->bottom, s->pass.u, s->pass.f);
        return;
    case STAGE_COPY:
        vector_combine(l, s->whole.field, 1.0, FIELD_TMP, 0.0, FIELD_TMP);
        return;
    case STAGE_MEAN:
        reduce_subtract_mean(l, s->whole.field);
        return;
    case STAGE_WALLS:
        wall_terms_add(s->whole.field == FIELD_F ? h->walls[s->level].rhs
                                                 : h->walls[s->level].interpolated,
                       s->whole.field);
        return;
    case NUM_STAGE_KINDS:
        break;
    }
    CHECK(!"a stage kind that exists");
}

static const struct backend *stage_backend(const struct program *p, int i)
{
    return p->hierarchy->levels[p->stages[i].level]->backend;
}

/* Of the event before the first stage. */
static int origin_event(const struct program *p)
{
    return 2 * p->count;
}

/* Records an event on an idle device, whose time is then about the host's. */
static void record_origin(const struct program *p)
{
    int i = 0;
    while (i < p->count && !stage_backend(p, i)->events)
        i++;
    if (i == p->count)
        return;
    stage_backend(p, i)->memory->synchronise();
    const double before = timer_seconds();
    stage_backend(p, i)->events->record(origin_event(p));
    stage_backend(p, i)->memory->synchronise();
    context_current()->trace_origin = 0.5 * (before + timer_seconds());
}

/* Reads the times of stages between events, after the last stage, so that no stage waits for the
 * host. */
static void read_events(struct program *p)
{
    const struct context *c = context_current();
    for (int i = 0; i < p->count; i++) {
        const struct backend *backend = stage_backend(p, i);
        struct stage_times *times = &p->times[i];
        if (!backend->events)
            continue;
        times->total += backend->events->seconds_between(2 * i, 2 * i + 1);
        if (!c->trace)
            continue;
        times->begin = c->trace_origin + backend->events->seconds_between(origin_event(p), 2 * i);
        times->end = c->trace_origin + backend->events->seconds_between(origin_event(p), 2 * i + 1);
    }
}

static void trace_stages(const struct program *p)
{
    const struct context *c = context_current();
    for (int i = 0; i < p->count; i++)
        c->trace(c->trace_data, p, &p->stages[i], p->times[i].begin, p->times[i].end);
}

void program_time(struct program *p, bool on)
{
    memory_free(p->times);
    p->times = on ? memory_alloc_zero((size_t)p->count * sizeof *p->times, "stage times") : NULL;
    p->executions = 0;
    /* the first use of an event takes longer than later ones */
    if (on)
        record_origin(p);
    for (int i = 0; on && i < p->count; i++)
        if (stage_backend(p, i)->events)
            stage_backend(p, i)->events->record(2 * i + 1);
}

/* True if stage i is a halo exchange, and stage i + 1 is the pass that reads the halo and can work
 * on inner cells meanwhile. */
static bool overlaps(const struct program *p, int i)
{
    const struct stage *halo = &p->stages[i], *next = halo + 1;
    if (i + 1 == p->count || halo->kind != STAGE_HALO || next->kind != STAGE_PASS ||
        next->level != halo->level)
        return false;
    const struct level *l = p->hierarchy->levels[halo->level];
    const bool reads =
        halo->whole.field == next->pass.f || halo->whole.field == pass_reads(&next->pass);
    return reads && l->backend->streams && l->backend->passes->splits &&
           extent_cells(l->n) >= p->hierarchy->choice.placement.overlap_above * l->nranks &&
           l->backend->passes->splits(&next->pass);
}

/* Exchanges a halo while the pass that reads it works on inner cells. No rank waits for another one
 * before it has begun its part of the exchange. Returns how many stages this was, 0 if none. */
static int execute_overlapping(const struct program *p, int i)
{
    if (!overlaps(p, i))
        return 0;
    const struct stage *s = &p->stages[i];
    const struct level *l = p->hierarchy->levels[s->level];
    const struct backend_streams *streams = l->backend->streams;
    const struct passes *passes = l->backend->passes;
    struct pass inner = s[1].pass, outer = s[1].pass;
    struct plan *halo = stage_plan(p, s);
    double *field = l->fields[s->whole.field];
    struct plan_times unused = {0};
    inner.region = REGION_INTERIOR;
    outer.region = REGION_BOUNDARY;
    range_push("halo during a pass");
    streams->fork();
    streams->use_second(true);
    plan_begin(halo, field, field, &unused);
    streams->use_second(false);
    passes->run(&inner);
    streams->use_second(true);
    plan_end(halo, field, field, &unused);
    passes->run(&outer);
    streams->use_second(false);
    streams->join();
    range_pop();
    return 2;
}

/* True if somebody times or observes every stage. */
static bool is_watched(const struct program *p)
{
    return p->times || context_current()->observes_each_stage;
}

static bool one_by_one(const struct program *p)
{
    return is_watched(p) || p->hierarchy->choice.unfused;
}

/* Before and after a timed stage: events where the backend has them, whose times read_events reads
 * later; else the host's clock, after all work begun before. */
static void begin_time(const struct program *p, int i)
{
    const struct backend *backend = stage_backend(p, i);
    if (backend->events) {
        backend->events->record(2 * i);
        return;
    }
    backend->memory->synchronise();
    p->times[i].begin = timer_seconds();
}

static void end_time(const struct program *p, int i)
{
    const struct backend *backend = stage_backend(p, i);
    struct stage_times *times = &p->times[i];
    if (backend->events) {
        backend->events->record(2 * i + 1);
        return;
    }
    backend->memory->synchronise();
    times->end = timer_seconds();
    times->total += times->end - times->begin;
}

/* What a profiler's time line calls a stage, such as "halo 64^3". */
static const char *stage_range(struct program *p, int i)
{
    const struct stage *s = &p->stages[i];
    char name[RANGE_SIZE];
    if (!p->ranges)
        p->ranges = memory_alloc_zero((size_t)p->count * sizeof *p->ranges, "ranges");
    if (!p->ranges[i][0])
        snprintf(p->ranges[i], RANGE_SIZE, "%.36s %s", stage_name(s, name, sizeof name),
                 extent_format(p->hierarchy->levels[s->level]->n).of);
    return p->ranges[i];
}

/* The stages from i on that their backend runs in one call; returns their number. */
static int execute_small(const struct program *p, int i)
{
    const struct passes *passes = stage_backend(p, i)->passes;
    if (!passes->run_stages)
        return 0;
    range_push("stages of small levels");
    const int done = passes->run_stages(&p->stages[i], p->count - i);
    range_pop();
    return done;
}

int program_execute_next(struct program *p, int i)
{
    const struct context *c = context_current();
    int done = one_by_one(p) ? 0 : execute_small(p, i);
    if (done == 0 && !one_by_one(p))
        done = execute_overlapping(p, i);
    if (done > 0)
        return done;
    range_push(stage_range(p, i));
    if (p->times)
        begin_time(p, i);
    execute_stage(p, &p->stages[i], p->times ? &p->times[i].halo : NULL);
    if (p->times)
        end_time(p, i);
    range_pop();
    if (c->observe)
        c->observe(c->observe_data, p, &p->stages[i]);
    return 1;
}

void program_execute(struct program *p)
{
    const struct context *c = context_current();
    p->norm = 0;
    p->executions++;
    range_push(p->name);
    if (c->observe && !c->observes_each_stage)
        c->observe(c->observe_data, p, NULL);
    if (p->times && c->trace)
        record_origin(p);
    if (is_watched(p) || !program_replay(p))
        for (int i = 0; i < p->count;)
            i += program_execute_next(p, i);
    if (p->times)
        read_events(p);
    if (p->times && c->trace)
        trace_stages(p);
    range_pop();
}
