/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_BOUNDARY_H
#define OPERATORS_BOUNDARY_H
/* Ghosts beyond walls, from the cells x1, x2, … inward. Those of u are the rows of wall_rows.def;
 * edges and corners apply the rule in i, then j, then k (NUMERICS, Beyond the boundary). */
#include "level/sides.h"
#include "operators/formula.h"

/* Those of Dirichlet walls, then, in the same order, those of Neumann walls that follow from as
 * many cells. */
enum wall_rule {
    WALL_LINEAR,
    WALL_QUADRATIC,
    WALL_QUARTIC,
    WALL_MIRROR_1,
    WALL_MIRROR_2,
    WALL_NEUMANN_QUARTIC,
    DIRICHLET_RULES = WALL_MIRROR_1
};
enum { MAX_WALL_CELLS = 4 };

/* The rule of Dirichlet walls for values of `cells` cells along the shortest side: that of an
 * operator or a prolongation of this order, or the best that fits. */
FORMULA int wall_rule_of(int order, int cells)
{
    return cells < 2 ? WALL_LINEAR : order == 4 && cells >= 4 ? WALL_QUARTIC : WALL_QUADRATIC;
}

/* The rule behind a wall of this kind, where Dirichlet walls have `rule`. */
FORMULA int wall_rule_behind(int rule, enum wall wall)
{
    return wall == WALL_NEUMANN ? rule + DIRICHLET_RULES : rule;
}

/* From how many cells ghosts follow. */
FORMULA int wall_cells(int rule)
{
#define WALL_ROW(of, at, cells, factor, w1, w2, w3, w4)                                            \
    if (rule == of)                                                                                \
        return cells;
#include "operators/wall_rows.def"
#undef WALL_ROW
    return 0;
}

/* w1·x1 + w2·x2 + …, of `cells` cells. The order of operations is part of a rule. */
FORMULA double wall_sum(int cells, double w1, double x1, double w2, double x2, double w3, double x3,
                        double w4, double x4)
{
    const double from_3 = cells > 3 ? fma(w3, x3, w4 * x4) : w3 * x3,
                 from_2 = cells > 2 ? fma(w2, x2, from_3) : w2 * x2;
    return cells > 1 ? fma(w1, x1, from_2) : w1 * x1;
}

/* The ghost in `layer` (0 is next to the wall) from the first wall_cells(rule) of the cells x. The
 * rule should be a constant. (In vectorised loops, cells must not be an array.) */
FORMULA double wall_value(int rule, int layer, double x1, double x2, double x3, double x4)
{
#define WALL_ROW(of, at, cells, factor, w1, w2, w3, w4)                                            \
    if (rule == of && layer == at)                                                                 \
        return wall_sum(cells, w1, x1, w2, x2, w3, x3, w4, x4) * (factor);
#include "operators/wall_rows.def"
#undef WALL_ROW
    return 0.0;
}

FORMULA double wall_ghost(int rule, int layer, const double x[MAX_WALL_CELLS])
{
    return wall_value(rule, layer, x[0], x[1], x[2], x[3]);
}

/* A row of wall_rows.def as data, for kernels whose walls differ: 0 where there is none. */
struct wall_row {
    double weight[MAX_WALL_CELLS], factor;
};

FORMULA struct wall_row wall_row_of(int rule, int layer)
{
#define WALL_ROW(of, at, cells, factor, w1, w2, w3, w4)                                            \
    if (rule == of && layer == at) {                                                               \
        const struct wall_row row = {{w1, w2, w3, w4}, factor};                                    \
        return row;                                                                                \
    }
#include "operators/wall_rows.def"
#undef WALL_ROW
    const struct wall_row none = {{0.0, 0.0, 0.0, 0.0}, 0.0};
    return none;
}

/* Where u = g on the wall, the ghost is wall_ghost() plus this times g; where ∂u/∂n = g outward,
 * plus this times h·g. So rules of Dirichlet walls are exact for u = 1, and those of Neumann walls
 * for the distance from the wall, whose g is −1. */
FORMULA double wall_value_weight(int rule, int layer)
{
    const struct wall_row row = wall_row_of(rule, layer);
    const int neumann = rule >= DIRICHLET_RULES;
    double sum = 0.0;
    for (int m = 0; m < MAX_WALL_CELLS; m++)
        sum += row.weight[m] * (neumann ? m + 0.5 : 1.0);
    return neumann ? layer + 0.5 + sum * row.factor : 1.0 - sum * row.factor;
}

/* wall_ghost by the row of a rule with `cells` cells. */
FORMULA double wall_row_ghost(int cells, const struct wall_row *row, const double x[MAX_WALL_CELLS])
{
    const double *w = row->weight;
    return wall_sum(cells, w[0], x[0], w[1], x[1], w[2], x[2], w[3], x[3]) * row->factor;
}

/* β one layer beyond a wall, tangentially to its face, from the faces b1, b2, … inward: levels of 5
 * and more cells per side, of 4, and of 2 or 3. */
FORMULA double beta_extrapolate_5(double b1, double b2, double b3, double b4, double b5)
{
    return fma(5.0, b1 - b4, fma(-10.0, b2 - b3, b5));
}

FORMULA double beta_extrapolate_4(double b1, double b2, double b3, double b4)
{
    return fma(4.0, b1 + b3, fma(-6.0, b2, -b4));
}

FORMULA double beta_extrapolate_2(double b1, double b2)
{
    return fma(2.0, b1, -b2);
}

#endif
