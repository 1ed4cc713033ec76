/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_SINGLE_BLOCK_PASS_CUH
#define CUDA_COARSE_SINGLE_BLOCK_PASS_CUH
/* Steps of the tail kernel on solo levels, by a team of the block that has them: one warp on the
 * smallest, which needs no barrier. */
#include <cuda/std/utility>
#include "cuda/core/atomic_max.cuh"
#include "cuda/coarse/single_block.cuh"
#include "cuda/coarse/walls.cuh"

/* A team on levels of the width that MOST cells a side have. A pair of cells is the work of LANES
 * threads next to each other: of one, or of four, of which three find a direction's part of the
 * operator's sum each, and the first one has the cells. */
template <class Op, int THREADS_, int MOST, int LANES_, class Rules>
struct solo_team {
    using rules = Rules; /* of walls, of these levels in order 4 */
    enum {
        THREADS = THREADS_,
        LANES = LANES_,
        SJ = solo_width(MOST),
        SK = solo_plane(MOST, Op::ORDER / 2),
        WALLS = THREADS == 32 ? 2 : 1, /* ghosts that a thread knows the places of */
    };
};

/* Teams, and up to which level each works. Order 4 has more ghosts than pairs, for each of which
 * there is a thread. */
template <class Op>
struct solo_teams {
    enum {
        LANES = Op::ORDER == 4 ? 4 : 1,
        SMALL_DIM = Op::ORDER == 4 ? 2 : 4,
        MEDIUM_DIM = 4,
        MOST = Op::ORDER == 4 ? TAIL_THREADS : SOLO_PAIRS,
    };
    using small = solo_team<Op, 32, SOLO_NARROW, LANES, wall_rules<2, 1>>;
    using medium = solo_team<Op, MOST, SOLO_NARROW, LANES, wall_rules<4, 2>>;
    using large = solo_team<Op, MOST, SOLO_WIDE, 1, wall_rules<4>>;
};

/* What a thread holds of its pair during a pass. */
struct solo_cells {
    unsigned cell[2]; /* as in struct solo_pair */
    double u[2], f[2], dinv[2], alpha[2];
    double beta[2][6]; /* order 2: low and high in i, j, k */
};

/* What all sweeps of a pass need of its level. */
template <int WALLS>
struct solo_sweeping {
    int wall_rule;
    double scale;
    struct wall_lists lists;
    struct own_walls<WALLS> walls;
    bool works; /* some thread of this warp has a pair */
};

template <class Op, class Team>
static __device__ __forceinline__ solo_sweeping<Team::WALLS>
solo_sweeping_of(const struct tail_level &l, const solo<Op> &s)
{
    solo_sweeping<Team::WALLS> w;
    w.wall_rule = l.wall_rule;
    w.scale = l.scale;
    w.works = (int)(threadIdx.x & ~31u) < l.half.n * l.n * l.n * Team::LANES;
    keep(w.wall_rule);
    keep(w.scale);
    if (Op::ORDER == 4) {
        w.lists = {s.sides + l.sides, s.edges + l.edges, 6 * l.n * l.n, 12 * l.n};
        w.walls =
            take_walls<Team::THREADS, Team::WALLS>(w.lists, s.field[SOLO_U], Team::SJ, Team::SK);
    }
    return w;
}

/* Order 4: ghosts of u behind walls. */
template <class Op, class Team>
static __device__ __forceinline__ void fill_solo_walls(const struct solo_sweeping<Team::WALLS> &w,
                                                       solo<Op> &s)
{
    fill_walls<Team::THREADS, typename Team::rules, false>(s.field[SOLO_U], w.walls, w.wall_rule,
                                                           w.lists, Team::SJ, Team::SK);
}

/* The operator's sum S at a cell of order 4 by a group of four lanes, all of which get it: the
 * first three find a direction's part each. */
template <class Op, class Team>
static __device__ __forceinline__ double sum_by_lanes(const double *u)
{
    const int lane = threadIdx.x % Team::LANES, first = threadIdx.x % 32 - lane;
    int across = lane == 0   ? 1
                 : lane == 1 ? Team::SJ
                             : Team::SK,
        second = lane == 0 ? Team::SJ : 1, third = lane < 2 ? Team::SK : Team::SJ;
    double part;
    keep(across); /* or else all places are found once and spilled */
    keep(second);
    keep(third);
    if constexpr (Op::VARIABLE) {
        const int field = SOLO_BETA_I - SOLO_U + min(lane, 2);
        const struct fv4_direction d =
            fv4_direction_at(u, u + field * solo<Op>::LENGTH, across, second, third);
        __syncwarp(); /* all are asked for before the first is waited for */
        part = fv4_direction_sum(&d);
    } else {
        part = fv4_constant_direction(u[-across] + u[across], u[-2 * across] + u[2 * across]);
    }
    const double i = __shfl_sync(WHOLE_WARP, part, first),
                 j = __shfl_sync(WHOLE_WARP, part, first + 1),
                 k = __shfl_sync(WHOLE_WARP, part, first + 2);
    return Op::VARIABLE ? fv4_sum_directions(i, j, k) : fv4_constant_sum_directions(u[0], i, j, k);
}

/* f − A u at one of the thread's cells. */
template <class Op, class Team>
static __device__ __forceinline__ double solo_residual(const struct solo_sweeping<Team::WALLS> &w,
                                                       const struct solo_cells &own, int x,
                                                       const solo<Op> &s)
{
    enum { SJ = Team::SJ, SK = Team::SK };
    const double *u = s.field[SOLO_U] + element(own.cell[x]);
    if constexpr (Op::ORDER == 2) {
        const unsigned walls = own.cell[x] >> ELEMENT_BITS;
        double seven[7] = {u[-SK], u[-SJ], u[-1], own.u[x], u[1], u[SJ], u[SK]};
        fold_walls(walls, seven);
        const double *beta = own.beta[x];
        return Op::residual_at(seven + 3, 2, 3, beta, beta + 2, beta + 4, 1, 1, own.f[x],
                               own.alpha[x], w.scale);
    } else if constexpr (Team::LANES > 1) {
        return Op::residual_from(own.f[x], own.alpha[x], u[0], w.scale, sum_by_lanes<Op, Team>(u));
    } else {
        enum { LENGTH = solo<Op>::LENGTH };
        const double *bi = u + (SOLO_BETA_I - SOLO_U) * LENGTH, *bj = bi + LENGTH,
                     *bk = bj + LENGTH;
        return residual_fv4<Op>(u, SJ, SK, bi, bj, bk, own.f[x], own.alpha[x], w.scale);
    }
}

template <class Op>
static __device__ __forceinline__ void store_solo(const struct solo_cells &own, int x, solo<Op> &s)
{
    if (is_own(own.cell[x]))
        s.field[SOLO_U][element(own.cell[x])] = own.u[x];
}

/* A sweep of one colour: the thread's cell of it. Colours are coupled to themselves in order 4, so
 * all must have read before one writes. D⁻¹ has its weight already. */
template <class Op, class Team>
static __device__ __forceinline__ void solo_half_sweep(const struct solo_sweeping<Team::WALLS> &w,
                                                       struct solo_cells &own, int colour,
                                                       solo<Op> &s)
{
    if (Op::ORDER == 4)
        fill_solo_walls<Op, Team>(w, s);
    if (w.works)
        own.u[colour] = update_weighted(own.u[colour], own.dinv[colour],
                                        solo_residual<Op, Team>(w, own, colour, s), 1.0);
    if (Op::ORDER == 4)
        meet<Team::THREADS>();
    store_solo<Op>(own, colour, s);
    meet<Team::THREADS>();
}

/* A sweep of all cells. */
template <class Op, class Team>
static __device__ __forceinline__ void solo_sweep(const struct solo_sweeping<Team::WALLS> &w,
                                                  const struct tail_level &l, int sweep,
                                                  struct solo_cells &own, solo<Op> &s)
{
    if (Op::ORDER == 4)
        fill_solo_walls<Op, Team>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++) {
            double &before = s.before[x][threadIdx.x];
            const double now = relaxed(l.relaxations[sweep], own.u[x], before, own.dinv[x],
                                       solo_residual<Op, Team>(w, own, x, s));
            before = own.u[x];
            own.u[x] = now;
            __syncwarp(); /* one cell after the other: there are registers for one only */
        }
    meet<Team::THREADS>();
    store_solo<Op>(own, 0, s);
    store_solo<Op>(own, 1, s);
    meet<Team::THREADS>();
}

static __device__ __forceinline__ void swap_colours(struct solo_cells &own)
{
    cuda::std::swap(own.cell[0], own.cell[1]);
    cuda::std::swap(own.u[0], own.u[1]);
    cuda::std::swap(own.f[0], own.f[1]);
    cuda::std::swap(own.dinv[0], own.dinv[1]);
    cuda::std::swap(own.alpha[0], own.alpha[1]);
}

template <class Op, class Team>
static __device__ __forceinline__ void
solo_sweeps(const struct solo_sweeping<Team::WALLS> &w, const struct tail &t,
            const struct tail_step &step, struct solo_cells &own, solo<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const int nsweeps = step.nsweeps;
    if (!t.coloured) {
#pragma unroll 1
        for (int sweep = 0; sweep < nsweeps; sweep++)
            solo_sweep<Op, Team>(w, l, sweep, own, s);
        return;
    }
    enum { ONCE = Op::ORDER == 4 }; /* the code, for both colours; see sweep_colours */
    int sweep = 0;
    own.dinv[0] = l.relaxations[0].weight * own.dinv[0];
    own.dinv[1] = l.relaxations[0].weight * own.dinv[1];
    if (ONCE && step.relaxes_zero) {
        swap_colours(own);
        sweep++;
    }
#pragma unroll 1
    for (; sweep < nsweeps; sweep++) {
        if (ONCE || sweep > 0 || !step.relaxes_zero)
            solo_half_sweep<Op, Team>(w, own, 0, s);
        if (ONCE) {
            swap_colours(own);
        } else {
            sweep++;
            solo_half_sweep<Op, Team>(w, own, 1, s);
        }
    }
}

/* The pair's f, from the level's field where no step has left it here. */
template <class Op>
static __device__ __forceinline__ void take_f(const struct tail_step &step,
                                              const struct solo_pair &p, double f[2], solo<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        f[x] = 0.0;
        if (!is_own(p.cell[x]))
            continue;
        double *here = &s.field[SOLO_F][element(p.cell[x])];
        if (step.fetches_f)
            *here = step.f[p.at + ((p.odd + x) & 1)];
        f[x] = *here;
    }
}

template <class Op>
static __device__ __forceinline__ void
take_u(const struct tail_step &step, const struct solo_pair &p, double u[2], const solo<Op> &s)
{
    const bool wanted = step.start == START_KEEP || step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++)
        u[x] = !wanted || !is_own(p.cell[x]) ? 0.0
               : step.fetches_u              ? step.u[p.at + ((p.odd + x) & 1)]
                                             : s.field[SOLO_U][element(p.cell[x])];
}

template <class Op, class Team>
static __device__ __forceinline__ void take_coefficients(struct solo_cells &own, const solo<Op> &s)
{
#pragma unroll
    for (int x = 0; x < 2; x++) {
        const int c = element(own.cell[x]);
        own.dinv[x] = s.field[SOLO_DINV][c];
        own.alpha[x] = s.field[SOLO_ALPHA][c];
        if (Op::ORDER == 2)
#pragma unroll
            for (int side = 0; side < 6; side++)
                own.beta[x][side] =
                    s.field[SOLO_BETA_I + side / 2][c + (side & 1) * (side < 2   ? 1
                                                                      : side < 4 ? Team::SJ
                                                                                 : Team::SK)];
    }
}

/* The coarse u with its ghosts, in its frame. */
template <class Op, class Team>
static __device__ __forceinline__ void
prepare_solo_coarse(const struct tail_level &l, const struct tail_step &step, solo<Op> &s)
{
    const int n = l.half.n;
    struct wall_view coarse = {{{n, n, n},
                                {0, 0, 0},
                                0,
                                solo_width(SOLO_NARROW),
                                solo_plane(SOLO_NARROW, solo<Op>::GHOSTS)},
                               s.field[SOLO_U] + l.coarse_place};
    for (int d = 0; d < 3; d++)
        coarse.c.wall[d][0] = coarse.c.wall[d][1] = true;
    if (step.fetches_coarse) {
        each_coarse<Team::THREADS>(step.coarse_framed, coarse.c, [&](int i, int j, int k) {
            if (!behind_wall(coarse.c, i, j, k))
                coarse.x[i + j * coarse.c.sj + k * coarse.c.sk] =
                    step.coarse_u[i + j * l.coarse_sj + k * l.coarse_sk];
        });
        meet<Team::THREADS>();
    }
    extend_coarse<Op, Team::THREADS>(step.coarse_rule, step.coarse_framed, coarse);
}

/* u (+)= P coarse for the thread's pair. */
template <class Op>
static __device__ __forceinline__ void prolong_solo(const struct tail_step &step,
                                                    const struct solo_pair &p, double u[2],
                                                    const solo<Op> &s)
{
    enum { SJ = solo_width(SOLO_NARROW), SK = solo_plane(SOLO_NARROW, solo<Op>::GHOSTS) };
    const double *coarse = s.field[SOLO_U] + p.coarse;
    double child[2];
    if (Op::ORDER == 4 && step.prolongation == 4)
        prolonged_pair<2>(coarse, SJ, SK, p.odd & 2, p.odd & 4, child);
    else
        prolonged_pair<1>(coarse, SJ, SK, p.odd & 2, p.odd & 4, child);
    const bool add = step.start == START_PROLONG_ADD;
#pragma unroll
    for (int x = 0; x < 2; x++) {
        const double value = (p.odd + x) & 1 ? child[1] : child[0];
        u[x] = add ? u[x] + value : value;
    }
}

/* coarse f = R of a value in every pair's cells, of which `sum` is the pair's; by all of the team,
 * which must not have read s.sum since it met. */
template <class Op, class Team>
static __device__ __forceinline__ void
restrict_solo(const struct tail_level &l, const struct tail_step &step, const struct solo_pair &p,
              bool has, double sum, solo<Op> &s)
{
    const int half = l.half.n, plane = half * l.n;
    double *here = s.sum + threadIdx.x / Team::LANES;
    if (has)
        *here = sum;
    meet<Team::THREADS>();
    if (!has || p.odd & 6)
        return;
    const double f = restrict_cell(sum, here[half], here[plane], here[plane + half]);
    s.field[SOLO_F][p.coarse] = f;
    step.coarse_f[p.coarse_at] = f;
}

template <class Op, class Team>
static __device__ __forceinline__ void
solo_finish(const struct solo_sweeping<Team::WALLS> &w, const struct tail &t,
            const struct tail_step &step, const struct solo_cells &own, const struct solo_pair &p,
            bool has, solo<Op> &s)
{
    double r[2] = {0.0, 0.0};
    if (Op::ORDER == 4)
        fill_solo_walls<Op, Team>(w, s);
    if (w.works)
#pragma unroll
        for (int x = 0; x < 2; x++)
            r[x] = solo_residual<Op, Team>(w, own, x, s);
    if (step.finish == FINISH_RESTRICT) {
        restrict_solo<Op, Team>(t.levels[step.level], step, p, has, r[0] + r[1], s);
        return;
    }
    unsigned long long largest = 0;
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(own.cell[x]))
            largest = larger(largest, magnitude_bits(r[x]));
    warp_atomic_max(t.norm, largest);
}

template <class Op, class Team>
static __device__ __forceinline__ void solo_pass(const struct tail &t, const struct tail_step &step,
                                                 const struct solo_pair &p, bool has, solo<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    struct solo_cells own;
    own.cell[0] = p.cell[0];
    own.cell[1] = p.cell[1];
    take_u<Op>(step, p, own.u, s);
    if (prolongs(step)) {
        prepare_solo_coarse<Op, Team>(l, step, s);
        if (has)
            prolong_solo<Op>(step, p, own.u, s);
    }
    store_solo<Op>(own, 0, s);
    store_solo<Op>(own, 1, s);
    if (step.operations > 0) {
        const struct solo_sweeping<Team::WALLS> w = solo_sweeping_of<Op, Team>(l, s);
        take_f<Op>(step, p, own.f, s);
        take_coefficients<Op, Team>(own, s);
        if (step.relaxes_zero) {
            own.u[0] = relax_zero(own.dinv[0], own.f[0], l.relaxations[0].weight);
            store_solo<Op>(own, 0, s);
        }
        meet<Team::THREADS>();
        solo_sweeps<Op, Team>(w, t, step, own, s);
        if (step.finish != FINISH_NONE)
            solo_finish<Op, Team>(w, t, step, own, p, has, s);
    }
#pragma unroll
    for (int x = 0; x < 2; x++)
        if (is_own(p.cell[x]))
            step.u[p.at + ((p.odd + x) & 1)] = own.u[x];
}

/* One step, by a team. */
template <class Op, class Team>
static __device__ __forceinline__ void solo_step(const struct tail &t, const struct tail_step &step,
                                                 solo<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const int number = threadIdx.x / Team::LANES;
    const bool exists = number < l.half.n * l.n * l.n,
               has = exists && threadIdx.x % Team::LANES == 0;
    struct solo_pair p = s.pairs[l.pairs + (exists ? number : 0)];
    for (int x = 0; x < 2 && !has; x++)
        p.cell[x] |= NOT_OWN;
    if (step.kind == STEP_PASS) {
        solo_pass<Op, Team>(t, step, p, has, s);
    } else {
        double f[2];
        take_f<Op>(step, p, f, s);
        restrict_solo<Op, Team>(l, step, p, has, f[0] + f[1], s);
    }
    meet<Team::THREADS>();
}

#endif
