/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording a program, if all its stages are work of one device without the host in between. */
#include <string.h>
#include "base/check.h"
#include "operators/passes.h"
#include "solvers/stages.h"

/* The addresses of all fields of all levels. */
struct addresses {
    const double *fields[MAX_LEVELS][NUM_FIELDS];
};

static void find_fields(const struct hierarchy *h, struct addresses *a)
{
    for (int l = 0; l < h->nlevels; l++)
        memcpy(a->fields[l], h->levels[l]->fields, sizeof a->fields[l]);
}

/* Copies back what passes have left in the memory of `spare`, after an odd number of swaps: the
 * kernels that swap may cover the sweeps before the coarser levels and not those after them. */
static void return_fields_from(struct level *l, const double *const before[], enum field spare)
{
    for (int f = 0; f < NUM_FIELDS; f++) {
        if (l->fields[f] == before[f] || l->fields[spare] != before[f])
            continue;
        l->backend->passes->combine(l, spare, 1.0, (enum field)f, 0.0, (enum field)f);
        level_swap(l, (enum field)f, spare);
    }
}

static void return_fields(const struct hierarchy *h, const struct addresses *before)
{
    static const enum field spare[] = {FIELD_TMP, FIELD_NEXT_U, FIELD_NEXT_TMP};
    for (int n = 0; n < h->nlevels; n++)
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

static bool is_recordable(const struct program *p, const struct backend *backend)
{
    bool all = backend->record_begin;
    for (int i = 0; all && i < p->count; i++)
        all = p->hierarchy->levels[p->stages[i].level]->backend == backend &&
              stage_is_recordable(p, &p->stages[i]);
    return all;
}

/* A replay begins with the fields where the recording began, so the recording ends with all fields
 * there. */
static void record(struct program *p, const struct backend *backend)
{
    struct addresses before = {0}, after = {0};
    find_fields(p->hierarchy, &before);
    backend->record_begin();
    program_execute_stages(p);
    return_fields(p->hierarchy, &before);
    p->recording = backend->record_end();
    find_fields(p->hierarchy, &after);
    const bool fields_are_back = memcmp(&before, &after, sizeof before) == 0;
    CHECK(fields_are_back);
}

bool program_replay(struct program *p)
{
    const struct backend *backend = p->hierarchy->levels[p->stages[0].level]->backend;
    if (!p->recording && p->executions > 1 && is_recordable(p, backend))
        record(p, backend);
    if (p->recording)
        backend->replay(p->recording, &p->norm);
    return p->recording;
}
