/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields whose rows are stored in two halves, the cells with even i before those with odd i. A
 * half-sweep updates one half of each row, from vectors of cells that are neighbours in memory.
 * Cells beside others in j and k are at the same place of the same half. */
#pragma once
#include "level/level.h"

/* The cells with parity `odd` below i: the place in its half of the first that is not. */
static inline int half_index(int i, int odd)
{
    return (i - odd + 1) >> 1;
}

/* From a row's cell 0 to its cell i. */
static inline long half_place(int i, long sj)
{
    return (i & 1) * (sj / 2) + (i >> 1);
}

/* Copies cells low <= i < high of a row to halves, and back. */
static inline void row_split(real *__restrict__ to, long sj, const real *__restrict__ from, int low,
                             int high)
{
    for (int odd = 0; odd < 2; odd++)
        for (int m = half_index(low, odd); m < half_index(high, odd); m++)
            to[odd * (sj / 2) + m] = from[2 * m + odd];
}

static inline void row_join(real *__restrict__ to, const real *__restrict__ from, long sj, int low,
                            int high)
{
    for (int odd = 0; odd < 2; odd++)
        for (int m = half_index(low, odd); m < half_index(high, odd); m++)
            to[2 * m + odd] = from[odd * (sj / 2) + m];
}

/* Whether passes on the level, and on its correction level, work on fields in halves. */
bool halves_used(const struct level *level);
/* Stores the field, or the coefficients, so or as other code has them. */
void halves_order(const struct level *level, enum field field, bool halves);
void halves_order_coefficients(const struct level *level, bool halves);
/* The same for a correction level. */
bool halves_used_single(const struct level *level);
void halves_order_single(const struct level *level, enum field field, bool halves);
/* For level_restore. */
void halves_restore(const struct level *level, enum field field);
