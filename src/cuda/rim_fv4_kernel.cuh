#ifndef CUDA_RIM_FV4_KERNEL_CUH
#define CUDA_RIM_FV4_KERNEL_CUH
/* What is left near walls of a pass of order 4: black cells of the two layers next to walls in j
 * and k, which see ghosts that follow from red cells further in; and then all ghosts that the next
 * operation reads.
 *
 * A block has a brick at a wall in j or k: lines of cells inward from it, a thread each. It copies
 * them to shared memory, red cells as they have become and black ones as they were, with cells
 * around them; finds the ghosts there, in i, then in j, then in k; updates black cells; and finds
 * the ghosts again. Of the first four cells of a line two are black, and one of these is next to
 * the wall; the other one may be next to a second wall, and is then updated here too, though stored
 * by another block, since a ghost follows from all four. */
#include "cuda/gather_fv4.cuh"
#include "cuda/ghosts.cuh"
#include "cuda/pair_fv4.cuh"
#include "cuda/shared.cuh"
#include "operators/smoothers.h"

/* Places in a brick count in i, along the wall and inward from it: x, y and z. They are in bytes in
 * shared memory. */
enum { RIM_X = 32, RIM_Y = 8, RIM_DEPTH = 6, RIM_HALO = 2, RIM_THREADS = RIM_X * RIM_Y };
enum { RIM_WIDTH = RIM_X + 2 * RIM_HALO, RIM_HEIGHT = RIM_Y + 2 * RIM_HALO };
enum {
    RIM_STEP_X = (int)sizeof(double),
    RIM_STEP_Y = RIM_WIDTH * RIM_STEP_X,
    RIM_STEP_Z = RIM_HEIGHT * RIM_STEP_Y,
    RIM_BYTES = (RIM_DEPTH + RIM_HALO) * RIM_STEP_Z
};

struct brick {
    int across, along;   /* directions inward from the wall, and along it and not i */
    bool high;           /* the wall is on the high side */
    int i, first;        /* the brick's first cell in i and along the wall */
    int nx, ny;          /* cells that the patch has from there on */
    long step_y, step_z; /* in the patch */
    long cell;           /* the one at (0,0,0), from the patch's first one */
    bool odd;            /* that one is black */
    int begin;           /* place in shared memory of that one */
};

static __device__ __forceinline__ struct brick find_brick(const struct pair_fv4 &w)
{
    const struct cells &c = w.c;
    const int wall = blockIdx.z;
    struct brick b = {};
    b.across = wall < 2 ? 1 : 2;
    b.along = wall < 2 ? 2 : 1;
    b.high = wall % 2;
    const int last = b.high ? c.n[b.across] - 1 : 0;
    const long inward = b.across == 1 ? c.sj : c.sk;
    b.i = blockIdx.x * RIM_X;
    b.first = blockIdx.y * RIM_Y;
    b.nx = c.n[0] - b.i;
    b.ny = c.n[b.along] - b.first;
    b.step_y = b.along == 1 ? c.sj : c.sk;
    b.step_z = b.high ? -inward : inward;
    b.cell = b.i + b.first * b.step_y + last * inward;
    b.odd = (b.i + b.first + last + w.colour) & 1;
    b.begin = shared_begin() + RIM_HALO * (RIM_STEP_X + RIM_STEP_Y + RIM_STEP_Z);
    return b;
}

static __device__ __forceinline__ int brick_place(const struct brick &b, int x, int y, int z)
{
    return b.begin + x * RIM_STEP_X + y * RIM_STEP_Y + z * RIM_STEP_Z;
}

static __device__ __forceinline__ long patch_place(const struct brick &b, int x, int y, int z)
{
    return b.cell + x + y * b.step_y + z * b.step_z;
}

static __device__ __forceinline__ bool is_black(const struct brick &b, int x, int y, int z)
{
    return (x + y + z + b.odd) & 1;
}

/* Whether a wall along the brick's own is so near that cells at y are next to it. */
static __device__ __forceinline__ bool near_second(const struct brick &b, int y)
{
    return !is_within(b.first + y, b.first + b.ny, RIM_LAYERS);
}

/* Place number q of the brick's cells and those around them, if the patch has it and it is wanted:
 * cells next to a second wall have neighbours further in. */
static __device__ __forceinline__ bool find_loaded(const struct brick &b, int q, int *x, int *y,
                                                   int *z)
{
    const bool second = near_second(b, 0) || near_second(b, min(b.ny, (int)RIM_Y) - 1);
    *x = q % RIM_WIDTH - RIM_HALO;
    *y = q / RIM_WIDTH % RIM_HEIGHT - RIM_HALO;
    *z = q / RIM_WIDTH / RIM_HEIGHT;
    return *z < (second ? RIM_DEPTH : RIM_DEPTH - 2) && *x < b.nx && *y < b.ny && b.i + *x >= 0 &&
           b.first + *y >= 0;
}

/* A thread's part of them, all asked for before the first is put where it belongs. */
struct loaded {
    enum { CELLS = (RIM_WIDTH * RIM_HEIGHT * RIM_DEPTH + RIM_THREADS - 1) / RIM_THREADS };
    double cell[CELLS];
};

static __device__ __forceinline__ struct loaded load_brick(const struct pair_fv4 &w,
                                                           const struct brick &b)
{
    struct loaded l = {};
    int x, y, z;
#pragma unroll
    for (int m = 0; m < loaded::CELLS; m++)
        if (find_loaded(b, threadIdx.x + m * RIM_THREADS, &x, &y, &z))
            l.cell[m] = (is_black(b, x, y, z) ? w.in : w.out)[patch_place(b, x, y, z)];
    return l;
}

static __device__ __forceinline__ void put_brick(const struct brick &b, const struct loaded &l)
{
    int x, y, z;
#pragma unroll
    for (int m = 0; m < loaded::CELLS; m++)
        if (find_loaded(b, threadIdx.x + m * RIM_THREADS, &x, &y, &z))
            put(brick_place(b, x, y, z), l.cell[m]);
}

/* Behind a wall, from the cells in shared memory: that at `place` and those further in. */
struct ghosts {
    double first, second;
};

static __device__ __forceinline__ struct ghosts find_ghosts(int place, int inward)
{
    const double v[4] = {at(place), at(place + inward), at(place + 2 * inward),
                         at(place + 3 * inward)};
    return {extrapolate(v, 4, 0), extrapolate(v, 4, 1)};
}

static __device__ __forceinline__ void put_ghosts(int place, int inward)
{
    const struct ghosts x = find_ghosts(place, inward);
    put(place - inward, x.first);
    put(place - 2 * inward, x.second);
}

/* The ghosts of all rows that are loaded, behind walls in i. */
static __device__ __forceinline__ void put_ghosts_x(const struct brick &b)
{
    for (int q = threadIdx.x; q < RIM_HEIGHT * RIM_DEPTH; q += RIM_THREADS) {
        const int y = q % RIM_HEIGHT - RIM_HALO, z = q / RIM_HEIGHT;
        if (b.i == 0)
            put_ghosts(brick_place(b, 0, y, z), RIM_STEP_X);
        if (b.nx <= RIM_X)
            put_ghosts(brick_place(b, b.nx - 1, y, z), -RIM_STEP_X);
    }
}

/* Those behind walls that the brick is next to along its own. */
static __device__ __forceinline__ void put_ghosts_y(const struct brick &b, int least)
{
    for (int q = threadIdx.x; q < RIM_WIDTH * (RIM_DEPTH - least); q += RIM_THREADS) {
        const int x = q % RIM_WIDTH - RIM_HALO, z = q / RIM_WIDTH + least;
        if (b.first == 0)
            put_ghosts(brick_place(b, x, 0, z), RIM_STEP_Y);
        if (b.ny <= RIM_Y)
            put_ghosts(brick_place(b, x, b.ny - 1, z), -RIM_STEP_Y);
    }
}

/* Those behind its own wall. */
static __device__ __forceinline__ void put_ghosts_z(const struct brick &b)
{
    for (int q = threadIdx.x; q < RIM_WIDTH * RIM_HEIGHT; q += RIM_THREADS)
        put_ghosts(brick_place(b, q % RIM_WIDTH - RIM_HALO, q / RIM_WIDTH - RIM_HALO, 0),
                   RIM_STEP_Z);
}

/* All of them, in i, then in j, then in k. */
static __device__ __forceinline__ void put_all_ghosts(const struct brick &b)
{
    put_ghosts_x(b);
    __syncthreads();
    if (b.across == 1)
        put_ghosts_z(b);
    else
        put_ghosts_y(b, 0);
    __syncthreads();
    if (b.across == 1)
        put_ghosts_y(b, -1);
    else
        put_ghosts_z(b);
    __syncthreads();
}

/* What a cell's new value depends on besides u. */
struct coefficients {
    struct fv4_faces i, j, k;
    double f, alpha, dinv;
};

static __device__ __forceinline__ struct coefficients load_coefficients(const struct pair_fv4 &w,
                                                                        long cell)
{
    const long sj = w.c.sj, sk = w.c.sk;
    return {fv4_faces_at(w.beta_i + cell, 1, sj, sk),
            fv4_faces_at(w.beta_j + cell, sj, 1, sk),
            fv4_faces_at(w.beta_k + cell, sk, 1, sj),
            w.f[cell],
            w.alpha ? w.alpha[cell] : 0.0,
            w.dinv[cell]};
}

static __device__ __forceinline__ double relax_black(const struct pair_fv4 &w,
                                                     const struct brick &b, int place,
                                                     const struct coefficients &s)
{
    const int inward = b.high ? -RIM_STEP_Z : RIM_STEP_Z;
    const int step[3] = {RIM_STEP_X, b.across == 1 ? inward : RIM_STEP_Y,
                         b.across == 1 ? RIM_STEP_Y : inward};
    const struct fv4_cells cells = gather_fv4(
        [&](int i, int j, int k) { return at(place + i * step[0] + j * step[1] + k * step[2]); });
    const double rhs =
        w.alpha ? rhs_helmholtz(s.f, s.alpha, cells.here) : rhs_poisson(s.f, 0.0, cells.here);
    return update_gauss_seidel(cells.here, s.dinv,
                               residual_value(rhs, w.scale, fv4_sum_of(&cells, &s.i, &s.j, &s.k)));
}

/* The ghost behind the walls at two sides of a cell, found in the direction of `first` first. */
static __device__ __forceinline__ double edge_ghost_at(int place, int first, int second)
{
    return edge_value(4, [&](int o, int m) { return at(place + o * first + m * second); });
}

/* Ghosts behind both ends of rows in i next to the wall, and on the edges where it meets those
 * ends, for each place along it; the cells that they follow from are in shared memory. */
static __device__ __forceinline__ void store_ends(const struct pair_fv4 &w, const struct brick &b,
                                                  int y, int z, bool high)
{
    const int x = high ? b.nx - 1 : 0, inward = high ? -1 : 1, step = inward * RIM_STEP_X;
    if (high ? b.nx > RIM_X : b.i > 0)
        return;
    if (z < 0) {
        w.out[patch_place(b, x - inward, y, -1)] =
            edge_ghost_at(brick_place(b, x, y, 0), step, RIM_STEP_Z);
        return;
    }
    const struct ghosts ghosts = find_ghosts(brick_place(b, x, y, z), step);
    w.out[patch_place(b, x - inward, y, z)] = ghosts.first;
    w.out[patch_place(b, x - 2 * inward, y, z)] = ghosts.second;
}

/* The ghost on the edge of two walls in j and k. */
static __device__ __forceinline__ void store_edge(const struct pair_fv4 &w, const struct brick &b,
                                                  int x, bool high)
{
    const int y = high ? b.ny - 1 : 0, inward = high ? -1 : 1;
    if (high ? b.ny <= RIM_Y : b.first == 0)
        w.out[patch_place(b, x, y - inward, -1)] =
            edge_ghost_at(brick_place(b, x, y, 0), RIM_STEP_Z, inward * RIM_STEP_Y);
}

/* All ghosts of out that follow from the brick's cells as they are now; bricks at walls in j leave
 * none of them to others. The thread's line is that at (x,y). */
static __device__ __forceinline__ void store_ghosts(const struct pair_fv4 &w, const struct brick &b,
                                                    int x, int y)
{
    enum { ROWS = RIM_LAYERS + 1 };
    const int number = threadIdx.x;
    if (x < b.nx && y < b.ny) {
        const struct ghosts ghosts = find_ghosts(brick_place(b, x, y, 0), RIM_STEP_Z);
        w.out[patch_place(b, x, y, -1)] = ghosts.first;
        w.out[patch_place(b, x, y, -2)] = ghosts.second;
    }
    if (number < 2 * RIM_Y * ROWS) {
        const int end_y = number / 2 % RIM_Y, z = number / 2 / RIM_Y - 1;
        if (end_y < b.ny && (z < 0 || b.across == 1 || !near_second(b, end_y)))
            store_ends(w, b, end_y, z, number % 2);
    } else if (b.across == 1 && number >= RIM_THREADS - 2 * RIM_X) {
        const int edge_x = (RIM_THREADS - 1 - number) / 2;
        if (edge_x < b.nx)
            store_edge(w, b, edge_x, number % 2);
    }
}

/* Ghosts behind the ends of rows that are not next to walls in j and k. */
static __device__ __forceinline__ void store_inner_ends(const struct pair_fv4 &w)
{
    const int *n = w.c.n, rows_j = n[1] - 2 * RIM_LAYERS, rows_k = n[2] - 2 * RIM_LAYERS;
    const int step = gridDim.x * gridDim.y * RIM_THREADS;
    for (int q = (blockIdx.y * gridDim.x + blockIdx.x) * RIM_THREADS + threadIdx.x;
         q < 2 * rows_j * rows_k; q += step) {
        const int row = q / 2, inward = q % 2 ? -1 : 1;
        double *const end = w.out + (row % rows_j + RIM_LAYERS) * w.c.sj +
                            (row / rows_j + RIM_LAYERS) * w.c.sk + (q % 2 ? n[0] - 1 : 0);
        fill_line(end - inward, inward, 4, 2);
    }
}

static __device__ __forceinline__ void run_brick(const struct pair_fv4 &w)
{
    const struct brick b = find_brick(w);
    if (b.ny <= 0)
        return;
    const int x = threadIdx.x % RIM_X, y = threadIdx.x / RIM_X;
    const bool has = x < b.nx && y < b.ny, second = has && near_second(b, y);
    const int z = is_black(b, x, y, 0) ? 0 : 1, place = brick_place(b, x, y, z);
    const long cell = patch_place(b, x, y, z), further = cell + 2 * b.step_z;
    const struct loaded loaded = load_brick(w, b);
    struct coefficients s = {};
    double black[2] = {};
    if (has) {
        s = load_coefficients(w, cell);
        black[1] = w.out[further];
    }
    put_brick(b, loaded);
    __syncthreads();
    put_all_ghosts(b);
    if (has) {
        black[0] = relax_black(w, b, place, s);
        if (b.across == 1 || !second)
            w.out[cell] = black[0];
    }
    if (!w.ghosts)
        return;
    if (second)
        black[1] = relax_black(w, b, place + 2 * RIM_STEP_Z, load_coefficients(w, further));
    __syncthreads();
    if (has) {
        put(place, black[0]);
        put(place + 2 * RIM_STEP_Z, black[1]);
    }
    __syncthreads();
    store_ghosts(w, b, x, y);
}

/* The grid has bricks in i and along walls, and four walls and the rest after each other. */
static __global__ void __launch_bounds__(RIM_THREADS)
    rim_kernel(const __grid_constant__ struct pair_fv4 w)
{
    if (blockIdx.z < 4)
        run_brick(w);
    else
        store_inner_ends(w);
}

#endif
