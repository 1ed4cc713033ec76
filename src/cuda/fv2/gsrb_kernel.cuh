/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernel of the fused red-black pass; docs/KERNELS.md explains it. Step k updates a thread's
 * red cell in plane k + 1 and its black cell in plane k, which are the same component. If the pass
 * finishes with the residual, it also computes both residuals in plane k − 1. Colours
 * alternate from row to row and from plane to plane: while some warps update the low cells of their
 * threads, others update the high ones, and all meet at one barrier. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/core/red_black.cuh"
#include "cuda/fv2/gsrb_tile.cuh"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

namespace fv2
{
/* The new value of a thread's component E. */
template <class Op, int E, bool WALLS>
DEVICE real update(real u, const neighbours &beside, const cell_data &d, bool end_of_row,
                   const struct walls &walls, const struct cells &c, real scale)
{
    const struct walls own = walls_of_cell<E, WALLS>(end_of_row, walls);
    const neighbours n = with_ghosts<Op, WALLS>(beside, u, own, c);
    const real residual = residual_of<Op>(u, n, d, scale);
    const real dinv = inverse_diagonal<Op>(ghosts_of_unit<Op, WALLS>(own, c), d, scale);
    return update_weighted(u, dinv, residual, RED_BLACK_WEIGHT);
}

/* Registers that a thread carries from step to step. */
struct stream_state {
    real2 u_m, u_0, u_p; /* planes k − 1, k, k + 1 */
    real2 bk;            /* below plane k + 1 */
    cell_data black;     /* of the black cell of plane k */
    /* For the residual of plane k − 1: its finished cells and those below, β_k below and above it.
     */
    real2 done, below, face_0, face_1;
    unsigned long long norm; /* largest bits so far */
};

/* Data of both cells in a plane, from its slot. */
template <class tile>
DEVICE struct plane_data load_data(const struct thread_cells &p, unsigned slot)
{
    const unsigned at = p.vector_address + slot + tile::STEPS;
    struct plane_data d = {};
    d.f = vector_at(at + tile::F);
    d.alpha = tile::ALPHAS ? vector_at(at + tile::ALPHA) : constant_alpha<typename tile::op>();
    if (tile::VARIABLE) {
        d.bi = vector_at(at + tile::BI);
        d.bj0 = vector_at(at + tile::BJ);
        d.bj1 = vector_at(at + tile::BJ + ROW_BYTES);
        d.bi_end = cell_at(p.high_face + slot + tile::STEPS);
    }
    return d;
}

/* The old black neighbour in i of the red cell in plane k + 1, whose slot is at `plane`. If a
 * residual follows, the neighbour may be beyond the tile. */
template <int E, class tile>
DEVICE real black_beside_red(const struct thread_cells &p, unsigned plane, real2 u)
{
    const real next = beside<E>(u);
    if (tile::HALO == 1 || p.lane != (E ? LANES - 1 : 0))
        return next;
    return cell_at(beside_row(p) + plane + tile::U + (E ? tile::U_HIGH : tile::U_LOW));
}

/* Offsets of the slots of step k: u of planes k + 2 and k + 1; the data of this step and of the
 * step two before it; β_k; the new red cells of planes k and k + 1. The copies for step k + AHEAD
 * go to the slots that step k − 1 was the last one to read. */
struct slots {
    unsigned u, u_before, step, step_last, step_before, bk, red, red_above;
    struct copy_slots free;
};

template <class tile>
DEVICE struct slots initial_slots()
{
    constexpr int LAST = (tile::STEP_SLOTS - 1) * tile::STEP_BYTES;
    return {tile::U_BYTES,           0, 0, LAST, LAST - tile::STEP_BYTES, 0, 0, tile::RED_BYTES,
            slots_ahead<tile>(AHEAD)};
}

template <class tile>
DEVICE struct slots next_slots(const struct slots &s)
{
    return {next_slot<tile::U_BYTES, tile::U_SLOTS>(s.u),
            s.u,
            next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step),
            s.step,
            s.step_last,
            next_slot<tile::BK_BYTES, tile::BK_SLOTS>(s.bk),
            s.red_above,
            s.red,
            {s.u_before, tile::FINISHES ? s.step_before : s.step, s.bk}};
}

/* Residuals of both cells in plane k, which the last step has finished in all rows; `above` are the
 * finished cells of plane k + 1. */
template <bool WALLS, class tile>
DEVICE real2 residual_vector(const struct fv2_gsrb &w, const struct thread_cells &p, int k,
                             const struct slots &s, const struct stream_state &m, real2 above)
{
    const unsigned row = p.vector_address + tile::DONE + ROW_BYTES + 2 * s.red_above;
    const struct walls walls = {(p.flags & LOW_WALL_J) != 0, (p.flags & HIGH_WALL_J) != 0,
                                k == 0 && w.c.wall[2][0], k == p.n2 - 1 && w.c.wall[2][1]};
    return residual_vector<typename tile::op, WALLS>(
        load_data<tile>(p, s.step_before), m.face_0, m.face_1, m.done, beside_both(m.done),
        vector_at(row - ROW_BYTES), vector_at(row + ROW_BYTES), m.below, above,
        p.flags & LOW_WALL_I, p.flags & HIGH_WALL_I, walls, w.c, w.scale);
}

/* Step k of a warp whose red cells in plane k + 1, and black cells in plane k, are component E. c
 * is u in plane k + 2. Returns the finished cells of plane k; if FINISHES, `residual` becomes that
 * of plane k − 1. */
template <bool FINISHES, int E, bool WALLS, class tile>
DEVICE real2 step(const struct fv2_gsrb &w, const struct thread_cells &p, const struct slots &s,
                  real2 c, int k, struct stream_state &m, real2 &residual)
{
    const bool end_of_row = p.flags & (E ? HIGH_WALL_I : LOW_WALL_I);
    const real2 bk = tile::VARIABLE ? vector_at(p.vector_address + s.bk + tile::BK) : real2{};
    const unsigned reds = p.cell_address + tile::RED + ROW_BYTES / 2 + s.red;
    cell_data black = m.black;
    black.bk1 = component(m.bk, E);
    if (tile::HALO > 1)
        black.bk0 = component(m.face_1, E);
    cell_data red;
    divide_data(load_data<tile>(p, s.step), m.bk, bk, E ? &m.black : &red, E ? &red : &m.black);
    m.bk = bk;
    const real black_beside = black_beside_red<E, tile>(p, s.u_before, m.u_p);

    /* Every thread makes both updates, so that neither waits for the other. */
    real jm = 0.0, jp = 0.0;
    if (!tile::ZERO) {
        const unsigned u = p.vector_address + s.u_before + tile::U + tile::U_ROWS + E * CELL_BYTES;
        jm = cell_at(u - ROW_BYTES);
        jp = cell_at(u + ROW_BYTES);
    }
    const real red_jm = cell_at(reds - ROW_BYTES / 2), red_jp = cell_at(reds + ROW_BYTES / 2),
               red_beside = cell_at(E ? reds + CELL_BYTES : reds - CELL_BYTES);
    const bool k0 = w.c.wall[2][0], k1 = w.c.wall[2][1];
    struct walls walls = {(p.flags & LOW_WALL_J) != 0, (p.flags & HIGH_WALL_J) != 0,
                          k + 1 == 0 && k0, k + 1 == p.n2 - 1 && k1};
    const real new_red = update<typename tile::op, E, WALLS>(
        component(m.u_p, E),
        gather<E>(m.u_p, black_beside, jm, jp, component(m.u_0, E), component(c, E)), red,
        end_of_row, walls, w.c, w.scale);
    m.u_p = E ? make_real2(m.u_p.x, new_red) : make_real2(new_red, m.u_p.y);
    put(p.cell_address + tile::RED + ROW_BYTES / 2 + s.red_above, new_red);
    walls.k0 = k == 0 && k0;
    walls.k1 = k == p.n2 - 1 && k1;
    const real new_black = update<typename tile::op, E, WALLS>(
        component(m.u_0, E),
        gather<E>(m.u_0, red_beside, red_jm, red_jp, component(m.u_m, E), component(m.u_p, E)),
        black, end_of_row, walls, w.c, w.scale);
    const real2 done = E ? make_real2(m.u_0.x, new_black) : make_real2(new_black, m.u_0.y);
    if (FINISHES)
        residual = residual_vector<WALLS, tile>(w, p, k - 1, s, m, done);
    return done;
}

template <bool FINISHES, int E, class tile, class... Arguments>
DEVICE real2 step_by_walls(bool walls, Arguments &&...arguments)
{
    return walls ? step<FINISHES, E, true, tile>(arguments...)
                 : step<FINISHES, E, false, tile>(arguments...);
}

/* Collects the residuals of a plane: their sum over the two cells goes to the slot of shared
 * memory, where it meets that of the next row; or their magnitudes raise the norm. */
template <class tile>
DEVICE void collect_residual(const struct thread_cells &p, unsigned slot, real2 residual,
                             struct stream_state &m)
{
    if (tile::FINISH == RESTRICTS)
        put(p.cell_address + tile::SUMS + slot, residual.x + residual.y);
    else if (p.flags & STORES)
        m.norm = larger(
            m.norm, larger(magnitude_bits((double)residual.x), magnitude_bits((double)residual.y)));
}

/* The planes of a block, and the steps that it makes for them. */
struct plane_range {
    int first, last; /* planes first to last − 1 are its own */
    int start, stop; /* steps */
};

template <class tile>
DEVICE struct plane_range compute_range(const struct fv2_gsrb &w, int number, int planes)
{
    struct plane_range a;
    a.first = number * planes;
    a.last = min(a.first + planes, w.c.n[2]);
    a.start = w.c.wall[2][0] ? max(a.first - 1 - tile::HALO, -1) : a.first - 1 - tile::HALO;
    a.stop = w.c.wall[2][1] ? min(a.last + tile::HALO - 1, w.c.n[2]) : a.last + tile::HALO - 1;
    return a;
}

/* Even rows add up the sums of plane k over two rows. If k is even they keep the result; if k is
 * odd they restrict planes k − 1 and k. */
template <class tile>
DEVICE void restrict_rows(const struct fv2_gsrb &w, const struct thread_cells &p, int k,
                          unsigned slot)
{
    if (!(p.flags & RESTRICTS_ROWS))
        return;
    const unsigned at = p.cell_address + tile::SUMS + slot, even = p.cell_address + tile::EVEN;
    const real sum = cell_at(at) + cell_at(at + ROW_BYTES / 2);
    if (k & 1)
        w.coarse[p.coarse + (k >> 1) * (int)w.coarse_sk] = restrict_planes(cell_at(even), sum);
    else
        put(even, sum);
}

/* Issues the copies of u of plane start + 1 and of the first steps, and waits for those of step
 * `start`. */
template <class tile>
DEVICE struct stream_state start_stream(const struct fv2_gsrb &w, const struct thread_cells &p,
                                        struct copies &s, int start)
{
    struct stream_state m = {};
    seek(w, p, start + 1, s);
    if (!tile::ZERO)
        fetch_u<tile>(w, p, s);
    for (int a = 0; a < AHEAD; a++) {
        seek(w, p, start + 2 + a, s);
        fetch<tile>(w, p, s, slots_ahead<tile>(a));
        __pipeline_commit();
    }
    if (p.column < p.end_column && p.j < p.end_j) {
        if (tile::VARIABLE)
            m.bk = *vector_of(w.beta_k, p.offset + plane_at(w.c, start + 1) * w.plane);
        if (!tile::ZERO && (start >= 0 || !w.c.wall[2][0]))
            m.u_0 = *vector_of(w.in, p.offset + plane_at(w.c, start) * w.plane);
    }
    __pipeline_wait_prior(AHEAD - 1);
    if (!tile::ZERO && (p.flags & COPIES_OWN))
        m.u_p = vector_at(p.vector_address + tile::U + tile::U_ROWS);
    __syncthreads();
    seek(w, p, start + 2 + AHEAD, s);
    return m;
}

/* Moves the registers up by one plane: c is u of the next plane, `done` the cells finished now, and
 * `face` β_k above them. */
DEVICE void move_up(struct stream_state &m, real2 c, real2 done, real2 face)
{
    m.u_m = m.u_0;
    m.u_0 = m.u_p;
    m.u_p = c;
    m.below = m.done;
    m.done = done;
    m.face_0 = m.face_1;
    m.face_1 = face;
}

/* The residual of the last plane, which no step computes, and the last restriction or the norm. */
template <class tile>
DEVICE void finish_range(const struct fv2_gsrb &w, const struct thread_cells &p,
                         const struct plane_range &a, const struct slots &s, struct stream_state &m)
{
    const bool wall = a.stop == a.last;
    if (wall) {
        if (tile::FINISH == RESTRICTS)
            restrict_rows<tile>(w, p, a.stop - 2, s.red);
        if (p.flags & FINISHES_ROW)
            collect_residual<tile>(p, s.red_above,
                                   residual_vector<true, tile>(w, p, a.stop - 1, s, m, m.done), m);
        __syncthreads();
    }
    if (tile::FINISH == RESTRICTS)
        restrict_rows<tile>(w, p, a.last - 1, wall ? s.red_above : s.red);
    else
        warp_atomic_max(w.norm, m.norm);
}

/* Step k: the copies for step k + AHEAD, the updates, and what follows from them. E is the
 * component of the red cells in plane k + 1. */
template <int E, class tile>
DEVICE void stream_step(const struct fv2_gsrb &w, struct thread_cells &p,
                        const struct plane_range &a, int k, struct copies &copies, struct slots &s,
                        struct stream_state &m)
{
    p.flags = opaque(p.flags);
    if (k + AHEAD < a.stop)
        fetch<tile>(w, p, copies, s.free);
    __pipeline_commit();
    if (tile::FINISH == RESTRICTS && k - 2 >= a.first)
        restrict_rows<tile>(w, p, k - 2, s.red);
    real2 c = make_real2(0.0, 0.0), residual, done;
    if (!tile::ZERO)
        c = vector_at(p.vector_address + s.u + tile::U + tile::U_ROWS);
    const bool walls =
        (p.flags & (LOW_WALL_J | HIGH_WALL_J | NEEDS_KINDS)) || k <= w.low_wall || k >= w.high_wall;
    const real2 face = m.bk;
    if (tile::FINISHES && (p.flags & FINISHES_ROW) && k - 1 >= a.first) {
        done = step_by_walls<true, E, tile>(walls, w, p, s, c, k, m, residual);
        collect_residual<tile>(p, s.red_above, residual, m);
    } else {
        done = step_by_walls<false, E, tile>(walls, w, p, s, c, k, m, residual);
    }
    if ((p.flags & STORES) && k >= a.first && (tile::HALO == 1 || k < a.last))
        *(real2 *)vector_of(w.out, p.offset + k * w.plane) = done;
    if (tile::FINISHES)
        put(p.vector_address + tile::DONE + ROW_BYTES + 2 * s.red, done);
    move_up(m, c, done, face);
}

template <class tile>
static __global__ void __launch_bounds__(LANES *tile::ROWS, tile::BLOCKS)
    gsrb_kernel(const __grid_constant__ struct fv2_gsrb w,
                const __grid_constant__ struct tile_set tiles, int planes)
{
    if constexpr (RUNS_HERE<false, tile::BYTES>) {
        const dim3 own = tile_of_block(tiles);
        struct thread_cells p = compute_thread<tile>(w, tiles, own);
        const struct plane_range a = compute_range<tile>(w, own.z, planes);
        struct copies copies = initial_copies<tile>(w, p);
        struct stream_state m = start_stream<tile>(w, p, copies, a.start);
        struct slots s = initial_slots<tile>();
        /* The vote tells the compiler that all lanes agree. */
        bool odd = __any_sync(~0u, (p.j + a.start + 1 + w.first_parity) & 1);
        for (int k = a.start; k < a.stop; k++) {
            if (odd)
                stream_step<1, tile>(w, p, a, k, copies, s, m);
            else
                stream_step<0, tile>(w, p, a, k, copies, s, m);
            odd = !odd;
            __pipeline_wait_prior(AHEAD - 1);
            __syncthreads();
            copies.below = copies.offset;
            copies.offset += k == w.wrap_step ? w.back : w.plane;
            s = next_slots<tile>(s);
        }
        if (tile::FINISHES)
            finish_range<tile>(w, p, a, s, m);
    }
}
} // namespace fv2
