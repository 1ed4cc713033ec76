/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Norms and sums over a level, bitwise identical for any decomposition. Collective over the ranks
 * that hold boxes of the level; the others get 0 and must not use it. */
#include <stdint.h>
#include "level/level.h"

/* max|x|; NaN if any value is. */
double reduce_norm(const struct level *level, enum field x);
/* max|x·y| of the cells; y = NUM_FIELDS stands for 1. */
double reduce_product_norm(const struct level *level, enum field x, enum field y);
/* Σ x·y, exact to 2^-84 of the largest term; NaN if any term is not finite. */
double reduce_dot(const struct level *level, enum field x, enum field y);
/* Σ x / N³ */
double reduce_mean(const struct level *level, enum field x);
void reduce_subtract_mean(struct level *level, enum field x);
/* Hash of the field's bits; see operators/hash.h. */
uint64_t reduce_checksum(const struct level *level, enum field x);
