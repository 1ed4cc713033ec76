/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_COARSE_PASS_CUH
#define CUDA_COARSE_PASS_CUH
/* A pass of the tail kernel: start, sweeps, finish, by all blocks that have a brick of the level.
 *
 * Between operations bricks exchange their ghosts in packets (coarse/packets.cuh); at the end of
 * the pass its result is stored in the level's field. */
#include <cuda/std/utility>
#include <cuda_pipeline.h>
#include "cuda/core/atomic_max.cuh"
#include "cuda/coarse/packets.cuh"
#include "cuda/coarse/walls.cuh"

/* Begins to copy β into its frames: faces 0 … n, for order 4 a layer around the cells. */
template <class Op>
static __device__ void fetch_beta(const struct tail_level &l, const struct brick &b, frames<Op> &s)
{
    const int low = Op::ORDER == 4 ? -1 : 0, planes = l.depth + l.beta.n - l.side.n;
    constexpr int SJ = frames<Op>::SJ, SK = frames<Op>::SK, LENGTH = frames<Op>::BETA_LENGTH;
    double *to = s.beta() + low * (1 + SJ + SK);
    const int from = b.at + low * (1 + l.sj + l.sk), all = l.beta.n * l.beta.n * planes;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.beta, &i, &j, &k);
        const int target = i + j * SJ + k * SK, source = from + i + j * l.sj + k * l.sk;
        __pipeline_memcpy_async(to + target, l.beta_i + source, sizeof *to);
        __pipeline_memcpy_async(to + target + LENGTH, l.beta_j + source, sizeof *to);
        __pipeline_memcpy_async(to + target + 2 * LENGTH, l.beta_k + source, sizeof *to);
    }
}

template <class Op, int CELLS>
static __device__ __forceinline__ void fetch_own(const struct tail_level &l, const struct brick &b,
                                                 const struct tail_step &step,
                                                 struct own_cells<CELLS> &own)
{
    const bool reads_u = step.start == START_KEEP || step.start == START_PROLONG_ADD;
    bool works = false;
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        const struct place p = place_of<CELLS>(l, x);
        const int at = b.at + p.i + p.j * l.sj + p.k * l.sk;
        own.cell[x] = p.inside ? packed<Op>(l, b, p) : IDLE_CELL<Op> | NOT_OWN;
        own.packet[x] = p.inside && is_read_elsewhere<Op>(l, b, p)
                            ? packet_of(l, b.i + p.i, b.j + p.j, b.k + p.k)
                            : -1;
        own.f[x] = p.inside ? step.f[at] : 0.0;
        own.alpha[x] = p.inside && l.alpha ? l.alpha[at] : 0.0;
        own.dinv[x] = p.inside ? l.dinv[at] : 0.0;
        own.value[x] = p.inside && reads_u ? step.u[at] : 0.0;
        works = works || p.inside;
    }
    own.works = __any_sync(0xffffffffu, works);
}

/* The brick's coarse u. */
static __device__ struct wall_view coarse_brick(const struct tail_level &l, const struct brick &b,
                                                double *coarse)
{
    struct wall_view v = {
        {{l.half.n, l.half.n, (l.depth + 1) / 2}, {0, 0, 0}, 0, COARSE_SJ, COARSE_SK}, coarse};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++)
            v.c.wall[d][side] = b.walls >> (2 * d + side) & 1;
    return v;
}

static __device__ __forceinline__ void fetch_coarse(const struct tail_level &l,
                                                    const struct brick &b,
                                                    const struct tail_step &step,
                                                    const struct wall_view &coarse)
{
    const double *from = step.coarse_u + b.i / 2 + b.j / 2 * l.coarse_sj + b.k / 2 * l.coarse_sk;
    each_coarse<TAIL_THREADS>(step.coarse_framed, coarse.c, [&](int i, int j, int k) {
        if (!behind_wall(coarse.c, i, j, k))
            coarse.x[i + j * COARSE_SJ + k * COARSE_SK] =
                from[i + j * l.coarse_sj + k * l.coarse_sk];
    });
}

/* u (+)= P coarse, each thread its pairs of cells. */
template <class Op, int CELLS, int REACH>
static __device__ __forceinline__ void prolong_own(const struct tail_level &l,
                                                   const struct tail_step &step, frames<Op> &s)
{
#pragma unroll 1
    for (int x = 0; x < CELLS / 2; x++) {
        const struct place p = place_of<CELLS>(l, x);
        if (!p.inside)
            continue;
        double child[2];
        prolonged_pair<REACH>(s.coarse() + p.i / 2 + p.j / 2 * COARSE_SJ + p.k / 2 * COARSE_SK,
                              COARSE_SJ, COARSE_SK, p.j & 1, p.k & 1, child);
        double *to = s.u() + frame_element<Op>({p.i & ~1, p.j, p.k, true});
        const bool add = step.start == START_PROLONG_ADD;
        to[0] = add ? to[0] + child[0] : child[0];
        to[1] = add ? to[1] + child[1] : child[1];
    }
}

/* Puts the values that wait in `own` into the frame, in the cells of `colours`. */
template <class Op, int CELLS>
static __device__ __forceinline__ void put_own(const struct own_cells<CELLS> &own, int colours,
                                               frames<Op> &s)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (colours >> x / (CELLS / 2) & 1 && is_own(own.cell[x]))
            s.u()[element(own.cell[x])] = own.value[x];
}

/* The same of all cells; what was in the frame waits then. */
template <class Op, int CELLS>
static __device__ __forceinline__ void swap_own(struct own_cells<CELLS> &own, frames<Op> &s)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        if (!is_own(own.cell[x]))
            continue;
        double *at = s.u() + element(own.cell[x]), old = *at;
        *at = own.value[x];
        own.value[x] = old;
    }
}

/* Sends those values that wait in `own` which other bricks read, of the cells of `colours`. */
template <int CELLS>
static __device__ __forceinline__ void send_own(const struct own_cells<CELLS> &own, int colours,
                                                const struct packet_round &e)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (colours >> x / (CELLS / 2) & 1 && own.packet[x] >= 0)
            send_packet(e.packets + own.packet[x], own.value[x], e.number);
}

/* All cells of the frame to the level's field. */
template <class Op, int CELLS>
static __device__ __forceinline__ void store_own(const struct tail_level &l, const struct brick &b,
                                                 frames<Op> &s, double *field)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        const struct place p = place_of<CELLS>(l, x);
        if (p.inside)
            field[b.at + p.i + p.j * l.sj + p.k * l.sk] = s.u()[frame_element<Op>(p)];
    }
}

template <class Op, int CELLS>
static __device__ __forceinline__ void take_beta(struct own_cells<CELLS> &own, frames<Op> &s)
{
    enum { SJ = frames<Op>::SJ, SK = frames<Op>::SK, LENGTH = frames<Op>::BETA_LENGTH };
#pragma unroll
    for (int x = 0; x < CELLS; x++)
#pragma unroll
        for (int side = 0; side < 6; side++)
            own.beta[x][side] = s.beta()[element(own.cell[x]) + side / 2 * LENGTH +
                                         (side & 1) * (side < 2   ? 1
                                                       : side < 4 ? SJ
                                                                  : SK)];
}

/* How many ghosts of other bricks a thread asks for at a time, so that one latency is enough for
 * those of one colour, or nearly so for both. */
template <class Op, int CELLS>
static constexpr __host__ __device__ int halo_rounds(int colours)
{
    return CELLS == FEWEST_CELLS ? colours : Op::ORDER == 4 ? 3 : colours;
}

/* The first half-sweep from zero, whose cells need no others. */
template <int CELLS>
static __device__ __forceinline__ void relax_own(struct own_cells<CELLS> &own, double weight)
{
#pragma unroll
    for (int x = 0; x < CELLS / 2; x++)
        own.value[x] = relax_zero(own.dinv[x], own.f[x], weight);
}

/* Multiplies D⁻¹ by the weight, once for all sweeps. */
template <int CELLS>
static __device__ __forceinline__ void weigh_own(struct own_cells<CELLS> &own, double weight)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        own.dinv[x] = weight * own.dinv[x];
}

/* Which colours' ghosts are not 0 when sweeps begin, as bits. */
static __device__ __forceinline__ int colours_at_start(const struct tail_step &step)
{
    return step.start != START_ZERO ? 3 : step.relaxes_zero ? 1 : 0;
}

/* The pass's start: u in its frame, f and coefficients where sweeps want them. */
template <class Op, int CELLS>
static __device__ __forceinline__ void start(const struct tail &t, const struct brick &b,
                                             const struct tail_step &step,
                                             struct own_cells<CELLS> &own, frames<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    struct ghost_counts &counts = s.counts[step.level];
    const bool uses_ghosts = step.operations > 0;
    if (l.beta_i && uses_ghosts)
        fetch_beta<Op>(l, b, s);
    __pipeline_commit();
    fetch_own<Op, CELLS>(l, b, step, own);
    const struct wall_view coarse = coarse_brick(l, b, s.coarse());
    if (prolongs(step))
        fetch_coarse(l, b, step, coarse);
    if (uses_ghosts)
        list_ghosts<Op>(l, b, s, counts);
    if (step.relaxes_zero)
        relax_own<CELLS>(own, l.relaxations[0].weight);
    put_own<Op, CELLS>(own, 3, s);
    __syncthreads();
    if (prolongs(step)) {
        extend_coarse<Op, TAIL_THREADS>(step.coarse_rule, step.coarse_framed, coarse);
        if (Op::ORDER == 4 && step.prolongation == 4)
            prolong_own<Op, CELLS, 2>(l, step, s);
        else
            prolong_own<Op, CELLS, 1>(l, step, s);
        __syncthreads();
    }
    if (uses_ghosts) {
        const int colours = colours_at_start(step);
        const struct packet_round e = later(first_exchange(t), step.relaxes_zero);
#pragma unroll
        for (int x = 0; x < CELLS; x++)
            own.value[x] = s.u()[element(own.cell[x])];
        send_own<CELLS>(own, colours, e);
        clear_halo<Op>(part_of(l, counts, 3 & ~colours), s);
        receive_halo<Op, halo_rounds<Op, CELLS>(2)>(part_of(l, counts, colours), s, e);
    }
    __pipeline_wait_prior(0);
    __syncthreads();
    if (holds_beta<Op, CELLS>() && uses_ghosts)
        take_beta<Op, CELLS>(own, s);
}

/* Ghosts behind walls that a thread with so many cells knows the places of. */
template <int CELLS>
constexpr int WALL_PLACES = CELLS > FEWEST_CELLS ? 2 : 1;

/* What all sweeps of a pass need of its level and step. */
template <int CELLS>
struct sweeping {
    int level, nsweeps, uses;
    bool relaxes_zero; /* the first half-sweep is done */
    double scale;
    struct own_walls<WALL_PLACES<CELLS>> walls;
};

template <class Op>
static __device__ __forceinline__ struct wall_lists
lists_of(const struct tail_level &l, const struct ghost_counts &counts, const frames<Op> &s)
{
    return {s.sides + l.sides, s.edges + l.edges, counts.sides, counts.edges};
}

template <class Op, int CELLS>
static __device__ __forceinline__ sweeping<CELLS>
sweeping_of(const struct tail_level &l, const struct tail_step &step, const frames<Op> &s)
{
    const struct ghost_counts &counts = s.counts[step.level];
    sweeping<CELLS> w = {step.level, step.nsweeps, step.operations, step.relaxes_zero, l.scale};
    if (Op::ORDER == 4)
        w.walls = take_walls<TAIL_THREADS, WALL_PLACES<CELLS>>(
            lists_of<Op>(l, counts, s), s.u_frame, frames<Op>::SJ, frames<Op>::SK);
    keep(w.nsweeps);
    keep(w.uses);
    keep(w.scale);
    return w;
}

template <class Op, int CELLS>
static __device__ __forceinline__ void
fill_brick_walls(const struct tail_level &l, const struct sweeping<CELLS> &w, frames<Op> &s)
{
    static_assert(LEAST_SIDE >= 4, "the rule");
    fill_walls<TAIL_THREADS, wall_rules<4>, (CELLS > FEWEST_CELLS)>(
        s.u_frame, w.walls, 4, lists_of<Op>(l, s.counts[w.level], s), frames<Op>::SJ,
        frames<Op>::SK);
}

/* f − A u at the cell of one slot, and u there. For order 2 the cell and its neighbours are
 * gathered first, as a field of seven values; no other cell reads their ghosts. */
template <class Op, int CELLS>
static __device__ __forceinline__ double residual_of(const struct sweeping<CELLS> &w,
                                                     const struct own_cells<CELLS> &own, int x,
                                                     frames<Op> &s, double *here)
{
    enum { SJ = frames<Op>::SJ, SK = frames<Op>::SK };
    const int cell = element(own.cell[x]);
    const double *u = s.u() + cell;
    [[maybe_unused]] const double *bi = s.beta() + cell, *bj = bi + frames<Op>::BETA_LENGTH,
                                  *bk = bj + frames<Op>::BETA_LENGTH;
    *here = u[0];
    if constexpr (Op::ORDER == 2) {
        double seven[7] = {u[-SK], u[-SJ], u[-1], u[0], u[1], u[SJ], u[SK]};
        const unsigned walls = own.cell[x] >> ELEMENT_BITS & WALLS_MASK;
        if (walls != 0)
            fold_walls(walls, seven);
        if constexpr (holds_beta<Op, CELLS>()) {
            const double *beta = own.beta[x];
            return Op::residual_at(seven + 3, 2, 3, beta, beta + 2, beta + 4, 1, 1, own.f[x],
                                   own.alpha[x], w.scale);
        }
        return Op::residual_at(seven + 3, 2, 3, bi, bj, bk, SJ, SK, own.f[x], own.alpha[x],
                               w.scale);
    } else {
        return residual_fv4<Op>(u, SJ, SK, bi, bj, bk, own.f[x], own.alpha[x], w.scale);
    }
}

/* A sweep of one colour, which one half of the slots has; then the bricks exchange their ghosts.
 * Colours are coupled to themselves in order 4, so all must have read before one writes. D⁻¹ has
 * its weight already. */
template <class Op, int CELLS>
static __device__ __forceinline__ void half_sweep(const struct sweeping<CELLS> &w,
                                                  const struct tail_level &l, int half, int colour,
                                                  struct own_cells<CELLS> &own, frames<Op> &s,
                                                  const struct packet_round &e, bool exchanges)
{
    if (Op::ORDER == 4)
        fill_brick_walls<Op, CELLS>(l, w, s);
    if (own.works) {
#pragma unroll
        for (int x = half * CELLS / 2; x < (half + 1) * CELLS / 2; x++) {
            double u;
            const double r = residual_of<Op, CELLS>(w, own, x, s, &u);
            own.value[x] = update_weighted(u, own.dinv[x], r, 1.0);
        }
        if (exchanges)
            send_own<CELLS>(own, 1 << half, e);
    }
    if (Op::ORDER == 4)
        __syncthreads();
    put_own<Op, CELLS>(own, 1 << half, s);
    if (exchanges)
        receive_halo<Op, halo_rounds<Op, CELLS>(1)>(part_of(l, s.counts[w.level], 1 << colour), s,
                                                    e);
    __syncthreads();
}

/* A sweep of all cells, or in its place their residual into the frame of u. */
template <class Op, int CELLS>
static __device__ __forceinline__ void
sweep_all(const struct sweeping<CELLS> &w, const struct tail_level &l, int sweep, bool residual,
          struct own_cells<CELLS> &own, frames<Op> &s, const struct packet_round &e, bool exchanges)
{
    if (Op::ORDER == 4)
        fill_brick_walls<Op, CELLS>(l, w, s);
#pragma unroll
    for (int x = 0; x < CELLS && own.works; x++) {
        double u;
        const double r = residual_of<Op, CELLS>(w, own, x, s, &u);
        own.value[x] =
            residual ? r : relaxed(l.relaxations[sweep], u, own.value[x], own.dinv[x], r);
    }
    __syncthreads();
    if (exchanges)
        send_own<CELLS>(own, 3, e);
    swap_own<Op, CELLS>(own, s);
    if (exchanges)
        receive_halo<Op, halo_rounds<Op, CELLS>(2)>(part_of(l, s.counts[w.level], 3), s, e);
    __syncthreads();
}

/* The slots' halves change places. */
template <int CELLS>
static __device__ __forceinline__ void swap_colours(struct own_cells<CELLS> &own)
{
#pragma unroll
    for (int x = 0; x < CELLS / 2; x++) {
        const int y = x + CELLS / 2;
        cuda::std::swap(own.cell[x], own.cell[y]);
        cuda::std::swap(own.packet[x], own.packet[y]);
        cuda::std::swap(own.f[x], own.f[y]);
        cuda::std::swap(own.alpha[x], own.alpha[y]);
        cuda::std::swap(own.dinv[x], own.dinv[y]);
        cuda::std::swap(own.value[x], own.value[y]);
    }
}

/* All sweeps of a pass, of all cells each. */
template <class Op, int CELLS>
static __device__ __forceinline__ void
sweep_cells(const struct sweeping<CELLS> &w, const struct tail_level &l,
            struct own_cells<CELLS> &own, frames<Op> &s, const struct packet_round &first)
{
#pragma unroll 1
    for (int sweep = 0; sweep < w.nsweeps; sweep++)
        sweep_all<Op, CELLS>(w, l, sweep, false, own, s, later(first, 1 + sweep),
                             1 + sweep < w.uses);
}

/* All sweeps of a pass, of one colour each. Order 4, which has more code than is quickly at hand,
 * has it once for both colours. */
template <class Op, int CELLS>
static __device__ __forceinline__ void
sweep_colours(const struct sweeping<CELLS> &w, const struct tail_level &l,
              struct own_cells<CELLS> &own, frames<Op> &s, const struct packet_round &first)
{
    enum { ONCE = Op::ORDER == 4 };
    int sweep = 0;
    weigh_own<CELLS>(own, l.relaxations[0].weight);
    if (ONCE && w.relaxes_zero) {
        swap_colours<CELLS>(own);
        sweep++;
    }
#pragma unroll 1
    for (; sweep < w.nsweeps; sweep++) {
        const struct packet_round e = later(first, 1 + sweep);
        const bool exchanges = 1 + sweep < w.uses;
        if (ONCE) {
            half_sweep<Op, CELLS>(w, l, 0, sweep & 1, own, s, e, exchanges);
            swap_colours<CELLS>(own);
        } else {
            if (sweep > 0 || !w.relaxes_zero)
                half_sweep<Op, CELLS>(w, l, 0, 0, own, s, e, true);
            sweep++;
            half_sweep<Op, CELLS>(w, l, 1, 1, own, s, later(first, 1 + sweep), 1 + sweep < w.uses);
        }
    }
}

/* coarse f = R fine, on the brick; `fine` is at its cell (0,0,0). */
static __device__ __forceinline__ void restrict_to(const struct tail_level &l,
                                                   const struct brick &b,
                                                   const struct tail_step &step, const double *fine,
                                                   int sj, int sk)
{
    const int all = l.half.n * l.half.n * ((l.depth + 1) / 2);
    double *to = step.coarse_f + b.i / 2 + b.j / 2 * l.coarse_sj + b.k / 2 * l.coarse_sk;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cube_cell(x, l.half, &i, &j, &k);
        const double *p = fine + 2 * i + 2 * j * sj + 2 * k * sk;
        to[i + j * l.coarse_sj + k * l.coarse_sk] = restrict_cell(
            p[0] + p[1], p[sj] + p[sj + 1], p[sk] + p[sk + 1], p[sj + sk] + p[sj + sk + 1]);
    }
}

/* *norm = max(*norm, bits of the largest magnitude in the frame). */
template <class Op, int CELLS>
static __device__ void raise_norm(const struct own_cells<CELLS> &own, frames<Op> &s,
                                  unsigned long long *norm)
{
    unsigned long long largest = 0;
    if (threadIdx.x == 0)
        s.norm = 0;
    __syncthreads();
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (is_own(own.cell[x]))
            largest = larger(largest, magnitude_bits(s.u()[element(own.cell[x])]));
    warp_atomic_max(&s.norm, largest);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(norm, s.norm);
}

template <class Op, int CELLS>
static __device__ __forceinline__ void run_pass(const struct tail &t, const struct tail_step &step,
                                                frames<Op> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const struct brick b = brick_of(l);
    struct own_cells<CELLS> own;
    start<Op, CELLS>(t, b, step, own, s);
    const struct sweeping<CELLS> w = sweeping_of<Op, CELLS>(l, step, s);
    const struct packet_round first = first_exchange(t);
    if (t.coloured)
        sweep_colours<Op, CELLS>(w, l, own, s, first);
    else
        sweep_cells<Op, CELLS>(w, l, own, s, first);
    store_own<Op, CELLS>(l, b, s, step.u);
    if (step.finish == FINISH_NONE)
        return;
    sweep_all<Op, CELLS>(w, l, 0, true, own, s, first, false);
    if (step.finish == FINISH_RESTRICT)
        restrict_to(l, b, step, s.u(), frames<Op>::SJ, frames<Op>::SK);
    else
        raise_norm<Op, CELLS>(own, s, t.norm);
}

#endif
