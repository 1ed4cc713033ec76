/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up on the device: β beyond walls, restriction of coefficients, the diagonal. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/fv4.h"
#include "operators/probe.h"
#include "operators/sum.h"
#include "operators/transfers.h"

void cuda_restrict_cells(const struct level *fine, enum field from, struct level *coarse,
                         enum field to)
{
    CHECK(fine->npatches == coarse->npatches);
    for (int q = 0; q < fine->npatches; q++) {
        const struct cells f = cells_of(&fine->patches[q]), c = cells_of(&coarse->patches[q]);
        const double *x = fine->fields[from] + f.offset;
        double *y = coarse->fields[to] + c.offset;
        for_cells(c.n[0], c.n[1], c.n[2], [=] __device__(int i, int j, int k) {
            const double *p = x + 2 * i + 2 * j * f.sj + 2 * k * f.sk;
            const double *r[4] = {p, p + f.sj, p + f.sk, p + f.sj + f.sk};
            y[i + j * c.sj + k * c.sk] = restrict_cell(r[0][0] + r[0][1], r[1][0] + r[1][1],
                                                       r[2][0] + r[2][1], r[3][0] + r[3][1]);
        });
    }
}

void cuda_restrict_face(const struct level *fine, struct level *coarse, int direction)
{
    const int field = FIELD_BETA_I + direction;
    CHECK(fine->npatches == coarse->npatches);
    for (int q = 0; q < fine->npatches; q++) {
        const struct cells f = cells_of(&fine->patches[q]), c = cells_of(&coarse->patches[q]);
        const double *x = fine->fields[field] + f.offset;
        double *y = coarse->fields[field] + c.offset;
        const long s = direction == 0 ? f.sj : 1,
                   t = direction == 2 ? f.sj : f.sk; /* tangential strides, s < t */
        int n[3];
        for (int d = 0; d < 3; d++)
            n[d] = c.n[d] + (d == direction && c.wall[d][1]);
        for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) {
            const double *b = x + 2 * i + 2 * j * f.sj + 2 * k * f.sk;
            y[i + j * c.sj + k * c.sk] = restrict_face(b[0], b[s], b[t], b[s + t]);
        });
    }
}

static __device__ double extrapolated_beta(const double *b, long s, int dim)
{
    if (dim >= 5)
        return beta_extrapolate_5(b[0], b[s], b[2 * s], b[3 * s], b[4 * s]);
    if (dim == 4)
        return beta_extrapolate_4(b[0], b[s], b[2 * s], b[3 * s]);
    return beta_extrapolate_2(b[0], b[s]);
}

/* Where faces with normal `normal` hold values in direction d, as in cpu_setup.c. */
static void beta_range(const struct level *l, const struct cells &c, int normal, int d, int layer,
                       int range[2])
{
    const int beyond_high = d == normal ? 1 : layer;
    range[0] = c.wall[d][0] ? (d == normal ? 0 : -layer) : -l->ghosts;
    range[1] = c.n[d] + (c.wall[d][1] ? beyond_high : l->ghosts - (d == normal));
}

static void extrapolate_direction(const struct level *l, const struct cells &c, int normal, int d)
{
    const long stride[3] = {1, c.sj, c.sk};
    const int e = 3 - normal - d, dim = l->dim;
    double *b = l->fields[FIELD_BETA_I + normal] + c.offset;
    int along[2], across[2];
    beta_range(l, c, normal, normal, 0, along);
    beta_range(l, c, normal, e, e < d, across);
    for (int side = 0; side < 2; side++) {
        if (!c.wall[d][side])
            continue;
        const long inward = side == 0 ? stride[d] : -stride[d], sn = stride[normal], se = stride[e];
        double *first =
            b + (side == 0 ? 0 : (c.n[d] - 1) * stride[d]) + along[0] * sn + across[0] * se;
        for_cells(along[1] - along[0], across[1] - across[0], 1, [=] __device__(int a, int x, int) {
            double *at = first + a * sn + x * se;
            at[-inward] = extrapolated_beta(at, inward, dim);
        });
    }
}

void cuda_extrapolate_beta(struct level *level)
{
    for (int q = 0; q < level->npatches; q++)
        for (int normal = 0; normal < 3; normal++)
            for (int d = 0; d < 3; d++)
                if (d != normal)
                    extrapolate_direction(level, cells_of(&level->patches[q]), normal, d);
}

/* Operands of the diagonal. */
struct diagonal_view {
    struct cells c;
    struct stencil s;
    int dim;
    bool periodic, others;
    const double *beta[3], *alpha;
    double *weight;
    unsigned long long *bound;
};

static __device__ double probe_sum(const struct diagonal_view &v, const double *u, long at)
{
    const double *bi = v.beta[0] + at, *bj = v.beta[1] + at, *bk = v.beta[2] + at;
    const long sj = v.c.sj, sk = v.c.sk;
    if (v.s.choice.order == 2)
        return v.s.choice.variable ? fv2_gather(u, PROBE_SJ, PROBE_SK, bi, bj, bk, sj, sk)
                                   : fv2_constant_gather(u, PROBE_SJ, PROBE_SK);
    return v.s.choice.variable ? fv4_gather(u, PROBE_SJ, PROBE_SK, bi, bj, bk, sj, sk)
                               : fv4_constant_gather(u, PROBE_SJ, PROBE_SK);
}

static __device__ double probe_others(const struct diagonal_view &v, const struct probe &p,
                                      double *u, long at)
{
    double sum = 0.0;
    int e[3];
    for (e[2] = p.low[2]; e[2] <= p.high[2]; e[2]++)
        for (e[1] = p.low[1]; e[1] <= p.high[1]; e[1]++)
            for (e[0] = p.low[0]; e[0] <= p.high[0]; e[0]++)
                if ((e[0] || e[1] || e[2]) && probe_matters(&p, e)) {
                    probe_unit(&p, e, u);
                    sum = sum + fabs(probe_sum(v, u + PROBE_CENTRE, at));
                }
    return sum;
}

static __device__ void diagonal_cell(const struct diagonal_view &v, int i, int j, int k)
{
    const int cell[3] = {v.c.lo[0] + i, v.c.lo[1] + j, v.c.lo[2] + k}, zero[3] = {0, 0, 0};
    const long at = i + j * v.c.sj + k * v.c.sk;
    const struct probe p = probe_create(&v.s, v.dim, v.periodic, cell);
    double u[PROBE_LENGTH];
    probe_unit(&p, zero, u);
    const double alpha = !v.s.choice.helmholtz ? 0.0 : v.s.choice.variable ? v.alpha[at] : 1.0;
    const double a_ii = fma(-v.s.scale, probe_sum(v, u + PROBE_CENTRE, at), alpha);
    const double sum = v.others ? v.s.scale * probe_others(v, p, u, at) : 0.0;
    const bool plain = !v.s.l1_weight || a_ii >= 1.5 * sum;
    v.weight[at] = 1.0 / (plain ? a_ii : fma(0.5, sum, a_ii));
    if (v.others)
        atomicMax(v.bound, (unsigned long long)magnitude_bits((a_ii + sum) / a_ii));
}

void cuda_diagonal(struct level *level, uint64_t *lambda_max)
{
    unsigned long long *bound = (unsigned long long *)cuda_allocate_bytes(sizeof *bound,
                                                                          "the eigenvalue bound"),
                       value;
    CUDA_CALL(cudaMemsetAsync(bound, 0, sizeof *bound, cuda_stream()));
    for (int q = 0; q < level->npatches; q++) {
        struct diagonal_view v = {cells_of(&level->patches[q]), *level->stencil, level->dim,
                                  level->periodic};
        v.others = level->stencil->needs_lambda_max || level->stencil->l1_weight;
        v.weight = level->fields[FIELD_DINV] + v.c.offset;
        v.alpha = level->fields[FIELD_ALPHA] ? level->fields[FIELD_ALPHA] + v.c.offset : v.weight;
        for (int d = 0; d < 3; d++)
            v.beta[d] = level->fields[FIELD_BETA_I] ? level->fields[FIELD_BETA_I + d] + v.c.offset
                                                    : v.weight;
        v.bound = bound;
        for_cells(v.c.n[0], v.c.n[1], v.c.n[2],
                  [=] __device__(int i, int j, int k) { diagonal_cell(v, i, j, k); });
    }
    CUDA_CALL(cudaMemcpyAsync(&value, bound, sizeof value, cudaMemcpyDeviceToHost, cuda_stream()));
    cuda_synchronise();
    cuda_release_bytes(bound);
    *lambda_max = value > *lambda_max ? value : *lambda_max;
}
