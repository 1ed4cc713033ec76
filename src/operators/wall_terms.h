/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What values on walls add to fields, so that the operator and its kernels stay those of g = 0
 * (NUMERICS, Values on walls). G is 0 in cells and has the ghosts that follow from g alone. */
#include "operators/wall_values.h"

/* Terms in `layers` layers of cells next to all walls, and a field there without them. */
struct wall_terms;
struct wall_terms *wall_terms_create(const struct level *level, int layers);
void wall_terms_destroy(struct wall_terms *terms); /* may be NULL */

/* −A G, which f gets, after the level's operator has been made; minus the field `less` unless that
 * is NUM_FIELDS. Layers: the stencil's radius. */
void wall_terms_set_operator(struct wall_terms *terms, const struct wall_values *values,
                             enum field less);
/* The fluxes through Neumann walls with stored β. They are added to f, too. Layers: 1. */
void wall_terms_set_inflow(struct wall_terms *terms, const struct wall_values *values);
/* P G of this order from a coarse side with these values, which interpolated u get. Layers:
 * `prolongation`. */
void wall_terms_set_prolonged(struct wall_terms *terms, const struct level *coarse,
                              const struct wall_values *values, int prolongation);

/* field += terms. Work of the backend alone. */
void wall_terms_add(const struct wall_terms *terms, enum field field);
/* Keeps the field in these cells, and sets it to what was kept. */
void wall_terms_keep(struct wall_terms *terms, enum field field);
void wall_terms_restore(const struct wall_terms *terms, enum field field);
