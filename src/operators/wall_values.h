/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_WALL_VALUES_H
#define OPERATORS_WALL_VALUES_H
/* Walls where u = g or ∂u/∂n = g with g ≠ 0: what they add to the right-hand side (NUMERICS, Values
 * on walls). The operator and its kernels stay those of g = 0.
 *
 * A wall plane holds values on one side of the domain, in host memory: for each of this rank's
 * patches there, in turn, one value per face and one layer around, the lower tangential direction
 * fastest. */
#include "level/level.h"

/* This rank's faces on a side: the sum of n[s]·n[t] over its patches there. */
long wall_faces(const struct level *level, int d, int side);
/* β on these faces as set-up finds it, in the order of a plane without its layer. */
void wall_read_beta(const struct level *level, int d, int side, double *faces);

/* The plane of these faces. The layer around has the neighbours' values; beyond walls, values are
 * extrapolated as β is. The caller frees it. Temporary memory: one field. Collective over the ranks
 * of the level. */
double *wall_plane_create(struct level *level, int d, int side, const double *faces);

/* Planes of g, NULL where it is 0, and, for Neumann walls with stored β, of β before set-up closes
 * these walls. */
struct wall_values {
    double *g[3][2], *beta[3][2];
};

/* What g adds to f in the cells that read ghosts behind walls, and f in these cells without it. */
struct wall_terms;
struct wall_terms *wall_terms_create(const struct level *level);
void wall_terms_destroy(struct wall_terms *terms);
/* Computes the terms, after the level's operator has been made. `side` is that of a cell in the
 * units of ∂u/∂n. */
void wall_terms_set(struct wall_terms *terms, const struct wall_values *values, double side);
/* Keeps the level's f as the one without the terms. */
void wall_terms_keep(struct wall_terms *terms);
/* Sets f near walls to the kept one plus the terms. */
void wall_terms_add(struct wall_terms *terms);

#endif
