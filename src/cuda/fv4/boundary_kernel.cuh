/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_BOUNDARY_KERNEL_CUH
#define CUDA_FV4_BOUNDARY_KERNEL_CUH
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
#include "cuda/fv4/gather.cuh"
#include "cuda/boundary/ghosts.cuh"
#include "cuda/fv4/gsrb.cuh"
#include "cuda/core/red_black.cuh"
#include "cuda/core/shared_memory.cuh"

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

static __device__ __forceinline__ struct brick find_brick(const struct fv4_gsrb &w)
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
    return !is_within(b.first + y, b.first + b.ny, BOUNDARY_LAYERS);
}

/* Whether the brick is at a wall in i, and at one along its own. */
static __device__ __forceinline__ bool at_ends(const struct brick &b)
{
    return b.i == 0 || b.nx <= RIM_X;
}

static __device__ __forceinline__ bool at_second(const struct brick &b)
{
    return b.first == 0 || b.ny <= RIM_Y;
}

/* Ghosts of both layers behind a wall. */
struct ghosts {
    double first, second;
};

static __device__ __forceinline__ struct ghosts ghosts_of(const double v[4])
{
    return {extrapolate(v, 4, 0), extrapolate(v, 4, 1)};
}

/* The same from the cells in shared memory, that at `place` and those further in. */
static __device__ __forceinline__ struct ghosts find_ghosts(int place, int inward)
{
    const double v[4] = {at(place), at(place + inward), at(place + 2 * inward),
                         at(place + 3 * inward)};
    return ghosts_of(v);
}

/* Puts them where they belong; returns the first. */
static __device__ __forceinline__ double put_ghosts(int place, int inward)
{
    const struct ghosts x = find_ghosts(place, inward);
    put(place - inward, x.first);
    put(place - 2 * inward, x.second);
    return x.first;
}

/* Cells of a line inward from the wall, red ones as they have become and black ones as they were:
 * as many as ghosts follow from, and if the brick is at a second wall all, since cells next to that
 * one have neighbours further in. */
struct line {
    bool wanted;
    int x, y;
    double cell[RIM_DEPTH];
};

static __device__ __forceinline__ bool reaches(const struct brick &b, int z)
{
    return z < RIM_DEPTH - 2 || at_second(b);
}

static __device__ __forceinline__ void load_line(const struct fv4_gsrb &w, const struct brick &b,
                                                 struct line &line)
{
    if (!line.wanted)
        return;
    const bool odd = is_black(b, line.x, line.y, 0);
    const long first = patch_place(b, line.x, line.y, 0);
    const double *const from[2] = {odd ? w.in : w.out, odd ? w.out : w.in};
#pragma unroll
    for (int z = 0; z < RIM_DEPTH; z++)
        if (reaches(b, z) && from[z % 2])
            line.cell[z] = from[z % 2][first + z * b.step_z];
}

/* Puts them into shared memory, and the ghosts that follow from them. */
static __device__ __forceinline__ void put_line(const struct brick &b, const struct line &line)
{
    if (!line.wanted)
        return;
    const int first = brick_place(b, line.x, line.y, 0);
#pragma unroll
    for (int z = 0; z < RIM_DEPTH; z++)
        if (reaches(b, z))
            put(first + z * RIM_STEP_Z, line.cell[z]);
    const struct ghosts ghosts = ghosts_of(line.cell);
    put(first - RIM_STEP_Z, ghosts.first);
    put(first - 2 * RIM_STEP_Z, ghosts.second);
}

/* The thread's own line, and one of those around the brick: first the rows of lines along i. */
static __device__ __forceinline__ struct line own_line(const struct brick &b)
{
    const int x = threadIdx.x % RIM_X, y = threadIdx.x / RIM_X;
    return {x < b.nx && y < b.ny, x, y, {}};
}

static __device__ __forceinline__ struct line outer_line(const struct brick &b)
{
    enum { ALONG_I = 2 * RIM_HALO * RIM_X, ALL = ALONG_I + 2 * RIM_HALO * RIM_HEIGHT };
    static_assert((int)ALL <= (int)RIM_THREADS, "a line a thread");
    const int number = threadIdx.x, end = number - ALONG_I, row = number / RIM_X,
              column = end % (2 * RIM_HALO);
    const bool along_i = number < ALONG_I;
    const int x = along_i             ? number % RIM_X
                  : column < RIM_HALO ? column - RIM_HALO
                                      : RIM_X + column - RIM_HALO,
              y = !along_i         ? end / (2 * RIM_HALO) - RIM_HALO
                  : row < RIM_HALO ? row - RIM_HALO
                                   : RIM_Y + row - RIM_HALO;
    return {number < ALL && x < b.nx && y < b.ny && b.i + x >= 0 && b.first + y >= 0, x, y, {}};
}

/* Ghosts behind another wall than the brick's own, of all rows inward from that at `first` that are
 * loaded. Returns the one where both walls meet, as it follows from the first ghosts. */
static __device__ __forceinline__ double put_ghosts_of_rows(const struct brick &b, int first,
                                                            int inward)
{
    double ghosts[4];
#pragma unroll
    for (int z = 0; z < RIM_DEPTH; z++)
        if (reaches(b, z)) {
            const double ghost = put_ghosts(first + z * RIM_STEP_Z, inward);
            if (z < 4)
                ghosts[z] = ghost;
        }
    return extrapolate(ghosts, 4, 0);
}

/* Ghosts behind walls in i of rows that are loaded, and in that behind the brick's wall, which
 * follow from the former; a thread has all rows at one y. */
static __device__ __forceinline__ void put_ghosts_x(const struct brick &b)
{
    enum { ROWS = 16 }; /* enough for one of each wall */
    const int y = (int)threadIdx.x % ROWS - 1;
    const bool high = threadIdx.x & ROWS;
    if (threadIdx.x >= 2 * ROWS || y > RIM_Y || (high ? b.nx > RIM_X : b.i > 0) ||
        b.first + y < 0 || y >= b.ny)
        return;
    const int inward = high ? -RIM_STEP_X : RIM_STEP_X,
              first = brick_place(b, high ? b.nx - 1 : 0, y, 0);
    put(first - inward - RIM_STEP_Z, put_ghosts_of_rows(b, first, inward));
}

/* Those behind a wall along the brick's own; a thread has all rows at one x. Behind both walls
 * those in j come first. */
static __device__ __forceinline__ void put_ghosts_y(const struct brick &b)
{
    enum { COLUMNS = 64 };
    const int x = (int)threadIdx.x % COLUMNS - RIM_HALO;
    const bool high = threadIdx.x & COLUMNS;
    if (threadIdx.x >= 2 * COLUMNS || x >= RIM_X + RIM_HALO || (high ? b.ny > RIM_Y : b.first > 0))
        return;
    const int inward = high ? -RIM_STEP_Y : RIM_STEP_Y,
              first = brick_place(b, x, high ? b.ny - 1 : 0, 0);
    const double corner = put_ghosts_of_rows(b, first, inward);
    if (b.across == 1)
        put_ghosts(first - RIM_STEP_Z, inward);
    else
        put(first - inward - RIM_STEP_Z, corner);
}

/* All ghosts that do not follow from one line alone. */
static __device__ __forceinline__ void put_other_ghosts(const struct brick &b)
{
    if (at_ends(b)) {
        put_ghosts_x(b);
        __syncthreads();
    }
    if (at_second(b)) {
        put_ghosts_y(b);
        __syncthreads();
    }
}

/* What a cell's new value depends on besides u. */
struct coefficients {
    struct fv4_faces i, j, k;
    double f, alpha, dinv;
};

static __device__ __forceinline__ struct coefficients load_coefficients(const struct fv4_gsrb &w,
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

static __device__ __forceinline__ double relax_black(const struct fv4_gsrb &w,
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
    const double sum = fv4_sum_of(&cells, &s.i, &s.j, &s.k);
    return update_weighted(cells.here, s.dinv, residual_value(rhs, w.scale, sum), RED_BLACK_WEIGHT);
}

/* The ghost behind the walls at two sides of a cell, found in the direction of `first` first. */
static __device__ __forceinline__ double edge_ghost_at(int place, int first, int second)
{
    return edge_value(4, [&](int o, int m) { return at(place + o * first + m * second); });
}

/* Ghosts behind both ends of rows in i next to the wall, and on the edges where it meets those
 * ends, for each place along it; the cells that they follow from are in shared memory. */
static __device__ __forceinline__ void store_ends(const struct fv4_gsrb &w, const struct brick &b,
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
static __device__ __forceinline__ void store_edge(const struct fv4_gsrb &w, const struct brick &b,
                                                  int x, bool high)
{
    const int y = high ? b.ny - 1 : 0, inward = high ? -1 : 1;
    if (high ? b.ny <= RIM_Y : b.first == 0)
        w.out[patch_place(b, x, y - inward, -1)] =
            edge_ghost_at(brick_place(b, x, y, 0), RIM_STEP_Z, inward * RIM_STEP_Y);
}

/* Ghosts of out behind the brick's wall. */
static __device__ __forceinline__ void store_ghosts(const struct fv4_gsrb &w, const struct brick &b,
                                                    const struct line &line, const double black[2])
{
    const bool odd = is_black(b, line.x, line.y, 0);
    const double v[4] = {odd ? black[0] : line.cell[0], odd ? line.cell[1] : black[0],
                         odd ? black[1] : line.cell[2], odd ? line.cell[3] : black[1]};
    const struct ghosts ghosts = ghosts_of(v);
    w.out[patch_place(b, line.x, line.y, -1)] = ghosts.first;
    w.out[patch_place(b, line.x, line.y, -2)] = ghosts.second;
}

/* Those behind other walls and on edges, from the brick's cells in shared memory as they are now;
 * bricks at walls in j leave none of them to others. */
static __device__ __forceinline__ void store_other_ghosts(const struct fv4_gsrb &w,
                                                          const struct brick &b)
{
    enum { ROWS = BOUNDARY_LAYERS + 1 };
    const int number = threadIdx.x;
    if (number < 2 * RIM_Y * ROWS) {
        const int y = number / 2 % RIM_Y, z = number / 2 / RIM_Y - 1;
        if (y < b.ny && (z < 0 || b.across == 1 || !near_second(b, y)))
            store_ends(w, b, y, z, number % 2);
    } else if (b.across == 1 && number >= RIM_THREADS - 2 * RIM_X) {
        const int x = (RIM_THREADS - 1 - number) / 2;
        if (x < b.nx)
            store_edge(w, b, x, number % 2);
    }
}

/* An end of a row that is not next to walls in j and k, and the cells there that ghosts follow
 * from. A thread has one or none. */
struct row_end {
    double *ghost; /* NULL if there is none */
    int inward;
    double cell[4];
};

static __device__ __forceinline__ struct row_end load_row_end(const struct fv4_gsrb &w)
{
    const int *n = w.c.n, rows_j = n[1] - 2 * BOUNDARY_LAYERS, rows_k = n[2] - 2 * BOUNDARY_LAYERS;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x,
              number = block * RIM_THREADS + threadIdx.x, row = number / 2, high = number % 2;
    struct row_end e = {};
    if (!w.ghosts || row >= rows_j * rows_k)
        return e;
    e.inward = high ? -1 : 1;
    e.ghost = w.out + (row % rows_j + BOUNDARY_LAYERS) * w.c.sj +
              (row / rows_j + BOUNDARY_LAYERS) * w.c.sk + (high ? n[0] : -1);
    for (int m = 0; m < 4; m++)
        e.cell[m] = e.ghost[(m + 1) * e.inward];
    return e;
}

static __device__ __forceinline__ void store_row_end(const struct row_end &e)
{
    if (!e.ghost)
        return;
    const struct ghosts ghosts = ghosts_of(e.cell);
    e.ghost[0] = ghosts.first;
    e.ghost[-e.inward] = ghosts.second;
}

static __device__ __forceinline__ void run_brick(const struct fv4_gsrb &w, const struct brick &b)
{
    struct line line = own_line(b), outer = outer_line(b);
    const bool has = line.wanted, second = has && near_second(b, line.y);
    const int z = is_black(b, line.x, line.y, 0) ? 0 : 1, place = brick_place(b, line.x, line.y, z);
    const long cell = patch_place(b, line.x, line.y, z), further = cell + 2 * b.step_z;
    struct coefficients s = {};
    double black[2] = {};
    if (has)
        s = load_coefficients(w, cell);
    const struct row_end end = load_row_end(w);
    load_line(w, b, line);
    load_line(w, b, outer);
    if (has)
        black[1] = w.out[further];
    store_row_end(end);
    if (b.ny <= 0)
        return;
    put_line(b, line);
    put_line(b, outer);
    __syncthreads();
    put_other_ghosts(b);
    if (has) {
        black[0] = relax_black(w, b, place, s);
        if (b.across == 1 || !second)
            w.out[cell] = black[0];
    }
    if (!w.ghosts)
        return;
    if (second)
        black[1] = relax_black(w, b, place + 2 * RIM_STEP_Z, load_coefficients(w, further));
    if (has)
        store_ghosts(w, b, line, black);
    if (!at_ends(b) && !(at_second(b) && b.across == 1))
        return;
    __syncthreads();
    if (has) {
        put(place, black[0]);
        put(place + 2 * RIM_STEP_Z, black[1]);
    }
    __syncthreads();
    store_other_ghosts(w, b);
}

/* The grid has bricks in i and along walls, and four walls after each other. */
static __global__ void __launch_bounds__(RIM_THREADS)
    rim_kernel(const __grid_constant__ struct fv4_gsrb w)
{
    run_brick(w, find_brick(w));
}

#endif
