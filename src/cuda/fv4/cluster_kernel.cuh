/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_CLUSTER_KERNEL_CUH
#define CUDA_FV4_CLUSTER_KERNEL_CUH
/* The red-black kernel in clusters; docs/KERNELS.md explains it. A thread owns the column i of two
 * rows. In step t it updates the red cell of plane t and the black cell of plane t − 1, both of the
 * same row, the active one, and in the next step of the other row. Rows are reflected so that the
 * thread's other row is the next one in j; this changes no bit. Of the new red cells, a black cell
 * reads only its six neighbours: NEW and registers hold these. Slots keep the old cells.
 *
 * Rows have a number: 0 is active in even steps. */
#include "cuda/fv4/cluster_tile.cuh"
#include "cuda/fv4/gsrb_columns.cuh"

namespace fv4::cluster
{
/* One of a thread's two columns in registers: u of plane t + 2 and below; the red and the black
 * cell that were updated last, before their update. */
template <class real>
struct column {
    real u[5], red, black;
};

/* Properties of a thread, as bits of one register; of its rows by number. */
enum flags {
    OWN = 0,       /* by row: the block stores the cells */
    BY_WALL = 2,   /* by row: a wall in i or j is near */
    OUTSIDE = 4,   /* by row: the next row outward is another block's */
    BY_WALL_I = 6, /* a wall in i is near */
    WARP_BY_WALL,  /* a wall in i or j is near some lane's cells */
    LOW,           /* next to the low wall in i */
    HIGH,
    END,   /* some lane of the warp is next to a wall in i */
    BELOW, /* exchanges new red cells with the block below */
    ABOVE,
};

/* Addresses in slot 0: of the cell at the block's first column and row if this was the thread's
 * row, of the next two rows outward; of the outward face in j. Next row outward in NEW, slot 0. */
struct row {
    unsigned cell, outer, second, face, new_outer;
    unsigned offset; /* of the cell, or the nearest one that is updated, in a plane of the patch */
};

/* What a thread knows of itself. */
struct place {
    unsigned flags;
    struct row rows[2];
    unsigned middle;      /* address of the face between the two rows */
    unsigned red, beside; /* addresses in NEW of its new red cell, and between those it reads */
};

DEVICE bool is(const struct place &p, int flag)
{
    return p.flags >> flag & 1;
}

template <class tile>
DEVICE struct row make_row(const struct fv4_gsrb &w, const struct block_range &m, int i, int pair,
                           bool upper)
{
    const int y = 2 * pair + upper, outward = upper ? 1 : -1;
    const unsigned first = (unsigned)shared_begin() + i * tile::CELL;
    const auto address = [&](int row) { return first + row * tile::ROW; };
    return {address(y),
            address(y + outward),
            address(y + 2 * outward),
            address(y + upper),
            address(pair + 1 + outward) + tile::NEW + HALO_I * tile::CELL,
            clamped_offset(w, m.i + i, m.j + y)};
}

DEVICE unsigned bit(bool is_set, int flag)
{
    return (unsigned)is_set << flag;
}

/* The flags of row number x, which is row y of the block. */
template <class tile>
DEVICE unsigned row_flags(const struct fv4_gsrb &w, const struct block_range &m, int x, int i,
                          int y)
{
    const int gi = m.i + i, gj = m.j + y;
    const bool own = gi >= m.first[0] && gi < m.last[0] && gj >= m.first[1] && gj < m.last[1];
    return bit(own, OWN + x) | bit(!is_away(w, 0, gi) || !is_away(w, 1, gj), BY_WALL + x) |
           bit(y == 0 || y == tile::ROWS - 1, OUTSIDE + x);
}

/* The column of the cells that a thread reads: its own, or where that lies behind the wall, another
 * one that is not next to the wall. Ghosts are put where its own cells would be. */
DEVICE int column_to_read(const struct fv4_gsrb &w, const struct block_range &m, int i)
{
    const int last = w.c.n[0] - 1 - m.i;
    return w.c.wall[0][1] && i > last ? last - 3 : i;
}

template <class tile>
DEVICE struct place make_place(const struct fv4_gsrb &w, const struct block_range &m)
{
    const int own = threadIdx.x % tile::WIDTH, pair = threadIdx.x / tile::WIDTH, y = 2 * pair,
              i = column_to_read(w, m, own), gi = m.i + i;
    const bool upper = (gi + m.j + y + m.start + w.colour) & 1, inside = i == own,
               low = gi == 0 && w.c.wall[0][0],
               high = inside && gi == w.c.n[0] - 1 && w.c.wall[0][1],
               below = tile::BLOCKS > 1 && pair == 0 && m.rank > 0,
               above = tile::BLOCKS > 1 && pair == tile::PAIRS - 1 && m.rank < tile::BLOCKS - 1;
    const unsigned memory = (unsigned)shared_begin();
    struct place p;
    p.rows[0] = make_row<tile>(w, m, i, pair, upper);
    p.rows[1] = make_row<tile>(w, m, i, pair, !upper);
    p.flags = row_flags<tile>(w, m, 0, i, y + upper) | row_flags<tile>(w, m, 1, i, y + !upper);
    if (!inside)
        p.flags &= ~(3u << OWN);
    p.flags |= bit(!is_away(w, 0, gi), BY_WALL_I) | bit(low, LOW) | bit(high, HIGH) |
               bit(below, BELOW) | bit(above, ABOVE);
    p.flags |= bit(__any_sync(~0u, is(p, BY_WALL) || is(p, BY_WALL + 1)), WARP_BY_WALL) |
               bit(__any_sync(~0u, low || high), END);
    p.middle = memory + (y + 1) * tile::ROW + i * tile::CELL;
    const unsigned cell = memory + tile::NEW + (pair + 1) * tile::ROW + HALO_I * tile::CELL;
    p.beside = cell + i * tile::CELL;
    p.red = cell + own * tile::CELL;
    return p;
}

/* f and α of the cells of a step, red and black. */
struct cell_sources {
    struct cell_terms red, black;
};

/* Registers that a thread carries from step to step. */
template <class tile>
struct state {
    struct place place;
    struct column<typename tile::real> columns[2]; /* by number of the row */
    double middle;           /* difference in i of β on the middle face, in plane t − 1 */
    struct cell_sources now; /* of step t */
    bool near_k;             /* a wall in k is near plane t */
    long plane;              /* offset of ghost (−1,−1) of plane t in a field, in bytes */
};

/* The step context. */
struct step_context {
    int t, number;
    int round;   /* of the unrolled loop */
    const int q; /* the step's number in it */
};

/* Loads of shared memory: u of plane t + d, at an address of slot 0. */
template <class tile>
DEVICE double u_at(unsigned address, int q, int d)
{
    return load_cell(address + tile::U_CELL + slot_of<tile>(q, d));
}

/* An offset in NEW of the red cells of plane t + d. */
template <class tile>
DEVICE constexpr int new_slot(int q, int d)
{
    return (q + d + UNROLLED) % tile::NEW_SLOTS * tile::NEW_BYTES;
}

/* β on a thread's faces in i or j in three planes, from plane t + d + 1 downward, by side. */
struct face_window {
    double beta[3][2];
};

/* The faces of the active row's cell in plane t + d, whose windows and face above are known; the
 * windows move down. `middle` is the difference in i on the face between the rows. */
template <class tile>
class beta_planes
{
    const struct row &r, &other;
    const unsigned middle_face;
    const int q;
    struct face_window i, j; /* in j the outward face first */
    struct face high;

    DEVICE_MEMBER double at_face(unsigned address, int offset, int d) const
    {
        return load_cell(address + offset + slot_of<tile>(q, d));
    }

    DEVICE_MEMBER void load_plane(int d, int x)
    {
        i.beta[x][0] = at_face(r.cell, tile::BETA_I_CELL, d);
        i.beta[x][1] = at_face(r.cell, tile::BETA_I_CELL + tile::CELL, d);
        j.beta[x][0] = at_face(r.face, tile::BETA_J_CELL, d);
        j.beta[x][1] = at_face(middle_face, tile::BETA_J_CELL, d);
    }

    DEVICE_MEMBER double difference_in_i(unsigned face, int offset, int d) const
    {
        return at_face(face, offset + tile::CELL, d) - at_face(face, offset - tile::CELL, d);
    }

    DEVICE_MEMBER double difference_in_j(int offset, int d) const
    {
        return at_face(other.cell, offset, d) - at_face(r.outer, offset, d);
    }

    DEVICE_MEMBER struct face load_face_k(int d) const
    {
        return {at_face(r.cell, tile::BETA_K_CELL, d),
                difference_in_i(r.cell, tile::BETA_K_CELL, d),
                difference_in_j(tile::BETA_K_CELL, d)};
    }

    DEVICE_MEMBER static void move_down(struct face_window &x)
    {
        for (int side = 0; side < 2; side++) {
            x.beta[0][side] = x.beta[1][side];
            x.beta[1][side] = x.beta[2][side];
        }
    }

  public:
    DEVICE_MEMBER beta_planes(const struct place &p, int number)
        : r(p.rows[number % 2]), other(p.rows[1 - number % 2]), middle_face(p.middle), q(number)
    {
        if (!tile::VARIABLE)
            return;
        load_plane(1, 0);
        load_plane(0, 1);
        high = load_face_k(1);
    }

    DEVICE_MEMBER double load_middle() const
    {
        return tile::VARIABLE ? difference_in_i(middle_face, tile::BETA_J_CELL, 0) : 0.0;
    }

    DEVICE_MEMBER struct faces next(int d, double middle)
    {
        struct faces x = {};
        if (!tile::VARIABLE)
            return x;
        load_plane(d - 1, 2);
        for (int side = 0; side < 2; side++) {
            x.i.beta[side] = i.beta[1][side];
            x.i.d_first[side] = difference_in_j(tile::BETA_I_CELL + side * tile::CELL, d);
            x.i.d_second[side] = i.beta[0][side] - i.beta[2][side];
            x.j.beta[side] = j.beta[1][side];
            x.j.d_first[side] = side ? middle : difference_in_i(r.face, tile::BETA_J_CELL, d);
            x.j.d_second[side] = j.beta[0][side] - j.beta[2][side];
        }
        move_down(i);
        move_down(j);
        const struct face low = load_face_k(d);
        x.k = both(low, high);
        high = low;
        return x;
    }
};

/* Cells next to the active column in plane t + d + 1: in i, and outward in j. */
struct sides {
    double i[2], outer;
};

/* The cells around the active row's cell in plane t + d, but for the nearest ones in i and j
 * outward: far and diagonal ones, which have its own colour and are in slots. `above` are those of
 * the next plane. */
template <class tile>
DEVICE void load_far(struct fv4_cells &c, const struct row &r, const struct row &other,
                     const struct sides &above, int q, int d)
{
    constexpr int CELL = tile::CELL;
    const auto u = [&](unsigned address, int e) { return u_at<tile>(address, q, e); };
    for (int side = 0; side < 2; side++) {
        const int x = side ? CELL : -CELL;
        c.far_i[side] = u(r.cell + 2 * x, d);
        c.far_j[side] = u(side ? other.outer : r.second, d);
        if (tile::VARIABLE) {
            c.ij[side] = u(r.outer + x, d);
            c.ij[2 + side] = u(other.cell + x, d);
            c.ik[side] = u(r.cell + x, d - 1);
            c.ik[2 + side] = above.i[side];
        }
    }
    if (tile::VARIABLE) {
        c.jk[0] = u(r.outer, d - 1);
        c.jk[2] = above.outer;
    }
}

/* Behind walls in i, black cells read ghosts that follow from new red cells. `side` is the low (0)
 * or high (1) end of a row; `inward` the offset of the next column, 0 where there is no wall. */
struct row_end {
    int side, inward;
};

template <class tile>
DEVICE struct row_end end_of(const struct place &p)
{
    return {is(p, HIGH), is(p, LOW) ? tile::CELL : is(p, HIGH) ? -tile::CELL : 0};
}

DEVICE void set_side(double sides[2], int side, double value)
{
    sides[0] = side ? sides[0] : value;
    sides[1] = side ? value : sides[1];
}

DEVICE double side_of(const double sides[2], int side)
{
    return side ? sides[1] : sides[0];
}

/* Puts the ghost next to the new red cell, in plane t, into its slot. It has the black cells'
 * colour, and no other red cell reads it. `next` are the cells next to it, of which it becomes one.
 * All lanes of the warp call this. */
template <class tile>
DEVICE void put_red_end(const struct fv4_gsrb &w, const struct place &p, const struct row &r,
                        double red, struct sides &next, int q)
{
    const struct row_end e = end_of<tile>(p);
    const double third = __shfl_sync(~0u, red, (int)threadIdx.x % 32 + 2 * e.inward / tile::CELL);
    if (e.inward != 0) {
        const double v[4] = {red, side_of(next.i, !e.side), third,
                             u_at<tile>(r.cell + 3 * e.inward, q, 0)},
                     ghost = quartic_ghost(w.walls[e.side], 0, v);
        store_cell(r.cell - e.inward + tile::U_CELL + slot_of<tile>(q, 0), ghost);
        set_side(next.i, e.side, ghost);
    }
    order_before_copies<typename tile::source>();
}

/* Sets the ghosts that the black cell in plane t − 1 reads and others do not. In the next row
 * outward it also reads one that another block has in its slot. */
template <class tile>
DEVICE void set_black_ends(const struct fv4_gsrb &w, const struct place &p, const struct row &r,
                           struct fv4_cells &c, int q)
{
    const struct row_end e = end_of<tile>(p);
    if (e.inward == 0)
        return;
    const struct quartic_rows &wall = w.walls[e.side];
    const int last = new_slot<tile>(q, -1);
    const double v[4] = {c.here, side_of(c.near_i, !e.side),
                         u_at<tile>(r.cell + 2 * e.inward, q, -1),
                         load_cell(p.beside + last + 3 * e.inward)};
    set_side(c.near_i, e.side, quartic_ghost(wall, 0, v));
    set_side(c.far_i, e.side, quartic_ghost(wall, 1, v));
    if (!w.in) /* where u is 0 everywhere, the slot's next plane has no other value there */
        store_cell(r.cell - e.inward + tile::U_CELL + slot_of<tile>(q, -2), 0.0);
    if (tile::VARIABLE && is(p, OUTSIDE + q % 2)) {
        const double outer[4] = {load_cell(r.new_outer + last), side_of(c.ij, !e.side),
                                 load_cell(r.new_outer + last + 2 * e.inward),
                                 u_at<tile>(r.outer + 3 * e.inward, q, -1)};
        set_side(c.ij, e.side, quartic_ghost(wall, 0, outer));
    }
}

/* D⁻¹ of a step's red (0) or black (1) cell near a wall is at this address. */
template <class tile>
DEVICE int dinv_address(int q, int colour)
{
    return shared_begin() + tile::DINV + (2 * (q % 2) + colour) * tile::DINV_BYTES +
           (int)threadIdx.x * tile::CELL;
}

/* A cell of a field whose cell (0,0,0) is at x. */
DEVICE const double *cell_at(const double *x, long offset)
{
    return (const double *)((const char *)x + offset);
}

/* For zero_after. */
template <class tile>
DEVICE int source_bits(const struct cell_sources &s)
{
    const int f = __double2hiint(s.red.f) | __double2hiint(s.black.f);
    return tile::READS_ALPHA ? f | __double2hiint(s.red.alpha) | __double2hiint(s.black.alpha) : f;
}

/* Loads f and α of the step after step t, whose black cells are in plane t, and issues copies of
 * D⁻¹ if it is wanted. `zero` is 0. */
template <class tile>
DEVICE struct cell_sources fetch_sources(const struct fv4_gsrb &w, const struct state<tile> &x,
                                         bool with_dinv, int q, unsigned zero)
{
    const long black = x.plane + (x.place.rows[(q + 1) % 2].offset + zero),
               red = black + w.c.sk * (long)sizeof(double);
    if (with_dinv) {
        copy_cell(dinv_address<tile>(q + 1, 0), cell_at(w.dinv, red));
        copy_cell(dinv_address<tile>(q + 1, 1), cell_at(w.dinv, black));
        __pipeline_commit();
    }
    const bool alphas = tile::READS_ALPHA;
    return {{*cell_at(w.f, red), alphas ? *cell_at(w.alpha, red) : 0.0},
            {*cell_at(w.f, black), alphas ? *cell_at(w.alpha, black) : 0.0}};
}

/* Where barriers count the cells that the thread's block receives from the one that it exchanges
 * with, those of the step of this number; 0 if there is none. */
template <class tile>
DEVICE unsigned barrier_of_sent(const struct place &p, int number)
{
    if (tile::BLOCKS == 1 || !(is(p, BELOW) || is(p, ABOVE)))
        return 0;
    return (unsigned)shared_begin() + (is(p, ABOVE) ? tile::FROM_ABOVE : tile::FROM_BELOW) +
           number % 2 * tile::BARRIER;
}

/* Waits for the cells that the other block has sent in the step before that of this number. */
template <class tile>
DEVICE void await_sent(unsigned barrier, int number)
{
    if (number > 0)
        cluster_barrier_wait(barrier, (number - 1) >> 1 & 1);
}

/* Waits for the cells of the last step and sends the new red cell. No block is two steps ahead of
 * another one: it sends only after this wait. */
template <class tile>
DEVICE void exchange_red(const struct place &p, int rank, double red, const struct step_context &c)
{
    if (const unsigned mine = barrier_of_sent<tile>(p, c.q)) {
        const unsigned last = barrier_of_sent<tile>(p, c.q + 1);
        if (threadIdx.x % tile::WIDTH == 0)
            barrier_expect(cluster_barrier(mine), tile::SENT_BYTES);
        await_sent<tile>(last, c.number);
        const bool above = is(p, ABOVE);
        const unsigned there = cluster_address(shared_begin(), rank + (above ? 1 : -1));
        store_async(
            there + tile::NEW + (above ? 0 : (tile::PAIRS + 1) * tile::ROW) +
                (threadIdx.x % tile::WIDTH + HALO_I) * tile::CELL + new_slot<tile>(c.q, 0),
            red, there + (above ? tile::FROM_BELOW : tile::FROM_ABOVE) + c.q % 2 * tile::BARRIER);
    }
}

/* Moves a column down by one plane. */
template <class real>
DEVICE void move_down(struct column<real> &a)
{
#pragma unroll
    for (int x = 4; x > 0; x--)
        a.u[x] = a.u[x - 1];
}

/* The red cell of plane t. */
template <class tile>
DEVICE double relax_red(const struct fv4_gsrb &w, const struct state<tile> &x,
                        const struct faces &faces, const struct sides &above,
                        const struct sides &next, const struct step_context &c)
{
    const struct column<typename tile::real> &a = x.columns[c.q % 2], &b = x.columns[1 - c.q % 2];
    const struct row &r = x.place.rows[c.q % 2], &other = x.place.rows[1 - c.q % 2];
    struct fv4_cells u = {};
    u.here = a.u[2];
    u.near_i[0] = next.i[0];
    u.near_i[1] = next.i[1];
    u.near_j[0] = next.outer;
    u.near_j[1] = b.u[2];
    u.near_k[0] = a.u[3];
    u.near_k[1] = a.u[1];
    u.far_k[0] = a.red;
    u.far_k[1] = a.u[0];
    load_far<tile>(u, r, other, above, c.q, 0);
    u.jk[1] = b.red;
    u.jk[3] = b.u[1];
    const struct stored_dinv stored = {is(x.place, BY_WALL + c.q % 2) || x.near_k,
                                       dinv_address<tile>(c.q, 0)};
    return relax<typename tile::op>(w, u, faces, x.now.red, stored);
}

/* The black cell of plane t − 1, where no wall in j or k is near. */
template <class tile>
DEVICE double relax_black(const struct fv4_gsrb &w, const struct state<tile> &x,
                          const struct faces &faces, const struct sides &above,
                          const struct step_context &c)
{
    const struct column<typename tile::real> &a = x.columns[c.q % 2], &b = x.columns[1 - c.q % 2];
    const struct row &r = x.place.rows[c.q % 2], &other = x.place.rows[1 - c.q % 2];
    const int last = new_slot<tile>(c.q, -1);
    struct fv4_cells u = {};
    u.here = a.u[3];
    u.near_i[0] = load_cell(x.place.beside + last - tile::CELL);
    u.near_i[1] = load_cell(x.place.beside + last + tile::CELL);
    u.near_j[0] = load_cell(r.new_outer + last);
    u.near_j[1] = b.u[3];
    u.near_k[0] = a.u[4];
    u.near_k[1] = a.u[2];
    u.far_k[0] = a.black;
    u.far_k[1] = a.u[1];
    load_far<tile>(u, r, other, above, c.q, -1);
    u.jk[1] = b.black;
    u.jk[3] = b.u[2];
    if (is(x.place, END))
        set_black_ends<tile>(w, x.place, r, u, c.q);
    const struct stored_dinv stored = {is(x.place, BY_WALL_I), dinv_address<tile>(c.q, 1)};
    return relax<typename tile::op>(w, u, faces, x.now.black, stored);
}

/* Both updates of step t. */
template <class tile>
DEVICE void relax_both(const struct fv4_gsrb &w, int rank, struct state<tile> &x,
                       const struct step_context &c)
{
    const int q = c.q;
    struct column<typename tile::real> &a = x.columns[q % 2];
    const struct row &r = x.place.rows[q % 2];
    a.u[1] = u_at<tile>(r.cell, q, 1);
    a.u[0] = u_at<tile>(r.cell, q, 2);
    beta_planes<tile> beta(x.place, q);
    const double middle = beta.load_middle();
    const auto load_sides = [&](int d) {
        return sides{{u_at<tile>(r.cell - tile::CELL, q, d), u_at<tile>(r.cell + tile::CELL, q, d)},
                     u_at<tile>(r.outer, q, d)};
    };
    const struct sides above = tile::VARIABLE ? load_sides(1) : sides{};
    struct sides next = load_sides(0);
    const double old_red = a.u[2], old_black = a.u[3];
    const double red = relax_red<tile>(w, x, beta.next(0, middle), above, next, c);
    a.red = old_red;
    a.u[2] = red;
    if (is(x.place, END))
        put_red_end<tile>(w, x.place, r, red, next, q);
    exchange_red<tile>(x.place, rank, red, c);
    a.u[3] = relax_black<tile>(w, x, beta.next(-1, x.middle), next, c);
    a.black = old_black;
    x.middle = middle;
    store_cell(x.place.red + new_slot<tile>(q, 0), red);
}

/* Stores plane t − 1: its black cell, and the red one of the step before. */
template <class tile>
DEVICE void store_cells(const struct fv4_gsrb &w, const struct state<tile> &x)
{
    const long plane = x.plane - w.c.sk * (long)sizeof(double);
#pragma unroll
    for (int number = 0; number < 2; number++)
        if (is(x.place, OWN + number))
            *(double *)((char *)w.out + (plane + x.place.rows[number].offset)) =
                x.columns[number].u[3];
}

/* Waits for the planes number x that step number 0 of this round is the first one to read. */
template <class tile>
DEVICE void wait_for_plane(barrier_word *barrier_of(int), int x, int round)
{
    barrier_wait(barrier_of(x % UNROLLED), (round + x / UNROLLED) & 1);
}

template <class tile>
DEVICE void step(const struct fv4_gsrb &w, const struct block_range &m, struct state<tile> &x,
                 const struct step_context &c, unsigned zero)
{
    const int q = c.q;
    x.place.flags = (unsigned)opaque((int)x.place.flags);
    __pipeline_wait_prior(0);
    const bool near_k = !is_away(w, 2, c.t + 1);
    const struct cell_sources next = fetch_sources<tile>(
        w, x, is(x.place, WARP_BY_WALL) || near_k, q, zero_after(source_bits<tile>(x.now), zero));
    move_down(x.columns[0]);
    move_down(x.columns[1]);
    wait_for_plane<tile>(barrier_of_u<tile>, q + 4, c.round);
    if (tile::VARIABLE)
        wait_for_plane<tile>(barrier_of_beta<tile>, q + 3, c.round);
    relax_both<tile>(w, m.rank, x, c);
    if (c.t > m.first[2])
        store_cells<tile>(w, x);
    x.now = next;
    x.near_k = near_k;
    x.plane += w.c.sk * (long)sizeof(double);
}

/* Reads what the first steps read of planes before their own. */
template <class tile>
DEVICE void load_first(const struct fv4_gsrb &w, const struct block_range &m, struct state<tile> &x)
{
    for (int number = 0; number < 4; number++) {
        wait_for_plane<tile>(barrier_of_u<tile>, number, 0);
        if (tile::VARIABLE && number < 3)
            wait_for_plane<tile>(barrier_of_beta<tile>, number, 0);
    }
    const auto u = [&](int number, int d) { return u_at<tile>(x.place.rows[number].cell, 0, d); };
    x.columns[0].red = u(0, -2);
    x.columns[0].u[2] = u(0, -1);
    x.columns[0].u[1] = u(0, 0);
    x.columns[1].red = u(1, -1);
    x.columns[1].u[1] = u(1, 0);
    x.columns[1].u[0] = u(1, 1);
    x.near_k = !is_away(w, 2, m.start);
    x.plane = ((m.start - 1) * w.c.sk - w.c.sj - 1) * (long)sizeof(double);
    x.now = fetch_sources<tile>(w, x, is(x.place, WARP_BY_WALL) || x.near_k, UNROLLED - 1, 0);
    x.plane += w.c.sk * (long)sizeof(double);
}

/* No block ends while cells are under way to it, nor before all of its cluster have sent. */
template <class tile>
DEVICE void end_block(const struct place &p, int steps)
{
    if (const unsigned last = barrier_of_sent<tile>(p, steps + 1))
        await_sent<tile>(last, steps);
    if (tile::BLOCKS > 1)
        cluster_synchronise();
}

template <class tile>
static __global__ void __launch_bounds__(tile::THREADS, tile::PER_MULTIPROCESSOR)
    gsrb_kernel(const __grid_constant__ struct fv4_gsrb w,
                const __grid_constant__ sources<typename tile::source> from,
                const __grid_constant__ struct tiling tiling, int planes, unsigned zero)
{
    constexpr bool ENGINE = BY_ENGINE<typename tile::source>;
    if constexpr (RUNS_HERE<ENGINE>) {
        const struct block_range m = make_range<tile>(w, tiling, planes);
        if (w.region != REGION_ALL && !in_region(w, m))
            return;
        prepare_memory<tile>(w);
        if (tile::BLOCKS > 1)
            cluster_synchronise();
        if (!ENGINE && threadIdx.x >= tile::WORKERS)
            return copy_planes<tile>(w, from, m);
        if (ENGINE && threadIdx.x == 0)
            fetch_first<tile>(w, from, m);
        struct state<tile> x = {
        };
        x.place = make_place<tile>(w, m);
        load_first<tile>(w, m, x);
#pragma unroll 1
        for (int round = 0;; round++) {
#pragma unroll
            for (int q = 0; q < UNROLLED; q++) {
                const int number = round * UNROLLED + q;
                if (number >= m.steps)
                    return end_block<tile>(x.place, m.steps);
                if (ENGINE && threadIdx.x == 0 && number > 0)
                    fetch<tile>(w, from, m, number + UNROLLED - 1, (q + UNROLLED - 1) % UNROLLED);
                step<tile>(w, m, x, {m.start + number, number, round, q}, zero);
                __syncthreads();
            }
        }
    }
}
} // namespace fv4::cluster

#endif
