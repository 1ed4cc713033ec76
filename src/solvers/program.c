/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's list of stages: created, appended to, destroyed. */
#include "base/memory.h"
#include "solvers/stages.h"

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
    p->stages = memory_room(p->stages, p->count, sizeof *p->stages, "program stages");
    struct stage *s = &p->stages[p->count++];
    *s = (struct stage){.kind = kind, .level = level};
    return s;
}
