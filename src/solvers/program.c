/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's list of stages: created, appended to, destroyed. */
#include <string.h>
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
