/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/program.h"
#include <math.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/ranges.h"
#include "base/timer.h"
#include "level/backend.h"
#include "solvers/bottom.h"
#include "solvers/cycle.h"
#include "solvers/reduce.h"

static struct {
    observe_fn *observe;
    void *data;
} observer;

void program_observe(observe_fn *observe, void *data)
{
    observer.observe = observe;
    observer.data = data;
}

struct program *program_create(const char *name, struct hierarchy *h)
{
    struct program *p = memory_alloc_zero(sizeof *p, "program");
    p->name = name;
    p->hierarchy = h;
    return p;
}

void program_destroy(struct program *p)
{
    if (!p)
        return;
    if (p->recording)
        p->hierarchy->levels[p->stages[0].level]->backend->record_destroy(p->recording);
    memory_free(p->stages);
    memory_free(p->times);
    memory_free(p);
}

struct stage *program_add(struct program *p, enum stage_kind kind, int level)
{
    if (p->count == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 64;
        p->stages = memory_grow(p->stages, (size_t)p->capacity * sizeof *p->stages,
                                (size_t)capacity * sizeof *p->stages, "program stages");
        p->capacity = capacity;
    }
    struct stage *s = &p->stages[p->count++];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->level = level;
    return s;
}

static void execute_halo(const struct hierarchy *h, const struct stage *s, struct plan_times *times)
{
    const struct level *l = h->levels[s->level];
    plan_execute(l->halos[s->layers], l->fields[s->field], l->fields[s->field], times);
}

static void execute_down(const struct hierarchy *h, const struct stage *s, struct plan_times *times)
{
    const struct transfer *t = &h->transfers[s->level];
    const struct level *next = h->levels[s->level + 1];
    plan_execute(t->down, t->coarse->fields[FIELD_F], next->fields[FIELD_F], times);
}

static void execute_up(const struct hierarchy *h, const struct stage *s, struct plan_times *times)
{
    const struct transfer *t = &h->transfers[s->level];
    const struct level *next = h->levels[s->level + 1];
    plan_execute(t->up, next->fields[FIELD_U], t->coarse->fields[FIELD_U], times);
}

static void execute_stage(const struct hierarchy *h, const struct stage *s,
                          struct plan_times *times)
{
    struct level *l = h->levels[s->level];
    switch (s->kind) {
    case STAGE_PASS:
        l->backend->passes->run(&s->pass);
        return;
    case STAGE_HALO:
        execute_halo(h, s, times);
        return;
    case STAGE_DOWN:
        execute_down(h, s, times);
        return;
    case STAGE_UP:
        execute_up(h, s, times);
        return;
    case STAGE_RESTRICT:
        l->backend->passes->restrict_cells(l, s->field, h->transfers[s->level].coarse, s->field);
        return;
    case STAGE_BOTTOM:
        if (l->active)
            bottom_solve(h->bottom, s->pass.u, s->pass.f);
        return;
    case STAGE_MEAN:
        reduce_subtract_mean(l, s->field);
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

/* Between two marks where the backend has them, and read_marks finds out; else by the host's clock,
 * once what was begun before is done. */
static void execute_timed(struct program *p, int i)
{
    const struct backend *backend = stage_backend(p, i);
    struct stage_times *times = &p->times[i];
    if (backend->mark) {
        backend->mark(2 * i);
        execute_stage(p->hierarchy, &p->stages[i], &times->halo);
        backend->mark(2 * i + 1);
        return;
    }
    backend->synchronise();
    const double start = timer_seconds();
    execute_stage(p->hierarchy, &p->stages[i], &times->halo);
    backend->synchronise();
    times->total += timer_seconds() - start;
}

/* Adds the seconds of stages between marks, after the last stage, so that none waits for it. */
static void read_marks(struct program *p)
{
    for (int i = 0; i < p->count; i++)
        if (stage_backend(p, i)->mark)
            p->times[i].total += stage_backend(p, i)->seconds_between(2 * i, 2 * i + 1);
}

/* Marks cost more when they are made than later, so each is used once beforehand. */
static void make_marks(const struct program *p)
{
    for (int i = 0; i < p->count; i++)
        if (stage_backend(p, i)->mark)
            stage_backend(p, i)->mark(2 * i + 1);
}

/* Opens the stage's range on a profiler's time line, such as "halo 64^3". */
static void open_range(const struct hierarchy *h, struct stage *s)
{
    char name[sizeof s->range];
    if (!s->range[0])
        snprintf(s->range, sizeof s->range, "%.36s %d^3", stage_name(s, name, sizeof name),
                 h->levels[s->level]->dim);
    range_push(s->range);
}

enum { MAX_STEPS = 64 }; /* of one call; longer runs of stages take several */

/* The stage as a step of its level's backend; false if it is none. */
static bool step_of_stage(const struct hierarchy *h, const struct stage *s, struct step *step)
{
    switch (s->kind) {
    case STAGE_PASS:
        *step = (struct step){.kind = STEP_PASS, .pass = s->pass};
        return true;
    case STAGE_RESTRICT:
        *step = (struct step){.kind = STEP_RESTRICT,
                              .pass = {.level = h->levels[s->level],
                                       .f = s->field,
                                       .coarse = h->transfers[s->level].coarse,
                                       .coarse_f = s->field}};
        return true;
    case STAGE_BOTTOM:
        return bottom_step(h->bottom, s->pass.u, s->pass.f, step);
    default:
        return false;
    }
}

/* Runs as many stages from `first` on as their backend does in one call; returns their number. */
static int execute_steps(const struct program *p, int first)
{
    const struct hierarchy *h = p->hierarchy;
    const struct passes *passes = h->levels[p->stages[first].level]->backend->passes;
    struct step steps[MAX_STEPS];
    int count = 0;
    if (!passes->run_steps)
        return 0;
    while (count < MAX_STEPS && first + count < p->count) {
        const struct stage *s = &p->stages[first + count];
        if (h->levels[s->level]->backend->passes != passes || !step_of_stage(h, s, &steps[count]) ||
            !passes->step_fits(&steps[count]))
            break;
        count++;
    }
    if (count > 0) {
        range_push("steps on small levels");
        passes->run_steps(steps, count);
        range_pop();
    }
    return count;
}

/* True if stage i is a halo and stage i + 1 the pass that reads it, which can work on what depends
 * on no halo meanwhile. */
static bool overlaps(const struct program *p, int i)
{
    const struct stage *halo = &p->stages[i], *next = halo + 1;
    if (i + 1 == p->count || halo->kind != STAGE_HALO || next->kind != STAGE_PASS ||
        next->level != halo->level)
        return false;
    const struct level *l = p->hierarchy->levels[halo->level];
    const bool reads = halo->field == next->pass.f || halo->field == pass_reads(&next->pass);
    return reads && l->backend->branch && l->backend->passes->splits &&
           pow(l->dim, 3) >= p->hierarchy->choice.overlap_above * l->nranks &&
           l->backend->passes->splits(&next->pass);
}

/* No rank waits for another one before it has begun its part of the exchange. */
static void execute_overlapping(const struct program *p, int i)
{
    const struct stage *s = &p->stages[i];
    const struct level *l = p->hierarchy->levels[s->level];
    struct pass inner = s[1].pass, outer = s[1].pass;
    struct plan *halo = l->halos[s->layers];
    double *field = l->fields[s->field];
    struct plan_times unused = {0};
    inner.part = PART_INNER;
    outer.part = PART_OUTER;
    range_push("halo beside a pass");
    l->backend->branch();
    l->backend->aside(true);
    plan_begin(halo, field, field, &unused);
    l->backend->aside(false);
    l->backend->passes->run(&inner);
    l->backend->aside(true);
    plan_end(halo, field, field, &unused);
    l->backend->passes->run(&outer);
    l->backend->aside(false);
    l->backend->join();
    range_pop();
}

static void execute_one(struct program *p, int i)
{
    struct stage *s = &p->stages[i];
    open_range(p->hierarchy, s);
    if (p->times)
        execute_timed(p, i);
    else
        execute_stage(p->hierarchy, s, NULL);
    range_pop();
    if (observer.observe)
        observer.observe(observer.data, p, s);
}

/* Stages from the i-th on that are done in one go; returns their number, which is 0 if none are. */
static int execute_several(struct program *p, int i)
{
    const int steps = execute_steps(p, i);
    if (steps > 0 || !overlaps(p, i))
        return steps;
    execute_overlapping(p, i);
    return 2;
}

/* Several stages at a time where nobody wants to look between them. */
static void execute_stages(struct program *p)
{
    const bool one_by_one = p->times || observer.observe;
    for (int i = 0; i < p->count;) {
        const int done = one_by_one ? 0 : execute_several(p, i);
        if (done == 0)
            execute_one(p, i);
        i += done > 0 ? done : 1;
    }
}

/* True if the stage's work is all on the backend: no message, and no number that the host must know
 * to go on. */
static bool stage_is_recordable(const struct program *p, const struct stage *s,
                                const struct backend *backend)
{
    const struct hierarchy *h = p->hierarchy;
    const struct level *l = h->levels[s->level];
    if (l->backend != backend)
        return false;
    switch (s->kind) {
    case STAGE_PASS:
    case STAGE_RESTRICT:
        return true;
    case STAGE_HALO:
        return plan_is_recordable(l->halos[s->layers]);
    case STAGE_DOWN:
        return plan_is_recordable(h->transfers[s->level].down);
    case STAGE_UP:
        return plan_is_recordable(h->transfers[s->level].up);
    case STAGE_BOTTOM:
        return !l->active || bottom_on_device(h->bottom);
    case STAGE_MEAN:
        return l->nranks == 1 && l->backend->passes->subtract_mean;
    case NUM_STAGE_KINDS:
        break;
    }
    return false;
}

static bool is_recordable(const struct program *p)
{
    const struct backend *backend =
        p->count > 0 ? p->hierarchy->levels[p->stages[0].level]->backend : NULL;
    bool all = backend && backend->record_begin;
    for (int i = 0; all && i < p->count; i++)
        all = stage_is_recordable(p, &p->stages[i], backend);
    return all;
}

/* Records the stages. The first execution was an ordinary one, so that whatever is made at first
 * use exists. */
static void record(struct program *p)
{
    const struct backend *backend = p->hierarchy->levels[p->stages[0].level]->backend;
    backend->record_begin();
    execute_stages(p);
    p->recording = backend->record_end();
}

void program_execute(struct program *p)
{
    const bool plain = p->times || observer.observe;
    p->norm = 0;
    p->executions++;
    range_push(p->name);
    if (!p->recording && !plain && p->executions > 1 && is_recordable(p))
        record(p);
    if (p->recording && !plain)
        p->hierarchy->levels[p->stages[0].level]->backend->replay(p->recording);
    else
        execute_stages(p);
    if (p->times)
        read_marks(p);
    range_pop();
}

void program_time(struct program *p, bool on)
{
    memory_free(p->times);
    p->times = on ? memory_alloc_zero((size_t)p->count * sizeof *p->times, "stage times") : NULL;
    p->executions = 0;
    if (on)
        make_marks(p);
}

const char *stage_name(const struct stage *stage, char *buffer, int size)
{
    static const char *const kinds[NUM_STAGE_KINDS] = {
        "", "halo", "agglomerate", "distribute", "restrict", "bottom", "mean"};
    static const char *const starts[] = {"", "zero+", "interpolate+", "prolong+"};
    static const char *const finishes[] = {"", "residual+restrict+", "residual+norm+", "residual+"};
    if (stage->kind != STAGE_PASS) {
        snprintf(buffer, (size_t)size, "%s", kinds[stage->kind]);
        return buffer;
    }
    const struct pass *p = &stage->pass;
    snprintf(buffer, (size_t)size, "%s%s%s", starts[p->start], p->nsweeps ? "smooth+" : "",
             finishes[p->finish]);
    const size_t length = strlen(buffer);
    if (length > 0)
        buffer[length - 1] = '\0';
    return buffer;
}

const char *stage_kernels(const struct stage *stage, char *buffer, int size)
{
    buffer[0] = '\0';
    if (stage->kind == STAGE_PASS)
        stage->pass.level->backend->passes->kernels(&stage->pass, buffer, size);
    return buffer;
}

static long level_cells(const struct level *l)
{
    long cells = 0;
    for (int q = 0; q < l->npatches; q++)
        cells += box_cells(l->patches[q].box);
    return cells;
}

/* Each cell is read and written. */
static double plan_bytes(const struct plan *plan)
{
    return 2 * sizeof(double) * (double)(plan->cells_local + plan->cells_sent);
}

double stage_bytes(const struct program *p, const struct stage *stage)
{
    const struct hierarchy *h = p->hierarchy;
    const struct level *l = h->levels[stage->level];
    const double value = sizeof(double);
    switch (stage->kind) {
    case STAGE_PASS:
        return l->backend->passes->bytes(&stage->pass) * (double)level_cells(l);
    case STAGE_HALO:
        return plan_bytes(l->halos[stage->layers]);
    case STAGE_DOWN:
        return plan_bytes(h->transfers[stage->level].down);
    case STAGE_UP:
        return plan_bytes(h->transfers[stage->level].up);
    case STAGE_RESTRICT:
        return 9.0 / 8.0 * value * (double)level_cells(l);
    case STAGE_MEAN:
        return 3 * value * (double)level_cells(l);
    case STAGE_BOTTOM:
    case NUM_STAGE_KINDS:
        break;
    }
    return 0.0;
}

void program_print(const struct program *p, FILE *out)
{
    char name[64];
    fprintf(out, "%s: %d stages\n", p->name, p->count);
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        const struct level *l = p->hierarchy->levels[s->level];
        fprintf(out, "%5d  level %2d  %5d^3  %-5s %s", i, s->level, l->dim, l->backend->name,
                stage_name(s, name, sizeof name));
        if (s->kind == STAGE_PASS && s->pass.nsweeps > 0)
            fprintf(out, "  sweeps %d-%d", s->pass.first_sweep,
                    s->pass.first_sweep + s->pass.nsweeps - 1);
        fprintf(out, "\n");
    }
}
