/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The observed order of the discretisation between walls of any kind, on a manufactured problem
 * whose cell averages are known:
 *     u = X(x) Y(y) Z(z),   β = 1 + ¼ sin 2πx sin 2πy sin 2πz (that of fv)   or   β = 1
 * Each factor is sin(kx + φ) and a polynomial a + bx + cx² that makes it meet both walls of its
 * direction. Derivatives that walls do not force to be 0 are not 0 there. The average of f over a
 * cell is the difference of the fluxes through its faces: products of averages along a line, which
 * Gauss's rule finds to rounding. For one rank. */
#include <math.h>
#include <stdio.h>
#include "cpu/cpu.h"
#include "operators/problem.h"
#include "solvers/reduce.h"
#include "solvers/solver.h"
#include "support/solve_case.h"

/* The walls of a direction: both sides alike, or low and high side. */
enum ends { DIRICHLET, NEUMANN, PERIODIC, DIRICHLET_NEUMANN, NEUMANN_DIRICHLET, NUM_ENDS };
enum { ENDS_ALIKE = 3, BY_DIRECTION = 27, BY_SIDE = 10, NUM_WALLS = BY_DIRECTION + BY_SIDE };

static const struct {
    enum boundary of[2];
    const char *name; /* as in --boundary */
} ends[NUM_ENDS] = {
    [DIRICHLET] = {{BOUNDARY_DIRICHLET, BOUNDARY_DIRICHLET}, "dirichlet"},
    [NEUMANN] = {{BOUNDARY_NEUMANN, BOUNDARY_NEUMANN}, "neumann"},
    [PERIODIC] = {{BOUNDARY_PERIODIC, BOUNDARY_PERIODIC}, "periodic"},
    [DIRICHLET_NEUMANN] = {{BOUNDARY_DIRICHLET, BOUNDARY_NEUMANN}, "dirichlet/neumann"},
    [NEUMANN_DIRICHLET] = {{BOUNDARY_NEUMANN, BOUNDARY_DIRICHLET}, "neumann/dirichlet"},
};

static const enum ends by_side[BY_SIDE][3] = {
    {DIRICHLET_NEUMANN, DIRICHLET, DIRICHLET},
    {DIRICHLET, NEUMANN_DIRICHLET, DIRICHLET},
    {NEUMANN, NEUMANN, DIRICHLET_NEUMANN},
    {NEUMANN_DIRICHLET, NEUMANN, NEUMANN},
    {PERIODIC, DIRICHLET_NEUMANN, PERIODIC},
    {PERIODIC, NEUMANN, DIRICHLET_NEUMANN},
    {DIRICHLET_NEUMANN, NEUMANN_DIRICHLET, PERIODIC},
    {NEUMANN_DIRICHLET, DIRICHLET, DIRICHLET_NEUMANN},
    {DIRICHLET_NEUMANN, DIRICHLET_NEUMANN, DIRICHLET_NEUMANN},
    {NEUMANN_DIRICHLET, NEUMANN_DIRICHLET, NEUMANN_DIRICHLET},
};

struct walls {
    enum ends of[3];
};

/* Walls number `number`: all combinations by direction, then those by side. */
static inline struct walls walls_number(int number)
{
    const int side = number - BY_DIRECTION;
    if (number < BY_DIRECTION)
        return (struct walls){{(enum ends)(number / (ENDS_ALIKE * ENDS_ALIKE)),
                               (enum ends)(number / ENDS_ALIKE % ENDS_ALIKE),
                               (enum ends)(number % ENDS_ALIKE)}};
    return (struct walls){{by_side[side][0], by_side[side][1], by_side[side][2]}};
}

static inline struct sides walls_sides(struct walls w)
{
    struct sides s;
    for (int side = 0; side < 6; side++)
        s.of[side / 2][side % 2] = ends[w.of[side / 2]].of[side % 2];
    return s;
}

/* sin(kx + φ) + a + bx + cx² */
struct curve {
    double k, phase, a, b, c;
};

static inline double curve_value(const struct curve *g, double x)
{
    return sin(g->k * x + g->phase) + g->a + x * (g->b + x * g->c);
}

static inline double curve_slope(const struct curve *g, double x)
{
    return g->k * cos(g->k * x + g->phase) + g->b + 2.0 * g->c * x;
}

/* One function for each direction, so that no two of them are alike. */
static inline struct curve make_curve(enum ends e, int direction)
{
    struct curve g = {.k = 3.0 + 0.5 * direction, .phase = 0.4 + 0.3 * direction};
    if (e == PERIODIC) {
        g.k = 2.0 * M_PI;
        return g;
    }
    const double value[2] = {curve_value(&g, 0.0), curve_value(&g, 1.0)};
    const double slope[2] = {curve_slope(&g, 0.0), curve_slope(&g, 1.0)};
    switch (e) {
    case DIRICHLET:
        g.a = -value[0];
        g.b = value[0] - value[1];
        break;
    case DIRICHLET_NEUMANN:
        g.a = -value[0];
        g.b = -slope[1];
        break;
    case NEUMANN_DIRICHLET:
        g.b = -slope[0];
        g.a = -value[1] - g.b;
        break;
    default: /* NEUMANN, with the mean 0 */
        g.b = -slope[0];
        g.c = 0.5 * (slope[0] - slope[1]);
        g.a = (cos(g.k + g.phase) - cos(g.phase)) / g.k - g.b / 2.0 - g.c / 3.0;
    }
    return g;
}

static inline double beta_factor(double x)
{
    return sin(2.0 * M_PI * x);
}

/* Averages over cell i of X and of β's factor times X. Gauss's rule of five points. */
static inline void line_averages(const struct curve *g, double h, int i, double *plain,
                                 double *weighted)
{
    static const double at[] = {0.0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640,
                                -0.9061798459386640};
    static const double weights[] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665,
                                     0.2369268850561891, 0.2369268850561891};
    *plain = *weighted = 0.0;
    for (int p = 0; p < 5; p++) {
        const double x = h * (i + 0.5 + 0.5 * at[p]), value = 0.5 * weights[p] * curve_value(g, x);
        *plain += value;
        *weighted += value * beta_factor(x);
    }
}

enum { MAX_CELLS = 128 };

/* Per direction and cell: the averages, and β ∂u/∂n's two factors at faces. */
struct lines {
    double plain[3][MAX_CELLS], weighted[3][MAX_CELLS];
    double slope[3][MAX_CELLS + 1], weighted_slope[3][MAX_CELLS + 1];
};

static inline void fill_lines(struct lines *t, const struct walls *w, bool variable, int n)
{
    const double h = 1.0 / n;
    for (int d = 0; d < 3; d++) {
        const struct curve g = make_curve(w->of[d], d);
        for (int i = 0; i < n; i++)
            line_averages(&g, h, i, &t->plain[d][i], &t->weighted[d][i]);
        for (int i = 0; i <= n; i++) {
            t->slope[d][i] = curve_slope(&g, h * i);
            t->weighted_slope[d][i] = variable ? 0.25 * beta_factor(h * i) * t->slope[d][i] : 0.0;
        }
        for (int side = 0; side < 2; side++)
            if (ends[w->of[d]].of[side] == BOUNDARY_NEUMANN)
                t->slope[d][side * n] = t->weighted_slope[d][side * n] = 0.0;
    }
}

/* The averages of f and of u over the cell `at`. */
static inline void cell_averages(const struct lines *t, const struct operator_choice *op, int n,
                                 const int at[3], double *f, double *u)
{
    *u = t->plain[0][at[0]] * t->plain[1][at[1]] * t->plain[2][at[2]];
    *f = op->equation == EQUATION_HELMHOLTZ ? *u : 0.0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, g = (d + 2) % 3, low = at[d], high = low + 1;
        *f -=
            n * ((t->slope[d][high] - t->slope[d][low]) * t->plain[e][at[e]] * t->plain[g][at[g]] +
                 (t->weighted_slope[d][high] - t->weighted_slope[d][low]) * t->weighted[e][at[e]] *
                     t->weighted[g][at[g]]);
    }
}

/* The averages of f, or of the solution, into a field of a level of one box. */
static inline void fill_averages(const struct level *l, const struct walls *w,
                                 const struct operator_choice *op, enum field into, bool solution)
{
    static struct lines t;
    const struct patch *p = &l->patches[0];
    const int n = p->n[0];
    fill_lines(&t, w, op->variable, n);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                double f, u;
                cell_averages(&t, op, n, (const int[3]){i, j, k}, &f, &u);
                patch_cells(l, p, into)[i + j * p->sj + k * p->sk] = solution ? u : f;
            }
}

/* Largest errors on 2h and h, relative to the largest value of u. */
struct walls_errors {
    double coarse, fine, order;
    bool solved; /* to a tolerance far below the errors of the discretisation */
};

/* With h = 2^-log2_n. */
static inline struct walls_errors walls_solve(struct walls w, struct operator_choice op, int log2_n)
{
    double errors[2];
    struct walls_errors result = {.solved = true};
    op.sides = walls_sides(w);
    const struct hierarchy_choice choice = {.log2_box_dim = log2_n,
                                            .boxes_per_rank = 1,
                                            .op = op,
                                            .placement = {.backend = &backend_cpu}};
    const struct solver_choice tight = {.f_cycle = true, .rtol = 1e-11, .max_cycles = 40};
    struct hierarchy *h = hierarchy_create(&choice);
    level_allocate(h->levels[0], FIELD_SAVE); /* which fv needs on coarser levels only */
    for (int level = 0; level < 2; level++) {
        struct solve_result solve;
        struct level *l = h->levels[level];
        fill_averages(l, &w, &op, FIELD_F, false);
        struct solver *s = solver_create(h, level, tight);
        solver_run(s, &solve);
        solver_destroy(s);
        result.solved = result.solved && solve.outcome == OUTCOME_DONE;
        fill_averages(l, &w, &op, FIELD_SAVE, true);
        const double largest = reduce_norm(l, FIELD_SAVE);
        errors[level] = case_difference(l) / largest;
    }
    hierarchy_destroy(h);
    result.fine = errors[0];
    result.coarse = errors[1];
    result.order = log2(errors[1] / errors[0]);
    return result;
}

/* Within this part of the order of the operator; false for a NaN. */
static inline bool walls_order_is_right(const struct walls_errors *e, int order, double part)
{
    return e->solved && fabs(e->order - order) <= part * order;
}

/* A row of the table in docs/NUMERICS.md: both operators. */
static inline void walls_print(struct walls w, struct walls_errors order_2,
                               struct walls_errors order_4)
{
    printf("| `%s,%s,%s` | %.2e | %.2e | %.2f | %.2e | %.2e | %.2f |\n", ends[w.of[0]].name,
           ends[w.of[1]].name, ends[w.of[2]].name, order_2.coarse, order_2.fine, order_2.order,
           order_4.coarse, order_4.fine, order_4.order);
    fflush(stdout);
}
