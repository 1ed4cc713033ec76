/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_BOTTOM_CUH
#define CUDA_COARSE_BOTTOM_CUH
/* The bottom solve as a step of the tail kernel: by one warp, each cell one lane's, with all
 * vectors in registers. Only what the operator is applied to goes by way of the level's frame of u.
 */
#include "cuda/coarse/single_block_pass.cuh"

/* What bottom.cuh's BiCGStab works on, of one lane. Its vectors are of one cell, and 0 where the
 * lane has none. */
template <class Op, class Team>
struct lane_work {
    double *work[NUM_KRYLOV_FIELDS], *u; /* to variables that the compiler keeps in registers */
    struct {
        const double *dinv;
    } v;
    double reduction;
    int max_iterations;

    struct solo_cells own; /* the lane's cell is its first one */
    struct solo_sweeping<Team::WALLS> sweeping;
    solo<Op> *s;
    bool alone; /* the level has one cell */
};

template <class Op, class Team, class F>
static __device__ __forceinline__ void each_cell(const lane_work<Op, Team> &, F f)
{
    f(0, 0);
}

/* The warp can find maxima and sums of 32 bits at once, so longer numbers are taken in parts. */
template <class Op, class Team>
static __device__ __forceinline__ unsigned long long
maximum(const lane_work<Op, Team> &, unsigned long long mine, struct block_shared *)
{
    const unsigned high = (unsigned)(mine >> 32), top = __reduce_max_sync(WHOLE_WARP, high),
                   low = __reduce_max_sync(WHOLE_WARP, high == top ? (unsigned)mine : 0u);
    return (unsigned long long)top << 32 | low;
}

template <class Op, class Team>
static __device__ __forceinline__ void add_digits(const lane_work<Op, Team> &,
                                                  int64_t digits[SUM_DIGITS], struct block_shared *)
{
    enum { HALF = SUM_DIGIT_BITS / 2 };
#pragma unroll
    for (int d = 0; d < SUM_DIGITS; d++) {
        const int mine = (int)digits[d], high = mine >> HALF;
        const int64_t highs = __reduce_add_sync(WHOLE_WARP, high);
        digits[d] = highs * (1 << HALF) + __reduce_add_sync(WHOLE_WARP, mine - high * (1 << HALF));
    }
}

/* f − A x at the lane's cell. */
template <class Op, class Team>
static __device__ __forceinline__ double lane_residual(const lane_work<Op, Team> &w, double x,
                                                       double f)
{
    struct solo_cells own = w.own;
    own.u[0] = x;
    own.f[0] = f;
    double r;
    if (Op::ORDER == 2 && w.alone) {
        const double ghost = wall_linear(x),
                     seven[7] = {ghost, ghost, ghost, x, ghost, ghost, ghost};
        const double *beta = own.beta[0];
        r = Op::residual_at(seven + 3, 2, 3, beta, beta + 2, beta + 4, 1, 1, f, own.alpha[0],
                            w.sweeping.scale);
    } else {
        store_solo<Op>(own, 0, *w.s);
        __syncwarp();
        if (Op::ORDER == 4)
            fill_solo_walls<Op, Team>(w.sweeping, *w.s);
        r = solo_residual<Op, Team>(w.sweeping, own, 0, *w.s);
        __syncwarp();
    }
    return is_own(own.cell[0]) ? r : 0.0;
}

template <class Op, class Team>
static __device__ __forceinline__ void residual(const lane_work<Op, Team> &w, double *out,
                                                double *u)
{
    *out = lane_residual<Op>(w, *u, w.own.f[0]);
}

/* out = A x = −(0 − A x) */
template <class Op, class Team>
static __device__ __forceinline__ void apply(const lane_work<Op, Team> &w, double *out, double *x)
{
    *out = -lane_residual<Op>(w, *x, 0.0);
}

/* There are walls, so solutions are unique. */
template <class Op, class Team>
static __device__ __forceinline__ void project(const lane_work<Op, Team> &, double *,
                                               struct block_shared *)
{
}

/* What the fallback works on: all fields in frames. */
template <class Op>
static __device__ void open_fallback(const struct bottom_work &given, const struct tail_level &l,
                                     solo<Op> &s)
{
    enum { GHOSTS = solo<Op>::GHOSTS };
    struct bottom_work &w = s.fallback;
    double *scratch = s.scratch + solo_origin(l.n, GHOSTS);
    w = given;
    w.c.sj = w.v.sj = solo_width(l.n);
    w.c.sk = w.v.sk = solo_plane(l.n, GHOSTS);
    w.u = s.field[SOLO_U] + l.place;
    w.tmp = scratch;
    w.work[0] = scratch + solo_frame(l.n, GHOSTS);
    w.v.f = s.field[SOLO_F] + l.place;
    w.v.dinv = s.field[SOLO_DINV] + l.place;
    w.v.alpha = s.field[SOLO_ALPHA] + l.place;
    w.v.beta_i = s.field[SOLO_BETA_I] + l.place;
    w.v.beta_j = s.field[SOLO_BETA_J] + l.place;
    w.v.beta_k = s.field[SOLO_BETA_K] + l.place;
}

/* The fallback, which hardly ever runs. */
template <class Op>
static __device__ __noinline__ int smooth_in_frames(const struct bottom_work &given,
                                                    const struct tail_level &l, solo<Op> &s)
{
    if (threadIdx.x == 0)
        open_fallback<Op>(given, l, s);
    __syncwarp();
    return smooth<Op>(s.fallback, NULL);
}

/* The cells are numbered along the rows. */
template <class Op, class Team>
static __device__ __forceinline__ void
open_lane(const struct bottom_work &given, const struct tail &t, const struct tail_step &step,
          solo<Op> &s, struct lane_work<Op, Team> *w, double *unknown, int *at)
{
    const struct tail_level &l = t.levels[step.level];
    const int number = threadIdx.x / Team::LANES;
    const bool exists = number < l.n * l.n * l.n, has = exists && threadIdx.x % Team::LANES == 0;
    int i, j, k;
    cube_cell(exists ? number : 0, l.side, &i, &j, &k);
    *at = i + j * l.sj + k * l.sk;
    w->own.cell[0] = w->own.cell[1] = solo_cell<Op>(l, i, j, k) | (has ? 0 : NOT_OWN);
    const int c = element(w->own.cell[0]);
    w->s = &s;
    w->alone = l.n == 1;
    w->sweeping = solo_sweeping_of<Op, Team>(l, s);
    w->sweeping.works = true;
    take_coefficients<Op, Team>(w->own, s);
    if (step.fetches_f && has)
        s.field[SOLO_F][c] = step.f[*at];
    w->own.f[0] = has ? s.field[SOLO_F][c] : 0.0;
    *unknown = !has || step.start == START_ZERO ? 0.0
               : step.fetches_u                 ? step.u[*at]
                                                : s.field[SOLO_U][c];
    w->own.dinv[0] = has ? w->own.dinv[0] : 0.0;
    w->reduction = given.reduction;
    w->max_iterations = given.max_iterations;
}

template <class Op, class Team>
static __device__ __forceinline__ void solo_bottom(const struct bottom_work &given,
                                                   const struct tail &t,
                                                   const struct tail_step &step, solo<Op> &s)
{
    struct lane_work<Op, Team> w;
    double vectors[NUM_KRYLOV_FIELDS] = {}, unknown;
    int at;
    open_lane<Op, Team>(given, t, step, s, &w, &unknown, &at);
    const double inverse = w.own.dinv[0];
    w.u = &unknown;
    w.v.dinv = &inverse;
    for (int v = 0; v < NUM_KRYLOV_FIELDS; v++)
        w.work[v] = &vectors[v];
    enum breakdown breakdown;
    int iterations = bicgstab<Op>(w, &breakdown, NULL);
    const bool own = is_own(w.own.cell[0]);
    double *here = &s.field[SOLO_U][element(w.own.cell[0])];
    if (own)
        *here = unknown;
    __syncwarp();
    if (breakdown != BREAKDOWN_NONE)
        iterations += smooth_in_frames<Op>(given, t.levels[step.level], s);
    count_solve(given.counts, iterations, breakdown);
    if (own)
        step.u[at] = *here;
    __syncwarp();
}

#endif
