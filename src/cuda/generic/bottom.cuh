/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The bottom solver by threads of one block: BiCGStab with the smoother as its fallback. Each step
 * is bitwise identical to solvers/krylov.c. */
#include "cuda/backend.cuh"
#include "cuda/core/divider.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/boundary/ghosts.cuh"
#include "operators/sum.h"
extern "C" {
#include "backend/bottom_counts.h"
}

enum { BOTTOM_THREADS = 256 }; /* at most */

/* What the solver works on. */
struct bottom_work {
    struct cells c;
    struct relaxation relaxations[SMOOTHER_SWEEPS];
    struct view v; /* f and coefficients; u is set for each gather */
    double *u, *tmp, *work[NUM_KRYLOV_FIELDS];
    bool singular, in_place; /* in_place: of struct stencil */
    int ghosts, wall_rule, parity, max_iterations;
    int threads;         /* the first ones of the block, whole warps */
    struct cuboid cells; /* the level, as each_cell numbers it */
    double reduction;
    struct bottom_counts *counts; /* in device memory */
};

/* The same for one warp, a number of threads that the compiler knows. */
struct warp_bottom_work : bottom_work {
};

static __device__ __forceinline__ int threads_of(const bottom_work &w)
{
    return w.threads;
}

static __device__ __forceinline__ int threads_of(const warp_bottom_work &)
{
    return 32;
}

struct block_shared {
    unsigned long long word[4];
};

/* Waits for all threads of the solver. */
template <class Work>
static __device__ void wait(const Work &w)
{
    if (threads_of(w) <= 32)
        __syncwarp();
    else
        __barrier_sync_count(1, (unsigned)threads_of(w));
}

/* Calls f(element, i + j + k) for every cell, by all threads, and waits. */
template <class Work, class F>
static __device__ void each_cell(const Work &w, F f)
{
    const int cells = cuboid_cells(w.cells);
#pragma unroll 1
    for (int x = threadIdx.x; x < cells; x += threads_of(w)) {
        int i, j, k;
        cuboid_cell(x, w.cells, &i, &j, &k);
        f(i + j * w.c.sj + k * w.c.sk, i + j + k);
    }
    wait(w);
}

/* The level's cells in the direction of a side. */
template <class Work>
static __device__ __forceinline__ int cells_along(const Work &w, int side)
{
    return extent_of(w.c.n, side / 2);
}

/* The rule for ghosts beyond a side of the level; its `cells` are 0 if the side is periodic. */
static __device__ __forceinline__ struct side_weights beyond_side(const bottom_work &w, int side)
{
    return side_weights_of(w.c.wall[side / 2][side % 2], w.wall_rule);
}

/* The ghosts behind a cell next to a side: by the wall's rule, or periodic images. */
template <class Work>
static __device__ void fill_side(const Work &w, const walled_cells<int> &u,
                                 const struct wall_cell &c)
{
    const int inward = step_inward(c.side[0], u.sj, u.sk), cell = offset_of(u, c.at);
    const struct side_weights beyond = beyond_side(w, c.side[0]);
    if (beyond.cells > 0)
        return fill_line(u, cell, inward, beyond, w.wall_rule, w.ghosts);
    const int cells = cells_along(w, c.side[0]);
    for (int layer = 1; layer <= w.ghosts; layer++)
        u.store(cell - layer * inward, u.load(cell + (cells - layer) * inward));
}

/* The first ghost beyond a side, from load(m), the m-th cell inward. */
template <class Work, class Load>
static __device__ __forceinline__ double first_ghost(const Work &w, int side, const Load &load)
{
    const struct side_weights beyond = beyond_side(w, side);
    if (beyond.cells == 0)
        return load(cells_along(w, side) - 1);
    double v[MAX_WALL_CELLS];
#pragma unroll
    for (int m = 0; m < MAX_WALL_CELLS; m++)
        v[m] = m < w.wall_rule ? load(m) : 0.0;
    return side_ghost(&beyond, w.wall_rule, 0, v);
}

template <class Work>
static __device__ void fill_edge(const Work &w, const walled_cells<int> &u,
                                 const struct wall_cell &c)
{
    const int in_first = step_inward(c.side[0], u.sj, u.sk),
              in_second = step_inward(c.side[1], u.sj, u.sk), cell = offset_of(u, c.at);
    u.store(cell - in_first - in_second, first_ghost(w, c.side[1], [&](int m) {
                return first_ghost(w, c.side[0], [&](int o) {
                    return u.load(cell + o * in_first + m * in_second);
                });
            }));
}

/* The ghosts of x that the stencil reads. */
template <class Work>
static __device__ void fill_ghosts(const Work &w, double *x)
{
    const int *n = w.c.n;
    const struct walled_cells<int> u = {
        x, {n[0], n[1], n[2]}, {}, (int)w.c.sj, (int)w.c.sk
    };
    const int sides = side_cells(n), all = sides + (w.ghosts == 2 ? edge_cells(n) : 0);
#pragma unroll 1
    for (int at = threadIdx.x; at < all; at += threads_of(w))
        if (at < sides)
            fill_side(w, u, side_cell(u.n, at, [&](int x, int width) {
                          return cuboid_row(x, width, w.cells);
                      }));
        else
            fill_edge(w, u, edge_cell(u.n, at - sides));
    wait(w);
}

/* The maximum of one value per thread, for all threads. A single warp needs no memory. */
template <class Work>
static __device__ unsigned long long maximum(const Work &w, unsigned long long mine,
                                             struct block_shared *shared)
{
    for (int lanes = 16; lanes > 0; lanes /= 2)
        mine = max(mine, __shfl_xor_sync(0xffffffffu, mine, lanes));
    if (threads_of(w) <= 32)
        return mine;
    if (threadIdx.x == 0)
        shared->word[3] = 0;
    wait(w);
    if (threadIdx.x % 32 == 0)
        atomicMax(&shared->word[3], mine);
    wait(w);
    const unsigned long long result = shared->word[3];
    wait(w);
    return result;
}

/* Sums of the threads' digits, for all threads. */
template <class Work>
static __device__ void add_digits(const Work &w, int64_t digits[SUM_DIGITS],
                                  struct block_shared *shared)
{
    for (int d = 0; d < SUM_DIGITS; d++)
        for (int lanes = 16; lanes > 0; lanes /= 2)
            digits[d] += __shfl_xor_sync(0xffffffffu, digits[d], lanes);
    if (threads_of(w) <= 32)
        return;
    if (threadIdx.x < SUM_DIGITS)
        shared->word[threadIdx.x] = 0;
    wait(w);
    for (int d = 0; d < SUM_DIGITS && threadIdx.x % 32 == 0; d++)
        atomicAdd(&shared->word[d], (unsigned long long)digits[d]);
    wait(w);
    for (int d = 0; d < SUM_DIGITS; d++)
        digits[d] = (int64_t)shared->word[d];
    wait(w);
}

template <class Work>
static __device__ double norm(const Work &w, const double *x, struct block_shared *shared)
{
    unsigned long long largest = 0;
    each_cell(w, [&](long c, int) {
        const unsigned long long bits = magnitude_bits(x[c]);
        largest = bits > largest ? bits : largest;
    });
    return bits_to_double(maximum(w, largest, shared));
}

/* reduce_dot of solvers/reduce.c; y may be NULL for 1. */
template <class Work>
static __device__ double dot(const Work &w, const double *x, const double *y,
                             struct block_shared *shared)
{
    unsigned long long largest = 0;
    each_cell(w, [&](long c, int) {
        const unsigned long long bits = magnitude_bits(y ? x[c] * y[c] : x[c]);
        largest = bits > largest ? bits : largest;
    });
    largest = maximum(w, largest, shared);
    int64_t digits[SUM_DIGITS] = {0, 0, 0};
    if (sum_has_digits(largest)) {
        const double scale = sum_scale(sum_exponent(largest));
        each_cell(w, [&](long c, int) { sum_digits(y ? x[c] * y[c] : x[c], scale, digits); });
        add_digits(w, digits, shared);
    }
    return sum_result(largest, digits);
}

template <class Work>
static __device__ void subtract_mean(const Work &w, double *x, struct block_shared *shared)
{
    const double cells = (double)w.c.n[0] * w.c.n[1] * w.c.n[2],
                 mean = dot(w, x, NULL, shared) / cells;
    each_cell(w, [=](long c, int) { x[c] += -mean; });
}

/* krylov_project */
template <class Work>
static __device__ void project(const Work &w, double *x, struct block_shared *shared)
{
    for (int i = 0; i < 2 && w.singular; i++)
        subtract_mean(w, x, shared);
}

template <class Work>
static __device__ void combine(const Work &w, double *z, double a, const double *x, double b,
                               const double *y)
{
    each_cell(w, [=](long c, int) { z[c] = fma(a, x[c], b * y[c]); });
}

template <class Work>
static __device__ void multiply(const Work &w, double *z, const double *x, const double *y)
{
    each_cell(w, [=](long c, int) { z[c] = x[c] * y[c]; });
}

template <class Op, class Work>
static __device__ void residual(const Work &w, double *out, double *u)
{
    struct view v = w.v;
    v.u = u;
    fill_ghosts(w, u);
    each_cell(w, [=](long c, int) { out[c] = Op::residual(v, c); });
}

/* out = A x = −(0 − A x) */
template <class Op, class Work>
static __device__ void apply(const Work &w, double *out, double *x)
{
    struct view v = w.v;
    v.u = x;
    fill_ghosts(w, x);
    each_cell(w, [&](long c, int) {
        out[c] = -Op::residual_near(near_of(v, c), 0.0, v.alpha[c], v.scale);
    });
}

/* One sweep of the smoother; sweep s reads u where s is even (or where it works in place). */
template <class Op, class Work>
static __device__ void sweep_once(const Work &w, int sweep)
{
    double *in = w.in_place || sweep % 2 == 0 ? w.u : w.tmp,
           *out = w.in_place || sweep % 2 == 1 ? w.u : w.tmp;
    struct view v = w.v;
    v.u = in;
    const struct relaxation &r = w.relaxations[sweep];
    const int colour = w.parity + r.colour;
    fill_ghosts(w, in);
    each_cell(w, [=, &r](long c, int index_sum) {
        if (r.coloured && !has_colour(index_sum, colour))
            out[c] = in[c];
        else
            out[c] =
                relaxed(r, in[c], r.reads_before ? out[c] : 0.0, v.dinv[c], Op::residual(v, c));
    });
}

/* The system that a kernel solves, as operators/bicgstab.h takes it. */
template <class Operator, class Work_>
struct bottom_space {
    using Op = Operator;
    using Work = Work_;
    const Work &w;
    struct block_shared *shared;
};
#define KRYLOV                                                                                     \
    template <class Space>                                                                         \
    static __device__
#define krylov_space const Space &
typedef double *krylov_vector;

KRYLOV double *space_unknown(krylov_space s)
{
    return s.w.u;
}

KRYLOV double *space_work(krylov_space s, int number)
{
    return s.w.work[number];
}

KRYLOV double *space_inverse_diagonal(krylov_space s)
{
    return (double *)s.w.v.dinv; /* which nobody writes */
}

KRYLOV void space_residual(krylov_space s, double *z)
{
    residual<typename Space::Op>(s.w, z, s.w.u);
}

KRYLOV void space_apply(krylov_space s, double *z, double *x)
{
    apply<typename Space::Op>(s.w, z, x);
}

KRYLOV void space_project(krylov_space s, double *x)
{
    project(s.w, x, s.shared);
}

KRYLOV void space_combine(krylov_space s, double *z, double a, const double *x, double b,
                          const double *y)
{
    combine(s.w, z, a, x, b, y);
}

KRYLOV void space_multiply(krylov_space s, double *z, const double *x, const double *y)
{
    multiply(s.w, z, x, y);
}

KRYLOV double space_dot(krylov_space s, const double *x, const double *y)
{
    return dot(s.w, x, y, s.shared);
}

KRYLOV double space_norm(krylov_space s, const double *x)
{
    return norm(s.w, x, s.shared);
}

KRYLOV void space_smooth(krylov_space s)
{
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
        sweep_once<typename Space::Op>(s.w, sweep);
}

#include "operators/bicgstab.h"
#undef krylov_space

/* Returns the iterations made. */
template <class Op, class Work>
static __device__ int bicgstab(const Work &w, enum breakdown *breakdown,
                               struct block_shared *shared)
{
    const struct krylov_result r =
        bicgstab_solve(bottom_space<Op, Work>{w, shared}, w.reduction, w.max_iterations);
    *breakdown = r.breakdown;
    return r.iterations;
}

static __device__ void count_breakdown(struct bottom_counts *counts, enum breakdown breakdown)
{
    if (threadIdx.x == 0 && breakdown != BREAKDOWN_NONE)
        atomicAdd((unsigned long long *)&counts->breakdowns[breakdown], 1ull);
}

/* The fallback; returns the sweeps made. */
template <class Op, class Work>
static __device__ int smooth(const Work &w, struct block_shared *shared)
{
    const struct krylov_result r =
        smooth_until_solved(bottom_space<Op, Work>{w, shared}, w.reduction, w.max_iterations);
    count_breakdown(w.counts, r.breakdown);
    return r.iterations;
}

/* Counts a solve. */
static __device__ void count_solve(struct bottom_counts *counts, int iterations,
                                   enum breakdown breakdown)
{
    if (threadIdx.x != 0)
        return;
    atomicAdd((unsigned long long *)&counts->solves, 1ull);
    atomicAdd((unsigned long long *)&counts->iterations, (unsigned long long)iterations);
    count_breakdown(counts, breakdown);
}

/* The whole solve, by the first w.threads threads of a block. */
template <class Op, class Work>
static __device__ void solve_bottom(const Work &w, struct block_shared *shared)
{
    enum breakdown breakdown;
    int iterations = bicgstab<Op>(w, &breakdown, shared);
    if (breakdown != BREAKDOWN_NONE)
        iterations += smooth<Op>(w, shared);
    if (w.singular)
        subtract_mean(w, w.u, shared);
    count_solve(w.counts, iterations, breakdown);
}

/* What solve_bottom() needs, in the level's fields. */
struct bottom_work bottom_open(struct level *level, enum field u, enum field f, double reduction,
                               int max_iterations);
