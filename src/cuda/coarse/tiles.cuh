/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_TILES_CUH
#define CUDA_COARSE_TILES_CUH
/* What a block of the tail kernel keeps of its brick: u and β in frames in shared memory, with
 * lists of the ghosts of u; f, α and D⁻¹ in registers, since each cell belongs to one thread. A
 * thread's cells are sorted by colour: the first half are red, the others black, so that all
 * threads work in a half-sweep. How many it has is a template parameter, CELLS. Frames have the
 * same strides on every level, so that neighbours are at constant distances. */
#include "cuda/coarse/tail.cuh"

enum {
    MOST_CELLS = BRICK_SIDE * BRICK_SIDE * BRICK_DEPTH / TAIL_THREADS,
    FEWEST_CELLS = 2,
    /* Of the coarse u that is prolonged: two layers. */
    COARSE_SJ = BRICK_SIDE / 2 + 4,
    COARSE_SK = COARSE_SJ * COARSE_SJ,
    COARSE_LENGTH = COARSE_SK * (BRICK_DEPTH / 2 + 4),
    COARSE_ORIGIN = 2 * (1 + COARSE_SJ + COARSE_SK),
};

/* How many ghosts of a level are in the lists, by colour those that are other bricks' cells. */
struct ghost_counts {
    int halo[2], sides, edges;
    bool listed;
};

/* A cell is the same element in the frames of u and β, counted from cell (0,0,0), so that one
 * address serves all that a stencil reads. Rows are of even length, so that the cells of one colour
 * in two neighbouring rows lie in different banks. */
template <class Op>
struct frames {
    enum {
        GHOSTS = Op::ORDER / 2,
        SJ = BRICK_SIDE + 2 * GHOSTS,
        SK = SJ * SJ,
        U_LENGTH = SK * (BRICK_DEPTH + 2 * GHOSTS),
        U_ORIGIN = GHOSTS * (1 + SJ + SK),
        BETA_LENGTH = SK * (BRICK_DEPTH + 2), /* of one field: a layer around the cells */
        BETA_ORIGIN = 1 + SJ + SK,
    };
    alignas(16) double u_frame[U_LENGTH]; /* cells of even i are at multiples of 16 */
    double beta_frame[3 * BETA_LENGTH], coarse_frame[COARSE_LENGTH];
    /* Ghosts by level, see struct tail_level: red ones of other bricks from the front of the
     * level's part, black ones from its back. They are the same in all passes. */
    unsigned halo[ALL_HALO];
    int sides[ALL_SIDES], edges[ALL_EDGES];
    struct ghost_counts counts[MAX_TAIL_LEVELS];
    unsigned long long norm;

    /* Pointers at cell (0,0,0) of the brick. */
    __device__ double *u()
    {
        return u_frame + U_ORIGIN;
    }
    __device__ double *beta()
    {
        return beta_frame + BETA_ORIGIN;
    }
    __device__ double *coarse()
    {
        return coarse_frame + COARSE_ORIGIN;
    }
};

/* A block's part of a level. */
struct brick {
    int i, j, k;    /* of its cell (0,0,0) on the level, */
    int at;         /* which is this element of fields; */
    unsigned walls; /* its sides that are walls, as bits in the order low i, high i, low j, … */
};

static __device__ struct brick brick_of(const struct tail_level &l)
{
    const int row = quotient(blockIdx.x, l.bricks), plane = quotient(row, l.bricks);
    struct brick b;
    b.i = (int)(blockIdx.x - row * l.bricks.n) * l.side.n;
    b.j = (row - plane * l.bricks.n) * l.side.n;
    b.k = plane * l.depth;
    b.at = b.i + b.j * l.sj + b.k * l.sk;
    b.walls = (b.i == 0) | (b.i + l.side.n == l.n) << 1 | (b.j == 0) << 2 |
              (b.j + l.side.n == l.n) << 3 | (b.k == 0) << 4 | (b.k + l.depth == l.n) << 5;
    return b;
}

struct place {
    int i, j, k;
    bool inside;
};

/* Where cell number `slot` of this thread is in its brick. A colour's cells are numbered along the
 * rows; bricks begin at even indices, so their colours are the level's. */
template <int CELLS>
static __device__ __forceinline__ struct place place_of(const struct tail_level &l, int slot)
{
    const int colour = slot / (CELLS / 2), n = l.side.n;
    const int x = threadIdx.x + slot % (CELLS / 2) * TAIL_THREADS;
    struct place p = {0, 0, 0, x < l.half.n * n * l.depth};
    if (!p.inside)
        return p;
    const int row = quotient(x, l.half);
    p.k = quotient(row, l.side);
    p.j = row - p.k * n;
    p.i = 2 * (x - row * l.half.n) + ((p.j + p.k + colour) & 1);
    p.inside = p.i < n;
    return p;
}

/* A cell's element, and its sides that are walls, as bits. */
enum { ELEMENT_BITS = 13, ELEMENT_MASK = (1 << ELEMENT_BITS) - 1, WALLS_MASK = 63 };
/* A thread with fewer cells has another one in its place, marked. To have no branch it computes
 * that too, but nothing of it is stored. */
static constexpr unsigned NOT_OWN = 1u << 31;

static __device__ __forceinline__ bool is_own(unsigned cell)
{
    return !(cell & NOT_OWN);
}

/* The place of cells that bricks with fewer cells than threads have not: a frame's last one, which
 * no thread changes then. */
template <class Op>
static constexpr unsigned IDLE_CELL = BRICK_SIDE - 1 + (BRICK_SIDE - 1) * frames<Op>::SJ +
                                      (BRICK_DEPTH - 1) * frames<Op>::SK;

template <class Op>
static __device__ __forceinline__ int frame_element(const struct place &p)
{
    return p.i + p.j * frames<Op>::SJ + p.k * frames<Op>::SK;
}

template <class Op>
static __device__ __forceinline__ unsigned packed(const struct tail_level &l, const struct brick &b,
                                                  const struct place &p)
{
    const int n = l.side.n;
    const unsigned at_sides = (p.i == 0) | (p.i == n - 1) << 1 | (p.j == 0) << 2 |
                              (p.j == n - 1) << 3 | (p.k == 0) << 4 | (p.k == l.depth - 1) << 5;
    return frame_element<Op>(p) | (at_sides & b.walls) << ELEMENT_BITS;
}

/* True if the cell is a ghost of another brick: near a side that is no wall. */
template <class Op>
static __device__ __forceinline__ bool
is_read_elsewhere(const struct tail_level &l, const struct brick &b, const struct place &p)
{
    const int n = l.side.n, layers = frames<Op>::GHOSTS;
    const unsigned near = (p.i < layers) | (p.i >= n - layers) << 1 | (p.j < layers) << 2 |
                          (p.j >= n - layers) << 3 | (p.k < layers) << 4 |
                          (p.k >= l.depth - layers) << 5;
    return near & ~b.walls;
}

static __device__ __forceinline__ int element(unsigned cell)
{
    return cell & ELEMENT_MASK;
}

/* Whether a thread has the registers to hold β of its cells too. */
template <class Op, int CELLS>
static constexpr __device__ bool holds_beta()
{
    return Op::ORDER == 2 && CELLS == FEWEST_CELLS;
}

/* What a thread holds of its cells during a pass. */
template <int CELLS>
struct own_cells {
    unsigned cell[CELLS]; /* packed, or IDLE_CELL, marked */
    int packet[CELLS];    /* its packet, or −1 if no other brick reads it */
    double f[CELLS], alpha[CELLS], dinv[CELLS];
    double beta[CELLS][6]; /* low and high in i, j, k, where holds_beta() */
    double value[CELLS];   /* on its way into the frame, or what was there before */
    bool works;            /* some thread of this warp has a cell */
};

/* A ghost that is another brick's cell: that one's packet, and above HALO_BITS its place in the
 * frame. */
enum { HALO_BITS = 18, HALO_MASK = (1 << HALO_BITS) - 1 };
static_assert(TAIL_PACKETS <= 1 << HALO_BITS && frames<op_fv4>::U_LENGTH <= 1 << (32 - HALO_BITS),
              "an entry of the list");

/* Number x of a colour's. */
static __device__ __forceinline__ int halo_place(const struct tail_level &l, int colour, int x)
{
    return colour == 0 ? l.halo + x : l.halo + l.room - 1 - x;
}

/* The packet of a cell of the level. */
static __device__ __forceinline__ int packet_of(const struct tail_level &l, int i, int j, int k)
{
    return i + l.n * (j + l.n * k);
}

/* The cells next to a brick's walls come first in the list of sides, in an order in which a warp's
 * are in different banks: those at walls in j and k by rows along i, then those at walls in i, of
 * which every fourth row's are in the same bank. A brick has at most one wall in a direction. How
 * many come before those of direction d; before direction 3, all. */
static __device__ __forceinline__ int faces_before(const struct tail_level &l,
                                                   const struct brick &b, int d)
{
    const int across = l.side.n * l.depth, in_j = b.walls >> 2 & 3 ? across : 0,
              in_k = b.walls >> 4 ? l.side.n * l.side.n : 0, in_i = b.walls & 3 ? across : 0;
    return d == 1 ? 0 : d == 2 ? in_j : d == 0 ? in_j + in_k : in_j + in_k + in_i;
}

/* A cell next to a wall or two, from which ghosts follow. 0 is no second side. */
static __device__ __forceinline__ int listed_wall(int element, int first, int second)
{
    return element | first << ELEMENT_BITS | second << (ELEMENT_BITS + 3);
}

template <class Op>
static __device__ __forceinline__ int u_element(const int at[3])
{
    return at[0] + at[1] * frames<Op>::SJ + at[2] * frames<Op>::SK + frames<Op>::U_ORIGIN;
}

template <class Op>
static __device__ void list_halo(const struct tail_level &l, const struct brick &b, frames<Op> &s,
                                 struct ghost_counts &counts, const int at[3])
{
    const int colour = (at[0] + at[1] + at[2]) & 1;
    s.halo[halo_place(l, colour, atomicAdd(&counts.halo[colour], 1))] =
        packet_of(l, b.i + at[0], b.j + at[1], b.k + at[2]) | (unsigned)u_element<Op>(at)
                                                                  << HALO_BITS;
}

/* What the stencil reads behind a cell next to a side. */
template <class Op>
static __device__ void list_side(const struct tail_level &l, const struct brick &b, frames<Op> &s,
                                 struct ghost_counts &counts, struct wall_cell c)
{
    const int side = c.side[0], d = side / 2;
    if (!(b.walls >> side & 1)) {
        for (int layer = 0; layer < frames<Op>::GHOSTS; layer++) {
            move_outward(c.at, side);
            list_halo<Op>(l, b, s, counts, c.at);
        }
    } else if (Op::ORDER == 4) {
        const int first = d == 0 ? c.at[1] : c.at[0], second = d == 2 ? c.at[1] : c.at[2];
        s.sides[l.sides + faces_before(l, b, d) + first + l.side.n * second] =
            listed_wall(u_element<Op>(c.at), side, 0);
    }
}

/* What it reads behind a cell next to two sides: cells next to a wall may lie in the halo of the
 * other side. */
template <class Op>
static __device__ void list_edge(const struct tail_level &l, const struct brick &b, frames<Op> &s,
                                 struct ghost_counts &counts, struct wall_cell c)
{
    const bool first = b.walls >> c.side[0] & 1, second = b.walls >> c.side[1] & 1;
    if (!first)
        move_outward(c.at, c.side[0]);
    if (!second)
        move_outward(c.at, c.side[1]);
    if (first && second)
        s.edges[l.edges + atomicAdd(&counts.edges, 1)] =
            listed_wall(u_element<Op>(c.at), c.side[0], c.side[1]);
    else if (first || second)
        s.sides[l.sides + atomicAdd(&counts.sides, 1)] =
            listed_wall(u_element<Op>(c.at), first ? c.side[0] : c.side[1], 0);
    else
        list_halo<Op>(l, b, s, counts, c.at);
}

/* Lists all ghosts that the stencil reads, unless an earlier pass has listed them. Order 2 folds
 * walls in and has no list of them. All threads see the counts after they have met again. */
template <class Op>
static __device__ void list_ghosts(const struct tail_level &l, const struct brick &b, frames<Op> &s,
                                   struct ghost_counts &counts)
{
    if (counts.listed)
        return;
    if (threadIdx.x == 0) {
        counts.halo[0] = counts.halo[1] = counts.edges = 0;
        counts.sides = Op::ORDER == 4 ? faces_before(l, b, 3) : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        counts.listed = true;
    const int n[3] = {l.side.n, l.side.n, l.depth}, sides = side_cells(n),
              all = sides + (Op::ORDER == 4 ? edge_cells(n) : 0);
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS)
        if (x < sides)
            list_side<Op>(l, b, s, counts,
                          side_cell(n, x, [&](int cell, int) { return quotient(cell, l.side); }));
        else
            list_edge<Op>(l, b, s, counts, edge_cell(n, x - sides));
}

/* By all threads, before they meet for the first time. */
template <class Op>
static __device__ __forceinline__ void open_lists(frames<Op> &s)
{
    if (threadIdx.x < MAX_TAIL_LEVELS)
        s.counts[threadIdx.x].listed = false;
}

#endif
