/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_HALO_H
#define OPERATORS_HALO_H
#include "level/level.h"
#include "operators/stencil.h"

/* Layers of u's halo that so many sweeps, then a finish or none, read; and of the right-hand side's
 * that any pass between two exchanges reads. Passes may also compute in deeper layers, but nothing
 * depends on what. */
int halo_layers(const struct level *level, int sweeps, bool finishes);
int rhs_halo_layers(const struct level *level);
/* As many layers, or one more: interpolation fills them in pairs. */
static inline int even_layers(int layers)
{
    return layers + layers % 2;
}
/* Layers beyond the box that the first of so many sweeps works on: those where something depends on
 * its result, and those that only copy cells of the colour that it keeps. */
int sweep_layers(const struct stencil *s, int sweeps, bool finishes);

#endif
