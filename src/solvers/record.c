/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording a program, if all its stages are work of one device without the host in between. */
#include <string.h>
#include "base/check.h"
#include "operators/passes.h"
#include "solvers/stages.h"

/* The address of every field of every level and of the coarse sides of transfers. */
struct addresses {
    const double *levels[MAX_LEVELS][NUM_FIELDS], *transfers[MAX_LEVELS][NUM_FIELDS];
};

static void find_addresses(const struct hierarchy *h, struct addresses *a)
{
    memset(a, 0, sizeof *a);
    for (int l = 0; l < h->nlevels; l++) {
        memcpy(a->levels[l], h->levels[l]->fields, sizeof a->levels[l]);
        if (h->transfers[l].separate)
            memcpy(a->transfers[l], h->transfers[l].coarse->fields, sizeof a->transfers[l]);
    }
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

/* A replay finds the fields where the recording began, so the recording must end with all fields
 * there. */
static void record(struct program *p, const struct backend *backend)
{
    struct addresses before, after;
    find_addresses(p->hierarchy, &before);
    backend->record_begin();
    program_execute_stages(p);
    p->recording = backend->record_end();
    find_addresses(p->hierarchy, &after);
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
