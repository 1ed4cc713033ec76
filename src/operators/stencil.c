/* SPDX-License-Identifier: BSD-3-Clause */
#include "operators/stencil.h"
#include "base/check.h"
#include "operators/boundary.h"

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

int operator_index(const struct operator_choice *choice)
{
    static const struct {
        int order;
        bool variable, helmholtz;
    } operators[] = {
#define OPERATOR(name, order, variable, helmholtz, ROWS, SUM, RHS) {order, variable, helmholtz},
#include "operators/variants.def"
#undef OPERATOR
    };
    const int count = (int)(sizeof operators / sizeof operators[0]);
    int row = 0;
    while (row < count &&
           (operators[row].order != choice->order || operators[row].variable != choice->variable ||
            operators[row].helmholtz != choice->helmholtz))
        row++;
    CHECK(row < count);
    return row;
}

bool operator_is_singular(const struct operator_choice *choice)
{
    return choice->periodic && !choice->helmholtz;
}

int stencil_ghosts(int order)
{
    return order == 2 ? 3 : 4;
}

int stencil_min_dim(int order, bool periodic)
{
    return order == 2 && !periodic ? 1 : 2;
}

struct stencil stencil_create(struct operator_choice choice, int dim)
{
    CHECK(choice.order == 2 || choice.order == 4);
    const struct smoother_row *smoother = &smoothers[choice.smoother];
    const double inverse_h2 = (double)dim * (double)dim;
    struct stencil s = {.choice = choice};
    s.radius = choice.order / 2;
    s.coloured = smoother->coloured;
    s.needs_lambda_max = smoother->chebyshev;
    s.l1_weight = smoother->l1;
    s.in_place = choice.order == 2 && smoother->coloured;
    s.wall_rule = wall_rule_of(choice.order, dim);
    s.scale = choice.order == 2 ? inverse_h2 : inverse_h2 / 12.0;
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
    struct relaxation r = {
        .coloured = smoother->coloured, .colour = sweep & 1, .weight = smoother->weight};
    if (smoother->chebyshev) {
        r.two_step = sweep > 0;
        r.weight = s->chebyshev_c2[sweep];
        r.c1 = s->chebyshev_c1[sweep];
    }
    return r;
}
