/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/operands.h"
#include "operators/pass.h"

struct operands operands_of(const struct level *level, const struct patch *patch, enum field f)
{
    const enum field fields[] = {FIELD_ALPHA, FIELD_DINV, FIELD_BETA_I, FIELD_BETA_J, FIELD_BETA_K};
    const double *x[5];
    for (int i = 0; i < 5; i++)
        x[i] = patch_cells(level, patch, level->fields[fields[i]] ? fields[i] : f);
    return (struct operands){patch_cells(level, patch, f), x[0], x[1], x[2], x[3], x[4],
                             level->stencil->scale};
}
