/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The boundary-layer update of a fused red-black pass; docs/KERNELS.md explains it. It updates the
 * black cells of the two layers next to walls in j and k, and stores all ghosts that the next
 * operation reads. A block has a tile at such a wall: one thread per line of cells inward from it.
 */
#include "cuda/boundary/ghosts.cuh"
#include "cuda/core/fences.cuh"
#include "cuda/fv4/gsrb_launch.cuh"
#include "cuda/core/shared_memory.cuh"

namespace fv4::boundary
{
/* Coordinates in a tile: x in i, y along the wall, z inward from it. Offsets in shared memory are
 * in bytes. */
enum { TILE_X = 32, TILE_Y = 8, TILE_DEPTH = 6, TILE_HALO = 2, TILE_THREADS = TILE_X * TILE_Y };
enum { TILE_WIDTH = TILE_X + 2 * TILE_HALO, TILE_HEIGHT = TILE_Y + 2 * TILE_HALO };
enum {
    TILE_STEP_X = (int)sizeof(real),
    TILE_STEP_Y = TILE_WIDTH * TILE_STEP_X,
    TILE_STEP_Z = TILE_HEIGHT * TILE_STEP_Y,
    TILE_BYTES = (TILE_DEPTH + TILE_HALO) * TILE_STEP_Z
};

struct wall_tile {
    int across, along;   /* directions inward from the wall, and along it and not i */
    bool high;           /* the wall is on the high side */
    int i, first;        /* the tile's first cell in i and along the wall */
    int nx, ny;          /* cells that the patch has from there on */
    int x[2], y[2];      /* bounds of patch and halo: x[0] ≤ x < x[1] */
    bool end[2];         /* the tile is at the low or high wall in i */
    bool second[2];      /* it is at a second wall, across y */
    long step_y, step_z; /* in the patch */
    long cell;           /* the one at (0,0,0), from the patch's first one */
    bool odd;            /* that one is black */
    int begin;           /* its offset in shared memory */
};

/* Sets the bounds and walls of the tile in x or y; `first` is its first cell in that direction. */
DEVICE void set_direction(const struct cells &c, int d, int first, int length, int bounds[2],
                          bool walls[2])
{
    const int lo = -first, hi = c.n[d] - first;
    bounds[0] = c.wall[d][0] ? lo : lo - TILE_HALO;
    bounds[1] = c.wall[d][1] ? hi : hi + TILE_HALO;
    walls[0] = first == 0 && c.wall[d][0];
    walls[1] = hi <= length && c.wall[d][1];
}

/* A block without cells has ny ≤ 0. */
DEVICE struct wall_tile tile_of_block(const struct fv4_gsrb &w)
{
    const struct cells &c = w.c;
    const int wall = blockIdx.z;
    struct wall_tile b = {};
    b.across = wall < 2 ? 1 : 2;
    b.along = wall < 2 ? 2 : 1;
    b.high = wall % 2;
    const int last = b.high ? c.n[b.across] - 1 : 0;
    const long inward = b.across == 1 ? c.sj : c.sk;
    b.i = blockIdx.x * TILE_X;
    b.first = blockIdx.y * TILE_Y;
    b.nx = c.n[0] - b.i;
    b.ny = c.wall[b.across][b.high] ? c.n[b.along] - b.first : 0;
    set_direction(c, 0, b.i, TILE_X, b.x, b.end);
    set_direction(c, b.along, b.first, TILE_Y, b.y, b.second);
    b.step_y = b.along == 1 ? c.sj : c.sk;
    b.step_z = b.high ? -inward : inward;
    b.cell = b.i + b.first * b.step_y + last * inward;
    b.odd = (b.i + b.first + last + w.colour) & 1;
    b.begin = shared_begin() + TILE_HALO * (TILE_STEP_X + TILE_STEP_Y + TILE_STEP_Z);
    return b;
}

DEVICE int tile_offset(const struct wall_tile &b, int x, int y, int z)
{
    return b.begin + x * TILE_STEP_X + y * TILE_STEP_Y + z * TILE_STEP_Z;
}

DEVICE long patch_offset(const struct wall_tile &b, int x, int y, int z)
{
    return b.cell + x + y * b.step_y + z * b.step_z;
}

DEVICE bool is_black(const struct wall_tile &b, int x, int y, int z)
{
    return (x + y + z + b.odd) & 1;
}

/* Whether cells at y are within the boundary layers of a second wall, across y. */
DEVICE bool near_second(const struct fv4_gsrb &w, const struct wall_tile &b, int y)
{
    return !is_away(w, b.along, b.first + y);
}

/* Whether the tile is at the low or high wall in i, and at the low or high second wall. */
DEVICE bool at_end(const struct wall_tile &b, bool high)
{
    return high ? b.end[1] : b.end[0];
}

DEVICE bool at_second_end(const struct wall_tile &b, bool high)
{
    return high ? b.second[1] : b.second[0];
}

/* Whether the tile is at a wall in i, and at a second wall across y. */
DEVICE bool at_ends(const struct wall_tile &b)
{
    return b.end[0] || b.end[1];
}

DEVICE bool at_second(const struct wall_tile &b)
{
    return b.second[0] || b.second[1];
}

/* The rules of the tile's wall, of those in i, and of those across y. */
DEVICE const struct side_weights &own_wall(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    return w.walls.side[b.across][b.high];
}

DEVICE const struct side_weights &end_wall(const struct fv4_gsrb &w, bool high)
{
    return w.walls.side[0][high];
}

DEVICE const struct side_weights &second_wall(const struct fv4_gsrb &w, const struct wall_tile &b,
                                              bool high)
{
    return w.walls.side[b.along][high];
}

/* The ghosts behind a wall from the cells in shared memory, the one at `offset` and those inward.
 */
DEVICE struct ghosts load_ghosts(const struct side_weights &wall, int offset, int inward)
{
    const real v[4] = {at(offset), at(offset + inward), at(offset + 2 * inward),
                       at(offset + 3 * inward)};
    return quartic_ghosts(wall, v);
}

/* Puts them into shared memory; returns the first. */
DEVICE real put_ghosts(const struct side_weights &wall, int offset, int inward)
{
    const struct ghosts x = load_ghosts(wall, offset, inward);
    put(offset - inward, x.first);
    put(offset - 2 * inward, x.second);
    return x.first;
}

/* Cells of a line inward from the wall, red ones after their update and black ones before. A tile
 * loads the four that ghosts follow from. At a second wall it loads all, since cells next to that
 * wall have neighbours further inward. */
struct line {
    bool wanted;
    int x, y;
    real cell[TILE_DEPTH];
};

DEVICE bool reaches(const struct wall_tile &b, int z)
{
    return z < TILE_DEPTH - 2 || at_second(b);
}

/* How far a line lies in the halos of open sides: 0, or the layers in both directions together. */
DEVICE int halo_layers(const struct wall_tile &b, const struct line &line)
{
    return max(max(-b.i - line.x, line.x - b.nx + 1), 0) +
           max(max(-b.first - line.y, line.y - b.ny + 1), 0);
}

/* A red cell after its update, from memory. */
template <class Op>
DEVICE real relax_red(const struct fv4_gsrb &w, long cell)
{
    const struct view v = {w, w.in, w.c.sj, w.c.sk};
    return w.in ? update_weighted(w.in[cell], w.dinv[cell], Op::residual(v, cell), RED_BLACK_WEIGHT)
                : relax_zero(w.dinv[cell], w.f[cell], RED_BLACK_WEIGHT);
}

/* Loads a line in a halo. Of red cells, the operator reads only those next to the patch. */
template <class Op>
DEVICE void load_halo_line(const struct fv4_gsrb &w, const struct wall_tile &b, struct line &line)
{
    const long first = patch_offset(b, line.x, line.y, 0);
    const bool updated = halo_layers(b, line) == 1;
#pragma unroll
    for (int z = 0; z < TILE_DEPTH; z++)
        if (reaches(b, z)) {
            const long cell = first + z * b.step_z;
            if (updated && !is_black(b, line.x, line.y, z))
                line.cell[z] = relax_red<Op>(w, cell);
            else if (w.in)
                line.cell[z] = w.in[cell];
        }
}

template <class Op, bool OPEN>
DEVICE void load_line(const struct fv4_gsrb &w, const struct wall_tile &b, struct line &line)
{
    if (!line.wanted)
        return;
    if (OPEN && halo_layers(b, line) > 0)
        return load_halo_line<Op>(w, b, line);
    const bool odd = is_black(b, line.x, line.y, 0);
    const long first = patch_offset(b, line.x, line.y, 0);
    const real *const from[2] = {odd ? w.in : w.out, odd ? w.out : w.in};
#pragma unroll
    for (int z = 0; z < TILE_DEPTH; z++)
        if (reaches(b, z) && from[z % 2])
            line.cell[z] = from[z % 2][first + z * b.step_z];
}

/* Puts a line into shared memory, with the ghosts that follow from it. */
DEVICE void put_line(const struct fv4_gsrb &w, const struct wall_tile &b, const struct line &line)
{
    if (!line.wanted)
        return;
    const int first = tile_offset(b, line.x, line.y, 0);
#pragma unroll
    for (int z = 0; z < TILE_DEPTH; z++)
        if (reaches(b, z))
            put(first + z * TILE_STEP_Z, line.cell[z]);
    const struct ghosts ghosts = quartic_ghosts(own_wall(w, b), line.cell);
    put(first - TILE_STEP_Z, ghosts.first);
    put(first - 2 * TILE_STEP_Z, ghosts.second);
}

/* The thread's own line, and its line around the tile; the rows of these along i come first. */
DEVICE struct line own_line(const struct wall_tile &b)
{
    const int x = threadIdx.x % TILE_X, y = threadIdx.x / TILE_X;
    return {x < b.x[1] && y < b.y[1], x, y, {}};
}

DEVICE struct line outer_line(const struct wall_tile &b)
{
    enum { ALONG_I = 2 * TILE_HALO * TILE_X, ALL = ALONG_I + 2 * TILE_HALO * TILE_HEIGHT };
    static_assert((int)ALL <= (int)TILE_THREADS, "one line per thread");
    const int number = threadIdx.x, end = number - ALONG_I, row = number / TILE_X,
              column = end % (2 * TILE_HALO);
    const bool along_i = number < ALONG_I;
    const int x = along_i              ? number % TILE_X
                  : column < TILE_HALO ? column - TILE_HALO
                                       : TILE_X + column - TILE_HALO,
              y = !along_i          ? end / (2 * TILE_HALO) - TILE_HALO
                  : row < TILE_HALO ? row - TILE_HALO
                                    : TILE_Y + row - TILE_HALO;
    return {number < ALL && x >= b.x[0] && x < b.x[1] && y >= b.y[0] && y < b.y[1], x, y, {}};
}

/* Puts the ghosts behind another wall than the tile's own, for all loaded rows from the one at
 * `first` inward. Returns the ghost behind both walls, which follows from the first ghosts. */
DEVICE real put_ghosts_of_rows(const struct fv4_gsrb &w, const struct wall_tile &b,
                               const struct side_weights &wall, int first, int inward)
{
    real ghosts[4];
#pragma unroll
    for (int z = 0; z < TILE_DEPTH; z++)
        if (reaches(b, z)) {
            const real ghost = put_ghosts(wall, first + z * TILE_STEP_Z, inward);
            if (z < 4)
                ghosts[z] = ghost;
        }
    return quartic_ghost(own_wall(w, b), 0, ghosts);
}

/* Puts the ghosts behind walls in i of all loaded rows, and from these the ghosts behind the tile's
 * wall too. One thread per y has all its rows. */
DEVICE void put_ghosts_x(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    enum { ROWS = 16 }; /* enough for one of each wall */
    const int y = (int)threadIdx.x % ROWS - 1;
    const bool high = threadIdx.x & ROWS;
    if (threadIdx.x >= 2 * ROWS || y > TILE_Y || !at_end(b, high) || y < b.y[0] || y >= b.y[1])
        return;
    const int inward = high ? -TILE_STEP_X : TILE_STEP_X,
              first = tile_offset(b, high ? b.nx - 1 : 0, y, 0);
    put(first - inward - TILE_STEP_Z, put_ghosts_of_rows(w, b, end_wall(w, high), first, inward));
}

/* Puts the ghosts behind a second wall across y. One thread per x has all its rows. Behind both
 * walls the rule applies in j first. */
DEVICE void put_ghosts_y(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    enum { COLUMNS = 64 };
    const int x = (int)threadIdx.x % COLUMNS - TILE_HALO;
    const bool high = threadIdx.x & COLUMNS;
    if (threadIdx.x >= 2 * COLUMNS || x >= TILE_X + TILE_HALO || !at_second_end(b, high))
        return;
    const int inward = high ? -TILE_STEP_Y : TILE_STEP_Y,
              first = tile_offset(b, x, high ? b.ny - 1 : 0, 0);
    const struct side_weights &wall = second_wall(w, b, high);
    const real corner = put_ghosts_of_rows(w, b, wall, first, inward);
    if (b.across == 1)
        put_ghosts(wall, first - TILE_STEP_Z, inward);
    else
        put(first - inward - TILE_STEP_Z, corner);
}

/* Puts all ghosts that do not follow from one line alone. */
DEVICE void put_other_ghosts(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    if (at_ends(b)) {
        put_ghosts_x(w, b);
        __syncthreads();
    }
    if (at_second(b)) {
        put_ghosts_y(w, b);
        __syncthreads();
    }
}

/* What the update of a cell reads besides u. */
struct coefficients {
    struct faces faces;
    struct cell_terms terms;
    real dinv;
};

template <class Op>
DEVICE struct coefficients load_coefficients(const struct fv4_gsrb &w, long cell)
{
    struct coefficients s = {};
    if (Op::VARIABLE) {
        const struct near near =
            near_at(NULL, w.beta_i + cell, w.beta_j + cell, w.beta_k + cell, w.c.sj, w.c.sk);
        s.faces = {fv4_faces_near(near, 0), fv4_faces_near(near, 1), fv4_faces_near(near, 2)};
    }
    s.terms = {w.f[cell], READS_ALPHA<Op> ? w.alpha[cell] : (real)0.0};
    s.dinv = w.dinv[cell];
    return s;
}

template <class Op>
DEVICE real relax_black(const struct fv4_gsrb &w, const struct wall_tile &b, int offset,
                        const struct coefficients &s)
{
    const int inward = b.high ? -TILE_STEP_Z : TILE_STEP_Z;
    const int step[3] = {TILE_STEP_X, b.across == 1 ? inward : TILE_STEP_Y,
                         b.across == 1 ? TILE_STEP_Y : inward};
    const struct fv4_cells cells = fv4_cells_near(near_by(
        [&](int i, int j, int k) { return at(offset + i * step[0] + j * step[1] + k * step[2]); }));
    return relax<Op>(w, cells, s.faces, s.terms, s.dinv);
}

/* The ghost behind a cell next to two walls, `first` and `second` inward from them. */
DEVICE real load_edge_ghost(const struct side_weights &first_wall,
                            const struct side_weights &second_wall, int offset, int first,
                            int second)
{
    return edge_ghost(
        MAX_WALL_CELLS, [&](int o, int m) { return at(offset + o * first + m * second); },
        [&](const real v[4]) { return quartic_ghost(first_wall, 0, v); },
        [&](const real v[4]) { return quartic_ghost(second_wall, 0, v); });
}

/* Stores the ghosts behind an end of a row in i, or for z < 0 the ghost behind that end and the
 * tile's wall; their cells are in shared memory. */
DEVICE void store_ends(const struct fv4_gsrb &w, const struct wall_tile &b, int y, int z, bool high)
{
    const int x = high ? b.nx - 1 : 0, inward = high ? -1 : 1, step = inward * TILE_STEP_X;
    if (!at_end(b, high))
        return;
    if (z < 0) {
        w.out[patch_offset(b, x - inward, y, -1)] = load_edge_ghost(
            end_wall(w, high), own_wall(w, b), tile_offset(b, x, y, 0), step, TILE_STEP_Z);
        return;
    }
    const struct ghosts ghosts = load_ghosts(end_wall(w, high), tile_offset(b, x, y, z), step);
    w.out[patch_offset(b, x - inward, y, z)] = ghosts.first;
    w.out[patch_offset(b, x - 2 * inward, y, z)] = ghosts.second;
}

/* Stores the ghost on the edge of two walls in j and k. */
DEVICE void store_edge(const struct fv4_gsrb &w, const struct wall_tile &b, int x, bool high)
{
    const int y = high ? b.ny - 1 : 0, inward = high ? -1 : 1;
    if (at_second_end(b, high))
        w.out[patch_offset(b, x, y - inward, -1)] =
            load_edge_ghost(own_wall(w, b), second_wall(w, b, high), tile_offset(b, x, y, 0),
                            TILE_STEP_Z, inward * TILE_STEP_Y);
}

/* Stores the ghosts of a line, behind the tile's wall. */
DEVICE void store_ghosts(const struct fv4_gsrb &w, const struct wall_tile &b,
                         const struct line &line, const real black[2])
{
    const bool odd = is_black(b, line.x, line.y, 0);
    const real v[4] = {odd ? black[0] : line.cell[0], odd ? line.cell[1] : black[0],
                       odd ? black[1] : line.cell[2], odd ? line.cell[3] : black[1]};
    const struct ghosts ghosts = quartic_ghosts(own_wall(w, b), v);
    w.out[patch_offset(b, line.x, line.y, -1)] = ghosts.first;
    w.out[patch_offset(b, line.x, line.y, -2)] = ghosts.second;
}

/* Stores the ghosts behind other walls and on edges, from the updated cells in shared memory. Where
 * walls in j and k meet, the tile at the wall in j stores them. */
DEVICE void store_other_ghosts(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    enum { ROWS = BOUNDARY_LAYERS + 1 };
    const int number = threadIdx.x;
    if (number < 2 * TILE_Y * ROWS) {
        const int y = number / 2 % TILE_Y, z = number / 2 / TILE_Y - 1;
        if (y < b.ny && (z < 0 || b.across == 1 || !near_second(w, b, y)))
            store_ends(w, b, y, z, number % 2);
    } else if (b.across == 1 && number >= TILE_THREADS - 2 * TILE_X) {
        const int x = (TILE_THREADS - 1 - number) / 2;
        if (x < b.nx)
            store_edge(w, b, x, number % 2);
    }
}

/* An end of a row outside the boundary layers in j and k, with the cells that its ghosts follow
 * from. A thread has at most one. */
struct row_end {
    real *ghost; /* NULL if there is none */
    int inward;
    real cell[4];
};

DEVICE struct row_end load_row_end(const struct fv4_gsrb &w)
{
    const int *n = w.c.n, rows_j = n[1] - 2 * BOUNDARY_LAYERS, rows_k = n[2] - 2 * BOUNDARY_LAYERS;
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x,
              number = block * TILE_THREADS + threadIdx.x, row = number / 2, high = number % 2;
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

DEVICE void store_row_end(const struct fv4_gsrb &w, const struct row_end &e)
{
    if (!e.ghost)
        return;
    const struct ghosts ghosts = quartic_ghosts(end_wall(w, e.inward < 0), e.cell);
    e.ghost[0] = ghosts.first;
    e.ghost[-e.inward] = ghosts.second;
}

/* Stores all ghosts of the tile, in which only the thread's first black cell is updated. */
template <class Op>
DEVICE void store_tile_ghosts(const struct fv4_gsrb &w, const struct wall_tile &b,
                              const struct line &line, real black[2])
{
    const bool has = line.x < b.nx && line.y < b.ny;
    const int z = is_black(b, line.x, line.y, 0) ? 0 : 1,
              offset = tile_offset(b, line.x, line.y, z);
    if (has && near_second(w, b, line.y))
        black[1] =
            relax_black<Op>(w, b, offset + 2 * TILE_STEP_Z,
                            load_coefficients<Op>(w, patch_offset(b, line.x, line.y, z + 2)));
    if (has)
        store_ghosts(w, b, line, black);
    if (!at_ends(b) && !(at_second(b) && b.across == 1))
        return;
    __syncthreads();
    if (has) {
        put(offset, black[0]);
        put(offset + 2 * TILE_STEP_Z, black[1]);
    }
    __syncthreads();
    store_other_ghosts(w, b);
}

template <class Op, bool OPEN>
DEVICE void run_tile(const struct fv4_gsrb &w, const struct wall_tile &b)
{
    if (OPEN && b.ny <= 0)
        return;
    struct line line = own_line(b), outer = outer_line(b);
    const bool has = line.x < b.nx && line.y < b.ny;
    const int z = is_black(b, line.x, line.y, 0) ? 0 : 1,
              offset = tile_offset(b, line.x, line.y, z);
    const long cell = patch_offset(b, line.x, line.y, z), further = cell + 2 * b.step_z;
    struct coefficients s = {};
    real black[2] = {};
    if (has)
        s = load_coefficients<Op>(w, cell);
    const struct row_end end = load_row_end(w);
    load_line<Op, OPEN>(w, b, line);
    load_line<Op, OPEN>(w, b, outer);
    if (has)
        black[1] = w.out[further];
    store_row_end(w, end);
    if (b.ny <= 0)
        return;
    put_line(w, b, line);
    put_line(w, b, outer);
    __syncthreads();
    put_other_ghosts(w, b);
    if (has) {
        black[0] = relax_black<Op>(w, b, offset, s);
        /* Hidden: else both operands wait in registers for the ghosts, and others are spilled. */
        if (b.across == 1 || !near_second(w, b, opaque(line.y)))
            w.out[patch_offset(b, opaque(line.x), line.y, z)] = black[0];
    }
    if (OPEN || !w.ghosts)
        return;
    store_tile_ghosts<Op>(w, b, line, black);
}

/* Blocks per multiprocessor, so that no registers spill. */
template <class Op, bool OPEN>
constexpr int BLOCKS = OPEN           ? 1
                       : Op::VARIABLE ? 2
                                      : 4;

/* Tiles in i and along the wall, and the four walls. */
static inline dim3 boundary_grid(const struct cells &c)
{
    return dim3(cuda_divided(c.n[0], TILE_X), cuda_divided(max(c.n[1], c.n[2]), TILE_Y), 4);
}

/* Whether each end of a row has a thread, where ghosts are stored: on cubes. A rank's part of a
 * level may be flatter, and has too few. */
static inline bool has_threads_for_ends(const struct fv4_gsrb &w)
{
    const dim3 grid = boundary_grid(w.c);
    return !w.ghosts || (long)grid.x * grid.y * grid.z * TILE_THREADS >= 2l * w.c.n[1] * w.c.n[2];
}

template <class Op, bool OPEN>
static __global__ void __launch_bounds__(TILE_THREADS, BLOCKS<Op, OPEN>)
    boundary_kernel(const __grid_constant__ struct fv4_gsrb w)
{
    run_tile<Op, OPEN>(w, tile_of_block(w));
}

} // namespace fv4::boundary
