/* SPDX-License-Identifier: BSD-3-Clause */
/* An experiment: the residual norm of order 2 by one thread per column of 16 cells. A thread keeps
 * u of its column, and the β between its planes, in registers. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/kernels.cuh"
#include "operators/sum.h"

enum { COLUMNS_I = 32, COLUMNS_J = 8, COLUMN_CELLS = 16 };

/* The largest |f − A u| of some cells of a column from `at` on, as bits. */
static __device__ unsigned long long column_norm(const struct view &v, long at, int cells)
{
    unsigned long long largest = 0;
    double below = v.u[at - v.sk], u = v.u[at], bk = v.beta_k[at];
    for (int k = 0; k < cells; k++, at += v.sk) {
        const double above = v.u[at + v.sk], bk_above = v.beta_k[at + v.sk];
        const double sum = fv2_sum(u, v.u[at - 1], v.u[at + 1], v.u[at - v.sj], v.u[at + v.sj],
                                   below, above, v.beta_i[at], v.beta_i[at + 1], v.beta_j[at],
                                   v.beta_j[at + v.sj], bk, bk_above);
        const double r = op_fv2::residual_from(v.f[at], 0.0, u, v.scale, sum);
        largest = larger(largest, magnitude_bits(r));
        below = u;
        u = above;
        bk = bk_above;
    }
    return largest;
}

static __global__ void __launch_bounds__(COLUMNS_I *COLUMNS_J)
    residual_columns_kernel(struct view v, int n0, int n1, int n2, unsigned long long *norm)
{
    const int i = blockIdx.x * COLUMNS_I + threadIdx.x, j = blockIdx.y * COLUMNS_J + threadIdx.y;
    const int first = blockIdx.z * COLUMN_CELLS;
    unsigned long long largest = 0;
    if (i < n0 && j < n1)
        largest = column_norm(v, i + j * v.sj + first * v.sk, min(COLUMN_CELLS, n2 - first));
    largest = warp_max(largest);
    if (threadIdx.x == 0)
        atomicMax(norm, largest);
}

static int covers(const struct pass *pass, const struct device_limits *)
{
    const struct operator_choice *choice = &pass->level->stencil->choice;
    const bool fits = pass->start == START_KEEP && pass->nsweeps == 0 &&
                      pass->finish == FINISH_NORM && choice->order == 2 && choice->variable &&
                      !choice->helmholtz;
    return fits ? pass_length(pass) : 0;
}

static void run(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct work w = cuda_open_work(pass, q);
        const int *n = w.c.n;
        const dim3 grid(cuda_divided(n[0], COLUMNS_I), cuda_divided(n[1], COLUMNS_J),
                        cuda_divided(n[2], COLUMN_CELLS));
        cuda_fill_walls(w, pass->first_sweep);
        residual_columns_kernel<<<grid, dim3(COLUMNS_I, COLUMNS_J), 0, cuda_stream()>>>(
            w.v, n[0], n[1], n[2], cuda_norm_word());
        CUDA_LAUNCHED();
    }
    cuda_fetch_norm(pass->norm);
}

extern const struct kernel kernel_fv2_residual_columns = {
    .name = "fv2/residual-columns",
    .summary = "the residual's norm, one thread per column of 16 cells; order 2",
    .covers = covers,
    .run = run,
    .bytes = pass_bytes_one_by_one,
};
