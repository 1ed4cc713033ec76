/* SPDX-License-Identifier: BSD-3-Clause */
/* The bottom solver as one launch of one block. Its vectors are fields of the level, which fit in
 * the caches. */
#include "cuda/device.cuh"
#include "cuda/generic/bottom.cuh"
#include "cuda/pass.cuh"

static struct bottom_counts *device_counts()
{
    static struct bottom_counts *counts;
    cuda_keep_bytes((void **)&counts, sizeof *counts, "counts");
    return counts;
}

struct bottom_work bottom_open(struct level *level, enum field u, enum field f, double reduction,
                               int max_iterations)
{
    const struct patch *p = &level->patches[0];
    const long o = p->offset;
    struct bottom_work w = {cells_of(p), {}, cuda_view(level, 0, f)};
    double *const *fields = level->fields;
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
        w.relaxations[sweep] = stencil_relaxation(level->stencil, sweep);
    w.u = fields[u] + o;
    w.tmp = fields[FIELD_TMP] + o;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w.work[v] = fields[FIELD_KRYLOV + v] + o;
    w.singular = operator_is_singular(&level->stencil->choice);
    w.in_place = level->stencil->in_place;
    w.ghosts = level->stencil->radius;
    w.wall_rule = stencil_walls(level->stencil)->cells;
    w.parity = (p->box.lo[0] + p->box.lo[1] + p->box.lo[2]) & 1;
    w.max_iterations = max_iterations;
    w.reduction = reduction;
    w.counts = device_counts();
    const int *n = w.c.n, wanted = (n[0] * n[1] * n[2] + 31) / 32 * 32;
    w.threads = wanted < BOTTOM_THREADS ? wanted : BOTTOM_THREADS;
    w.cells = cuboid_of(n[0], n[1], n[2]);
    return w;
}

template <class Op>
static __global__ void __launch_bounds__(BOTTOM_THREADS, 1)
    bottom_kernel(const struct bottom_work w)
{
    __shared__ struct block_shared shared;
    solve_bottom<Op>(w, &shared);
}

void cuda_bottom_solve(struct level *level, enum field u, enum field f, double reduction,
                       int max_iterations)
{
    const struct bottom_work w = bottom_open(level, u, f, reduction, max_iterations);
    with_operator(level->stencil->choice, [&](auto op) {
        bottom_kernel<decltype(op)><<<1, w.threads, 0, cuda_stream()>>>(w);
        CUDA_LAUNCHED();
    });
}

void cuda_bottom_counts(struct bottom_counts *counts)
{
    CUDA_CALL(cudaMemcpyAsync(counts, device_counts(), sizeof *counts, cudaMemcpyDeviceToHost,
                              cuda_stream()));
    cuda_synchronise();
}
