/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Values on walls in F-cycles (NUMERICS, Values on walls). */
#include "operators/wall_terms.h"
#include "solvers/hierarchy.h"

/* Computes what an F-cycle adds on each level, after the operators have been made. `values` are the
 * wall values of the finest level, `terms` the −A G that follows from them. The first time,
 * programs that were made before must be made anew. Overwrites u on all levels and f on all but the
 * finest. Collective over the world. */
void hierarchy_set_walls(struct hierarchy *h, const struct wall_values *values,
                         const struct wall_terms *terms);
