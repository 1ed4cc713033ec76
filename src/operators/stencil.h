/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The operator: the choices of a run, and the numbers that follow from them on one level. */
#include <stdbool.h>
#include "base/linkage.h"
#include "level/extent.h"
#include "level/sides.h"
#include "operators/boundary.h"
#include "operators/spacing.h"

C_BEGIN

/* Each has a row in the table `smoothers` of stencil.c. */
enum smoother {
    SMOOTHER_GSRB,
    SMOOTHER_CHEBYSHEV,
    SMOOTHER_JACOBI,
    SMOOTHER_L1JACOBI,
};
enum {
    SMOOTHER_SWEEPS = 6
}; /* half-sweeps (gsrb), polynomial degree (chebyshev) or sweeps of one application */

/* RADIUS_2, READS_EDGES_2, …: constants for the loops of an operator. */
enum {
#define ORDER(order, radius, edges, ghosts, divisor, weights)                                      \
    RADIUS_##order = radius, READS_EDGES_##order = edges,
#include "operators/orders.def"
#undef ORDER
};

enum equation { EQUATION_POISSON, EQUATION_HELMHOLTZ, NUM_EQUATIONS };

/* The operator A u = a·α·u − ∇·(β∇u), as a run chose it. */
struct operator_choice {
    int order;              /* one of operators/orders.def */
    enum equation equation; /* poisson: a = 0, helmholtz: a = 1 */
    bool variable;          /* stored α and β; else α = β = 1 */
    struct sides sides;     /* what is beyond the sides of the domain */
    enum smoother smoother;
    double weight; /* of the relaxation; 0: the smoother's own. Chebyshev's steps have their own */
    double lengths[3]; /* of the domain; 0: cells are cubes, and the longest side is 1 */
    bool unit_beta;    /* β = 1, but stored, because cells are no cubes (operators/spacing.h) */
};

/* The row of this operator in operators/variants.def, from 0 on; −1 if there is none. */
int operator_index(const struct operator_choice *choice);
/* Sets the lengths of the domain, where cells may be no cubes: β is stored even where it is 1. */
void operator_set_lengths(struct operator_choice *choice, const double lengths[3]);
/* a·α·u, where α is 1 if it is not stored. */
double operator_diagonal_term(const struct operator_choice *choice, double u);
/* Whether solutions differ by a constant: no side is a Dirichlet wall, and there is no a·α·u. */
bool operator_is_singular(const struct operator_choice *choice);

/* What one sweep does to a cell with residual r: an update with these weights. */
struct relaxation {
    bool coloured;     /* only cells with i + j + k + colour even, in global indices, are updated */
    bool reads_before; /* the value that the sweep before this one read */
    unsigned char update; /* enum update (operators/smoothers.h); UPDATE_WEIGHTED if coloured */
    int colour;
    double weight, c1;
};

/* The operator on one level. */
struct stencil {
    struct operator_choice choice;
    bool reads_alpha;
    int radius;         /* ghost layers that one application reads */
    bool reads_edges;   /* diagonal neighbours, and β beside the cell's own faces */
    double sum_weights; /* Σ|weights| of S for β = 1 */
    /* Of the smoother: sweeps update one colour; need lambda_max; FIELD_DINV is the l1 weight. */
    bool coloured, needs_lambda_max, l1_weight;
    bool in_place; /* a sweep may overwrite what it reads: cells of one colour are not coupled */
    struct wall_weights walls[2]; /* by order: see walls_of_order() */
    bool hpgmg_diagonal;          /* FIELD_DINV as HPGMG finds it around odd periodic grids, see
                                     probe_create() */
    struct spacing spacing;
    double scale;      /* 1/h² over the divisor of the sum S; h is the shortest side of cells */
    double lambda_max; /* Gershgorin bound of D⁻¹A, where the smoother needs it */
    double chebyshev_c1[SMOOTHER_SWEEPS], chebyshev_c2[SMOOTHER_SWEEPS]; /* Saad, Algorithm 12.1 */
};

/* The stencil of `choice` on a level of n[d] cells by direction. lambda_max and the Chebyshev
 * coefficients are 0. */
struct stencil stencil_create(struct operator_choice choice, const int n[3]);
/* How ghosts beyond the level's walls follow from cells inward: for operators or prolongations of
 * this order, and for the operator itself. */
FORMULA const struct wall_weights *walls_of_order(const struct stencil *s, int order)
{
    return &s->walls[order / 2 - 1];
}

FORMULA const struct wall_weights *stencil_walls(const struct stencil *s)
{
    return walls_of_order(s, s->choice.order);
}

/* Sets lambda_max and, from it, the coefficients of the degree-6 polynomial on [lambda_max/8,
 * lambda_max]. */
void stencil_set_lambda_max(struct stencil *s, double lambda_max);
/* What sweep number 0 … SMOOTHER_SWEEPS − 1 does. Chebyshev's needs lambda_max. */
struct relaxation stencil_relaxation(const struct stencil *s, int sweep);
/* Ghost layers that a level has at least: enough for two sweeps and a residual (order 2), or for
 * two of these (order 4). See level_ghosts(). */
int stencil_ghosts(int order);
/* The smallest coarse level: at least the radius in each direction, at least 2 with a periodic
 * direction (a periodic cell that is its own neighbour has the diagonal of no operator), and,
 * without a Dirichlet wall, at least 2 in the longest direction (a single cell has a diagonal of
 * 0). */
struct min_cells stencil_min_cells(const struct operator_choice *choice);

C_END
