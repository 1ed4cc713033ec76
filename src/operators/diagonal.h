/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_DIAGONAL_H
#define OPERATORS_DIAGONAL_H
/* The relaxation weight of a cell and the bound of its row, by probing the operator, for all
 * backends. */
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/probe.h"
#include "operators/sum.h"

/* A patch; pointers are at cell (0,0,0). Unused ones equal weight. */
struct diagonal_arguments {
    struct stencil s;
    int dim, lo[3];
    bool periodic, others; /* whether the sums of the magnitudes of other entries are wanted */
    long sj, sk;
    const double *beta[3], *alpha;
    double *weight;
};

/* S of the probe `u` (at a 5³ array's centre) for `count` cells of a row from offset `at`. Its
 * magnitude is added to out if `adds`. */
FORMULA void probe_cells(const struct diagonal_arguments *x, int order, bool variable, bool adds,
                         const double *u, long at, int count, double *out)
{
    const double *bi = x->beta[0] + at, *bj = x->beta[1] + at, *bk = x->beta[2] + at;
    const long sj = x->sj, sk = x->sk;
    LOOP_SIMD
    for (int i = 0; i < count; i++) {
        const struct near near = {
            u, {1, PROBE_SJ, PROBE_SK}, {bi + i, bj + i, bk + i}, {1, sj, sk}};
        const double sum = order == 2 ? variable ? sum_fv2(near) : sum_fv2_constant(near)
                           : variable ? sum_fv4(near)
                                      : sum_fv4_constant(near);
        out[i] = adds ? out[i] + fabs(sum) : sum;
    }
}

/* The same for the unit vector of the cell at offset e. */
FORMULA void probe_offset(const struct diagonal_arguments *x, const struct probe *p, const int e[3],
                          bool adds, long at, int count, double *out)
{
    const struct operator_choice *choice = &x->s.choice;
    double array[PROBE_LENGTH], *u = array + PROBE_CENTRE;
    probe_unit(p, e, array);
    if (choice->order == 2 && choice->variable)
        probe_cells(x, 2, true, adds, u, at, count, out);
    else if (choice->order == 2)
        probe_cells(x, 2, false, adds, u, at, count, out);
    else if (choice->variable)
        probe_cells(x, 4, true, adds, u, at, count, out);
    else
        probe_cells(x, 4, false, adds, u, at, count, out);
}

/* The sums of the magnitudes of the other cells' entries. */
FORMULA void probe_others(const struct diagonal_arguments *x, const struct probe *p, long at,
                          int count, double *out)
{
    int e[3];
    for (int i = 0; i < count; i++)
        out[i] = 0.0;
    if (!x->others)
        return;
    for (e[2] = p->low[2]; e[2] <= p->high[2]; e[2]++)
        for (e[1] = p->low[1]; e[1] <= p->high[1]; e[1]++)
            for (e[0] = p->low[0]; e[0] <= p->high[0]; e[0]++)
                if ((e[0] || e[1] || e[2]) && probe_matters(p, e))
                    probe_offset(x, p, e, true, at, count, out);
}

FORMULA struct probe diagonal_probe(const struct diagonal_arguments *x, int i, int j, int k)
{
    const int cell[3] = {x->lo[0] + i, x->lo[1] + j, x->lo[2] + k};
    return probe_create(&x->s, x->dim, x->periodic, cell);
}

/* Sets the weights of `count` cells that the walls treat alike. Returns the bits of the largest row
 * bound (A_ii + Σ|A_ij|)/A_ii. `diagonal` and `others` have room for `count` values. */
FORMULA uint64_t diagonal_cells(const struct diagonal_arguments *x, const struct probe *p, long at,
                                int count, double *diagonal, double *others)
{
    const struct stencil *s = &x->s;
    const int zero[3] = {0, 0, 0};
    uint64_t bound = 0;
    probe_offset(x, p, zero, false, at, count, diagonal);
    probe_others(x, p, at, count, others);
    for (int i = 0; i < count; i++) {
        const double alpha = !s->choice.helmholtz ? 0.0
                             : s->choice.variable ? x->alpha[at + i]
                                                  : 1.0;
        const double a_ii = fma(-s->scale, diagonal[i], alpha);
        const double sum = s->scale * others[i];
        const bool plain = !s->l1_weight || a_ii >= 1.5 * sum;
        const uint64_t bits = magnitude_bits((a_ii + sum) / a_ii);
        x->weight[at + i] = 1.0 / (plain ? a_ii : fma(0.5, sum, a_ii));
        bound = bits > bound ? bits : bound;
    }
    return bound;
}

#endif
