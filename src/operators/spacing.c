/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/spacing.h"
#include <math.h>
#include "level/extent.h"

static bool is_same(double side, double other)
{
    return fabs(side - other) <= SAME_SIDE * other;
}

/* The direction of the shortest side; of equal ones that with the most cells. */
static int shortest_of(const double side[3], const int n[3])
{
    int r = 0;
    for (int d = 1; d < 3; d++)
        if (is_same(side[d], side[r]) ? n[d] > n[r] : side[d] < side[r])
            r = d;
    return r;
}

struct spacing spacing_of(const double lengths[3], const int n[3])
{
    struct spacing s;
    for (int d = 0; d < 3; d++)
        s.side[d] = lengths[d] > 0.0 ? lengths[d] / n[d] : 1.0 / extent_longest(n);
    const int r = shortest_of(s.side, n);
    s.shortest = s.side[r];
    s.inverse = lengths[r] > 0.0 ? n[r] / lengths[r] : n[r];
    for (int d = 0; d < 3; d++) {
        const double ratio = s.shortest / s.side[d];
        s.weight[d] = is_same(s.side[d], s.shortest) ? 1.0 : ratio * ratio;
    }
    return s;
}

bool spacing_is_cubic(const struct spacing *s)
{
    return s->weight[0] == 1.0 && s->weight[1] == 1.0 && s->weight[2] == 1.0;
}
