/* Black cells of the two layers next to walls, which see ghosts that follow from red cells further
 * in, a thread a pair of cells in i of which one is black. */
#include "cuda/pair_fv4.cuh"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include <cuda_pipeline.h>

enum { LAYERS = RIM_LAYERS, BOTH = 2 * LAYERS };

/* Which of the two cells at `pair` is black. */
static __device__ void choose_black(const struct pair_fv4 &w, int pair[3])
{
    pair[0] += (pair[0] + pair[1] + pair[2] + w.colour + 1) & 1;
}

/* What is around a black cell at p: its own colour from `in`, but for ghosts, which are in `out` as
 * the red cells are. Both point at the cell, with such steps from cell to cell. */
static __device__ __forceinline__ struct fv4_cells gather_cells(const double *in, const double *out,
                                                                const long step[3], const int p[3],
                                                                const int n[3])
{
    bool near[3][2], far[3][2];
    for (int d = 0; d < 3; d++) {
        near[d][0] = p[d] >= 1;
        near[d][1] = p[d] < n[d] - 1;
        far[d][0] = p[d] >= 2;
        far[d][1] = p[d] < n[d] - 2;
    }
    const auto own = [&](bool inside, long offset) { return (inside ? in : out)[offset]; };
    struct fv4_cells x;
    x.here = in[0];
    for (int side = 0; side < 2; side++) {
        const int away = side ? 1 : -1;
        x.near_i[side] = out[away * step[0]];
        x.near_j[side] = out[away * step[1]];
        x.near_k[side] = out[away * step[2]];
        x.far_i[side] = own(far[0][side], 2 * away * step[0]);
        x.far_j[side] = own(far[1][side], 2 * away * step[1]);
        x.far_k[side] = own(far[2][side], 2 * away * step[2]);
        for (int other = 0; other < 2; other++) {
            const int beyond = other ? 1 : -1;
            x.ij[2 * other + side] =
                own(near[0][side] && near[1][other], away * step[0] + beyond * step[1]);
            x.ik[2 * other + side] =
                own(near[0][side] && near[2][other], away * step[0] + beyond * step[2]);
            x.jk[2 * other + side] =
                own(near[1][side] && near[2][other], away * step[1] + beyond * step[2]);
        }
    }
    return x;
}

/* Around the cell, with its β. */
struct sight {
    const double *in, *out, *beta_i, *beta_j, *beta_k;
    long step[3];
};

static __device__ __forceinline__ void relax_black(const struct pair_fv4 &w, const struct sight &s,
                                                   const int p[3])
{
    const long at = p[0] + p[1] * w.c.sj + p[2] * w.c.sk, *step = s.step;
    const struct fv4_cells cells = gather_cells(s.in, s.out, step, p, w.c.n);
    const struct fv4_faces i = fv4_faces_at(s.beta_i, step[0], step[1], step[2]),
                           j = fv4_faces_at(s.beta_j, step[1], step[0], step[2]),
                           k = fv4_faces_at(s.beta_k, step[2], step[0], step[1]);
    const double f = w.f[at], rhs = w.alpha ? rhs_helmholtz(f, w.alpha[at], cells.here)
                                            : rhs_poisson(f, 0.0, cells.here);
    w.out[at] = update_gauss_seidel(cells.here, w.dinv[at],
                                    residual_value(rhs, w.scale, fv4_sum_of(&cells, &i, &j, &k)));
}

/* Next to walls in k, and in j but for those. */
static __device__ void find_pair(const struct cells &c, int x, int p[3])
{
    const int pairs = c.n[0] / 2, planes = BOTH * c.n[1] * pairs;
    const auto rim = [](int number, int n) { return number < LAYERS ? number : n - BOTH + number; };
    const bool in_k = x < planes;
    x -= in_k ? 0 : planes;
    p[0] = x % pairs * 2;
    p[1] = in_k ? x / pairs % c.n[1] : rim(x / pairs % BOTH, c.n[1]);
    p[2] = in_k ? rim(x / pairs / c.n[1], c.n[2]) : LAYERS + x / pairs / BOTH;
}

static void relax_planes_and_rows(const struct pair_fv4 &pair)
{
    const struct pair_fv4 w = pair;
    const int pairs = w.c.n[0] / 2 * BOTH * (w.c.n[1] + w.c.n[2] - BOTH);
    for_range(pairs, [=] __device__(long number) {
        int p[3];
        find_pair(w.c, (int)number, p);
        choose_black(w, p);
        const long at = p[0] + p[1] * w.c.sj + p[2] * w.c.sk;
        const struct sight s = {w.in + at,     w.out + at,    w.beta_i + at,
                                w.beta_j + at, w.beta_k + at, {1, w.c.sj, w.c.sk}};
        relax_black(w, s, p);
    });
}

/* Next to walls in i but for those. Threads read from rows of their own there, and only a few cells
 * of each, so a block copies its tiles to shared memory first, row by row. */
enum { TILE_J = 16, TILE_K = 8, THREADS = TILE_J * TILE_K, REACH = 2, WIDTH = LAYERS + 2 * REACH };
struct end_tile {
    double2 pairs[TILE_K + 2 * REACH][TILE_J + 2 * REACH][WIDTH / 2];
};
struct end_tiles {
    struct end_tile in, out, beta_i, beta_j, beta_k;
};

/* Of the cells from (i,j,k) on, i even, as far as the field has them; PAIRS pairs of each row, from
 * the given one on. */
template <int PAIRS>
static __device__ void copy_tile(struct end_tile &t, const double *field, const struct cells &c,
                                 int i, int j, int k, int first)
{
    enum { ROWS = TILE_J + 2 * REACH, PLANES = TILE_K + 2 * REACH };
    for (int x = threadIdx.x; x < PAIRS * ROWS * PLANES; x += THREADS) {
        const int pair = first + x % PAIRS, row = x / PAIRS % ROWS, plane = x / PAIRS / ROWS;
        if (j + row < c.n[1] + REACH && k + plane < c.n[2] + REACH)
            __pipeline_memcpy_async(&t.pairs[plane][row][pair],
                                    field + i + 2 * pair + (j + row) * c.sj + (k + plane) * c.sk,
                                    sizeof(double2));
    }
}

static __global__ void __launch_bounds__(THREADS)
    relax_ends_kernel(const __grid_constant__ struct pair_fv4 w)
{
    extern __shared__ __align__(16) unsigned char shared_memory[];
    struct end_tiles &t = *reinterpret_cast<struct end_tiles *>(shared_memory);
    const int *n = w.c.n;
    const int i = (blockIdx.x ? n[0] - LAYERS : 0) - REACH, j = (int)blockIdx.y * TILE_J,
              k = (int)blockIdx.z * TILE_K;
    copy_tile<2>(t.in, w.in, w.c, i, j, k, blockIdx.x ? 0 : 1); /* ghosts are in out */
    copy_tile<3>(t.out, w.out, w.c, i, j, k, 0);
    copy_tile<2>(t.beta_i, w.beta_i, w.c, i, j, k, 1);
    copy_tile<3>(t.beta_j, w.beta_j, w.c, i, j, k, 0);
    copy_tile<3>(t.beta_k, w.beta_k, w.c, i, j, k, 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const int y = (int)threadIdx.x % TILE_J + REACH, z = (int)threadIdx.x / TILE_J + REACH;
    int p[3] = {i + REACH, j + y, k + z};
    if (p[1] >= n[1] - LAYERS || p[2] >= n[2] - LAYERS)
        return;
    choose_black(w, p);
    const auto cell = [&](const struct end_tile &tile) {
        return (const double *)&tile.pairs[z][y][0] + p[0] - i;
    };
    const struct sight s = {cell(t.in),     cell(t.out),
                            cell(t.beta_i), cell(t.beta_j),
                            cell(t.beta_k), {1, WIDTH, WIDTH * (TILE_J + 2 * REACH)}};
    relax_black(w, s, p);
}

static void relax_ends(const struct pair_fv4 &w)
{
    constexpr int BYTES = sizeof(struct end_tiles);
    static const cudaError_t prepared =
        cudaFuncSetAttribute(relax_ends_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    CUDA_CALL(prepared);
    const dim3 grid(2, cuda_divided(w.c.n[1] - BOTH, TILE_J),
                    cuda_divided(w.c.n[2] - BOTH, TILE_K));
    relax_ends_kernel<<<grid, THREADS, BYTES, cuda_stream()>>>(w);
    CUDA_LAUNCHED();
}

void cuda_rim_fv4(const struct pair_fv4 &pair)
{
    relax_planes_and_rows(pair);
    relax_ends(pair);
}
