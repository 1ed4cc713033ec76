/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What a block of the tail kernel keeps of its subdomain. Tiles in shared memory hold u and β, with
 * lists of the ghosts of u. Registers hold f, α and D⁻¹, since each cell belongs to one thread. The
 * first half of a thread's CELLS cells are red, the others black, so that all threads work in a
 * half-sweep. Small subdomains, with fewer cells per thread, have tiles of their own strides:
 * without large ones a block needs much less shared memory. */
#include "cuda/coarse/coarse_cells.cuh"

enum {
    MAX_CELLS = SUBDOMAIN_SIDE * SUBDOMAIN_SIDE * SUBDOMAIN_DEPTH / TAIL_THREADS,
    MIN_CELLS = 2,
    /* The tile of the coarse u that is prolonged, with two layers of ghosts. */
    COARSE_SJ = SUBDOMAIN_SIDE / 2 + 4,
    COARSE_SK = COARSE_SJ * COARSE_SJ,
    COARSE_LENGTH = COARSE_SK * (SUBDOMAIN_DEPTH / 2 + 4),
    COARSE_ORIGIN = 2 * (1 + COARSE_SJ + COARSE_SK),
};

/* How many ghosts of a level are in the lists; those of the halo by colour. */
struct ghost_counts {
    int halo[2], sides, edges;
    bool listed;
};

/* Lists of ghosts by level, see struct tail_level, the same in all passes. Red cells of the halo
 * fill the level's part from its front, black ones from its back. */
struct subdomain_lists {
    unsigned halo[ALL_HALO];
    int sides[ALL_SIDES], edges[ALL_EDGES];
    struct ghost_counts counts[MAX_TAIL_LEVELS];
    unsigned long long norm;
};

/* The lists, which small and large subdomains share, and the tiles. A cell is the same element in
 * the tiles of u and β, counted from cell (0,0,0), so that one address serves all that a stencil
 * reads. Rows have an even length: the cells of one colour in two neighbouring rows lie in
 * different banks; in rows of 12, those in four rows. */
template <class Op, int CELLS>
struct subdomain_tiles {
    enum {
        GHOSTS = Op::RADIUS,
        SIDE = CELLS == MIN_CELLS ? SMALL_SIDE : SUBDOMAIN_SIDE,
        SJ = CELLS == MIN_CELLS ? SIDE + 4 : SIDE + 2 * GHOSTS,
        SK = SJ * (SIDE + 2 * GHOSTS),
        U_LENGTH = SK * (SUBDOMAIN_DEPTH + 2 * GHOSTS),
        U_ORIGIN = GHOSTS * (1 + SJ + SK),
        /* Of one field, with one layer of ghosts; the last plane ends with the last of them. */
        BETA_LENGTH = Op::VARIABLE ? SK * (SUBDOMAIN_DEPTH + 1) + SJ * (SIDE + 1) + SIDE + 2 : 0,
        BETA_ORIGIN = 1 + SJ + SK,
    };
    struct subdomain_lists lists;
    alignas(16) double u_tile[U_LENGTH]; /* cells of even i are at multiples of 16 */
    double coarse_tile[COARSE_LENGTH], beta_tile[3 * BETA_LENGTH + 1];

    /* Pointers at cell (0,0,0) of the subdomain. */
    __device__ double *u()
    {
        return u_tile + U_ORIGIN;
    }
    __device__ double *beta()
    {
        return beta_tile + BETA_ORIGIN;
    }
    __device__ double *coarse()
    {
        return coarse_tile + COARSE_ORIGIN;
    }
};

/* A block's part of a level. */
struct subdomain {
    int i, j, k;    /* indices of its cell (0,0,0) on the level */
    int at;         /* element of that cell in fields */
    unsigned walls; /* its sides that are walls, as bits in the order low i, high i, low j, … */
};

template <class Op>
static __device__ struct subdomain subdomain_of(const struct tail_level &l)
{
    const int ni = l.size.i.n, nj = l.size.j.n, nk = l.size.planes;
    struct subdomain sub;
    cuboid_cell(blockIdx.x, l.subdomains, &sub.i, &sub.j, &sub.k);
    sub.i *= ni;
    sub.j *= nj;
    sub.k *= nk;
    sub.at = sub.i + sub.j * l.sj + sub.k * l.sk;
    sub.walls = (sub.i == 0) | (sub.i + ni == l.n[0]) << 1 | (sub.j == 0) << 2 |
                (sub.j + nj == l.n[1]) << 3 | (sub.k == 0) << 4 | (sub.k + nk == l.n[2]) << 5;
    sub.walls &= ~wrapped_sides<Op>(l);
    return sub;
}

/* A cell of the subdomain; outside if there is none. */
struct cell_index {
    int i, j, k;
    bool inside;
};

/* Pairs of cells, red and black, that are neighbours in i. */
inline __host__ __device__ int pairs_in(const struct tail_level &l)
{
    return l.half.i.n * l.size.j.n * l.size.planes;
}

/* Cell number `slot` of this thread. A colour's cells are numbered along the rows. Subdomains begin
 * at even indices, so a cell has the same colour in its subdomain and on the level. */
template <int CELLS>
DEVICE struct cell_index cell_index_of(const struct tail_level &l, int slot)
{
    const int colour = slot / (CELLS / 2);
    const int x = threadIdx.x + slot % (CELLS / 2) * TAIL_THREADS;
    struct cell_index p = {0, 0, 0, x < pairs_in(l)};
    if (!p.inside)
        return p;
    cell_of(x, l.half.i, l.size.j, &p.i, &p.j, &p.k);
    p.i = 2 * p.i + ((p.j + p.k + colour) & 1);
    p.inside = p.i < l.size.i.n;
    return p;
}

/* A packed cell: its element, its sides that are walls above ELEMENT_BITS, and NOT_OWN. A thread
 * with fewer cells than others has a cell with that mark instead. Without a branch the thread
 * computes that cell too, and stores nothing of it. */
enum { ELEMENT_BITS = 13, ELEMENT_MASK = (1 << ELEMENT_BITS) - 1, WALLS_MASK = 63 };
static constexpr unsigned NOT_OWN = 1u << 31;

DEVICE bool is_own(unsigned cell)
{
    return !(cell & NOT_OWN);
}

template <class Op, int CELLS>
static constexpr __device__ int tile_element(const struct cell_index &p)
{
    return p.i + p.j * subdomain_tiles<Op, CELLS>::SJ + p.k * subdomain_tiles<Op, CELLS>::SK;
}

/* The cell of a thread without one: the tile's last cell. If that is a cell of the subdomain, its
 * cells are those of whole warps, and others do not compute. */
template <class Op, int CELLS>
static constexpr unsigned IDLE_CELL = tile_element<Op, CELLS>({subdomain_tiles<Op, CELLS>::SIDE - 1,
                                                               subdomain_tiles<Op, CELLS>::SIDE - 1,
                                                               SUBDOMAIN_DEPTH - 1, true});

template <class Op, int CELLS>
DEVICE unsigned packed_cell(const struct tail_level &l, const struct subdomain &sub,
                            const struct cell_index &p)
{
    const int last_i = l.size.i.n - 1, last_j = l.size.j.n - 1, last_k = l.size.planes - 1;
    const unsigned at_sides = (p.i == 0) | (p.i == last_i) << 1 | (p.j == 0) << 2 |
                              (p.j == last_j) << 3 | (p.k == 0) << 4 | (p.k == last_k) << 5;
    return tile_element<Op, CELLS>(p) | (at_sides & sub.walls) << ELEMENT_BITS;
}

/* True if the cell is a ghost of another subdomain: near a side that is no wall. */
template <class Op>
DEVICE bool is_read_elsewhere(const struct tail_level &l, const struct subdomain &sub,
                              const struct cell_index &p)
{
    enum { LAYERS = Op::RADIUS };
    const int last_i = l.size.i.n - LAYERS, last_j = l.size.j.n - LAYERS,
              last_k = l.size.planes - LAYERS;
    const unsigned near = (p.i < LAYERS) | (p.i >= last_i) << 1 | (p.j < LAYERS) << 2 |
                          (p.j >= last_j) << 3 | (p.k < LAYERS) << 4 | (p.k >= last_k) << 5;
    return near & ~sub.walls;
}

DEVICE int element(unsigned cell)
{
    return cell & ELEMENT_MASK;
}

inline __host__ __device__ bool has_small_subdomains(const struct tail_level &l)
{
    return l.size.i.n <= SMALL_SIDE && l.size.j.n <= SMALL_SIDE;
}
static_assert(SMALL_SIDE * SMALL_SIDE * SUBDOMAIN_DEPTH <= MIN_CELLS * TAIL_THREADS, "a thread's");

/* Offsets of wall ghosts kept by a thread with CELLS cells, see coarse/walls.cuh. */
template <int CELLS>
constexpr int OWN_WALLS = CELLS > MIN_CELLS ? 2 : 1;
static_assert(MAX_WALLS <= OWN_WALLS<MAX_CELLS> * TAIL_THREADS, "a thread's");

/* True if a thread has the registers to hold β of its cells, too. */
template <class Op, int CELLS>
static constexpr __device__ bool holds_beta()
{
    return Op::RADIUS == 1 && Op::VARIABLE && CELLS == MIN_CELLS;
}

/* What a thread holds of its cells during a pass. */
template <int CELLS>
struct own_cells {
    unsigned cell[CELLS]; /* packed; IDLE_CELL with NOT_OWN if there is none */
    int packet[CELLS];    /* its packet, or −1 if no other subdomain reads it */
    double f[CELLS], alpha[CELLS], dinv[CELLS];
    double beta[CELLS][6]; /* low and high in i, j, k, where holds_beta() */
    double value[CELLS];   /* on its way into the tile of u, or what was there before */
    bool works;            /* some thread of this warp has a cell */
};

/* An entry of the halo's list: the cell's packet, and above HALO_BITS its element in the tile. */
enum { HALO_BITS = 18, HALO_MASK = (1 << HALO_BITS) - 1 };
static_assert(TAIL_PACKETS <= 1 << HALO_BITS &&
                  subdomain_tiles<op_fv4, MAX_CELLS>::U_LENGTH <= 1 << (32 - HALO_BITS),
              "an entry of the list");

/* Entry number x of a colour. */
DEVICE int halo_offset(const struct tail_level &l, int colour, int x)
{
    return colour == 0 ? l.halo + x : l.halo + l.halo_capacity - 1 - x;
}

/* The packet of a cell of the level. */
DEVICE int packet_index(const struct tail_level &l, int i, int j, int k)
{
    return i + l.n[0] * (j + l.n[1] * k);
}

/* The cells next to a subdomain's walls come first in the list of sides, in an order in which a
 * warp's are in different banks: those at walls in j and k by rows along i, then those at walls in
 * i, of which every fourth row's are in the same bank. How many come before those at wall number
 * `rank` in this order: low j, high j, low k, high k, low i, high i. */
DEVICE int faces_before(const struct tail_level &l, const struct subdomain &sub, int rank)
{
    const int ni = l.size.i.n, nj = l.size.j.n, nk = l.size.planes;
    int cells = 0;
#pragma unroll
    for (int r = 0; r < 6; r++) {
        const int side = (r + 2) % 6, face = side < 2 ? nj * nk : side < 4 ? ni * nk : ni * nj;
        cells += r < rank && sub.walls >> side & 1 ? face : 0;
    }
    return cells;
}

/* A cell next to a wall or two, from which ghosts follow. 0 is no second side. */
DEVICE int listed_wall(int element, int first, int second)
{
    return element | first << ELEMENT_BITS | second << (ELEMENT_BITS + 3);
}

template <class Op, int CELLS>
DEVICE int u_element(const int at[3])
{
    return tile_element<Op, CELLS>({at[0], at[1], at[2], true}) +
           subdomain_tiles<Op, CELLS>::U_ORIGIN;
}

template <class Op, int CELLS>
static __device__ void list_halo(const struct tail_level &l, const struct subdomain &sub,
                                 subdomain_tiles<Op, CELLS> &s, struct ghost_counts &counts,
                                 const int at[3])
{
    const int colour = (at[0] + at[1] + at[2]) & 1;
    const int i = sub.i + at[0], j = sub.j + at[1], k = sub.k + at[2];
    const int packet = has_any_sides<Op> ? packet_index(l, wrapped(i, l.n[0]), wrapped(j, l.n[1]),
                                                        wrapped(k, l.n[2]))
                                         : packet_index(l, i, j, k);
    s.lists.halo[halo_offset(l, colour, atomicAdd(&counts.halo[colour], 1))] =
        packet | (unsigned)u_element<Op, CELLS>(at) << HALO_BITS;
}

/* What the stencil reads behind a cell next to a side. */
template <class Op, int CELLS>
static __device__ void list_side(const struct tail_level &l, const struct subdomain &sub,
                                 subdomain_tiles<Op, CELLS> &s, struct ghost_counts &counts,
                                 struct wall_cell c)
{
    const int side = c.side[0], d = side / 2;
    if (!(sub.walls >> side & 1)) {
        for (int layer = 0; layer < Op::RADIUS; layer++) {
            move_outward(c.at, side);
            list_halo<Op>(l, sub, s, counts, c.at);
        }
    } else if (Op::RADIUS > 1) {
        const int first = d == 0 ? c.at[1] : c.at[0], second = d == 2 ? c.at[1] : c.at[2],
                  width = d == 0 ? l.size.j.n : l.size.i.n;
        s.lists.sides[l.sides + faces_before(l, sub, (side + 4) % 6) + first + width * second] =
            listed_wall(u_element<Op, CELLS>(c.at), side, 0);
    }
}

/* What it reads behind a cell next to two sides: cells next to a wall may lie in the halo of the
 * other side. */
template <class Op, int CELLS>
static __device__ void list_edge(const struct tail_level &l, const struct subdomain &sub,
                                 subdomain_tiles<Op, CELLS> &s, struct ghost_counts &counts,
                                 struct wall_cell c)
{
    const bool first = sub.walls >> c.side[0] & 1, second = sub.walls >> c.side[1] & 1;
    if (!first)
        move_outward(c.at, c.side[0]);
    if (!second)
        move_outward(c.at, c.side[1]);
    if (first && second)
        s.lists.edges[l.edges + atomicAdd(&counts.edges, 1)] =
            listed_wall(u_element<Op, CELLS>(c.at), c.side[0], c.side[1]);
    else if (first || second)
        s.lists.sides[l.sides + atomicAdd(&counts.sides, 1)] =
            listed_wall(u_element<Op, CELLS>(c.at), first ? c.side[0] : c.side[1], 0);
    else
        list_halo<Op>(l, sub, s, counts, c.at);
}

/* Lists all ghosts that the stencil reads, unless an earlier pass has. Order 2 computes ghosts
 * behind walls on the fly and does not list them. All threads see the counts after the next
 * barrier. */
template <class Op, int CELLS>
static __device__ void list_ghosts(const struct tail_level &l, const struct subdomain &sub,
                                   subdomain_tiles<Op, CELLS> &s, struct ghost_counts &counts)
{
    if (counts.listed)
        return;
    if (threadIdx.x == 0)
        counts.sides = Op::RADIUS > 1 ? faces_before(l, sub, 6) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        counts.listed = true;
    const int n[3] = {l.size.i.n, l.size.j.n, l.size.planes}, sides = side_cells(n),
              all = sides + (Op::RADIUS > 1 ? edge_cells(n) : 0);
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS)
        if (x < sides)
            list_side<Op>(l, sub, s, counts, side_cell(n, x, [&](int cell, int width) {
                              return cuboid_row(cell, width, l.size);
                          }));
        else
            list_edge<Op>(l, sub, s, counts, edge_cell(n, x - sides));
}

/* By all threads, before the first barrier. A pass that only sets u lists no ghosts. */
DEVICE void open_lists(struct subdomain_lists &lists)
{
    if (threadIdx.x < MAX_TAIL_LEVELS)
        lists.counts[threadIdx.x] = {};
}
