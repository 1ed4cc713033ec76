/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches of the rungs on a GPU. All do the same: a cell of the colour gets its update, any other
 * its old value, from one buffer to the other; ghosts behind walls have been stored before. */
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
#include "lab/gpu.h"
#include "lab/rungs_gpu.cuh"

static rungs::half_sweep half_sweep_of(const struct level *l, int half)
{
    const struct cells c = cells_of(&l->patches[0]);
    const long o = c.offset;
    const struct relaxation r = stencil_relaxation(l->stencil, half);
    rungs::half_sweep s = {};
    s.v.u = l->fields[rung_source(half)] + o;
    s.v.f = s.v.alpha = l->fields[FIELD_F] + o;
    s.v.dinv = l->fields[FIELD_DINV] + o;
    s.v.beta_i = l->fields[FIELD_BETA_I] + o;
    s.v.beta_j = l->fields[FIELD_BETA_J] + o;
    s.v.beta_k = l->fields[FIELD_BETA_K] + o;
    s.v.sj = c.sj;
    s.v.sk = c.sk;
    s.v.scale = l->stencil->scale;
    s.out = l->fields[rung_source(1 - half)] + o;
    for (int d = 0; d < 3; d++)
        s.n[d] = c.n[d];
    s.colour = r.colour;
    s.weight = r.weight;
    return s;
}

static rungs::kernel_fn *kernel_of(const struct rung *rung, const struct rung_shape *shape)
{
    const struct rungs::kernels *kernels =
        (shape->order == 2 ? rungs::fv2_kernels : rungs::fv4_kernels) + (rung - gpu_rungs);
    int limit = 0;
    while (register_limits[limit].registers != shape->registers)
        limit++;
    return kernels->by_limit[limit];
}

void gpu_run_rung(struct level *l, const struct rung *rung, const struct rung_shape *shape)
{
    rungs::kernel_fn *kernel = kernel_of(rung, shape);
    const dim3 block(shape->block[0], shape->block[1]);
    const int bytes = rung_shared_bytes(shape);
    for (int half = 0; half < 2; half++) {
        rungs::half_sweep s = half_sweep_of(l, half);
        const dim3 grid(cuda_divided(s.n[0], shape->block[0]),
                        cuda_divided(s.n[1], shape->block[1] * shape->rows),
                        cuda_divided(s.n[2], shape->planes));
        s.planes = shape->planes;
        cuda_walls_fill(l, l->fields[rung_source(half)], l->stencil->wall_rule, l->stencil->radius);
        kernel<<<grid, block, bytes, cuda_stream()>>>(s);
        CUDA_LAUNCHED();
    }
}

bool gpu_prepare_rung(const struct rung *rung, const struct rung_shape *shape, int *most_bytes)
{
    const int bytes = rung_shared_bytes(shape);
    *most_bytes = (int)cuda_limits()->shared_per_block;
    if (bytes > *most_bytes)
        return false;
    CUDA_CALL(cudaFuncSetAttribute((const void *)kernel_of(rung, shape),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return true;
}
