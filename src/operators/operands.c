/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/operands.h"
#include "operators/pass.h"

struct operands operands_in(const struct level *level, const struct patch *patch, enum field f)
{
    enum { COUNT = 6 };
    const enum field fields[COUNT] = {
        f, FIELD_ALPHA, FIELD_DINV, FIELD_BETA_I, FIELD_BETA_J, FIELD_BETA_K};
    const real *x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] =
            level_at(level, level->fields[level->fields[fields[i]] ? fields[i] : f], patch->offset);
    return (struct operands){x[0], x[1], x[2], x[3], x[4], x[5], level->stencil->scale};
}

struct operands operands_of(const struct level *level, const struct patch *patch, enum field f)
{
    level_natural(level, f);
    for (int c = FIELD_DINV; c <= FIELD_BETA_K; c++)
        level_natural(level, (enum field)c);
    return operands_in(level, patch, f);
}
