/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "level/level.h"
#include "operators/stencil.h"

/* Halo depth of u read by `sweeps` sweeps plus an optional finish, and of f read by any pass
 * between two exchanges. Deeper layers may hold garbage. */
int halo_layers(const struct level *level, int sweeps, bool finishes);
int rhs_halo_layers(const struct level *level);
/* As many layers, or one more: interpolation fills them in pairs. */
static inline int even_layers(int layers)
{
    return layers + layers % 2;
}
/* Layers beyond the box that the first of `sweeps` sweeps works on: those in which its result is
 * needed, and those that only copy cells of the colour that it keeps. */
int sweep_layers(const struct stencil *s, int sweeps, bool finishes);
