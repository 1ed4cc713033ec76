/* SPDX-License-Identifier: BSD-3-Clause */
/* One kernel per operation, one thread per cell. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/pass.cuh"
#include "operators/sum.h"
#include "operators/transfers.h"

/* Calls f(i,j,k) for the patch and `extent` layers beyond its open sides. */
template <class F>
static void for_extended(const struct cells &c, int extent, F f)
{
    int low[3], n[3];
    for (int d = 0; d < 3; d++) {
        low[d] = is_open(c, d, 0) ? -extent : 0;
        n[d] = c.n[d] - low[d] + (is_open(c, d, 1) ? extent : 0);
    }
    const int l0 = low[0], l1 = low[1], l2 = low[2];
    for_cells(n[0], n[1], n[2], [=] __device__(int i, int j, int k) { f(i + l0, j + l1, k + l2); });
}

template <class Op>
static void sweep_once(const struct patch_launch &w, int sweep, int extent)
{
    const struct relaxation r = stencil_relaxation(w.s, sweep);
    const struct view v = w.v;
    const int colour = w.parity + r.colour;
    real *out = w.buffer[(sweep + 1) & 1];
    for_extended(w.c, extent, [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        if (!r.coloured || has_colour(i + j + k, colour))
            out[at] = relaxed(r, v.u[at], r.reads_before ? out[at] : (real)0.0, v.dinv[at],
                              Op::residual(v, at));
        else if (out != v.u)
            out[at] = v.u[at];
    });
}

void baseline_sweep(const struct patch_launch &w, int sweep, int extent)
{
    with_operator(w.s->choice, [&](auto op) { sweep_once<decltype(op)>(w, sweep, extent); });
}

template <class Op>
static void finish_store(const struct patch_launch &w)
{
    const struct view v = w.v;
    real *out = w.pass->level->fields[w.pass->residual] + w.c.offset;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        out[at] = Op::residual(v, at);
    });
}

template <class Op>
static void finish_restrict(const struct patch_launch &w, int q)
{
    const struct view v = w.v;
    const struct cells c = cells_of(&w.pass->coarse->patches[q]);
    real *out = w.pass->coarse->fields[w.pass->coarse_f] + c.offset;
    for_cells(c.n[0], c.n[1], c.n[2], [=] __device__(int i, int j, int k) {
        real pair[4];
        for (int row = 0; row < 4; row++) {
            const long at = 2 * i + (2 * j + (row & 1)) * v.sj + (2 * k + (row >> 1)) * v.sk;
            pair[row] = Op::residual(v, at) + Op::residual(v, at + 1);
        }
        out[i + j * c.sj + k * c.sk] = restrict_cell(pair[0], pair[1], pair[2], pair[3]);
    });
}

template <class Op>
static __global__ void __launch_bounds__(256)
    norm_kernel(struct view v, int n0, int n1, int n2, unsigned long long *norm)
{
    const long cells = (long)n0 * n1 * n2;
    unsigned long long largest = 0;
    for (long x = (long)blockIdx.x * blockDim.x + threadIdx.x; x < cells;
         x += (long)gridDim.x * blockDim.x) {
        const long at = x % n0 + x / n0 % n1 * v.sj + x / n0 / n1 * v.sk;
        const unsigned long long bits = magnitude_bits((double)Op::residual(v, at));
        largest = larger(largest, bits);
    }
    warp_atomic_max(norm, largest);
}

template <class Op>
static void finish_norm(const struct patch_launch &w)
{
    norm_kernel<Op>
        <<<1056, 256, 0, cuda_stream()>>>(w.v, w.c.n[0], w.c.n[1], w.c.n[2], cuda_norm_word());
    CUDA_LAUNCHED();
}

void baseline_finish(const struct patch_launch &w, int q)
{
    with_operator(w.s->choice, [&](auto op) {
        if (w.pass->finish == FINISH_RESTRICT)
            finish_restrict<decltype(op)>(w, q);
        else if (w.pass->finish == FINISH_STORE)
            finish_store<decltype(op)>(w);
        if (w.pass->finish == FINISH_DEFECT)
            baseline_defect(w, q);
        if (pass_reduces(w.pass))
            finish_norm<decltype(op)>(w);
    });
}

void baseline_start(const struct patch_launch &w, int q, int extent)
{
    real *u = w.buffer[0];
    const long sj = w.c.sj, sk = w.c.sk;
    if (w.pass->start == START_ZERO)
        for_extended(w.c, extent,
                     [=] __device__(int i, int j, int k) { u[i + j * sj + k * sk] = 0.0; });
    else if (w.pass->start == START_CORRECT)
        baseline_correct(w, q);
    else if (w.pass->start != START_KEEP)
        cuda_prolong(w.pass, q, u, extent);
}

/* to = A x = −(0 − A x) */
template <class Op>
static void apply(const struct patch_launch &w, real *to)
{
    const struct view v = w.v;
    for_cells(w.c.n[0], w.c.n[1], w.c.n[2], [=] __device__(int i, int j, int k) {
        const long at = i + j * v.sj + k * v.sk;
        to[at] = -Op::residual_near(near_of(v, at), 0.0, v.alpha[at], (real)v.scale);
    });
}

void cuda_apply(struct level *level, enum field out, enum field x)
{
    cuda_fill_level_ghosts(level, level->fields[x], *stencil_walls(level->stencil),
                           ghosts_star(level->stencil->radius));
    for (int q = 0; q < level->npatches; q++) {
        struct pass pass = {};
        pass.level = level;
        pass.u = x;
        pass.f = out;
        struct patch_launch w = cuda_open_work(&pass, q);
        w.v.u = w.buffer[0];
        with_operator(level->stencil->choice,
                      [&](auto op) { apply<decltype(op)>(w, level->fields[out] + w.c.offset); });
    }
}
