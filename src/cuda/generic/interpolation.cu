/* SPDX-License-Identifier: BSD-3-Clause */
/* Prolongation as an operation of its own. */
#include "cuda/pass.cuh"
#include "operators/transfers.h"
#include "operators/halo.h"
#include "operators/vectors.h"

/* Coarse cells to prolong, and their children; pointers are at the first coarse cell and its first
 * child. */
struct prolongation {
    int n[3];
    const real *coarse;
    long coarse_sj, coarse_sk;
    real *u;
    long sj, sk;
    bool add;
};

/* A row of the children of coarse cell (i,j,k). */
static __device__ real2 *child_row(const struct prolongation &p, int i, int j, int k, int row)
{
    return (real2 *)(p.u + 2 * i + (2 * j + row % 2) * p.sj + (2 * k + row / 2) * p.sk);
}

/* What the children are added to, loaded early. */
struct children {
    real2 row[4];
};

static __device__ struct children load_children(const struct prolongation &p, int i, int j, int k)
{
    struct children old = {};
    for (int row = 0; row < 4 && p.add; row++)
        old.row[row] = *child_row(p, i, j, k, row);
    return old;
}

/* Stores the children of coarse cell (i,j,k), or adds them to the loaded values. */
static __device__ void store_children(const struct prolongation &p, int i, int j, int k,
                                      const real child[8], const struct children &old)
{
    for (int row = 0; row < 4; row++) {
        real2 value = make_real2(child[2 * row], child[2 * row + 1]);
        if (p.add)
            value = make_real2(old.row[row].x + value.x, old.row[row].y + value.y);
        *child_row(p, i, j, k, row) = value;
    }
}

static void prolong_quadratic(const struct prolongation &p)
{
    for_cells(p.n[0], p.n[1], p.n[2], [=] __device__(int i, int j, int k) {
        const struct children old = load_children(p, i, j, k);
        const long stride[3] = {1, p.coarse_sj, p.coarse_sk};
        real child[8];
        for (int row = 0; row < 4; row++)
            prolong_pair(1, p.coarse + i + j * p.coarse_sj + k * p.coarse_sk, stride, row % 2,
                         row / 2, child + 2 * row);
        store_children(p, i, j, k, child, old);
    });
}

/* Eight children need 125 coarse cells by the quartic formula, so lanes share partial results. A
 * lane has the cells of one i and streams in j. It interpolates in k and j, and shuffles the
 * results to its neighbours, which interpolate in i. Two lanes at either end only serve their
 * neighbours. */
enum { LANES = 32, SIDE_LANES = 2, OWN_LANES = LANES - 2 * SIDE_LANES, PLANES = 8 };
/* Coarse rows per warp, which loads four more to begin: many, or on small levels so few that all
 * multiprocessors have blocks. */
enum { MAX_ROWS = 16, MIN_ROWS = 4, ENOUGH_BLOCKS = 8 };

static __global__ void __launch_bounds__(LANES *PLANES)
    prolong_quartic_kernel(const __grid_constant__ struct prolongation p, int rows)
{
    const int i = (int)blockIdx.x * OWN_LANES + (int)threadIdx.x - SIDE_LANES,
              k = (int)blockIdx.z * PLANES + (int)threadIdx.y, first = (int)blockIdx.y * rows,
              last = min(first + rows, p.n[1]);
    if (k >= p.n[2])
        return;
    const bool own =
        (int)threadIdx.x >= SIDE_LANES && (int)threadIdx.x < LANES - SIDE_LANES && i < p.n[0];
    const real *c = p.coarse + min(i, p.n[0] + SIDE_LANES - 1) + k * p.coarse_sk;
    real columns[2][5]; /* at both children in k, of rows j − 2 … j + 2 */
    const auto interpolate_in_k = [&](int b, int j) {
        for (int high = 0; high < 2; high++)
            columns[high][b] = prolong_line(2, c + j * p.coarse_sj, p.coarse_sk, high);
    };
    for (int b = 1; b < 5; b++)
        interpolate_in_k(b, first + b - 3);
    for (int j = first; j < last; j++) {
        for (int b = 0; b < 4; b++) {
            columns[0][b] = columns[0][b + 1];
            columns[1][b] = columns[1][b + 1];
        }
        interpolate_in_k(4, j + 2);
        real child[8];
        for (int row = 0; row < 4; row++) {
            const real here = prolong_line(2, columns[row / 2] + 2, 1, row % 2);
            const real line[5] = {__shfl_up_sync(~0u, here, 2), __shfl_up_sync(~0u, here, 1), here,
                                  __shfl_down_sync(~0u, here, 1), __shfl_down_sync(~0u, here, 2)};
            child[2 * row] = prolong_line(2, line + 2, 1, false);
            child[2 * row + 1] = prolong_line(2, line + 2, 1, true);
        }
        if (own)
            store_children(p, i, j, k, child, load_children(p, i, j, k));
    }
}

static void prolong_quartic(const struct prolongation &p)
{
    const int tiles_i = cuda_divided(p.n[0], OWN_LANES), tiles_k = cuda_divided(p.n[2], PLANES);
    int rows = MAX_ROWS;
    while (rows > MIN_ROWS &&
           tiles_i * tiles_k * cuda_divided(p.n[1], rows) < ENOUGH_BLOCKS * cuda_multiprocessors())
        rows /= 2;
    const dim3 block(LANES, PLANES), grid(tiles_i, cuda_divided(p.n[1], rows), tiles_k);
    prolong_quartic_kernel<<<grid, block, 0, cuda_stream()>>>(p, rows);
    CUDA_LAUNCHED();
}

/* The patch's coarse cells, and `layers` of them beyond open sides. */
static struct prolongation open_prolongation(const struct cells &fine, const struct cells &c,
                                             const real *coarse, real *u, bool add, int layers)
{
    struct prolongation p = {{}, coarse, c.sj, c.sk, u, fine.sj, fine.sk, add};
    for (int d = 0; d < 3; d++) {
        const int low = is_open(c, d, 0) ? layers : 0, high = is_open(c, d, 1) ? layers : 0;
        p.n[d] = low + c.n[d] + high;
        p.coarse -= low * (d == 0 ? 1 : d == 1 ? c.sj : c.sk);
        p.u -= 2 * low * (d == 0 ? 1 : d == 1 ? fine.sj : fine.sk);
    }
    return p;
}

void cuda_prolong(const struct pass *pass, int q, real *u, int layers)
{
    if (!pass_halves(pass)) {
        vector_prolong(pass, q);
        return;
    }
    const struct cells fine = cells_of(&pass->level->patches[q]),
                       c = cells_of(&pass->coarse->patches[q]);
    const real *coarse = pass->coarse->fields[pass->coarse_u] + c.offset;
    const bool add = pass->start == START_PROLONG_ADD;
    const struct prolongation p =
        open_prolongation(fine, c, coarse, u, add, even_layers(layers) / 2);
    if (pass->prolongation == 4)
        prolong_quartic(p);
    else
        prolong_quadratic(p);
}
