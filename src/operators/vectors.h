/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Vector operations on the cells of a level's own boxes, on any backend. */
#include <stdint.h>
#include "base/linkage.h"
#include "level/level.h"
#include "operators/sum.h"

struct pass;
struct restriction_arguments;
struct terms;

C_BEGIN

/* z = a */
void vector_set(const struct level *level, enum field z, double a);
/* z = numbers from -1 to 1 that look random; others for every `number` from 0 on. */
void vector_set_random(const struct level *level, enum field z, int number);
/* z = a·x + b·y, as fma(a, x, b·y) per cell. */
void vector_combine(struct level *level, enum field z, double a, enum field x, double b,
                    enum field y);
/* z = x·y per cell. */
void vector_multiply(struct level *level, enum field z, enum field x, enum field y);
void vector_add_constant(struct level *level, enum field x, double c);
/* The mean of the fine cells of each coarse one: 8, or 4 or 2 where some directions are not
 * coarsened. */
void vector_restrict(const struct level *fine, enum field from, struct level *coarse,
                     enum field to);

/* Of patch q: the strides between the fine cells or faces of one coarse one and of the next.
 * `tangent` is not set. */
struct restriction_arguments restriction_between(const struct level *fine, enum field from,
                                                 const struct level *coarse, enum field to, int q);
/* The start of a pass that prolongs, on patch q, of any ratios of cells. Reads the ghosts of the
 * coarse side. */
void vector_prolong(const struct pass *pass, int q);

/* The terms of a reduction on one patch. y may be NUM_FIELDS for none. */
struct terms vector_terms(const struct level *level, const struct patch *p, enum field x,
                          enum field y, double scale);
/* max|x| and max|x·y| (bits); 0 if there are no cells. y = NUM_FIELDS stands for 1. */
uint64_t vector_norm(const struct level *level, enum field x);
uint64_t vector_product_norm(const struct level *level, enum field x, enum field y);
/* max|x| of the cells with x < 0 (bits); 0 if there are none. */
uint64_t vector_negative(const struct level *level, enum field x);
/* Adds Σ x·y as fixed-point digits, see operators/sum.h; the same convention for y. */
void vector_product_digits(const struct level *level, enum field x, enum field y, int exponent,
                           int64_t digits[SUM_DIGITS]);
/* The local part of the sum of operators/hash.h. */
uint64_t vector_checksum(const struct level *level, enum field x);

C_END
