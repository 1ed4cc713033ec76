/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A patch, and random fields on it. */
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>
#include "cuda/core/cells.cuh"
#include "operators/boundary.h"

namespace emulated
{
enum { MARGIN = 8 }; /* layers around the patch in all fields, more than are read */

struct box {
    struct cells c;
    long size, origin; /* of a field, and of its cell (0,0,0) */
};

inline struct box make_box(int n0, int n1, int n2)
{
    struct box b = {};
    b.c.n[0] = n0;
    b.c.n[1] = n1;
    b.c.n[2] = n2;
    b.c.sj = n0 + 2 * MARGIN;
    b.c.sk = b.c.sj * (n1 + 2 * MARGIN);
    b.size = b.c.sk * (n2 + 2 * MARGIN);
    b.origin = MARGIN * (1 + b.c.sj + b.c.sk);
    return b;
}

inline struct wall_weights weights_of(const struct cells &c, int rule)
{
    struct wall_weights w = {};
    w.cells = rule;
    for (int side = 0; side < 6; side++)
        w.side[side / 2][side % 2] = side_weights_of(c.wall[side / 2][side % 2], rule);
    return w;
}

/* Calls act(p, offset) for the patch and its margin; offset is p's in a field. */
template <class Do>
void for_box(const struct box &b, const Do &act)
{
    for (int k = -MARGIN; k < b.c.n[2] + MARGIN; k++)
        for (int j = -MARGIN; j < b.c.n[1] + MARGIN; j++)
            for (int i = -MARGIN; i < b.c.n[0] + MARGIN; i++) {
                const int p[3] = {i, j, k};
                act(p, b.origin + i + j * b.c.sj + k * b.c.sk);
            }
}

/* In how many directions p lies outside the patch, in how many of them not beyond an open side, and
 * how many layers at most, in any of them and behind a wall. */
struct outside {
    int directions, closed, layers, wall_layers;
};

inline struct outside outside_of(const struct cells &c, const int p[3])
{
    struct outside o = {};
    for (int d = 0; d < 3; d++) {
        const int beyond = std::max(-p[d], p[d] - c.n[d] + 1);
        const bool wall = beyond > 0 && c.wall[d][p[d] >= 0];
        o.directions += beyond > 0;
        o.closed += beyond > 0 && !is_open(c, d, p[d] >= 0);
        o.wall_layers = std::max(o.wall_layers, wall ? beyond : 0);
        o.layers = std::max(o.layers, beyond);
    }
    return o;
}

typedef std::vector<real> values;

inline values random_field(const struct box &b, std::mt19937 &random, real least, real most)
{
    std::uniform_real_distribution<real> between(least, most);
    values x(b.size);
    for (real &value : x)
        value = between(random);
    return x;
}
} // namespace emulated
