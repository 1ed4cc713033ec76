/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up of the operator on one level: β beyond the walls, and the diagonal with its bounds. */
#include <math.h>
#include "base/check.h"
#include "operators/boundary.h"
#include "operators/cpu.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/probe.h"
#include "operators/smoothers.h"
#include "operators/sum.h"

static double extrapolate_beta(const double *b, long s, int dim)
{
    if (dim >= 5)
        return beta_extrapolate_5(b[0], b[s], b[2 * s], b[3 * s], b[4 * s]);
    if (dim == 4)
        return beta_extrapolate_4(b[0], b[s], b[2 * s], b[3 * s]);
    return beta_extrapolate_2(b[0], b[s]);
}

/* The range in direction d where β of faces in direction `normal` is known, before (`layer` = 0) or
 * after (1) the walls in d. */
static void beta_range(const struct level *l, const struct patch *p, int normal, int d, int layer,
                       int range[2])
{
    const int beyond_high = d == normal ? 1 : layer; /* the faces on the high wall itself */
    range[0] = p->wall[d][0] ? (d == normal ? 0 : -layer) : -l->ghosts;
    range[1] = p->n[d] + (p->wall[d][1] ? beyond_high : l->ghosts - (d == normal));
}

/* One tangential direction d of one face-centred field. The walls in the other tangential direction
 * e are known if e < d. */
static void extrapolate_direction(const struct level *l, const struct patch *p, int normal, int d)
{
    const long stride[3] = {1, p->sj, p->sk};
    const int e = 3 - normal - d;
    double *b = patch_cells(l, p, FIELD_BETA_I + normal);
    int along[2], across[2];
    beta_range(l, p, normal, normal, 0, along);
    beta_range(l, p, normal, e, e < d, across);
    for (int side = 0; side < 2; side++) {
        if (!p->wall[d][side])
            continue;
        const long inward = side == 0 ? stride[d] : -stride[d];
        double *first = b + (side == 0 ? 0 : (p->n[d] - 1) * stride[d]);
#pragma omp parallel for collapse(2) schedule(static)
        for (int a = across[0]; a < across[1]; a++)
            for (int n = along[0]; n < along[1]; n++) {
                double *x = first + n * stride[normal] + a * stride[e];
                x[-inward] = extrapolate_beta(x, inward, l->dim);
            }
    }
}

void cpu_extrapolate_beta(struct level *level)
{
    for (int q = 0; q < level->npatches; q++)
        for (int normal = 0; normal < 3; normal++)
            for (int d = 0; d < 3; d++)
                if (d != normal)
                    extrapolate_direction(level, &level->patches[q], normal, d);
}

/* Coefficients of a patch at cell (0,0,0). */
struct patch_coefficients {
    const struct operator_choice *choice;
    const double *beta[3], *alpha;
    long sj, sk;
};

/* out[i] += |S| (magnitude) or = S of the probe `u` (a 5³ array's centre) for `count` cells of a
 * row from offset `at`. */
#define SPAN(name, GATHER, STORE)                                                                  \
    static void name(const double *u, const double *bi, const double *bj, const double *bk,        \
                     long sj, long sk, int count, double *out)                                     \
    {                                                                                              \
        (void)bi, (void)bj, (void)bk, (void)sj, (void)sk;                                          \
        _Pragma("omp simd") for (int i = 0; i < count; i++)                                        \
        {                                                                                          \
            const double sum = GATHER;                                                             \
            out[i] = STORE;                                                                        \
        }                                                                                          \
    }
#define BETA bi + i, bj + i, bk + i, sj, sk
SPAN(span_fv2, fv2_gather(u, PROBE_SJ, PROBE_SK, BETA), sum)
SPAN(span_fv2_abs, fv2_gather(u, PROBE_SJ, PROBE_SK, BETA), out[i] + fabs(sum))
SPAN(span_fv2_constant, fv2_constant_gather(u, PROBE_SJ, PROBE_SK), sum)
SPAN(span_fv2_constant_abs, fv2_constant_gather(u, PROBE_SJ, PROBE_SK), out[i] + fabs(sum))
SPAN(span_fv4, fv4_gather(u, PROBE_SJ, PROBE_SK, BETA), sum)
SPAN(span_fv4_abs, fv4_gather(u, PROBE_SJ, PROBE_SK, BETA), out[i] + fabs(sum))
SPAN(span_fv4_constant, fv4_constant_gather(u, PROBE_SJ, PROBE_SK), sum)
SPAN(span_fv4_constant_abs, fv4_constant_gather(u, PROBE_SJ, PROBE_SK), out[i] + fabs(sum))

static void span(const struct patch_coefficients *c, bool magnitude, const double *u, long at,
                 int count, double *out)
{
    typedef void span_fn(const double *, const double *, const double *, const double *, long, long,
                         int, double *);
    static span_fn *const table[2][2][2] = {
        {{span_fv2, span_fv2_abs}, {span_fv2_constant, span_fv2_constant_abs}},
        {{span_fv4, span_fv4_abs}, {span_fv4_constant, span_fv4_constant_abs}},
    };
    span_fn *fn = table[c->choice->order == 4][!c->choice->variable][magnitude];
    fn(u, c->beta[0] + at, c->beta[1] + at, c->beta[2] + at, c->sj, c->sk, count, out);
}

/* S of the unit vectors around a cell, for `count` cells that the walls treat alike. The cell's own
 * goes to *diagonal, the sum of the others' magnitudes to *others. */
static void probe_cells(const struct patch_coefficients *c, const struct probe *probe,
                        bool want_others, long at, int count, double *diagonal, double *others)
{
    double u[PROBE_LENGTH];
    const int zero[3] = {0, 0, 0};
    probe_unit(probe, zero, u);
    span(c, false, u + PROBE_CENTRE, at, count, diagonal);
    if (!want_others)
        return;
    for (int i = 0; i < count; i++)
        others[i] = 0.0;
    int e[3];
    for (e[2] = probe->low[2]; e[2] <= probe->high[2]; e[2]++)
        for (e[1] = probe->low[1]; e[1] <= probe->high[1]; e[1]++)
            for (e[0] = probe->low[0]; e[0] <= probe->high[0]; e[0]++)
                if ((e[0] || e[1] || e[2]) && probe_matters(probe, e)) {
                    probe_unit(probe, e, u);
                    span(c, true, u + PROBE_CENTRE, at, count, others);
                }
}

/* From these sums: the relaxation weight. Returns the largest row bound (A_ii + Σ|A_ij|)/A_ii as
 * bits. */
static uint64_t finish_cells(const struct level *l, const struct patch_coefficients *c, long at,
                             int count, const double *diagonal, const double *others,
                             double *weight)
{
    const struct stencil *s = l->stencil;
    uint64_t bound = 0;
    for (int i = 0; i < count; i++) {
        const double alpha = !s->choice.helmholtz ? 0.0
                             : s->choice.variable ? c->alpha[at + i]
                                                  : 1.0;
        const double a_ii = fma(-s->scale, diagonal[i], alpha);
        const double sum = s->scale * others[i];
        const double denominator = !s->l1_weight || a_ii >= 1.5 * sum ? a_ii : fma(0.5, sum, a_ii);
        weight[at + i] = 1.0 / denominator;
        const uint64_t bits = magnitude_bits((a_ii + sum) / a_ii);
        bound = bits > bound ? bits : bound;
    }
    return bound;
}

enum { CHUNK = 128 };

/* One row. Cells whose stencil reaches no wall are probed together, the others one by one. */
static uint64_t diagonal_row(const struct level *l, const struct patch *p,
                             const struct patch_coefficients *c, double *weight, int j, int k)
{
    const bool want_others = l->stencil->needs_lambda_max || l->stencil->l1_weight;
    double diagonal[CHUNK], others[CHUNK] = {0};
    uint64_t bound = 0;
    for (int i = 0, count; i < p->n[0]; i += count) {
        const int cell[3] = {p->box.lo[0] + i, p->box.lo[1] + j, p->box.lo[2] + k};
        const struct probe probe = probe_create(l->stencil, l->dim, l->periodic, cell);
        const int alike = probe.interior ? l->dim - l->stencil->radius - cell[0] : 1;
        count = alike < p->n[0] - i ? alike : p->n[0] - i;
        count = count < 1 ? 1 : count > CHUNK ? CHUNK : count;
        const long at = i + j * p->sj + k * p->sk;
        probe_cells(c, &probe, want_others, at, count, diagonal, others);
        const uint64_t bits = finish_cells(l, c, at, count, diagonal, others, weight);
        bound = bits > bound ? bits : bound;
    }
    return bound;
}

void cpu_diagonal(struct level *level, uint64_t *lambda_max)
{
    for (int q = 0; q < level->npatches; q++) {
        const struct patch *p = &level->patches[q];
        double *weight = patch_cells(level, p, FIELD_DINV);
        struct patch_coefficients c = {.choice = &level->stencil->choice, .sj = p->sj, .sk = p->sk};
        c.alpha = patch_cells(level, p, FIELD_ALPHA);
        for (int d = 0; d < 3; d++)
            c.beta[d] =
                level->fields[FIELD_BETA_I] ? patch_cells(level, p, FIELD_BETA_I + d) : weight;
        uint64_t bound = 0;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : bound)
        for (int k = 0; k < p->n[2]; k++)
            for (int j = 0; j < p->n[1]; j++) {
                const uint64_t bits = diagonal_row(level, p, &c, weight, j, k);
                bound = bits > bound ? bits : bound;
            }
        *lambda_max = bound > *lambda_max ? bound : *lambda_max;
    }
}
