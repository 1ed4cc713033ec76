/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_HALO_H
#define OPERATORS_HALO_H
#include "level/level.h"

/* Layers of u's halo that so many sweeps, then a finish or none, read; and of the right-hand side's
 * that any pass between two exchanges reads. Passes may also compute in deeper layers, but nothing
 * depends on what. */
int halo_layers(const struct level *level, int sweeps, bool finishes);
int rhs_halo_layers(const struct level *level);

#endif
