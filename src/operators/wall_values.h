/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Walls where u = g or ∂u/∂n = g with g ≠ 0: the values of g (NUMERICS, Values on walls).
 *
 * A wall plane holds values on one side of the domain, in host memory: for each of this rank's
 * patches there, in turn, one value per face and WALL_MARGIN layers around, the lower tangential
 * direction fastest. */
#include "operators/local_box.h"

/* Quartic interpolation reads ghosts two layers beyond a patch. Three layers around two cells are
 * the five that an extrapolation beyond a wall reads. */
enum { WALL_MARGIN = 3 };

/* Planes of g, NULL where it is 0, and, for Neumann walls with stored β, of β before set-up closes
 * these walls. */
struct wall_values {
    double *g[3][2], *beta[3][2];
};
/* Releases all planes. */
void wall_values_release(struct wall_values *values);

/* This rank's faces on a side: the sum of n[s]·n[t] over its patches there. */
long wall_faces(const struct level *level, int d, int side);
/* β on these faces as set-up finds it, in the order of a plane without its margin. */
void wall_read_beta(const struct level *level, int d, int side, double *faces);

/* The plane of these faces. The margin has the neighbours' values; beyond walls, values are
 * extrapolated as β is. The caller frees it. Temporary memory: one field. Collective over the ranks
 * of the level. */
double *wall_plane_create(struct level *level, int d, int side, const double *faces);

/* Writes a plane into the two layers of cells next to the wall. After restriction each coarse cell
 * next to the wall holds the mean of its four faces. */
void wall_plane_write(const struct level *level, int d, int side, const double *plane,
                      enum field field);
/* The plane of the values in the layer of cells next to the wall. The field's halo must have been
 * filled. The caller frees it. */
double *wall_plane_read(const struct level *level, int d, int side, enum field field);

/* The tangential directions of faces in direction d, the lower one first. */
int wall_tangent(int d, int which);
/* A patch's part of a plane: value (a,b) is at[a + b·stride], −WALL_MARGIN <= a < n[0] +
 * WALL_MARGIN and so on. `at` is NULL where the plane is, or where the patch is not at that wall.
 */
struct wall_part {
    double *at;
    int n[2];
    long stride;
};
struct wall_part wall_part_of(const struct level *level, const struct patch *p, int d, int side,
                              double *plane);
