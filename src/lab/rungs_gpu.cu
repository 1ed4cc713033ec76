/* SPDX-License-Identifier: BSD-3-Clause */
/* The rungs on a GPU. All do the same: a cell of the colour gets its update, any other its old
 * value, from one buffer to the other; ghosts behind walls have been stored before. What changes
 * from rung to rung is where the neighbours come from. */
#include "cuda/pass.cuh"
#include "cuda/core/operators.cuh"
#include "lab/gpu.h"

enum { TILE_I = 32, TILE_J = 8, MIN_PLANES = 4, WANTED_BLOCKS = 1056 };

/* One half-sweep on the level's only box. Pointers are at cell (0,0,0). */
struct gpu_half_sweep {
    struct view v;
    double *out;
    int n0, n1, n2;
    int colour; /* cells with (i + j + k + colour) even are updated */
    double weight;
    int planes; /* of a block, where blocks sweep through planes */
};

static __device__ bool is_updated(const gpu_half_sweep &s, int i, int j, int k)
{
    return ((i + j + k + s.colour) & 1) == 0;
}

static __device__ double updated(const gpu_half_sweep &s, long at, double u, double sum)
{
    const double r = residual_value(rhs_poisson(s.v.f[at], 0.0, u), s.v.scale, sum);
    return update_weighted(u, s.v.dinv[at], r, s.weight);
}

/* --- 1 and 2: one thread per cell ------------------------------------------------------------- */

/* The sum S of the operator, neighbours from memory. */
template <int ORDER>
static __device__ double gathered_sum(const struct view &v, long at)
{
    const double *u = v.u + at, *bi = v.beta_i + at, *bj = v.beta_j + at, *bk = v.beta_k + at;
    return ORDER == 2 ? fv2_gather(u, v.sj, v.sk, bi, bj, bk, v.sj, v.sk)
                      : fv4_gather(u, v.sj, v.sk, bi, bj, bk, v.sj, v.sk);
}

template <int ORDER>
static __global__ void __launch_bounds__(256) cell_kernel(const gpu_half_sweep s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
              k = blockIdx.z;
    if (i >= s.n0 || j >= s.n1)
        return;
    const long at = i + j * s.v.sj + k * s.v.sk;
    const double u = s.v.u[at];
    s.out[at] = is_updated(s, i, j, k) ? updated(s, at, u, gathered_sum<ORDER>(s.v, at)) : u;
}

/* --- 3: one thread per column ----------------------------------------------------------------- */

/* Order 2 keeps the three values of u in its column, and β of the face above, in registers. */
static __device__ double column_sum_fv2(const struct view &v, long at, double km, double u,
                                        double kp, double bk0, double bk1)
{
    return fv2_sum(u, v.u[at - 1], v.u[at + 1], v.u[at - v.sj], v.u[at + v.sj], km, kp,
                   v.beta_i[at], v.beta_i[at + 1], v.beta_j[at], v.beta_j[at + v.sj], bk0, bk1);
}

static __global__ void __launch_bounds__(TILE_I *TILE_J) column_kernel_fv2(const gpu_half_sweep s)
{
    const int i = blockIdx.x * TILE_I + threadIdx.x, j = blockIdx.y * TILE_J + threadIdx.y;
    const int first = blockIdx.z * s.planes, last = min(first + s.planes, s.n2);
    if (i >= s.n0 || j >= s.n1)
        return;
    const long sk = s.v.sk;
    long at = i + j * s.v.sj + first * sk;
    double below = s.v.u[at - sk], u = s.v.u[at], bk = s.v.beta_k[at];
    for (int k = first; k < last; k++, at += sk) {
        const double above = s.v.u[at + sk], bk_above = s.v.beta_k[at + sk];
        double value = u;
        if (is_updated(s, i, j, k))
            value = updated(s, at, u, column_sum_fv2(s.v, at, below, u, above, bk, bk_above));
        s.out[at] = value;
        below = u;
        u = above;
        bk = bk_above;
    }
}

/* The flux through the face between a cell and the next in the column. */
static __device__ double face_above_fv4(const struct view &v, long at)
{
    return fv4_face(v.u + at, v.sk, 1, v.sj, v.beta_k + at + v.sk, 1, v.sj);
}

/* Order 4 keeps the flux through the face above, which negated is the next cell's from below: the
 * same bits (operators/fv4.h). */
static __global__ void __launch_bounds__(TILE_I *TILE_J) column_kernel_fv4(const gpu_half_sweep s)
{
    const int i = blockIdx.x * TILE_I + threadIdx.x, j = blockIdx.y * TILE_J + threadIdx.y;
    const int first = blockIdx.z * s.planes, last = min(first + s.planes, s.n2);
    if (i >= s.n0 || j >= s.n1)
        return;
    const struct view &v = s.v;
    const long sj = v.sj, sk = v.sk;
    long at = i + j * sj + first * sk;
    double below = -face_above_fv4(v, at - sk);
    for (int k = first; k < last; k++, at += sk) {
        const double above = face_above_fv4(v, at), *u = v.u + at;
        double value = u[0];
        if (is_updated(s, i, j, k)) {
            const double *bi = v.beta_i + at, *bj = v.beta_j + at;
            const double sum =
                fv4_sum(fv4_face(u, -1, sj, sk, bi, sj, sk), fv4_face(u, 1, sj, sk, bi + 1, sj, sk),
                        fv4_face(u, -sj, 1, sk, bj, 1, sk), fv4_face(u, sj, 1, sk, bj + sj, 1, sk),
                        below, above);
            value = updated(s, at, value, sum);
        }
        s.out[at] = value;
        below = -above;
    }
}

/* --- 4: one thread per column, planes of u in shared memory ----------------------------------- */

/* The last 2·RADIUS + 1 planes of the tile with its halo, used in turn. */
template <int RADIUS>
struct ring_of_planes {
    enum { PLANES = 2 * RADIUS + 1, ROWS = TILE_J + 2 * RADIUS, COLUMNS = TILE_I + 2 * RADIUS };
    double u[PLANES][ROWS][COLUMNS];
};

/* The slot in a ring of `planes` that is `by` after `slot`, |by| < planes. */
static __device__ int ring(int slot, int by, int planes)
{
    const int next = slot + by;
    return next < 0 ? next + planes : next >= planes ? next - planes : next;
}

/* All threads load plane k of the tile into a slot of the ring, rows of the tile by rows of
 * threads. Memory ends with the ghosts that the operator reads. */
template <int RADIUS>
static __device__ void load_plane(ring_of_planes<RADIUS> &t, int slot, const gpu_half_sweep &s,
                                  int k)
{
    typedef ring_of_planes<RADIUS> shape;
    const int i0 = blockIdx.x * TILE_I - RADIUS, j0 = blockIdx.y * TILE_J - RADIUS;
    double(*plane)[shape::COLUMNS] = t.u[slot];
    for (int row = threadIdx.y; row < shape::ROWS; row += TILE_J)
        for (int column = threadIdx.x; column < shape::COLUMNS; column += TILE_I)
            if (i0 + column < s.n0 + RADIUS && j0 + row < s.n1 + RADIUS)
                plane[row][column] = s.v.u[i0 + column + (j0 + row) * s.v.sj + k * s.v.sk];
}

/* u at an offset from a thread's cell in the plane of that slot. */
template <int RADIUS>
struct ring_neighbours {
    const ring_of_planes<RADIUS> &t;
    int slot;
    __device__ double operator()(int di, int dj, int dk) const
    {
        typedef ring_of_planes<RADIUS> shape;
        return t
            .u[ring(slot, dk, shape::PLANES)][threadIdx.y + RADIUS + dj][threadIdx.x + RADIUS + di];
    }
};

/* Flux through the face at `side` (−1, 1) in direction D; the tangential directions in the order of
 * fv4_gather. b points at the face's β, (bs,bt) are its tangential strides. */
template <int D>
static __device__ double shared_face(const ring_neighbours<2> &u, int side, const double *b,
                                     long bs, long bt)
{
    const auto at = [&](int across, int s, int t) {
        return D == 0 ? u(across, s, t) : D == 1 ? u(s, across, t) : u(s, t, across);
    };
    return fv4_flux(b[0], at(2 * side, 0, 0), at(side, 0, 0), at(0, 0, 0), at(-side, 0, 0),
                    b[bs] - b[-bs], at(side, 1, 0) - at(side, -1, 0), at(0, 1, 0) - at(0, -1, 0),
                    b[bt] - b[-bt], at(side, 0, 1) - at(side, 0, -1), at(0, 0, 1) - at(0, 0, -1));
}

static __device__ double shared_sum(const ring_neighbours<1> &u, const struct view &v, long at)
{
    return fv2_sum(u(0, 0, 0), u(-1, 0, 0), u(1, 0, 0), u(0, -1, 0), u(0, 1, 0), u(0, 0, -1),
                   u(0, 0, 1), v.beta_i[at], v.beta_i[at + 1], v.beta_j[at], v.beta_j[at + v.sj],
                   v.beta_k[at], v.beta_k[at + v.sk]);
}

static __device__ double shared_sum(const ring_neighbours<2> &u, const struct view &v, long at)
{
    const double *bi = v.beta_i + at, *bj = v.beta_j + at, *bk = v.beta_k + at;
    const long sj = v.sj, sk = v.sk;
    return fv4_sum(shared_face<0>(u, -1, bi, sj, sk), shared_face<0>(u, 1, bi + 1, sj, sk),
                   shared_face<1>(u, -1, bj, 1, sk), shared_face<1>(u, 1, bj + sj, 1, sk),
                   shared_face<2>(u, -1, bk, 1, sj), shared_face<2>(u, 1, bk + sk, 1, sj));
}

template <int RADIUS>
static __global__ void __launch_bounds__(TILE_I *TILE_J, 3) shared_kernel(const gpu_half_sweep s)
{
    __shared__ ring_of_planes<RADIUS> t;
    const int i = blockIdx.x * TILE_I + threadIdx.x, j = blockIdx.y * TILE_J + threadIdx.y;
    const int first = blockIdx.z * s.planes, last = min(first + s.planes, s.n2);
    const bool inside = i < s.n0 && j < s.n1;
    enum { PLANES = ring_of_planes<RADIUS>::PLANES };
    int slot = 0; /* of plane k */
    for (int dk = -RADIUS; dk < RADIUS; dk++)
        load_plane(t, ring(slot, dk, PLANES), s, first + dk);
    for (int k = first; k < last; k++) {
        load_plane(t, ring(slot, RADIUS, PLANES), s, k + RADIUS);
        __syncthreads();
        const long at = i + j * s.v.sj + k * s.v.sk;
        const ring_neighbours<RADIUS> u = {t, slot};
        if (inside)
            s.out[at] = is_updated(s, i, j, k) ? updated(s, at, u(0, 0, 0), shared_sum(u, s.v, at))
                                               : u(0, 0, 0);
        __syncthreads(); /* before the oldest plane's slot is loaded anew */
        slot = ring(slot, 1, PLANES);
    }
}

/* --- launches --------------------------------------------------------------------------------- */

static gpu_half_sweep half_sweep_of(const struct level *l, int half)
{
    const struct cells c = cells_of(&l->patches[0]);
    const long o = c.offset;
    const struct relaxation r = stencil_relaxation(l->stencil, half);
    gpu_half_sweep s = {};
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
    s.n0 = c.n[0];
    s.n1 = c.n[1];
    s.n2 = c.n[2];
    s.colour = r.colour;
    s.weight = r.weight;
    return s;
}

template <class LAUNCH>
static void both_halves(struct level *l, LAUNCH launch)
{
    for (int half = 0; half < 2; half++) {
        cuda_walls_fill(l, l->fields[rung_source(half)], l->stencil->wall_rule, l->stencil->radius);
        launch(half_sweep_of(l, half));
        CUDA_LAUNCHED();
    }
}

static void run_cells(struct level *l, dim3 block)
{
    const bool fv2 = l->stencil->choice.order == 2;
    both_halves(l, [=](gpu_half_sweep s) {
        const dim3 grid((s.n0 + block.x - 1) / block.x, (s.n1 + block.y - 1) / block.y, s.n2);
        if (fv2)
            cell_kernel<2><<<grid, block, 0, cuda_stream()>>>(s);
        else
            cell_kernel<4><<<grid, block, 0, cuda_stream()>>>(s);
    });
}

static void run_naive(struct level *l)
{
    run_cells(l, dim3(256));
}

static void run_tiles(struct level *l)
{
    run_cells(l, dim3(TILE_I, TILE_J));
}

/* Blocks of a tile and so many planes that every multiprocessor has blocks. */
template <class KERNEL>
static void run_columns(struct level *l, KERNEL fv2, KERNEL fv4)
{
    const KERNEL kernel = l->stencil->choice.order == 2 ? fv2 : fv4;
    both_halves(l, [=](gpu_half_sweep s) {
        const int tiles_i = (s.n0 + TILE_I - 1) / TILE_I, tiles_j = (s.n1 + TILE_J - 1) / TILE_J;
        const int planes = (int)((long)s.n2 * tiles_i * tiles_j / WANTED_BLOCKS);
        s.planes = planes < MIN_PLANES ? MIN_PLANES : planes;
        const dim3 grid(tiles_i, tiles_j, (s.n2 + s.planes - 1) / s.planes);
        kernel<<<grid, dim3(TILE_I, TILE_J), 0, cuda_stream()>>>(s);
    });
}

static void run_registers(struct level *l)
{
    run_columns(l, column_kernel_fv2, column_kernel_fv4);
}

static void run_shared(struct level *l)
{
    run_columns(l, shared_kernel<1>, shared_kernel<2>);
}

const struct rung gpu_rungs[] = {
    {"naive", "one thread per cell, blocks of 256 in a row", run_naive},
    {"tiles", "one thread per cell, blocks of 32 x 8", run_tiles},
    {"registers", "one thread per column, which keeps what it has read in registers",
     run_registers},
    {"shared", "one thread per column, planes of u in shared memory", run_shared},
    {"default", "the pass that hpgmg-gpu runs", rung_default},
    {NULL, NULL, NULL},
};
