/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A pass of the tail kernel (start, sweeps, finish) by all blocks that have a subdomain of the
 * level. Subdomains exchange ghosts between operations (coarse/packets.cuh). The end of the pass
 * stores u in the level's field. */
#include <cuda/std/utility>
#include <cuda_pipeline.h>
#include "cuda/core/atomic_max.cuh"
#include "cuda/coarse/packets.cuh"
#include "cuda/coarse/residual.cuh"
#include "cuda/coarse/walls.cuh"

/* Begins to copy β into its tiles: faces 0 … n; for order 4 those of one layer of ghosts, too. */
template <class Op, int CELLS>
static __device__ void fetch_beta(const struct tail_level &l, const struct subdomain &sub,
                                  subdomain_tiles<Op, CELLS> &s)
{
    const int low = 1 - Op::RADIUS;
    constexpr int SJ = subdomain_tiles<Op, CELLS>::SJ, SK = subdomain_tiles<Op, CELLS>::SK,
                  LENGTH = subdomain_tiles<Op, CELLS>::BETA_LENGTH;
    double *to = s.beta() + low * (1 + SJ + SK);
    const int from = sub.at + low * (1 + l.sj + l.sk), all = cuboid_cells(l.beta);
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cuboid_cell(x, l.beta, &i, &j, &k);
        const int target = i + j * SJ + k * SK, source = from + i + j * l.sj + k * l.sk;
        __pipeline_memcpy_async(to + target, l.beta_i + source, sizeof *to);
        __pipeline_memcpy_async(to + target + LENGTH, l.beta_j + source, sizeof *to);
        __pipeline_memcpy_async(to + target + 2 * LENGTH, l.beta_k + source, sizeof *to);
    }
}

template <class Op, int CELLS>
DEVICE void fetch_own(const struct tail_level &l, const struct subdomain &sub,
                      const struct tail_step &step, struct own_cells<CELLS> &own)
{
    const bool reads_u = step.start == START_KEEP || step.start == START_PROLONG_ADD;
    bool works = false;
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        const struct cell_index p = cell_index_of<CELLS>(l, x);
        const int at = sub.at + p.i + p.j * l.sj + p.k * l.sk;
        own.cell[x] = p.inside ? packed_cell<Op, CELLS>(l, sub, p) : IDLE_CELL<Op, CELLS> | NOT_OWN;
        own.packet[x] = p.inside && is_read_elsewhere<Op>(l, sub, p)
                            ? packet_index(l, sub.i + p.i, sub.j + p.j, sub.k + p.k)
                            : -1;
        own.f[x] = p.inside ? step.f[at] : 0.0;
        own.alpha[x] = p.inside && l.alpha ? l.alpha[at] : 0.0;
        own.dinv[x] = p.inside ? l.dinv[at] : 0.0;
        own.value[x] = p.inside && reads_u ? step.u[at] : 0.0;
        works = works || p.inside;
    }
    own.works = __any_sync(0xffffffffu, works);
}

/* u (+)= P coarse; each thread computes pairs of cells. */
template <class Op, int CELLS, int REACH>
DEVICE void prolong_own(const struct tail_level &l, const struct tail_step &step,
                        subdomain_tiles<Op, CELLS> &s)
{
#pragma unroll 1
    for (int x = 0; x < CELLS / 2; x++) {
        const struct cell_index p = cell_index_of<CELLS>(l, x);
        if (!p.inside)
            continue;
        double child[2];
        const long stride[3] = {1, COARSE_SJ, COARSE_SK};
        prolong_pair(REACH, s.coarse() + p.i / 2 + p.j / 2 * COARSE_SJ + p.k / 2 * COARSE_SK,
                     stride, p.j & 1, p.k & 1, child);
        double *to = s.u() + tile_element<Op, CELLS>({p.i & ~1, p.j, p.k, true});
        const bool add = step.start == START_PROLONG_ADD;
        to[0] = add ? to[0] + child[0] : child[0];
        to[1] = add ? to[1] + child[1] : child[1];
    }
}

/* Writes own.value into the tile of u, in the cells of `colours` (bit 0 red, bit 1 black). */
template <class Op, int CELLS>
DEVICE void put_own(const struct own_cells<CELLS> &own, int colours, subdomain_tiles<Op, CELLS> &s)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (colours >> x / (CELLS / 2) & 1 && is_own(own.cell[x]))
            s.u()[element(own.cell[x])] = own.value[x];
}

/* Swaps own.value and the tile of u in all cells. */
template <class Op, int CELLS>
DEVICE void swap_own(struct own_cells<CELLS> &own, subdomain_tiles<Op, CELLS> &s)
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

/* Sends own.value of the cells of `colours` that other subdomains read. */
template <int CELLS>
DEVICE void send_own(const struct own_cells<CELLS> &own, int colours, const struct packet_round &e)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (colours >> x / (CELLS / 2) & 1 && own.packet[x] >= 0)
            store_packet<cuda::thread_scope_device>(e.packets + own.packet[x],
                                                    {own.value[x], e.number});
}

/* Stores the tile of u in the level's field. */
template <class Op, int CELLS>
DEVICE void store_own(const struct tail_level &l, const struct subdomain &sub,
                      subdomain_tiles<Op, CELLS> &s, double *field)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++) {
        const struct cell_index p = cell_index_of<CELLS>(l, x);
        if (p.inside)
            field[sub.at + p.i + p.j * l.sj + p.k * l.sk] = s.u()[tile_element<Op, CELLS>(p)];
    }
}

/* How many packets a thread polls at a time: one latency then suffices for the halo of one colour,
 * and nearly for that of both. */
template <class Op, int CELLS>
static constexpr __host__ __device__ int halo_rounds(int colours)
{
    return CELLS == MIN_CELLS ? colours : Op::RADIUS > 1 ? 3 : colours;
}

/* The pass's start: u and β in their tiles, f and other coefficients in registers. */
template <class Op, int CELLS>
DEVICE void start(const struct tail &t, const struct tail_walls &rules, const struct subdomain &sub,
                  const struct tail_step &step, struct own_cells<CELLS> &own,
                  subdomain_tiles<Op, CELLS> &s)
{
    const struct tail_level &l = t.levels[step.level];
    struct ghost_counts &counts = s.lists.counts[step.level];
    const bool uses_ghosts = step.operations > 0;
    if (Op::VARIABLE && uses_ghosts)
        fetch_beta<Op>(l, sub, s);
    __pipeline_commit();
    fetch_own<Op, CELLS>(l, sub, step, own);
    const struct cuboid &padded = padded_coarse(l, step);
    const walled_cells<int> coarse =
        coarse_cells(s.coarse(), l.half, sub.walls, COARSE_SJ, COARSE_SK);
    if (prolongs(step))
        fetch_coarse<Op, TAIL_THREADS>(l, step, coarse, sub.i / 2, sub.j / 2, sub.k / 2);
    if (uses_ghosts)
        list_ghosts<Op>(l, sub, s, counts);
#pragma unroll
    for (int x = 0; x < CELLS / 2 && step.relaxes_zero; x++) /* reads no neighbours */
        own.value[x] = relax_zero(own.dinv[x], own.f[x], l.relaxations[0].weight);
    put_own<Op, CELLS>(own, 3, s);
    __syncthreads();
    if (prolongs(step)) {
        if (!has_any_sides<Op> || sub.walls != 0)
            extend_coarse<Op, TAIL_THREADS>(rules, step.coarse_rule, padded, coarse);
        if (Op::RADIUS > 1 && step.prolongation == 4)
            prolong_own<Op, CELLS, 2>(l, step, s);
        else
            prolong_own<Op, CELLS, 1>(l, step, s);
        __syncthreads();
    }
    if (uses_ghosts) {
        /* Which have ghosts other than 0. */
        const int colours = step.start != START_ZERO ? 3 : step.relaxes_zero ? 1 : 0;
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
#pragma unroll
        for (int x = 0; x < CELLS; x++)
            load_faces<subdomain_tiles<Op, CELLS>::SJ, subdomain_tiles<Op, CELLS>::SK,
                       subdomain_tiles<Op, CELLS>::BETA_LENGTH>(s.beta() + element(own.cell[x]),
                                                                own.beta[x]);
}

/* What all sweeps of a pass read of its level and step. */
template <int CELLS>
struct sweep_context {
    int level, nsweeps, operations;
    bool relaxes_zero; /* the first half-sweep is done */
    double scale;
    const struct tail_walls *rules;
    struct own_walls<OWN_WALLS<CELLS>> walls;
};

/* A subdomain lists walls only. */
template <class Op>
DEVICE struct wall_lists lists_of(const struct tail_level &l, int level,
                                  const struct subdomain_lists &lists)
{
    const struct ghost_counts &counts = lists.counts[level];
    return {lists.sides + l.sides, lists.edges + l.edges, counts.sides, counts.edges, 0, l.n};
}

template <class Op, int CELLS>
DEVICE sweep_context<CELLS>
sweep_context_of(const struct tail_level &l, const struct tail_walls &rules,
                 const struct tail_step &step, const subdomain_tiles<Op, CELLS> &s)
{
    sweep_context<CELLS> w = {step.level,        step.nsweeps, step.operations,
                              step.relaxes_zero, l.scale,      &rules};
    if (Op::RADIUS > 1)
        w.walls = take_walls<TAIL_THREADS, OWN_WALLS<CELLS>>(
            lists_of<Op>(l, step.level, s.lists), s.u_tile, subdomain_tiles<Op, CELLS>::SJ,
            subdomain_tiles<Op, CELLS>::SK);
    pin_register(w.nsweeps);
    pin_register(w.operations);
    pin_register(w.scale);
    return w;
}

template <class Op, int CELLS>
DEVICE void fill_subdomain_walls(const struct tail_level &l, const struct sweep_context<CELLS> &w,
                                 subdomain_tiles<Op, CELLS> &s)
{
    static_assert(MIN_SIDE >= 4, "the rule");
    fill_walls<Op, TAIL_THREADS, wall_rules<WALL_QUARTIC>, (CELLS > MIN_CELLS)>(
        *w.rules, s.u_tile, w.walls, WALL_QUARTIC, lists_of<Op>(l, w.level, s.lists),
        subdomain_tiles<Op, CELLS>::SJ, subdomain_tiles<Op, CELLS>::SK);
}

/* f − A u at the cell of one slot, and u there. Order 2 first gathers the cell and its neighbours,
 * as a field of seven values. */
template <class Op, int CELLS>
DEVICE double residual_of(const struct sweep_context<CELLS> &w, const struct own_cells<CELLS> &own,
                          int x, subdomain_tiles<Op, CELLS> &s, double *here)
{
    enum { SJ = subdomain_tiles<Op, CELLS>::SJ, SK = subdomain_tiles<Op, CELLS>::SK };
    const int cell = element(own.cell[x]);
    const double *u = s.u() + cell;
    [[maybe_unused]] const double *bi = s.beta() + cell,
                                  *bj = bi + subdomain_tiles<Op, CELLS>::BETA_LENGTH,
                                  *bk = bj + subdomain_tiles<Op, CELLS>::BETA_LENGTH;
    *here = u[0];
    if constexpr (Op::RADIUS == 1) {
        double seven[7] = {u[-SK], u[-SJ], u[-1], u[0], u[1], u[SJ], u[SK]};
        const unsigned walls = own.cell[x] >> ELEMENT_BITS & WALLS_MASK;
        if (walls != 0)
            fold_walls<Op>(*w.rules, walls, seven);
        if constexpr (holds_beta<Op, CELLS>())
            return residual_fv2<Op>(seven, own.beta[x], own.f[x], own.alpha[x], w.scale);
        const struct near near = {seven + 3, {1, 2, 3}, {bi, bj, bk}, {1, SJ, SK}};
        return Op::residual_near(near, own.f[x], own.alpha[x], w.scale);
    } else {
        return residual_fv4<Op>(u, SJ, SK, bi, bj, bk, own.f[x], own.alpha[x], w.scale);
    }
}

/* A sweep of one colour, which is one half of the slots, and the exchange of its ghosts. Order 4
 * couples cells of one colour, so all must have read before one writes. D⁻¹ includes the weight. */
template <class Op, int CELLS>
DEVICE void half_sweep(const struct sweep_context<CELLS> &w, const struct tail_level &l, int half,
                       int colour, struct own_cells<CELLS> &own, subdomain_tiles<Op, CELLS> &s,
                       const struct packet_round &e, bool exchanges)
{
    if (Op::RADIUS > 1)
        fill_subdomain_walls<Op, CELLS>(l, w, s);
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
    if (Op::RADIUS > 1)
        __syncthreads();
    put_own<Op, CELLS>(own, 1 << half, s);
    if (exchanges)
        receive_halo<Op, halo_rounds<Op, CELLS>(1)>(
            part_of(l, s.lists.counts[w.level], 1 << colour), s, e);
    __syncthreads();
}

/* A sweep of all cells, or else their residual into the tile of u. */
template <class Op, int CELLS>
DEVICE void sweep_all(const struct sweep_context<CELLS> &w, const struct tail_level &l, int sweep,
                      bool residual, struct own_cells<CELLS> &own, subdomain_tiles<Op, CELLS> &s,
                      const struct packet_round &e, bool exchanges)
{
    if (Op::RADIUS > 1)
        fill_subdomain_walls<Op, CELLS>(l, w, s);
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
        receive_halo<Op, halo_rounds<Op, CELLS>(2)>(part_of(l, s.lists.counts[w.level], 3), s, e);
    __syncthreads();
}

/* Swaps the two halves of the slots. */
template <int CELLS>
DEVICE void swap_colours(struct own_cells<CELLS> &own)
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
DEVICE void sweep_cells(const struct sweep_context<CELLS> &w, const struct tail_level &l,
                        struct own_cells<CELLS> &own, subdomain_tiles<Op, CELLS> &s,
                        const struct packet_round &first)
{
#pragma unroll 1
    for (int sweep = 0; sweep < w.nsweeps; sweep++)
        sweep_all<Op, CELLS>(w, l, sweep, false, own, s, later(first, 1 + sweep),
                             1 + sweep < w.operations);
}

/* All sweeps of a pass, of one colour each. */
template <class Op, int CELLS>
DEVICE void sweep_colours(const struct sweep_context<CELLS> &w, const struct tail_level &l,
                          struct own_cells<CELLS> &own, subdomain_tiles<Op, CELLS> &s,
                          const struct packet_round &first)
{
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        own.dinv[x] = l.relaxations[0].weight * own.dinv[x];
    each_half_sweep<Op>(
        w.nsweeps, w.relaxes_zero,
        [&](int half, int sweep) {
            half_sweep<Op, CELLS>(w, l, half, Op::RADIUS > 1 ? sweep & 1 : half, own, s,
                                  later(first, 1 + sweep),
                                  (Op::RADIUS == 1 && half == 0) || 1 + sweep < w.operations);
        },
        [&] { swap_colours<CELLS>(own); });
}

/* coarse f = R fine, on the subdomain; `fine` points to its cell (0,0,0). */
DEVICE void restrict_to(const struct tail_level &l, const struct subdomain &sub,
                        const struct tail_step &step, const double *fine, int sj, int sk)
{
    const int all = cuboid_cells(l.half);
    double *to = step.coarse_f + sub.i / 2 + sub.j / 2 * l.coarse_sj + sub.k / 2 * l.coarse_sk;
    for (int x = threadIdx.x; x < all; x += TAIL_THREADS) {
        int i, j, k;
        cuboid_cell(x, l.half, &i, &j, &k);
        const double *p = fine + 2 * i + 2 * j * sj + 2 * k * sk;
        to[i + j * l.coarse_sj + k * l.coarse_sk] = restrict_cell(
            p[0] + p[1], p[sj] + p[sj + 1], p[sk] + p[sk + 1], p[sj + sk] + p[sj + sk + 1]);
    }
}

/* *norm = max(*norm, bits of the largest magnitude in the tile of u). */
template <class Op, int CELLS>
static __device__ void atomic_max_norm(const struct own_cells<CELLS> &own,
                                       subdomain_tiles<Op, CELLS> &s, unsigned long long *norm)
{
    unsigned long long largest = 0;
    if (threadIdx.x == 0)
        s.lists.norm = 0;
    __syncthreads();
#pragma unroll
    for (int x = 0; x < CELLS; x++)
        if (is_own(own.cell[x]))
            largest = larger(largest, magnitude_bits(s.u()[element(own.cell[x])]));
    warp_atomic_max(&s.lists.norm, largest);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax(norm, s.lists.norm);
}

template <class Op, int CELLS>
DEVICE void run_pass(const struct tail &t, const struct tail_walls &rules,
                     const struct tail_step &step, subdomain_tiles<Op, CELLS> &s)
{
    const struct tail_level &l = t.levels[step.level];
    const struct subdomain sub = subdomain_of<Op>(l);
    struct own_cells<CELLS> own;
    start<Op, CELLS>(t, rules, sub, step, own, s);
    const struct sweep_context<CELLS> w = sweep_context_of<Op, CELLS>(l, rules, step, s);
    const struct packet_round first = first_exchange(t);
    if (t.coloured)
        sweep_colours<Op, CELLS>(w, l, own, s, first);
    else
        sweep_cells<Op, CELLS>(w, l, own, s, first);
    store_own<Op, CELLS>(l, sub, s, step.u);
    if (step.finish == FINISH_NONE)
        return;
    sweep_all<Op, CELLS>(w, l, 0, true, own, s, first, false);
    if (step.finish == FINISH_RESTRICT)
        restrict_to(l, sub, step, s.u(), subdomain_tiles<Op, CELLS>::SJ,
                    subdomain_tiles<Op, CELLS>::SK);
    else
        atomic_max_norm<Op, CELLS>(own, s, t.norm);
}
