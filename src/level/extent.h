/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The extent of a level: its cells, or boxes, by direction. */
#include <stdbool.h>
#include <stdio.h>

static inline int extent_shortest(const int n[3])
{
    const int least = n[0] < n[1] ? n[0] : n[1];
    return n[2] < least ? n[2] : least;
}

/* Along the shortest and the longest side of the smallest level; and the directions in which two
 * cells may become one where their sides are by far the shortest. */
struct min_cells {
    int shortest, longest;
    bool collapses[3];
};

/* Sides of cells that differ by less of each other are the same: they were divided in other ways.
 */
#define SAME_SIDE 1e-10

static inline int extent_longest(const int n[3])
{
    const int most = n[0] > n[1] ? n[0] : n[1];
    return n[2] > most ? n[2] : most;
}

static inline bool extent_is_cube(const int n[3])
{
    return n[0] == n[1] && n[1] == n[2];
}

static inline bool extent_equal(const int a[3], const int b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Cells of the finer of two grids of a domain per cell of the coarser one, by direction: 2, or 1 in
 * a direction that was not coarsened. */
static inline void extent_ratio(const int fine[3], const int coarse[3], int ratio[3])
{
    for (int d = 0; d < 3; d++)
        ratio[d] = fine[d] / coarse[d];
}

/* Whether the coarser grid has half the cells in all directions. */
static inline bool extent_halved(const int fine[3], const int coarse[3])
{
    return fine[0] == 2 * coarse[0] && fine[1] == 2 * coarse[1] && fine[2] == 2 * coarse[2];
}

/* The product, which may be above 2^31 and, for the boxes of refused sizes, above 2^63. */
static inline double extent_cells(const int n[3])
{
    return (double)n[0] * n[1] * n[2];
}

/* "N^3", or "IxJxK" where the numbers differ. */
struct extent_text {
    char of[40];
};

static inline struct extent_text extent_format(const int n[3])
{
    struct extent_text text;
    if (extent_is_cube(n))
        snprintf(text.of, sizeof text.of, "%d^3", n[0]);
    else
        snprintf(text.of, sizeof text.of, "%dx%dx%d", n[0], n[1], n[2]);
    return text;
}
