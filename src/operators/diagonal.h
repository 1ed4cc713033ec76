/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The relaxation weight of a cell and the bound of its row, by probing the operator, for all
 * backends. */
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/operands.h"
#include "operators/probe.h"
#include "operators/smoothers.h"
#include "operators/sum.h"

/* A patch. D⁻¹ is `weight`, at cell (0,0,0). */
struct diagonal_arguments {
    struct stencil s;
    int level_n[3], lo[3];
    bool others; /* whether the sums of the magnitudes of other entries are wanted */
    long sj, sk;
    struct operands operands;
    real *weight;
};

/* S of the unit vector of the cell at offset e, for `count` cells of a row from offset `at`. Its
 * magnitude is added to out if `adds`. */
FORMULA void probe_offset(const struct diagonal_arguments *x, sum_fn *sum, const struct probe *p,
                          const int e[3], bool adds, long at, int count, real *out)
{
    real u[PROBE_LENGTH];
    const struct operands *o = &x->operands;
    const real *bi = o->beta_i + at, *bj = o->beta_j + at, *bk = o->beta_k + at;
    const long sj = x->sj, sk = x->sk;
    probe_unit(p, e, u);
    LOOP_SIMD
    for (int i = 0; i < count; i++) {
        const struct near near = {
            u + PROBE_CENTRE, {1, PROBE_SJ, PROBE_SK}, {bi + i, bj + i, bk + i}, {1, sj, sk}};
        const real s = sum(near);
        out[i] = adds ? out[i] + (real)fabs((double)s) : s;
    }
}

/* The sums of the magnitudes of the other cells' entries. */
FORMULA void probe_others(const struct diagonal_arguments *x, sum_fn *sum, const struct probe *p,
                          long at, int count, real *out)
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
                    probe_offset(x, sum, p, e, true, at, count, out);
}

FORMULA struct probe diagonal_probe(const struct diagonal_arguments *x, int i, int j, int k)
{
    const int cell[3] = {x->lo[0] + i, x->lo[1] + j, x->lo[2] + k};
    return probe_create(&x->s, x->level_n, cell);
}

/* With the operator's sum and f − aαu, sets the weights of `count` cells that the walls treat
 * alike. Returns the bits of the largest row bound (A_ii + Σ|A_ij|)/A_ii. `diagonal` and `others`
 * have room for `count` values. */
FORMULA uint64_t diagonal_cells(const struct diagonal_arguments *x, sum_fn *sum, rhs_fn *rhs,
                                const struct probe *p, long at, int count, real *diagonal,
                                real *others)
{
    const struct stencil *s = &x->s;
    const real scale = (real)s->scale;
    const int zero[3] = {0, 0, 0};
    uint64_t bound = 0;
    probe_offset(x, sum, p, zero, false, at, count, diagonal);
    probe_others(x, sum, p, at, count, others);
    for (int i = 0; i < count; i++) {
        const real alpha = s->reads_alpha ? x->operands.alpha[at + i] : (real)1.0;
        const real term = (real)0.0 - rhs(0.0, alpha, 1.0);
        const real a_ii = madd(-scale, diagonal[i], term);
        const real row = scale * others[i];
        const bool plain = !s->l1_weight || a_ii >= (real)1.5 * row;
        const uint64_t bits = magnitude_bits((double)((a_ii + row) / a_ii));
        x->weight[at + i] = (real)1.0 / (plain ? a_ii : madd(0.5, row, a_ii));
        bound = bits > bound ? bits : bound;
    }
    return bound;
}
