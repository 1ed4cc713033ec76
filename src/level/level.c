/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/level.h"
#include "backend/backend.h"
#include "backend/passes.h"

bool level_connects(const struct backend *backend, const struct sides *sides, int nboxes)
{
    return (sides_have(sides, BOUNDARY_PERIODIC) && !backend->wraps) || nboxes > 1;
}

bool level_wraps(const struct level *l, struct box box, int d)
{
    return sides_wrap(&l->sides, d) && l->backend->wraps && box.lo[d] == 0 && box.hi[d] == l->n[d];
}

bool level_has_odd_period(const struct level *l)
{
    bool odd = false;
    for (int d = 0; d < 3; d++)
        odd = odd || (sides_wrap(&l->sides, d) && l->n[d] % 2 == 1);
    return odd;
}

size_t level_field_bytes(const struct level *level)
{
    return (size_t)(level->field_length * level->backend->real_bytes);
}

void level_allocate(struct level *level, enum field field)
{
    real **fields = (real **)level->fields;
    if (!fields[field])
        fields[field] = level->backend->memory->allocate(level->field_length, "a field");
}

void level_release(struct level *level, enum field field)
{
    real **fields = (real **)level->fields;
    if (fields[field])
        level->backend->memory->release(fields[field]);
    fields[field] = NULL;
    level->own_order[field] = false;
}

void level_swap(struct level *level, enum field a, enum field b)
{
    real **fields = (real **)level->fields, *memory = fields[a];
    fields[a] = fields[b];
    fields[b] = memory;
    const bool own = level->own_order[a];
    level->own_order[a] = level->own_order[b];
    level->own_order[b] = own;
}

void level_restore(const struct level *level, enum field field)
{
    level->backend->passes->restore(level, field);
    level->own_order[field] = false;
}
