/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_FIELDS_H
#define LAB_FIELDS_H
/* Levels to experiment on: made as the solver makes them, filled with random values, compared bit
 * for bit. */
#include "base/status.h"
#include "lab/lab.h"
#include "level/level.h"
#include "solvers/hierarchy.h"

/* True if some run of hpgmg-gpu has a level of n cells per side. */
bool level_exists(int n);

/* The hierarchy whose first level has options->n cells per side, with its fields on the backend.
 * Refuses it if it does not fit. */
enum status level_choice(const struct lab_options *options, const struct backend *backend,
                         struct hierarchy_choice *choice);

/* Every cell gets a value in [−1, 1) that depends on its place and on seed alone, the rest of the
 * field NaN; then ghosts are filled from neighbours. */
void fill_random(struct level *level, enum field field, int seed);
/* NaN everywhere. */
void fill_poison(struct level *level, enum field field);

/* Wrong ghosts of a field that fill_random has filled with this seed, in this rank's boxes: a ghost
 * must equal the cell of the neighbour or the periodic image, or be NaN where no exchange fills it.
 */
long count_wrong_ghosts(const struct level *level, enum field field, int seed);

/* Cells inside the boxes of two levels of the same size whose bits differ. The levels may have
 * different backends. */
long count_differences(const struct level *a, enum field of_a, const struct level *b,
                       enum field of_b);

#endif
