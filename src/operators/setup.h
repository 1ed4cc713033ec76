/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Set-up of the operator on a level of any backend. */
#include <stdint.h>
#include <string.h>
#include "level/level.h"

/* The faces of a patch in one direction that its field holds as its own: a low face per cell, and
 * those on a high wall. */
static inline void setup_count_faces(const struct patch *p, int direction, int n[3])
{
    memcpy(n, p->n, sizeof p->n);
    n[direction] += p->wall[direction][1] != NO_WALL;
}

/* Restricts face-centred β of one direction, the faces on the high walls included. A coarse level
 * of other ratios between the sides of cells gets their weights. */
void setup_restrict_faces(const struct level *fine, struct level *coarse, int direction);
/* β times the weights of the level's spacing (operators/spacing.h), and β = 1 times these. The
 * faces on the high walls included. */
void setup_weigh_beta(struct level *level);
void setup_unit_beta(struct level *level);
/* β = 0 on the faces of Neumann walls, so that nothing flows through them: the flux of order 4 has
 * tangential terms that the rule for u does not cancel. */
void setup_close_neumann_walls(struct level *level);
/* β one layer beyond walls, tangentially; order 4 reads it. */
void setup_extrapolate_beta(struct level *level);
/* FIELD_DINV. *lambda_max becomes at least the bits of the Gershgorin bound, if the smoother needs
 * it. */
void setup_diagonal(struct level *level, uint64_t *lambda_max);
