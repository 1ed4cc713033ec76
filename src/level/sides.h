/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What lies beyond the six sides of the domain, and beyond those of a patch. */
#include <stdbool.h>

enum boundary { BOUNDARY_DIRICHLET, BOUNDARY_PERIODIC, BOUNDARY_NEUMANN };

/* Of the domain, by direction, low side and high side. Both sides of a direction are periodic, or
 * none is. */
struct sides {
    enum boundary of[3][2];
};

/* Of a patch. */
enum wall { NO_WALL, WALL_DIRICHLET, WALL_NEUMANN };

static inline enum wall wall_of(enum boundary boundary)
{
    return boundary == BOUNDARY_PERIODIC  ? NO_WALL
           : boundary == BOUNDARY_NEUMANN ? WALL_NEUMANN
                                          : WALL_DIRICHLET;
}

/* Sides of one kind, as an initialiser. */
#define SIDES_ALL(boundary)                                                                        \
    {                                                                                              \
        {                                                                                          \
            {boundary, boundary}, {boundary, boundary},                                            \
            {                                                                                      \
                boundary, boundary                                                                 \
            }                                                                                      \
        }                                                                                          \
    }

static inline struct sides sides_all(enum boundary boundary)
{
    struct sides s;
    for (int d = 0; d < 3; d++)
        s.of[d][0] = s.of[d][1] = boundary;
    return s;
}

static inline int sides_count(const struct sides *s, enum boundary boundary)
{
    int count = 0;
    for (int side = 0; side < 6; side++)
        count += s->of[side / 2][side % 2] == boundary;
    return count;
}

static inline bool sides_equal(const struct sides *a, const struct sides *b)
{
    bool equal = true;
    for (int side = 0; side < 6; side++)
        equal = equal && a->of[side / 2][side % 2] == b->of[side / 2][side % 2];
    return equal;
}

/* True if all sides are of this kind. */
static inline bool sides_are(const struct sides *s, enum boundary boundary)
{
    return sides_count(s, boundary) == 6;
}

static inline bool sides_have(const struct sides *s, enum boundary boundary)
{
    return sides_count(s, boundary) > 0;
}

static inline bool sides_wrap(const struct sides *s, int d)
{
    return s->of[d][0] == BOUNDARY_PERIODIC;
}
