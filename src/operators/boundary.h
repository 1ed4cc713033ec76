/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Ghosts beyond walls, from the cells x1, x2, … inward. Those of u are the rows of wall_rows.def;
 * edges and corners apply the rule in i, then j, then k (NUMERICS, Beyond the boundary). */
#include "level/sides.h"
#include "operators/formula.h"

/* From how many cells ghosts follow, behind walls of any kind. */
enum wall_rule { WALL_LINEAR = 1, WALL_QUADRATIC = 2, WALL_QUARTIC = 4 };
enum { MAX_WALL_CELLS = 4, WALL_LAYERS = 2 };

/* The rule for values of `cells` cells along the shortest side: that of an operator or a
 * prolongation of this order, or the best that fits. */
FORMULA int wall_rule_of(int order, int cells)
{
    return cells < 2 ? WALL_LINEAR : order == 4 && cells >= 4 ? WALL_QUARTIC : WALL_QUADRATIC;
}

struct wall_row {
    double weight[MAX_WALL_CELLS], factor;
};

/* How the ghosts behind one side follow from cells inward: its rows of wall_rows.def, by layer. */
struct side_weights {
    int cells;  /* the rule; 0: no wall */
    int layers; /* that have a row; further ghosts are 0 */
    struct wall_row row[WALL_LAYERS];
};

/* Of the domain, by one rule. */
struct wall_weights {
    int cells;
    struct side_weights side[3][2];
};

FORMULA struct side_weights side_weights_of(int wall, int rule)
{
    struct side_weights s = {wall == NO_WALL ? 0 : rule, 0, {{{0.0, 0.0, 0.0, 0.0}, 0.0}}};
#define WALL_ROW(kind, cells, layer, factor, w1, w2, w3, w4)                                       \
    if (wall == kind && rule == cells) {                                                           \
        const struct wall_row row_of_layer = {{w1, w2, w3, w4}, factor};                           \
        s.row[layer] = row_of_layer;                                                               \
        s.layers = layer + 1;                                                                      \
    }
#include "operators/wall_rows.def"
#undef WALL_ROW
    return s;
}

static inline struct wall_weights wall_weights_of(const struct sides *sides, int rule)
{
    struct wall_weights w;
    w.cells = rule;
    for (int side = 0; side < 6; side++)
        w.side[side / 2][side % 2] = side_weights_of(wall_of(sides->of[side / 2][side % 2]), rule);
    return w;
}

/* (w1·x1 + w2·x2 + …)·factor. The order of operations is part of a rule, and the factor of rules of
 * one or two cells is 1. `cells`, those of the rule, should be a constant. (In vectorised loops, x
 * must not be an array.) */
FORMULA real wall_row_value(int cells, const struct wall_row *row, real x1, real x2, real x3,
                            real x4)
{
    const real w[] = {(real)row->weight[0], (real)row->weight[1], (real)row->weight[2],
                      (real)row->weight[3]};
    const real from_3 = cells > 3 ? madd(w[2], x3, w[3] * x4) : w[2] * x3,
               from_2 = cells > 2 ? madd(w[1], x2, from_3) : w[1] * x2,
               sum = cells > 1 ? madd(w[0], x1, from_2) : w[0] * x1;
    return cells > 2 ? sum * (real)row->factor : sum;
}

/* The ghost in `layer` (0 is next to the wall). All rules have a row for layer 0, and rules of four
 * cells one for layer 1. */
FORMULA real side_value(const struct side_weights *s, int cells, int layer, real x1, real x2,
                        real x3, real x4)
{
    const bool has_row = layer == 0 || (layer < WALL_LAYERS && (cells > 2 || layer < s->layers));
    return has_row ? wall_row_value(cells, &s->row[layer], x1, x2, x3, x4) : (real)0.0;
}

FORMULA real side_ghost(const struct side_weights *s, int cells, int layer,
                        const real x[MAX_WALL_CELLS])
{
    return side_value(s, cells, layer, x[0], x[1], x[2], x[3]);
}

/* The same where kind and rule are constants. */
FORMULA real wall_ghost(int wall, int rule, int layer, const real x[MAX_WALL_CELLS])
{
#define WALL_ROW(kind, cells, at, factor, w1, w2, w3, w4)                                          \
    if (wall == kind && rule == cells && layer == at) {                                            \
        const struct wall_row row = {{w1, w2, w3, w4}, factor};                                    \
        return wall_row_value(cells, &row, x[0], x[1], x[2], x[3]);                                \
    }
#include "operators/wall_rows.def"
#undef WALL_ROW
    return 0.0;
}

/* Where u = g on the wall, the ghost is side_ghost() plus this times g; where ∂u/∂n = g outward,
 * plus this times h·g. So rules of Dirichlet walls are exact for u = 1, and those of Neumann walls
 * for the distance from the wall, whose g is −1. */
FORMULA double wall_value_weight(const struct side_weights *s, int wall, int layer)
{
    const struct wall_row *row = &s->row[layer];
    const int neumann = wall == WALL_NEUMANN;
    double sum = 0.0;
    for (int m = 0; m < MAX_WALL_CELLS; m++)
        sum += row->weight[m] * (neumann ? m + 0.5 : 1.0);
    return neumann ? layer + 0.5 + sum * row->factor : 1.0 - sum * row->factor;
}

/* β one layer beyond a wall, tangentially to its face, from the faces b1, b2, … inward: levels of 5
 * and more cells per side, of 4, and of 2 or 3. */
FORMULA real beta_extrapolate_5(real b1, real b2, real b3, real b4, real b5)
{
    return madd(5.0, b1 - b4, madd(-10.0, b2 - b3, b5));
}

FORMULA real beta_extrapolate_4(real b1, real b2, real b3, real b4)
{
    return madd(4.0, b1 + b3, madd(-6.0, b2, -b4));
}

FORMULA real beta_extrapolate_2(real b1, real b2)
{
    return madd(2.0, b1, -b2);
}
