/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/stencil.h"
#include <string.h>
#include "base/check.h"
#include "level/extent.h"
#include "operators/smoothers.h"

/* The smoothers, one row each. For another relaxation weight change `weight` here. */
static const struct smoother_row {
    bool coloured;  /* sweeps update red and black cells alternately */
    bool chebyshev; /* sweeps are the steps of the polynomial, which gives their weights */
    bool l1;        /* D⁻¹ is the l1 weight */
    double weight;
} smoothers[] = {
    [SMOOTHER_GSRB] = {.coloured = true, .weight = 1.0},
    [SMOOTHER_CHEBYSHEV] = {.chebyshev = true},
    [SMOOTHER_JACOBI] = {.weight = 2.0 / 3.0},
    [SMOOTHER_L1JACOBI] = {.l1 = true, .weight = 1.0},
};

static const struct order_row {
    int order, radius;
    bool reads_edges;
    int ghosts;
    double divisor, weights;
} orders[] = {
#define ORDER(...) {__VA_ARGS__},
#include "operators/orders.def"
#undef ORDER
};

static const struct order_row *row_of_order(int order)
{
    const int count = (int)(sizeof orders / sizeof orders[0]);
    int row = 0;
    while (row < count && orders[row].order != order)
        row++;
    CHECK(row < count);
    return &orders[row];
}

static const struct operator_row {
    int order;
    enum equation equation;
    bool variable, alpha;
    double (*rhs)(double f, double alpha, double u);
} operators[] = {
#define OPERATOR(name, order, equation, variable, reads_alpha, ROWS, SUM, RHS)                     \
    {order, equation, variable, reads_alpha, RHS},
#include "operators/variants.def"
#undef OPERATOR
};

int operator_index(const struct operator_choice *choice)
{
    for (int row = (int)(sizeof operators / sizeof operators[0]) - 1; row >= 0; row--)
        if (operators[row].order == choice->order && operators[row].variable == choice->variable &&
            operators[row].equation == choice->equation)
            return row;
    return -1;
}

static const struct operator_row *row_of_operator(const struct operator_choice *choice)
{
    const int row = operator_index(choice);
    CHECK(row >= 0);
    return &operators[row];
}

double operator_diagonal_term(const struct operator_choice *choice, double u)
{
    return 0.0 - row_of_operator(choice)->rhs(0.0, 1.0, u);
}

bool operator_is_singular(const struct operator_choice *choice)
{
    return !sides_have(&choice->sides, BOUNDARY_DIRICHLET) &&
           operator_diagonal_term(choice, 1.0) == 0.0;
}

int stencil_ghosts(int order)
{
    return row_of_order(order)->ghosts;
}

void operator_set_lengths(struct operator_choice *choice, const double lengths[3])
{
    memcpy(choice->lengths, lengths, sizeof choice->lengths);
    choice->unit_beta = choice->unit_beta || !choice->variable;
    choice->variable = true;
}

struct min_cells stencil_min_cells(const struct operator_choice *choice)
{
    const int radius = row_of_order(choice->order)->radius, two = radius > 2 ? radius : 2;
    const bool periodic = sides_have(&choice->sides, BOUNDARY_PERIODIC),
               dirichlet = sides_have(&choice->sides, BOUNDARY_DIRICHLET);
    struct min_cells least = {
        periodic ? two : radius, periodic || !dirichlet ? two : radius, {false, false, false}};
    for (int d = 0; d < 3; d++)
        least.collapses[d] = radius == 1 && sides_wrap(&choice->sides, d);
    return least;
}

struct stencil stencil_create(struct operator_choice choice, const int n[3])
{
    const struct smoother_row *smoother = &smoothers[choice.smoother];
    const struct order_row *order = row_of_order(choice.order);
    struct stencil s = {.choice = choice};
    s.reads_alpha = row_of_operator(&choice)->alpha;
    s.radius = order->radius;
    s.coloured = smoother->coloured;
    s.needs_lambda_max = smoother->chebyshev;
    s.l1_weight = smoother->l1;
    s.reads_edges = order->reads_edges;
    s.sum_weights = order->weights;
    s.in_place = s.radius == 1 && !s.reads_edges && smoother->coloured;
    s.spacing = spacing_of(choice.lengths, n);
    for (int half = 1; half <= 2; half++)
        s.walls[half - 1] =
            wall_weights_of(&choice.sides, wall_rule_of(2 * half, extent_shortest(n)));
    s.scale = s.spacing.inverse * s.spacing.inverse / order->divisor;
    return s;
}

void stencil_set_lambda_max(struct stencil *s, double lambda_max)
{
    const double high = lambda_max, low = 0.125 * high;
    const double theta = 0.5 * (high + low), delta = 0.5 * (high - low);
    const double sigma = theta / delta;
    double rho = 1.0 / sigma;

    s->lambda_max = lambda_max;
    s->chebyshev_c1[0] = 0.0;
    s->chebyshev_c2[0] = 1.0 / theta;
    for (int n = 1; n < SMOOTHER_SWEEPS; n++) {
        const double previous = rho;
        rho = 1.0 / (2.0 * sigma - previous);
        s->chebyshev_c1[n] = rho * previous;
        s->chebyshev_c2[n] = rho * 2.0 / delta;
    }
}

struct relaxation stencil_relaxation(const struct stencil *s, int sweep)
{
    const struct smoother_row *smoother = &smoothers[s->choice.smoother];
    CHECK(0 <= sweep && sweep < SMOOTHER_SWEEPS);
    struct relaxation r = {.coloured = smoother->coloured,
                           .colour = sweep & 1,
                           .weight = s->choice.weight > 0.0 ? s->choice.weight : smoother->weight};
    if (smoother->chebyshev) {
        r.reads_before = sweep > 0;
        r.update = sweep > 0 ? UPDATE_TWO_STEP : UPDATE_WEIGHTED;
        r.weight = s->chebyshev_c2[sweep];
        r.c1 = s->chebyshev_c1[sweep];
    }
    return r;
}
