/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording a program: work of one device, and hand-overs to the host in between. */
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "operators/pass.h"
#include "operators/vectors.h"
#include "solvers/stages.h"

/* The addresses of all fields of all levels. */
struct addresses {
    const double *fields[MAX_GRIDS][NUM_FIELDS];
};

static void find_fields(const struct hierarchy *h, struct addresses *a)
{
    for (int l = 0; l < hierarchy_grids(h); l++)
        memcpy(a->fields[l], h->levels[l]->fields, sizeof a->fields[l]);
}

/* Copies back what passes have left in the memory of `spare`, after an odd number of swaps: the
 * kernels that swap may cover the sweeps before the coarser levels and not those after them. */
static void return_fields_from(struct level *l, const double *const before[], enum field spare)
{
    for (int f = 0; f < NUM_FIELDS; f++) {
        if (l->fields[f] == before[f] || l->fields[spare] != before[f])
            continue;
        vector_combine(l, spare, 1.0, (enum field)f, 0.0, (enum field)f);
        level_swap(l, (enum field)f, spare);
    }
}

static void return_fields(const struct hierarchy *h, const struct addresses *before)
{
    static const enum field spare[] = {FIELD_TMP, FIELD_NEXT_U, FIELD_NEXT_TMP};
    for (int n = 0; n < hierarchy_grids(h); n++)
        for (size_t s = 0; s < sizeof spare / sizeof spare[0]; s++)
            return_fields_from(h->levels[n], before->fields[n], spare[s]);
}

static bool stage_is_recordable(const struct program *p, const struct stage *s)
{
    const struct level *l = p->hierarchy->levels[s->level];
    const struct plan *plan = stage_plan(p, s);
    if (plan)
        return plan_is_recordable(plan);
    if (s->kind == STAGE_BOTTOM)
        return !l->active || bottom_on_device(p->hierarchy->bottom);
    return s->kind != STAGE_MEAN || (l->nranks == 1 && l->backend->passes->subtract_mean);
}

/* True if the stage moves cells between a device and the host. */
static bool crosses_devices(const struct program *p, const struct stage *s)
{
    const struct plan *plan = stage_plan(p, s);
    return plan && plan_crosses_devices(plan);
}

/* The host does the stages between stage `first`, which takes cells to it, and the one that brings
 * cells back, whose index this is; 0 if there is none. */
static int hand_over_end(const struct program *p, int first)
{
    for (int i = first + 1; i < p->count; i++)
        if (crosses_devices(p, &p->stages[i]))
            return p->stages[i].kind == STAGE_REDISTRIBUTE_UP ? i : 0;
        else if (p->hierarchy->levels[p->stages[i].level]->backend->on_device)
            return 0;
    return 0;
}

/* Returns the number of hand-overs to the host, or −1 if the program cannot be recorded. */
static int count_hand_overs(const struct program *p, const struct backend *backend)
{
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        const struct stage *s = &p->stages[i];
        if (crosses_devices(p, s) && hand_over_end(p, i) > 0) {
            count++;
            i = hand_over_end(p, i);
        } else if (p->hierarchy->levels[s->level]->backend->recorder != backend->recorder ||
                   !stage_is_recordable(p, s))
            return -1;
    }
    return count;
}

/* A stage's plan between the device and the host, and its fields, with cells where struct patch has
 * them. */
static struct plan *crossing(const struct program *p, int i, double **from, double **to)
{
    const struct stage *s = &p->stages[i];
    const struct level *source, *target;
    struct plan *plan = stage_endpoints(p, s, &source, &target);
    *from = level_natural(source, s->whole.field);
    *to = level_natural(target, s->whole.field);
    return plan;
}

/* The host's stages of a hand-over. */
static void work_on_host(void *data, int first)
{
    struct program *p = data;
    double *from, *to;
    const int end = hand_over_end(p, first);
    struct plan *down = crossing(p, first, &from, &to);
    plan_on_host(down, from, to);
    for (int i = first + 1; i < end;)
        i += program_execute_next(p, i);
    struct plan *up = crossing(p, end, &from, &to);
    plan_on_host(up, from, to);
    (void)crossing(p, first, &from, &to); /* where the device writes next time */
}

static struct hand_over hand_over(struct program *p, int first)
{
    double *from, *to;
    struct hand_over h = {.work = work_on_host, .data = p, .first = first};
    struct plan *down = crossing(p, first, &from, &to);
    plan_on_device(down, from, to, h.down);
    struct plan *up = crossing(p, hand_over_end(p, first), &from, &to);
    plan_on_device(up, from, to, h.up);
    h.longest = down->ends.longest;
    return h;
}

static bool begin(struct program *p, const struct backend *backend, int hand_overs)
{
    struct hand_over *list =
        memory_alloc((size_t)hand_overs * sizeof *list, "hand-overs of a recording");
    int n = 0;
    for (int i = 0; i < p->count; i++)
        if (crosses_devices(p, &p->stages[i])) {
            list[n++] = hand_over(p, i);
            i = hand_over_end(p, i);
        }
    const bool begun = backend->recorder->begin(list, n);
    memory_free(list);
    return begun;
}

static void record_stages(struct program *p, const struct backend *backend)
{
    int hand_overs = 0;
    for (int i = 0; i < p->count;)
        if (crosses_devices(p, &p->stages[i])) {
            backend->recorder->hand_over(hand_overs++);
            i = hand_over_end(p, i) + 1;
        } else
            i += program_execute_next(p, i);
}

/* A replay begins with the fields where the recording began, so the recording ends with all fields
 * there. */
static void record(struct program *p, const struct backend *backend, int hand_overs)
{
    struct addresses before = {0}, after = {0};
    find_fields(p->hierarchy, &before);
    if (!begin(p, backend, hand_overs))
        return;
    record_stages(p, backend);
    return_fields(p->hierarchy, &before);
    p->recording = backend->recorder->end();
    find_fields(p->hierarchy, &after);
    const bool fields_are_back = memcmp(&before, &after, sizeof before) == 0;
    CHECK(fields_are_back);
}

static void try_to_record(struct program *p, const struct backend *backend)
{
    const int hand_overs = backend->recorder ? count_hand_overs(p, backend) : -1;
    if (hand_overs == 0 || (hand_overs > 0 && backend->recorder->can_wait_for_host()))
        record(p, backend, hand_overs);
    p->not_recorded = !p->recording;
}

bool program_replay(struct program *p)
{
    const struct backend *backend = p->hierarchy->levels[p->stages[0].level]->backend;
    if (!p->recording && !p->not_recorded && p->executions > 1)
        try_to_record(p, backend);
    if (p->recording)
        backend->recorder->replay(p->recording, &p->norm);
    return p->recording;
}

enum hand_over_way program_hand_over(const struct program *p)
{
    for (int i = 0; i < p->count; i++)
        if (crosses_devices(p, &p->stages[i]))
            return p->recording ? HAND_OVER_GRAPH : HAND_OVER_HOST;
    return HAND_OVER_NONE;
}

struct hand_over_times program_hand_over_times(const struct program *p)
{
    if (program_hand_over(p) != HAND_OVER_GRAPH)
        return (struct hand_over_times){0};
    return p->hierarchy->levels[p->stages[0].level]->backend->recorder->times(p->recording);
}
