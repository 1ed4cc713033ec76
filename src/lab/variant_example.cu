/* SPDX-License-Identifier: BSD-3-Clause */
/* An experiment, worked through in docs/LAB.md: the residual norm of order 2 by threads that march
 * through the planes, each with its column of u and the β between in registers. */
#include "cuda/core/launch.cuh"
extern "C" {
#include "lab/variants.h"
#include "solvers/program.h"
}
#include "cuda/pass.cuh"
#include "operators/sum.h"

enum { LANES = 32, ROWS = 8, PLANES = 16 };

/* The sum S of order 2; neighbours in the column and β of its faces are the caller's. */
static __device__ double column_sum(const struct view &v, long at, double below, double u,
                                    double above, double bk, double bk_above)
{
    return fv2_sum(u, v.u[at - 1], v.u[at + 1], v.u[at - v.sj], v.u[at + v.sj], below, above,
                   v.beta_i[at], v.beta_i[at + 1], v.beta_j[at], v.beta_j[at + v.sj], bk, bk_above);
}

/* The largest |f − A u| of some planes of a column from `at` on, as bits. */
static __device__ unsigned long long column_norm(const struct view &v, long at, int planes)
{
    unsigned long long largest = 0;
    double below = v.u[at - v.sk], u = v.u[at], bk = v.beta_k[at];
    for (int k = 0; k < planes; k++, at += v.sk) {
        const double above = v.u[at + v.sk], bk_above = v.beta_k[at + v.sk];
        const double sum = column_sum(v, at, below, u, above, bk, bk_above);
        const double r = residual_value(rhs_poisson(v.f[at], 0.0, u), v.scale, sum);
        largest = max(largest, (unsigned long long)magnitude_bits(r));
        below = u;
        u = above;
        bk = bk_above;
    }
    return largest;
}

/* The largest of all columns into *norm. */
static __global__ void __launch_bounds__(LANES *ROWS)
    norm_kernel(struct view v, int n0, int n1, int n2, unsigned long long *norm)
{
    const int i = blockIdx.x * LANES + threadIdx.x, j = blockIdx.y * ROWS + threadIdx.y;
    const int first = blockIdx.z * PLANES, planes = min(PLANES, n2 - first);
    unsigned long long largest = 0;
    if (i < n0 && j < n1)
        largest = column_norm(v, i + j * v.sj + first * v.sk, planes);
    for (int lanes = 16; lanes > 0; lanes /= 2)
        largest = max(largest, __shfl_down_sync(0xffffffffu, largest, lanes));
    if (threadIdx.x == 0)
        atomicMax(norm, largest);
}

/* Only what was tried: order 2, stored coefficients, one box. */
static bool fits(const struct stage_case *c)
{
    const struct operator_choice *op = &c->level->stencil->choice;
    const struct pass *p = &c->stage->pass;
    return c->stage->kind == STAGE_PASS && p->start == START_KEEP && p->nsweeps == 0 &&
           p->finish == FINISH_NORM && op->order == 2 && op->variable && !op->helmholtz &&
           c->level->npatches == 1;
}

static struct view view_of(const struct level *l, const struct cells &p)
{
    struct view v = {};
    v.u = l->fields[FIELD_U] + p.offset;
    v.f = l->fields[FIELD_F] + p.offset;
    v.beta_i = l->fields[FIELD_BETA_I] + p.offset;
    v.beta_j = l->fields[FIELD_BETA_J] + p.offset;
    v.beta_k = l->fields[FIELD_BETA_K] + p.offset;
    v.sj = p.sj;
    v.sk = p.sk;
    v.scale = l->stencil->scale;
    return v;
}

static void run(struct stage_case *c)
{
    struct level *l = c->level;
    const struct cells p = cells_of(&l->patches[0]);
    const dim3 grid(cuda_divided(p.n[0], LANES), cuda_divided(p.n[1], ROWS),
                    cuda_divided(p.n[2], PLANES));
    cuda_walls_fill(l, l->fields[FIELD_U], l->stencil->wall_rule, l->stencil->radius);
    unsigned long long *norm = cuda_norm_word();
    norm_kernel<<<grid, dim3(LANES, ROWS), 0, cuda_stream()>>>(view_of(l, p), p.n[0], p.n[1],
                                                               p.n[2], norm);
    CUDA_LAUNCHED();
    cuda_fetch_norm(c->stage->pass.norm);
}

extern "C" {
extern const struct variant variant_example = {
    "example", "norm of order 2, columns in registers", VARIANT_GPU, fits, run, NULL};
}
