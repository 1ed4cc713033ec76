/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The shape of the domain: how many boxes it has by direction. Pure functions: every rank computes
 * the same. */
#include <stdbool.h>

/* Boxes by direction; or, in boxes[0], a rule by which they follow from the number of ranks. */
struct domain_choice {
    int boxes[3];
};
enum { DOMAIN_CUBE = 0, DOMAIN_EXACT = -1 };

/* Cells of a coarsest level that is small enough for any bottom solver. The cube rule leaves no
 * more. */
enum { LARGEST_ODD_PART = 11, SMALL_COARSEST_CELLS = 1331 /* 11³ */ };

/* n of HPGMG's size rule: the largest n with n³ <= boxes whose odd part is at most
 * LARGEST_ODD_PART (so n = 1,2,…,12,14,16,18,20,22,24,28,…). At least 1. */
int domain_cube_side(long boxes);

/* The number of boxes that the choice makes of `boxes`, the product of boxes per rank and ranks. A
 * rule makes no more of them; given numbers may be more. */
long domain_count(const struct domain_choice *choice, long boxes);

/* Boxes by direction. domain_count() of them fit into an int.
 *
 * DOMAIN_EXACT has I·J·K = boxes with I >= J >= K. Let r be the product of I, J and K after
 * halving them while all three are even: the coarsest level has r times a power of 8
 * cells. Of all shapes with r <= SMALL_COARSEST_CELLS it is that of the smallest surface; where no
 * shape has so small an r, that of the smallest r, and of these the smallest surface. */
void domain_shape(const struct domain_choice *choice, long boxes, int shape[3]);

/* The product r of the halved numbers of boxes: see domain_shape(). */
double domain_remainder(const int shape[3]);

/* A shape of `boxes` boxes, or not many fewer, with r <= left; or the cube. */
void domain_suggest_shape(long boxes, int left, int shape[3]);
