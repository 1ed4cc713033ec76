/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Steps of the tail kernel on single-block levels, by a thread group of their block: on the
 * smallest levels one warp, which needs no barrier. */
#include <cuda/std/utility>
#include "cuda/core/atomic_max.cuh"
#include "cuda/coarse/single_block.cuh"
#include "cuda/coarse/residual.cuh"
#include "cuda/coarse/walls.cuh"

namespace single_block
{

/* The first THREADS threads of the block, on levels with tiles of width MOST. Each pair of cells is
 * the work of PER_PAIR threads. If these are four, the first three compute the operator's sum in
 * one direction each, and the first one has the cells. */
template <class Op, int THREADS_, int MOST, int PER_PAIR_, class Rules>
struct thread_group {
    using rules = Rules; /* order 4: wall rules of these levels */
    enum {
        THREADS = THREADS_,
        PER_PAIR = PER_PAIR_,
        DIM = MOST, /* of its levels, at most */
        SJ = tile_row(MOST),
        SK = tile_plane(MOST, Op::RADIUS),
        WALLS = THREADS == 32 ? 2 : 1, /* see own_walls */
    };
};

/* Thread groups by cells along a level's longest side. Order 4 has more ghosts than pairs, and one
 * thread for each of them. */
template <class Op>
struct thread_groups {
    enum {
        PER_PAIR = Op::RADIUS > 1 ? 4 : 1,
        SMALL_DIM = Op::RADIUS > 1 ? 2 : 4,
        MEDIUM_DIM = 4,
        MOST = Op::RADIUS > 1 ? (int)TAIL_THREADS : (int)CELL_PAIRS,
    };
    using small = thread_group<Op, 32, NARROW, PER_PAIR, wall_rules<WALL_QUADRATIC, WALL_LINEAR>>;
    using medium =
        thread_group<Op, MOST, NARROW, PER_PAIR, wall_rules<WALL_QUARTIC, WALL_QUADRATIC>>;
    using large = thread_group<Op, MOST, WIDE, 1, wall_rules<WALL_QUARTIC, WALL_QUADRATIC>>;
};

/* A thread's pair of cells during a pass. */
struct own_pair {
    unsigned cell[2]; /* as in struct cell_pair */
    double u[2], f[2], dinv[2], alpha[2];
    double beta[2][6]; /* order 2: low and high in i, j, k */
};

/* What all sweeps of a pass read of its level. */
template <int WALLS>
struct sweep_context {
    int wall_rule;
    int across[3];    /* order 2: from the first cell to the last, by direction */
    unsigned wrapped; /* sides of the level */
    const struct tail_walls *rules;
    double scale;
    struct wall_lists lists;
    struct own_walls<WALLS> walls;
    bool works; /* some thread of this warp has a pair */
};

template <class Op, class Group>
DEVICE sweep_context<Group::WALLS> sweep_context_of(const struct tail_level &l,
                                                    const struct tail_walls &rules, tiles<Op> &s)
{
    sweep_context<Group::WALLS> w;
    w.wall_rule = l.wall_rule;
    for (int d = 0; d < 3; d++)
        w.across[d] = (l.n[d] - 1) * step_inward(2 * d, (int)Group::SJ, (int)Group::SK);
    w.wrapped = wrapped_sides<Op>(l);
    w.rules = &rules;
    w.scale = l.scale;
    w.works = (int)(threadIdx.x & ~31u) < pairs_in(l) * Group::PER_PAIR;
    pin_register(w.wall_rule);
    pin_register(w.scale);
    if (Op::RADIUS > 1) {
        w.lists = {s.sides + l.sides, s.edges + l.edges, side_cells(l.n),
                   edge_cells(l.n),   w.wrapped,         l.n};
        w.walls = take_walls<Group::THREADS, Group::WALLS>(w.lists, s.field(Group::DIM, TILE_U),
                                                           Group::SJ, Group::SK);
    }
    return w;
}

/* Order 4: fills the ghosts of u behind walls, or with periodic images. */
template <class Op, class Group>
DEVICE void fill_level_ghosts(const struct sweep_context<Group::WALLS> &w, tiles<Op> &s)
{
    fill_walls<Op, Group::THREADS, typename Group::rules, false>(
        *w.rules, s.field(Group::DIM, TILE_U), w.walls, w.wall_rule, w.lists, Group::SJ, Group::SK);
}

/* Order 2: replaces neighbours beyond these sides by the cells that they are periodic images of. */
DEVICE void take_images(unsigned sides, const double *u, const int across[3], double seven[7])
{
#pragma unroll
    for (int d = 0; d < 3; d++) {
        if (sides >> (2 * d) & 1)
            seven[2 - d] = u[across[d]];
        if (sides >> (2 * d) & 2)
            seven[4 + d] = u[-across[d]];
    }
}

/* Order 2: a cell with its neighbours; those behind walls hold garbage. Returns the sides
 * that are walls. */
template <class Op, class Group>
DEVICE unsigned load_seven(const struct sweep_context<Group::WALLS> &w, const struct own_pair &own,
                           int x, const double *u, double seven[7])
{
    enum { SJ = Group::SJ, SK = Group::SK };
    const double near[7] = {u[-SK], u[-SJ], u[-1], own.u[x], u[1], u[SJ], u[SK]};
    const unsigned sides = own.cell[x] >> ELEMENT_BITS & WALLS_MASK;
#pragma unroll
    for (int m = 0; m < 7; m++)
        seven[m] = near[m];
    if constexpr (has_any_sides<Op>)
        take_images(sides & w.wrapped, u, w.across, seven);
    return sides & ~w.wrapped;
}

/* The operator's sum at a cell of order 4, by four lanes; all get it. The first three
 * compute the part of one direction each. */
template <class Op, class Group>
DEVICE double sum_by_direction(const double *u)
{
    const int lane = threadIdx.x % Group::PER_PAIR, first = threadIdx.x % 32 - lane;
    int across = lane == 0   ? 1
                 : lane == 1 ? Group::SJ
                             : Group::SK,
        second = lane == 0 ? Group::SJ : 1, third = lane < 2 ? Group::SK : Group::SJ;
    double part;
    pin_register(across); /* or else all addresses are computed once and spilled */
    pin_register(second);
    pin_register(third);
    if constexpr (Op::VARIABLE) {
        const int field = TILE_BETA_I - TILE_U + min(lane, 2);
        const struct near near = {u,
                                  {across, second, third},
                                  {u + field * tiles<Op>::length(Group::DIM)},
                                  {across, second, third}};
        const struct fv4_cells cells = fv4_cells_near(near);
        const struct fv4_faces faces = fv4_faces_near(near, 0);
        __syncwarp(); /* issues all loads before the first is waited for */
        part = fv4_sum_in_i(&cells, &faces);
    } else {
        part = fv4_constant_direction(u[-across] + u[across], u[-2 * across] + u[2 * across]);
    }
    const double i = __shfl_sync(WHOLE_WARP, part, first),
                 j = __shfl_sync(WHOLE_WARP, part, first + 1),
                 k = __shfl_sync(WHOLE_WARP, part, first + 2);
    return Op::VARIABLE ? fv4_sum_directions(i, j, k) : fv4_constant_sum_directions(u[0], i, j, k);
}

/* f − A u at one of the thread's cells. */
template <class Op, class Group>
DEVICE double residual_of(const struct sweep_context<Group::WALLS> &w, const struct own_pair &own,
                          int x, tiles<Op> &s)
{
    enum { SJ = Group::SJ, SK = Group::SK };
    const double *u = s.field(Group::DIM, TILE_U) + element(own.cell[x]);
    if constexpr (Op::RADIUS == 1) {
        double seven[7];
        fold_walls<Op>(*w.rules, load_seven<Op, Group>(w, own, x, u, seven), seven);
        return residual_fv2<Op>(seven, own.beta[x], own.f[x], own.alpha[x], w.scale);
    } else if constexpr (Group::PER_PAIR > 1) {
        return Op::residual_from(own.f[x], own.alpha[x], u[0], w.scale,
                                 sum_by_direction<Op, Group>(u));
    } else {
        enum { LENGTH = tiles<Op>::length(Group::DIM) };
        const double *bi = u + (TILE_BETA_I - TILE_U) * LENGTH, *bj = bi + LENGTH,
                     *bk = bj + LENGTH;
        return residual_fv4<Op>(u, SJ, SK, bi, bj, bk, own.f[x], own.alpha[x], w.scale);
    }
}

template <class Op, class Group>
DEVICE void store_u(const struct own_pair &own, int x, tiles<Op> &s)
{
    if (is_own(own.cell[x]))
        s.field(Group::DIM, TILE_U)[element(own.cell[x])] = own.u[x];
}

/* A sweep of one colour: the thread's cell of it. Order 4 couples cells of one colour, so all must
 * have read before one writes. D⁻¹ includes the weight. */
template <class Op, class Group>
DEVICE void half_sweep(const struct sweep_context<Group::WALLS> &w, struct own_pair &own,
                       int colour, tiles<Op> &s)
{
    if (Op::RADIUS > 1)
        fill_level_ghosts<Op, Group>(w, s);
    if (w.works)
        own.u[colour] = update_weighted(own.u[colour], own.dinv[colour],
                                        residual_of<Op, Group>(w, own, colour, s), 1.0);
    if (Op::RADIUS > 1)
        group_sync<Group::THREADS>();
    store_u<Op, Group>(own, colour, s);
    group_sync<Group::THREADS>();
}

/* A sweep of all cells. */
template <class Op, class Group>
DEVICE void sweep_all(const struct sweep_context<Group::WALLS> &w, const struct tail_level &l,
                      int sweep, struct own_pair &own, tiles<Op> &s)
{
    if (Op::RADIUS > 1)
        fill_level_ghosts<Op, Group>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++) {
            double &before = s.before[x][threadIdx.x];
            const double now = relaxed(l.relaxations[sweep], own.u[x], before, own.dinv[x],
                                       residual_of<Op, Group>(w, own, x, s));
            before = own.u[x];
            own.u[x] = now;
            __syncwarp(); /* one cell after the other: registers suffice for one only */
        }
    group_sync<Group::THREADS>();
    store_u<Op, Group>(own, 0, s);
    store_u<Op, Group>(own, 1, s);
    group_sync<Group::THREADS>();
}

DEVICE void swap_colours(struct own_pair &own)
{
    cuda::std::swap(own.cell[0], own.cell[1]);
    cuda::std::swap(own.u[0], own.u[1]);
    cuda::std::swap(own.f[0], own.f[1]);
    cuda::std::swap(own.dinv[0], own.dinv[1]);
    cuda::std::swap(own.alpha[0], own.alpha[1]);
}

template <class Op, class Group>
DEVICE void run_sweeps(const struct sweep_context<Group::WALLS> &w, const struct tail &t,
                       const struct tail_step &step, struct own_pair &own, tiles<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const int nsweeps = step.nsweeps;
    if (!t.coloured) {
#pragma unroll 1
        for (int sweep = 0; sweep < nsweeps; sweep++)
            sweep_all<Op, Group>(w, l, sweep, own, s);
        return;
    }
    own.dinv[0] = l.relaxations[0].weight * own.dinv[0];
    own.dinv[1] = l.relaxations[0].weight * own.dinv[1];
    each_half_sweep<Op>(
        nsweeps, step.relaxes_zero, [&](int half, int) { half_sweep<Op, Group>(w, own, half, s); },
        [&] { swap_colours(own); });
}

/* The pair's f, from the level's field if no step has left it in the tile. */
template <class Op>
DEVICE void load_f(const struct tail_step &step, const struct cell_pair &p, double f[2],
                   tiles<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        f[x] = 0.0;
        if (!is_own(p.cell[x]))
            continue;
        const int upper = (p.odd + x) & 1;
        if (step.fetches_f)
            s.f[p.number + upper] = step.f[p.at + upper];
        f[x] = s.f[p.number + upper];
    }
}

template <class Op, class Group>
DEVICE void load_u(const struct tail_step &step, const struct cell_pair &p, double u[2],
                   tiles<Op> &s)
{
    const bool wanted = step.start == START_KEEP || step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++)
        u[x] = !wanted || !is_own(p.cell[x]) ? 0.0
               : step.fetches_u              ? step.u[p.at + ((p.odd + x) & 1)]
                                             : s.field(Group::DIM, TILE_U)[element(p.cell[x])];
}

/* D⁻¹, α, and with order 2 β, of the cells that have these numbers. */
template <class Op, class Group>
DEVICE void load_coefficients(struct own_pair &own, const int number[2], tiles<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        own.dinv[x] = s.dinv[number[x]];
        own.alpha[x] = READS_ALPHA<Op> ? s.alpha[number[x]] : 0.0;
        if (Op::RADIUS == 1 && Op::VARIABLE)
            load_faces<Group::SJ, Group::SK, tiles<Op>::length(Group::DIM)>(
                s.field(Group::DIM, TILE_BETA_I) + element(own.cell[x]), own.beta[x]);
    }
}

/* The coarse u with its ghosts, in its tile. */
template <class Op, class Group>
DEVICE void prepare_coarse(const struct tail_level &l, const struct tail_walls &rules,
                           const struct tail_step &step, tiles<Op> &s)
{
    const unsigned wrapped = wrapped_sides<Op>(l);
    const struct cuboid &padded = padded_coarse(l, step);
    const struct walled_cells<int> coarse =
        coarse_cells(s.field(NARROW, TILE_U) + l.coarse_offset, l.half, WALLS_MASK & ~wrapped,
                     tile_row(NARROW), tile_plane(NARROW, tiles<Op>::GHOSTS));
    if (step.fetches_coarse) {
        fetch_coarse<Op, Group::THREADS>(l, step, coarse, 0, 0, 0);
        group_sync<Group::THREADS>();
    }
    if (has_any_sides<Op> && wrapped != 0)
        copy_images<Group::THREADS>(padded, coarse);
    if (wrapped != WALLS_MASK)
        extend_coarse<Op, Group::THREADS>(rules, step.coarse_rule, padded, coarse);
}

/* u (+)= P coarse for the thread's pair. */
template <class Op>
DEVICE void prolong_own(const struct tail_step &step, const struct cell_pair &p, double u[2],
                        tiles<Op> &s)
{
    const long stride[3] = {1, tile_row(NARROW), tile_plane(NARROW, tiles<Op>::GHOSTS)};
    const double *coarse = s.field(NARROW, TILE_U) + p.coarse;
    double child[2];
    if (Op::RADIUS > 1 && step.prolongation == 4)
        prolong_pair(2, coarse, stride, p.odd & 2, p.odd & 4, child);
    else
        prolong_pair(1, coarse, stride, p.odd & 2, p.odd & 4, child);
    const bool add = step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++) {
        const double value = (p.odd + x) & 1 ? child[1] : child[0];
        u[x] = add ? u[x] + value : value;
    }
}

/* coarse f = R of the pairs' values; `sum` is this pair's sum; by the whole thread group,
 * which must not have read s.sum since its last barrier. */
template <class Op, class Group>
DEVICE void restrict_pair(const struct tail_level &l, const struct tail_step &step,
                          const struct cell_pair &p, bool has, double sum, tiles<Op> &s)
{
    const int half = l.half.i.n, plane = half * l.size.j.n;
    double *here = s.sum + threadIdx.x / Group::PER_PAIR;
    if (has)
        *here = sum;
    group_sync<Group::THREADS>();
    if (!has || p.odd & 6)
        return;
    const double f = restrict_cell(sum, here[half], here[plane], here[plane + half]);
    s.f[p.coarse_number] = f;
    step.coarse_f[p.coarse_at] = f;
}

template <class Op, class Group>
DEVICE void run_finish(const struct sweep_context<Group::WALLS> &w, const struct tail &t,
                       const struct tail_step &step, const struct own_pair &own,
                       const struct cell_pair &p, bool has, tiles<Op> &s)
{
    double r[2] = {0.0, 0.0};
    if (Op::RADIUS > 1)
        fill_level_ghosts<Op, Group>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++)
            r[x] = residual_of<Op, Group>(w, own, x, s);
    if (step.finish == FINISH_RESTRICT) {
        restrict_pair<Op, Group>(t.levels[step.level], step, p, has, r[0] + r[1], s);
        return;
    }
    unsigned long long largest = 0;
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(own.cell[x]))
            largest = larger(largest, magnitude_bits(r[x]));
    warp_atomic_max(t.norm, largest);
}

template <class Op, class Group>
DEVICE void run_pass(const struct tail &t, const struct tail_walls &rules,
                     const struct tail_step &step, const struct cell_pair &p, bool has,
                     tiles<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    struct own_pair own;
    own.cell[0] = p.cell[0];
    own.cell[1] = p.cell[1];
    load_u<Op, Group>(step, p, own.u, s);
    if (prolongs(step)) {
        prepare_coarse<Op, Group>(l, rules, step, s);
        if (has)
            prolong_own<Op>(step, p, own.u, s);
    }
    store_u<Op, Group>(own, 0, s);
    store_u<Op, Group>(own, 1, s);
    if (step.operations > 0) {
        const struct sweep_context<Group::WALLS> w = sweep_context_of<Op, Group>(l, rules, s);
        load_f<Op>(step, p, own.f, s);
        const int upper = p.odd & 1, number[2] = {p.number + upper, p.number + 1 - upper};
        load_coefficients<Op, Group>(own, number, s);
        if (step.relaxes_zero) {
            own.u[0] = relax_zero(own.dinv[0], own.f[0], l.relaxations[0].weight);
            store_u<Op, Group>(own, 0, s);
        }
        group_sync<Group::THREADS>();
        run_sweeps<Op, Group>(w, t, step, own, s);
        if (step.finish != FINISH_NONE)
            run_finish<Op, Group>(w, t, step, own, p, has, s);
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(p.cell[x]))
            step.u[p.at + ((p.odd + x) & 1)] = own.u[x];
}

/* One step, by a thread group. */
template <class Op, class Group>
DEVICE void run_step(const struct tail &t, const struct tail_walls &rules,
                     const struct tail_step &step, tiles<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const int number = threadIdx.x / Group::PER_PAIR;
    const bool exists = number < pairs_in(l), has = exists && threadIdx.x % Group::PER_PAIR == 0;
    struct cell_pair p = s.pairs[l.pairs + (exists ? number : 0)];
    for (int x = 0; x < 2 && !has; x++)
        p.cell[x] |= NOT_OWN;
    if (step.kind == STAGE_PASS) {
        run_pass<Op, Group>(t, rules, step, p, has, s);
    } else {
        double f[2];
        load_f<Op>(step, p, f, s);
        restrict_pair<Op, Group>(l, step, p, has, f[0] + f[1], s);
    }
    group_sync<Group::THREADS>();
}

} // namespace single_block
