/* An experiment, worked through in docs/LAB.md: the residual norm of order 2 by threads that march
 * through the planes, each with its column of u and the β between in registers. */
#include "cuda/internal.cuh"
extern "C" {
#include "lab/variants.h"
#include "solvers/program.h"
}
#include "cuda/operators.cuh"
#include "operators/sum.h"

enum { LANES = 32, ROWS = 8, PLANES = 16 };

/* The largest |f − A u| of the block's columns, as bits, into *norm. */
static __global__ void __launch_bounds__(LANES *ROWS)
    norm_kernel(struct view v, int n0, int n1, int n2, unsigned long long *norm)
{
    const int i = blockIdx.x * LANES + threadIdx.x, j = blockIdx.y * ROWS + threadIdx.y;
    const int first = blockIdx.z * PLANES, last = min(first + PLANES, n2);
    unsigned long long largest = 0;
    if (i < n0 && j < n1) {
        long at = i + j * v.sj + first * v.sk;
        double below = v.u[at - v.sk], u = v.u[at], bk = v.beta_k[at];
        for (int k = first; k < last; k++, at += v.sk) {
            const double above = v.u[at + v.sk], bk_above = v.beta_k[at + v.sk];
            const double sum = fv2_sum(u, v.u[at - 1], v.u[at + 1], v.u[at - v.sj], v.u[at + v.sj],
                                       below, above, v.beta_i[at], v.beta_i[at + 1], v.beta_j[at],
                                       v.beta_j[at + v.sj], bk, bk_above);
            const unsigned long long bits =
                magnitude_bits(residual_value(rhs_poisson(v.f[at], 0.0, u), v.scale, sum));
            largest = bits > largest ? bits : largest;
            below = u;
            u = above;
            bk = bk_above;
        }
    }
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, largest, lanes);
        largest = other > largest ? other : largest;
    }
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

/* A word on the device, and one of the host's that it is copied to, for good: the copy is part of
 * every replay of a recorded run. */
static unsigned long long *on_device, *on_host;

static void run(struct stage_case *c)
{
    struct level *l = c->level;
    const struct cells p = cells_of(&l->patches[0]);
    struct view v = {};
    if (!on_device) {
        on_device = (unsigned long long *)cuda_allocate_bytes(sizeof *on_device, "a norm");
        CUDA_CALL(cudaHostAlloc((void **)&on_host, sizeof *on_host, cudaHostAllocDefault));
    }
    v.u = l->fields[FIELD_U] + p.offset;
    v.f = l->fields[FIELD_F] + p.offset;
    v.beta_i = l->fields[FIELD_BETA_I] + p.offset;
    v.beta_j = l->fields[FIELD_BETA_J] + p.offset;
    v.beta_k = l->fields[FIELD_BETA_K] + p.offset;
    v.sj = p.sj;
    v.sk = p.sk;
    v.scale = l->stencil->scale;
    cuda_walls_fill(l, l->fields[FIELD_U], l->stencil->wall_rule, l->stencil->radius);
    CUDA_CALL(cudaMemsetAsync(on_device, 0, sizeof *on_device, cuda_stream()));
    const dim3 grid((p.n[0] + LANES - 1) / LANES, (p.n[1] + ROWS - 1) / ROWS,
                    (p.n[2] + PLANES - 1) / PLANES);
    norm_kernel<<<grid, dim3(LANES, ROWS), 0, cuda_stream()>>>(v, p.n[0], p.n[1], p.n[2],
                                                               on_device);
    CUDA_LAUNCHED();
    CUDA_CALL(cudaMemcpyAsync(on_host, on_device, sizeof *on_host, cudaMemcpyDeviceToHost,
                              cuda_stream()));
    if (cuda_recording())
        return;
    cuda_synchronise();
    c->norm = *on_host;
}

extern "C" {
extern const struct variant variant_example = {
    "example", "norm of order 2, columns in registers", VARIANT_GPU, fits, run, NULL};
}
