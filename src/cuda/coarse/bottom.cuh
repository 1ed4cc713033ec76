/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The bottom solve as a step of the tail kernel, by one warp. Each cell belongs to one lane, which
 * has its part of all vectors in registers. The operator's argument goes through the level's tile
 * of u. */
#include "cuda/coarse/single_block_pass.cuh"

namespace single_block
{

/* One lane's part of what the BiCGStab of generic/bottom.cuh works on: vectors of one cell, which
 * are 0 in lanes without a cell. */
template <class Op, class Group>
struct thread_work {
    double *work[NUM_KRYLOV_FIELDS], *u; /* variables that the compiler keeps in registers */
    struct {
        const double *dinv;
    } v;
    double reduction;
    int max_iterations;
    bool singular;

    struct own_pair own; /* whose first cell is the lane's */
    struct sweep_context<Group::WALLS> sweep;
    tiles<Op> *s;
    double cells; /* of the level */
    bool thin;    /* the level has one cell in some direction */
};

template <class Op, class Group, class F>
DEVICE void each_cell(const thread_work<Op, Group> &, F f)
{
    f(0, 0);
}

/* Warps have instructions for maxima and sums of 32 bits, so longer numbers are split. */
template <class Op, class Group>
DEVICE unsigned long long maximum(const thread_work<Op, Group> &, unsigned long long mine,
                                  struct block_shared *)
{
    const unsigned high = (unsigned)(mine >> 32), top = __reduce_max_sync(WHOLE_WARP, high),
                   low = __reduce_max_sync(WHOLE_WARP, high == top ? (unsigned)mine : 0u);
    return (unsigned long long)top << 32 | low;
}

template <class Op, class Group>
DEVICE void add_digits(const thread_work<Op, Group> &, int64_t digits[SUM_DIGITS],
                       struct block_shared *)
{
    enum { HALF = SUM_DIGIT_BITS / 2 };
#pragma unroll
    for (int d = 0; d < SUM_DIGITS; d++) {
        const int mine = (int)digits[d], high = mine >> HALF;
        const int64_t highs = __reduce_add_sync(WHOLE_WARP, high);
        digits[d] = highs * (1 << HALF) + __reduce_add_sync(WHOLE_WARP, mine - high * (1 << HALF));
    }
}

/* Order 2: f − A u at the lane's cell on a level with one cell in some direction, where rules
 * extrapolate from the cell alone. */
template <class Op, class Group>
DEVICE double residual_of_thin(const struct sweep_context<Group::WALLS> &w,
                               const struct own_pair &own, tiles<Op> &s)
{
    const double *u = s.field(Group::DIM, TILE_U) + element(own.cell[0]);
    const double v[MAX_WALL_CELLS] = {own.u[0], 0.0, 0.0, 0.0};
    double seven[7];
    const unsigned walls = load_seven<Op, Group>(w, own, 0, u, seven);
#pragma unroll
    for (int side = 0; side < 6; side++)
        if (walls >> side & 1)
            seven[side & 1 ? 4 + side / 2 : 2 - side / 2] =
                ghost_behind<Op, WALL_LINEAR>(*w.rules, side, 0, v);
    return residual_fv2<Op>(seven, own.beta[0], own.f[0], own.alpha[0], w.scale);
}

/* f − A x at the lane's cell. */
template <class Op, class Group>
DEVICE double cell_residual(const thread_work<Op, Group> &w, double x, double f)
{
    struct own_pair own = w.own;
    own.u[0] = x;
    own.f[0] = f;
    double r;
    store_u<Op, Group>(own, 0, *w.s);
    __syncwarp();
    if (Op::RADIUS > 1)
        fill_level_ghosts<Op, Group>(w.sweep, *w.s);
    if (Op::RADIUS == 1 && w.thin)
        r = residual_of_thin<Op, Group>(w.sweep, own, *w.s);
    else
        r = residual_of<Op, Group>(w.sweep, own, 0, *w.s);
    __syncwarp();
    return is_own(own.cell[0]) ? r : 0.0;
}

template <class Op, class Group>
DEVICE void residual(const thread_work<Op, Group> &w, double *out, double *u)
{
    *out = cell_residual<Op>(w, *u, w.own.f[0]);
}

/* out = A x = −(0 − A x) */
template <class Op, class Group>
DEVICE void apply(const thread_work<Op, Group> &w, double *out, double *x)
{
    *out = -cell_residual<Op>(w, *x, 0.0);
}

/* Lanes without a cell keep their 0. */
template <class Op, class Group>
DEVICE void subtract_mean(const thread_work<Op, Group> &w, double *x, struct block_shared *shared)
{
    const double mean = dot(w, x, NULL, shared) / w.cells;
    *x += is_own(w.own.cell[0]) ? -mean : 0.0;
}

/* Nothing with Dirichlet walls: the solution is unique. */
template <class Op, class Group>
DEVICE void project(const thread_work<Op, Group> &w, double *x, struct block_shared *shared)
{
    for (int i = 0; i < 2 && has_any_sides<Op> && w.singular; i++)
        subtract_mean(w, x, shared);
}

/* The fallback if BiCGStab breaks down, which is rare; on the level's fields. Returns the sweeps
 * made. */
template <class Op>
static __device__ __noinline__ int smooth_fields(const struct warp_bottom_work &w)
{
    return smooth<Op>(w, NULL);
}

/* The cells are numbered along the rows. */
template <class Op, class Group>
DEVICE void open_thread(const struct warp_bottom_work &given, const struct tail &t,
                        const struct tail_walls &rules, const struct tail_step &step, tiles<Op> &s,
                        struct thread_work<Op, Group> *w, double *unknown, int *at)
{
    const struct tail_level &l = t.levels[step.level];
    const int cell = threadIdx.x / Group::PER_PAIR, cells = cuboid_cells(l.size);
    const bool exists = cell < cells, has = exists && threadIdx.x % Group::PER_PAIR == 0;
    int i, j, k;
    cuboid_cell(exists ? cell : 0, l.size, &i, &j, &k);
    *at = i + j * l.sj + k * l.sk;
    w->own.cell[0] = w->own.cell[1] = packed_cell<Op>(l, i, j, k) | (has ? 0 : NOT_OWN);
    const int number = cell_number(l.pairs, l.size, i, j, k), numbers[2] = {number, number};
    w->s = &s;
    w->cells = (double)cells;
    w->thin = l.n[0] == 1 || l.n[1] == 1 || l.n[2] == 1;
    w->sweep = sweep_context_of<Op, Group>(l, rules, s);
    w->sweep.works = true;
    load_coefficients<Op, Group>(w->own, numbers, s);
    if (step.fetches_f && has)
        s.f[number] = step.f[*at];
    w->own.f[0] = has ? s.f[number] : 0.0;
    *unknown = !has || step.start == START_ZERO ? 0.0
               : step.fetches_u                 ? step.u[*at]
                                : s.field(Group::DIM, TILE_U)[element(w->own.cell[0])];
    w->own.dinv[0] = has ? w->own.dinv[0] : 0.0;
    w->reduction = given.reduction;
    w->max_iterations = given.max_iterations;
    w->singular = given.singular;
}

template <class Op, class Group>
DEVICE void solve(const struct warp_bottom_work &given, const struct tail &t,
                  const struct tail_walls &rules, const struct tail_step &step, tiles<Op> &s)
{
    struct thread_work<Op, Group> w;
    double vectors[NUM_KRYLOV_FIELDS] = {}, unknown;
    int at;
    open_thread<Op, Group>(given, t, rules, step, s, &w, &unknown, &at);
    const double inverse = w.own.dinv[0];
    w.u = &unknown;
    w.v.dinv = &inverse;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w.work[v] = &vectors[v];
    enum breakdown breakdown;
    int iterations = bicgstab<Op>(w, &breakdown, NULL);
    const bool own = is_own(w.own.cell[0]);
    if (breakdown != BREAKDOWN_NONE) {
        if (own)
            step.u[at] = unknown;
        __syncwarp();
        iterations += smooth_fields<Op>(given);
        unknown = own ? step.u[at] : 0.0;
    }
    if (has_any_sides<Op> && given.singular)
        subtract_mean(w, &unknown, NULL);
    count_solve(given.counts, iterations, breakdown);
    if (own)
        s.field(Group::DIM, TILE_U)[element(w.own.cell[0])] = step.u[at] = unknown;
    __syncwarp();
}

} // namespace single_block
