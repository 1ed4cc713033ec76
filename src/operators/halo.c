/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a halo goes. */
#include "operators/passes.h"

/* Applications of the operator that ghosts are deep enough for. Around an odd number of periodic
 * cells colours do not alternate, so ghosts cannot be swept like the cells they copy. */
static int applications(const struct level *level)
{
    const bool odd = level->stencil->coloured && level->periodic && level->dim % 2;
    return odd ? 1 : level->ghosts / level->stencil->radius;
}

int sweeps_per_halo(const struct level *level)
{
    const int deepest = applications(level);
    return deepest > 2 ? deepest - 1 : deepest;
}

/* A sweep of two steps also reads what the one before the last has left, in ghosts too: no deeper
 * than the passes before have computed it. */
int operations_per_halo(const struct level *level)
{
    return stencil_relaxation(level->stencil, 1).two_step ? sweeps_per_halo(level)
                                                          : applications(level);
}
