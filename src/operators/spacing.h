/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdbool.h>

/* Cells that are no cubes (NUMERICS, Spacing by direction). The operator's differences are those of
 * cubes with the shortest side, and β in direction d is stored times (shortest side / side d)². */

/* Of a level's cells. */
struct spacing {
    double side[3];
    double shortest, inverse; /* of these, and 1 divided by it */
    double weight[3];         /* (shortest/side)²; 1 if sides differ by no more than rounding */
};

/* Cells by direction in a domain with these sides; with sides of 0, cubes in a domain whose longest
 * side is 1. */
struct spacing spacing_of(const double lengths[3], const int n[3]);

/* Whether all weights are 1. */
bool spacing_is_cubic(const struct spacing *s);
