/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Making levels with their halo plans. */
#include "base/linkage.h"
#include "level/level.h"

C_BEGIN

/* Makes a level and takes over its decomposition. Rows are padded so that cell i = 0 of every row
 * is at a multiple of row_align doubles. Collective over the world. */
struct level *level_create(int depth, struct decomposition decomposition, struct sides sides,
                           int ghosts, const struct backend *backend, int row_align);
void level_destroy(struct level *level);

/* Box number `b` of the level as a patch, in a field from element *length on; *length becomes that
 * of the field so far. Reads the level's n, sides, ghosts, backend and decomposition. */
struct patch level_patch(const struct level *level, int b, int row_align, long *length);

/* Makes the connected level's plan for `layers` of ghosts, which must not exist yet. Collective
 * over the world. */
struct plan *level_make_halo(struct level *level, int layers);
/* Fills the ghosts of a cell-centred field from neighbours, if the level is connected. */
void level_exchange_halo(const struct level *level, enum field field);

/* Bytes of one field of doubles of a future level on one rank. */
size_t decomposition_field_bytes(const struct decomposition *d, int rank, int ghosts,
                                 int row_align);
/* Adds the bytes of `fields` fields, of values of value_bytes bytes, to bytes[rank], for all ranks.
 */
void decomposition_add_field_bytes(const struct decomposition *d, int ghosts, int row_align,
                                   int fields, int value_bytes, size_t *bytes);

C_END
