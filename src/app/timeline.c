/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/timeline.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/memory.h"
#include "cli/build_info.h"
#include "cli/json.h"
#include "comm/clock.h"
#include "comm/comm.h"

/* One execution of a stage. */
struct span {
    int level, n[3];
    bool on_device;
    const char *cycle, *work; /* see stage_work() */
    char name[48], kernels[80];
};

struct interval {
    double begin, end; /* NaN on ranks without boxes on the level */
};

/* All ranks execute the same stages, so that only the intervals differ. */
struct timeline {
    int count, ranks, n[3];
    struct span *spans;
    struct interval *intervals; /* [rank · count + span], in seconds since the first begin */
    double clock_error; /* of the intervals of a rank against those of rank 0, at most; seconds */
};

/* This rank's part. */
struct recorder {
    int count;
    struct span *spans;
    struct interval *intervals;
    struct clock_offset before, after; /* the solves */
};

static void add_stage(void *data, const struct program *p, const struct stage *s, double begin,
                      double end)
{
    struct recorder *r = data;
    const struct level *l = p->hierarchy->levels[s->level];
    r->spans = memory_room(r->spans, r->count, sizeof *r->spans, "timeline");
    r->intervals = memory_room(r->intervals, r->count, sizeof *r->intervals, "timeline");
    struct span *span = &r->spans[r->count];
    *span = (struct span){.level = s->level,
                          .n = {l->n[0], l->n[1], l->n[2]},
                          .on_device = l->backend->on_device,
                          .cycle = p->name,
                          .work = stage_work(p, s)};
    stage_name(s, span->name, sizeof span->name);
    stage_kernels(s, span->kernels, sizeof span->kernels);
    r->intervals[r->count++] =
        l->active ? (struct interval){begin, end} : (struct interval){NAN, NAN};
}

static void set_timing(void *data, struct program *p)
{
    program_time(p, *(const bool *)data);
}

/* The first solve warms up: the first use of an event takes longer. */
static void solve_traced(struct solver *s, struct recorder *r)
{
    struct solve_result ignored;
    const struct level *l = s->hierarchy->levels[s->top];
    solver_programs(s, set_timing, &(bool){true});
    solver_run(s, &ignored);
    program_trace(add_stage, r);
    comm_barrier(l->comm);
    solver_run(s, &ignored);
    program_trace(NULL, NULL);
    solver_programs(s, set_timing, &(bool){false});
}

static double by_clock_of_rank_0(const struct recorder *r, double seconds)
{
    return seconds + clock_between(&r->before, &r->after, seconds).seconds;
}

/* This rank's intervals by the clock of rank 0; all NaN on a rank that has not solved. */
static struct interval *own_intervals(const struct recorder *r, int count)
{
    struct interval *own = memory_alloc((size_t)count * sizeof *own, "timeline");
    for (int i = 0; i < count; i++)
        own[i] = r->count == 0 ? (struct interval){NAN, NAN}
                               : (struct interval){by_clock_of_rank_0(r, r->intervals[i].begin),
                                                   by_clock_of_rank_0(r, r->intervals[i].end)};
    return own;
}

/* Collects the intervals of all ranks on rank 0. */
static void gather(struct timeline *t, const struct recorder *r)
{
    const size_t bytes = (size_t)t->count * sizeof *t->intervals;
    struct interval *own = own_intervals(r, t->count);
    if (comm_rank() == 0)
        t->intervals = memory_alloc((size_t)t->ranks * bytes, "timeline");
    comm_gather(comm_world(), own, t->intervals, (int)bytes);
    memory_free(own);
}

static void begin_at_zero(struct timeline *t)
{
    const long count = (long)t->ranks * t->count;
    double first = INFINITY;
    for (long i = 0; i < count; i++)
        first = fmin(first, t->intervals[i].begin); /* ignores NaN */
    for (long i = 0; i < count; i++) {
        t->intervals[i].begin -= first;
        t->intervals[i].end -= first;
    }
}

struct timeline *timeline_record(struct solver *s)
{
    struct recorder r = {.before = clock_measure()};
    if (s->hierarchy->levels[s->top]->active)
        solve_traced(s, &r);
    r.after = clock_measure();
    struct timeline *t = memory_alloc_zero(sizeof *t, "timeline");
    t->count = r.count;
    t->spans = r.spans;
    t->ranks = comm_size();
    memcpy(t->n, s->hierarchy->levels[s->top]->n, sizeof t->n);
    comm_broadcast(comm_world(), &t->count, sizeof t->count); /* rank 0 has boxes */
    t->clock_error = clock_between(&r.before, &r.after, r.after.at).error;
    comm_max_f64(comm_world(), &t->clock_error, 1);
    gather(t, &r);
    memory_free(r.intervals);
    if (comm_rank() == 0)
        begin_at_zero(t);
    return t;
}

void timeline_destroy(struct timeline *t)
{
    if (!t)
        return;
    memory_free(t->spans);
    memory_free(t->intervals);
    memory_free(t);
}

/* Threads of the trace: the two processors of a rank. */
enum track { TRACK_GPU, TRACK_CPU, NUM_TRACKS };

static enum track track_of(const struct span *span)
{
    return span->on_device ? TRACK_GPU : TRACK_CPU;
}

static struct json *append_event(struct json *events, const char *phase, const char *name, int rank,
                                 enum track track)
{
    struct json *event = json_add_object(events, NULL);
    JSON_TEXTS(event, {"ph", phase}, {"name", name});
    JSON_NUMBERS(event, {"pid", rank}, {"tid", track});
    return event;
}

/* The names of a rank and of its processors that have stages. */
static void append_names(struct json *events, const struct timeline *t, int rank)
{
    static const char *const names[NUM_TRACKS] = {"GPU", "CPU"};
    bool used[NUM_TRACKS] = {false};
    char name[32];
    for (int i = 0; i < t->count; i++)
        used[track_of(&t->spans[i])] = true;
    snprintf(name, sizeof name, "rank %d", rank);
    struct json *event = append_event(events, "M", "process_name", rank, TRACK_GPU);
    json_add_text(json_add_object(event, "args"), "name", name);
    for (enum track track = TRACK_GPU; track < NUM_TRACKS; track++)
        if (used[track]) {
            event = append_event(events, "M", "thread_name", rank, track);
            json_add_text(json_add_object(event, "args"), "name", names[track]);
        }
}

/* Clocks are no finer. */
static double nanoseconds(double seconds)
{
    return round(1e9 * seconds);
}

static void append_span(struct json *events, const struct span *span, int rank,
                        const struct interval *interval)
{
    struct json *event = append_event(events, "X", span->name, rank, track_of(span));
    const double begin = nanoseconds(interval->begin), end = nanoseconds(interval->end);
    json_add_text(event, "cat", span->work);
    JSON_NUMBERS(event, {"ts", begin / 1e3}, {"dur", fmax(end - begin, 0.0) / 1e3});
    struct json *arguments = json_add_object(event, "args");
    JSON_NUMBERS(arguments, {"level", span->level}, {"n", extent_longest(span->n)});
    JSON_TEXTS(arguments, {"cycle", span->cycle}, {"kernels", span->kernels});
}

static struct json *trace(const struct timeline *t, const struct options *o,
                          double seconds_per_solve)
{
    struct json *root = json_object(), *events = json_add_array(root, "traceEvents");
    for (int rank = 0; rank < t->ranks; rank++) {
        append_names(events, t, rank);
        for (int i = 0; i < t->count; i++) {
            const struct interval *interval = &t->intervals[(long)rank * t->count + i];
            if (!isnan(interval->begin))
                append_span(events, &t->spans[i], rank, interval);
        }
    }
    json_add_text(root, "displayTimeUnit", "ns");
    struct json *other = json_add_object(root, "otherData");
    JSON_TEXTS(other, {"program", "hpgmg-gpu"}, {"version", build_info.version},
               {"fuse", o->solver.unfused ? "off" : "on"});
    JSON_NUMBERS(other, {"n", extent_longest(t->n)}, {"order", o->solver.order},
                 {"ranks", t->ranks}, {"clock_error_seconds", t->clock_error},
                 {"seconds_per_solve", seconds_per_solve > 0.0 ? seconds_per_solve : NAN});
    return root;
}

bool timeline_write(struct output_file *file, const struct timeline *t, const struct options *o,
                    double seconds_per_solve)
{
    return json_write_of_rank_0(file, comm_rank() == 0 ? trace(t, o, seconds_per_solve) : NULL);
}
