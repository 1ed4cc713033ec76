/* SPDX-License-Identifier: BSD-3-Clause */
/* The rungs on a GPU. All do the same: a cell of the colour gets its update, any other its old
 * value, from one buffer to the other; ghosts behind walls have been stored before. */
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
#include "lab/rungs.h"
#include "lab/rungs_kernel.cuh"

namespace rungs
{
/* As many registers as the compiler wants. */
template <class Near>
static __global__ void __launch_bounds__(256) rung_kernel(const __grid_constant__ half_sweep s)
{
    sweep<Near>(s);
}

/* Registers per thread with which BLOCKS blocks of THREADS threads fit on an SM. */
template <class Near, int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    capped_kernel(const __grid_constant__ half_sweep s)
{
    sweep<Near>(s);
}

/* By register_limits[] of rungs.c. */
struct kernels {
    void (*by_limit[REGISTER_LIMITS])(const half_sweep s);
};

template <class Near>
static struct kernels kernels_of()
{
    return {{rung_kernel<Near>, capped_kernel<Near, 512, 1>, capped_kernel<Near, 1024, 1>,
             capped_kernel<Near, 1024, 2>}};
}

template <int ORDER>
static const struct kernels *all_kernels()
{
#define RUNG(name, summary, i, j, rows, keeps, ahead, ...) kernels_of<__VA_ARGS__>(),
    static const struct kernels kernels[] = {
#include "lab/rungs.def"
    };
    return kernels;
}

static struct half_sweep half_sweep_of(const struct level *l, int half, int planes)
{
    const struct cells c = cells_of(&l->patches[0]);
    const long o = c.offset;
    const struct relaxation r = stencil_relaxation(l->stencil, half);
    half_sweep s = {};
    s.v = cuda_view(l, 0, FIELD_F);
    s.v.u = l->fields[rung_source(half)] + o;
    s.out = l->fields[rung_source(1 - half)] + o;
    for (int d = 0; d < 3; d++)
        s.n[d] = c.n[d];
    s.colour = r.colour;
    s.weight = r.weight;
    s.planes = planes;
    return s;
}

static auto kernel_of(const struct rung *rung, const struct rung_shape *shape)
{
    int limit = 0;
    while (register_limits[limit].registers != shape->registers)
        limit++;
    const struct kernels *kernels = shape->order == 2 ? all_kernels<2>() : all_kernels<4>();
    return kernels[rung - gpu_rungs].by_limit[limit];
}
} // namespace rungs

void gpu_run_rung(struct level *l, const struct rung *rung, const struct rung_shape *shape)
{
    const auto kernel = rungs::kernel_of(rung, shape);
    const dim3 block(shape->block[0], shape->block[1]);
    const int bytes = rung_shared_bytes(shape);
    for (int half = 0; half < 2; half++) {
        const rungs::half_sweep s = rungs::half_sweep_of(l, half, shape->planes);
        const dim3 grid(cuda_divided(s.n[0], shape->block[0]),
                        cuda_divided(s.n[1], shape->block[1] * shape->rows),
                        cuda_divided(s.n[2], shape->planes));
        cuda_fill_level_ghosts(l, l->fields[rung_source(half)], *stencil_walls(l->stencil),
                               ghosts_star(l->stencil->radius));
        kernel<<<grid, block, bytes, cuda_stream()>>>(s);
        CUDA_LAUNCHED();
    }
}

bool gpu_prepare_rung(const struct rung *rung, const struct rung_shape *shape, int *max_bytes)
{
    const int bytes = rung_shared_bytes(shape);
    *max_bytes = (int)cuda_limits()->shared_per_block;
    if (bytes > *max_bytes)
        return false;
    CUDA_CALL(cudaFuncSetAttribute((const void *)rungs::kernel_of(rung, shape),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return true;
}
