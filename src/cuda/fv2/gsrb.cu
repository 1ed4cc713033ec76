/* SPDX-License-Identifier: BSD-3-Clause */
/* The fused pass. A thread owns a pair of neighbouring cells in i, one of which is red and the
 * other black in every plane, and marches through the planes: at each step it updates the red cell
 * of its pair in plane k + 1 and the black one in plane k, which are at the same place in the pair,
 * and where the pass finishes with the residual, finds that of both in plane k − 1. So every
 * coefficient is loaded once, 16 bytes at a time, and used once; the inverse diagonal is
 * recomputed, which is cheaper than reading it. What a step needs is copied to shared memory AHEAD
 * steps before, without a register or a wait. Neighbours in k are the thread's own registers, in i
 * those of the next lane, in j they come through shared memory, with one barrier a plane. The
 * outermost rows and lanes of a block only repeat what its inner cells need; what else they compute
 * is not used; beyond sides that are no wall, so do the ghosts next to the patch. Walls are folded
 * in: a ghost is the quadratic extrapolation from the cell itself and the next one inward. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/fv2/gsrb_tile.cuh"
#include "cuda/core/reciprocal.cuh"
#include "cuda/core/red_black.cuh"
#include "cuda/device_limits.h"
#include "cuda/tuning.cuh"
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/sum.h"
#include "operators/transfers.h"

enum { MOST_ROWS = TUNED_PAIR_MOST_ROWS, FEW_ROWS = TUNED_PAIR_FEW_ROWS };
enum { FINISH_ROWS = 16, FINISH_ROWS_HELMHOLTZ = 12 };
/* Planes a block, an even number: it repeats two of its neighbours', or four, and takes about two
 * steps to begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 128, EXTRA_STEPS = 4, EXTRA_FINISH_STEPS = 6 };

/* What a pass does besides. */
enum finish { ONLY_SWEEPS, RESTRICTS, REDUCES };

/* What an update needs of a cell besides its neighbours. */
struct cell_data {
    double f, alpha, bi0, bi1, bj0, bj1, bk0, bk1;
};

/* Values of the six neighbours. */
struct neighbours {
    double im, ip, jm, jp, km, kp;
};

/* The walls around a pair in j and k; those in i are the outer pairs' own. */
struct walls {
    bool j0, j1, k0, k1;
};

/* Puts a ghost in place of each neighbour beyond a wall; it follows from the cell and the next one
 * inward. */
template <int E, bool WALLS>
static __device__ struct neighbours with_ghosts(struct neighbours n, double u, bool end_of_row,
                                                const struct walls &walls)
{
    const struct neighbours m = n;
    if (E == 0 && end_of_row)
        n.im = wall_quadratic(u, m.ip);
    if (E == 1 && end_of_row)
        n.ip = wall_quadratic(u, m.im);
    if (WALLS && walls.j0)
        n.jm = wall_quadratic(u, m.jp);
    if (WALLS && walls.j1)
        n.jp = wall_quadratic(u, m.jm);
    if (WALLS && walls.k0)
        n.km = wall_quadratic(u, m.kp);
    if (WALLS && walls.k1)
        n.kp = wall_quadratic(u, m.km);
    return n;
}

static __device__ double operator_sum(double u, const neighbours &n, const cell_data &d)
{
    return fv2_sum(u, n.im, n.ip, n.jm, n.jp, n.km, n.kp, d.bi0, d.bi1, d.bj0, d.bj1, d.bk0, d.bk1);
}

/* The new value of the cell at place E of a pair. The diagonal is what the sum makes of 1 in the
 * cell and 0 in all others. */
template <bool HELMHOLTZ, int E, bool WALLS>
static __device__ double update(double u, const neighbours &beside, const cell_data &d,
                                bool end_of_row, const struct walls &walls, double scale)
{
    const neighbours n = with_ghosts<E, WALLS>(beside, u, end_of_row, walls),
                     unit = with_ghosts<E, WALLS>(neighbours{}, 1.0, end_of_row, walls);
    const double rhs = HELMHOLTZ ? rhs_helmholtz(d.f, d.alpha, u) : rhs_poisson(d.f, 0.0, u);
    const double residual = residual_value(rhs, scale, operator_sum(u, n, d));
    const double diagonal = fma(-scale, operator_sum(1.0, unit, d), HELMHOLTZ ? d.alpha : 0.0);
    return update_weighted(u, reciprocal(diagonal), residual, RED_BLACK_WEIGHT);
}

/* What a thread carries from step to step: u in planes k − 1, k, k + 1; β_k below plane k + 1; what
 * the black cell of plane k needs. For the residual of plane k − 1: that pair when it is finished,
 * and the one below it; β_k below and above it; and what has become of residuals so far. */
struct carried {
    double2 z, a, b, bk;
    cell_data black;
    double2 done, below, face_0, face_1;
    double even; /* sum of residuals over four cells of the last even plane */
    unsigned long long norm;
};

static __device__ double member(double2 pair, int place)
{
    return place ? pair.y : pair.x;
}

/* The value beside place E of a pair that is not its own other one: the next lane's. */
template <int E>
static __device__ double beside(double2 pair)
{
    return E ? __shfl_down_sync(0xffffffffu, pair.x, 1) : __shfl_up_sync(0xffffffffu, pair.y, 1);
}

template <int E>
static __device__ neighbours gather(double2 pair, double next, double jm, double jp, double km,
                                    double kp)
{
    return E ? neighbours{pair.x, next, jm, jp, km, kp} : neighbours{next, pair.y, jm, jp, km, kp};
}

/* Both cells' data of a plane; bk0 and bk1 are β below and above it. */
template <bool HELMHOLTZ, class tile>
static __device__ void load_data(const struct place &p, unsigned slot, double2 bk0, double2 bk1,
                                 cell_data *low, cell_data *high)
{
    const unsigned at = p.pair_place + slot + tile::STEPS;
    const double2 f = pair_at(at + tile::F), bi = pair_at(at + tile::BI),
                  bj0 = pair_at(at + tile::BJ), bj1 = pair_at(at + tile::BJ + ROW_BYTES);
    double2 alpha = make_double2(0.0, 0.0);
    if (HELMHOLTZ)
        alpha = pair_at(at + tile::ALPHA);
    double next = __shfl_down_sync(0xffffffffu, bi.x, 1);
    if (p.lane == LANES - 1)
        next = cell_at(beside_row(p) + slot + tile::STEPS + tile::BI_END);
    *low = {f.x, alpha.x, bi.x, bi.y, bj0.x, bj1.x, bk0.x, bk1.x};
    *high = {f.y, alpha.y, bi.y, next, bj0.y, bj1.y, bk0.y, bk1.y};
}

/* The black cell beside the red one, in plane k + 1: old, and for a pass that goes on with the
 * residual also where it is beyond the tile. u is that plane. */
template <int E, class tile>
static __device__ double black_beside_red(const struct place &p, unsigned u, double2 pair)
{
    const double next = beside<E>(pair);
    if (tile::HALO == 1 || p.lane != (E ? LANES - 1 : 0))
        return next;
    return cell_at(beside_row(p) + u + tile::U + (E ? tile::U_HIGH : tile::U_LOW));
}

template <bool HELMHOLTZ>
static __device__ double residual_of(double u, const neighbours &n, const cell_data &d,
                                     double scale)
{
    const double rhs = HELMHOLTZ ? rhs_helmholtz(d.f, d.alpha, u) : rhs_poisson(d.f, 0.0, u);
    return residual_value(rhs, scale, operator_sum(u, n, d));
}

/* Residuals of the pair in plane k, which is finished in all rows, between those below and above
 * it. */
template <bool HELMHOLTZ, bool WALLS, class tile>
static __device__ double2 residual_pair(const struct pair_fv2 &w, const struct place &p, int k,
                                        unsigned slot, const struct carried &m, double2 above)
{
    const unsigned row = p.pair_place + tile::DONE + ROW_BYTES + (k & 1) * tile::DONE_BYTES;
    const double2 u = m.done, jm = pair_at(row - ROW_BYTES), jp = pair_at(row + ROW_BYTES);
    const struct walls walls = {p.j == 0 && w.c.wall[1][0], p.j == p.n1 - 1 && w.c.wall[1][1],
                                k == 0 && w.c.wall[2][0], k == p.n2 - 1 && w.c.wall[2][1]};
    cell_data low, high;
    load_data<HELMHOLTZ, tile>(p, slot, m.face_0, m.face_1, &low, &high);
    const neighbours x =
        with_ghosts<0, WALLS>(gather<0>(u, beside<0>(u), jm.x, jp.x, m.below.x, above.x), u.x,
                              p.pair == 0 && w.c.wall[0][0], walls);
    const neighbours y =
        with_ghosts<1, WALLS>(gather<1>(u, beside<1>(u), jm.y, jp.y, m.below.y, above.y), u.y,
                              p.pair == p.pairs - 1 && w.c.wall[0][1], walls);
    return make_double2(residual_of<HELMHOLTZ>(u.x, x, low, w.scale),
                        residual_of<HELMHOLTZ>(u.y, y, high, w.scale));
}

/* The slots that a step works on: u of planes k + 2 and k + 1, and what this step and the one two
 * before it need. */
struct slots {
    unsigned u, u_before, step, step_before, bk;
};

template <class tile>
static __device__ struct slots first_slots()
{
    return {tile::U_BYTES, 0, 0, (tile::STEP_SLOTS - 2) * tile::STEP_BYTES, 0};
}

template <class tile>
static __device__ struct slots next_slots(const struct slots &s)
{
    return {next_slot<tile::U_BYTES, tile::U_SLOTS>(s.u), s.u,
            next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step),
            next_slot<tile::STEP_BYTES, tile::STEP_SLOTS>(s.step_before),
            next_slot<tile::BK_BYTES, tile::BK_SLOTS>(s.bk)};
}

/* Step k of a warp whose red cell in plane k + 1, and black one in plane k, is at place E. c is u
 * in plane k + 2. Returns the finished pair of plane k; if FINISHES, residuals of plane k − 1. */
template <bool HELMHOLTZ, bool ZERO, bool FINISHES, int E, bool WALLS, class tile>
static __device__ double2 step(const struct pair_fv2 &w, const struct place &p,
                               const struct slots &s, double2 c, int k, struct carried &m,
                               double2 &residual)
{
    const bool end_of_row =
        E ? p.pair == p.pairs - 1 && w.c.wall[0][1] : p.pair == 0 && w.c.wall[0][0];
    const double2 bk = pair_at(p.pair_place + s.bk + tile::BK);
    const unsigned reds = p.cell_place + tile::RED + ROW_BYTES / 2,
                   now = reds + (k & 1) * tile::RED_BYTES, then = reds + (~k & 1) * tile::RED_BYTES;
    cell_data black = m.black;
    black.bk1 = member(m.bk, E);
    if (tile::HALO > 1)
        black.bk0 = member(m.face_1, E);
    cell_data red;
    load_data<HELMHOLTZ, tile>(p, s.step, m.bk, bk, E ? &m.black : &red, E ? &red : &m.black);
    m.bk = bk;
    const double black_beside = black_beside_red<E, tile>(p, s.u_before, m.b),
                 red_beside = beside<E>(m.a);

    /* Both updates are made wherever the thread is, so that neither waits for the other. */
    double jm = 0.0, jp = 0.0;
    if (!ZERO) {
        const unsigned u = p.pair_place + s.u_before + tile::U + tile::U_ROWS + E * CELL_BYTES;
        jm = cell_at(u - ROW_BYTES);
        jp = cell_at(u + ROW_BYTES);
    }
    const double red_jm = cell_at(now - ROW_BYTES / 2), red_jp = cell_at(now + ROW_BYTES / 2);
    const bool k0 = w.c.wall[2][0], k1 = w.c.wall[2][1];
    struct walls walls = {p.j == 0 && w.c.wall[1][0], p.j == p.n1 - 1 && w.c.wall[1][1],
                          k + 1 == 0 && k0, k + 1 == p.n2 - 1 && k1};
    const double new_red = update<HELMHOLTZ, E, WALLS>(
        member(m.b, E), gather<E>(m.b, black_beside, jm, jp, member(m.a, E), member(c, E)), red,
        end_of_row, walls, w.scale);
    m.b = E ? make_double2(m.b.x, new_red) : make_double2(new_red, m.b.y);
    put(then, new_red);
    walls.k0 = k == 0 && k0;
    walls.k1 = k == p.n2 - 1 && k1;
    const double new_black = update<HELMHOLTZ, E, WALLS>(
        member(m.a, E), gather<E>(m.a, red_beside, red_jm, red_jp, member(m.z, E), member(m.b, E)),
        black, end_of_row, walls, w.scale);
    const double2 done = E ? make_double2(m.a.x, new_black) : make_double2(new_black, m.a.y);
    if (FINISHES)
        residual = residual_pair<HELMHOLTZ, WALLS, tile>(w, p, k - 1, s.step_before, m, done);
    return done;
}

/* Step k with what is uniform in a warp as template parameters. */
template <bool HELMHOLTZ, bool ZERO, bool FINISHES, class tile, class... Arguments>
static __device__ double2 step_of_warp(int place, bool walls, Arguments &&...arguments)
{
    if (place && walls)
        return step<HELMHOLTZ, ZERO, FINISHES, 1, true, tile>(arguments...);
    if (place)
        return step<HELMHOLTZ, ZERO, FINISHES, 1, false, tile>(arguments...);
    if (walls)
        return step<HELMHOLTZ, ZERO, FINISHES, 0, true, tile>(arguments...);
    return step<HELMHOLTZ, ZERO, FINISHES, 0, false, tile>(arguments...);
}

/* Adds residuals of plane k to what has become of them: sums over pairs to shared memory, where
 * they meet those of the next row. */
template <enum finish FINISH, class tile>
static __device__ void take(const struct place &p, int k, double2 residual, struct carried &m)
{
    if (FINISH == RESTRICTS)
        put(p.cell_place + tile::SUMS + (k & 1) * tile::SUM_BYTES, residual.x + residual.y);
    else if (p.stores)
        m.norm = larger(m.norm, larger(magnitude_bits(residual.x), magnitude_bits(residual.y)));
}

/* Restricts what was taken of planes k − 1 and k, if k is odd; k even: keeps it until then. In even
 * rows. */
template <class tile>
static __device__ void restrict_pair(const struct pair_fv2 &w, const struct place &p, int k,
                                     struct carried &m)
{
    if ((p.row & 1) || !p.stores)
        return;
    const unsigned at = p.cell_place + tile::SUMS + (k & 1) * tile::SUM_BYTES;
    const double sum = cell_at(at) + cell_at(at + ROW_BYTES / 2);
    if (k & 1)
        w.coarse[p.pair + p.j / 2 * w.coarse_sj + k / 2 * w.coarse_sk] =
            restrict_planes(m.even, sum);
    else
        m.even = sum;
}

/* Starts the first copies, and waits for what step `start` needs. */
template <bool HELMHOLTZ, bool ZERO, class tile>
static __device__ struct carried begin(const struct pair_fv2 &w, const struct place &p,
                                       struct copies &s, int start)
{
    struct carried m = {};
    if (!ZERO)
        fetch_u<tile>(w, p, s);
    s.place += w.c.sk * CELL_BYTES;
    s.u += tile::U_BYTES;
    if (s.of_u)
        s.from += w.c.sk * CELL_BYTES;
    for (int a = 0; a < AHEAD; a++) {
        fetch<HELMHOLTZ, ZERO, tile>(w, p, s);
        go_on<tile>(w, s);
        __pipeline_commit();
    }
    if (p.inside) {
        const long place = s.place - (AHEAD + 2) * w.c.sk * CELL_BYTES; /* of plane `start` */
        m.bk = *(const double2 *)at(w.beta_k, place + w.c.sk * CELL_BYTES);
        if (!ZERO && (start >= 0 || !w.c.wall[2][0]))
            m.a = *(const double2 *)at(w.in, place);
    }
    __pipeline_wait_prior(AHEAD - 1);
    if (!ZERO && s.own)
        m.b = pair_at(p.pair_place + tile::U + tile::U_ROWS);
    __syncthreads();
    return m;
}

/* What a thread carries, one plane on: c is u of the next one, `done` the pair that is finished
 * now, and `face` β_k above it. */
static __device__ void move_up(struct carried &m, double2 c, double2 done, double2 face)
{
    m.z = m.a;
    m.a = m.b;
    m.b = c;
    m.below = m.done;
    m.done = done;
    m.face_0 = m.face_1;
    m.face_1 = face;
}

/* The planes of a block, and the steps that it makes for them. */
struct march {
    int first, last; /* planes first to last − 1 are its own */
    int start, stop; /* steps */
};

template <int HALO>
static __device__ struct march find_march(const struct pair_fv2 &w, int number, int planes)
{
    struct march a;
    a.first = number * planes;
    a.last = min(a.first + planes, w.c.n[2]);
    a.start = w.c.wall[2][0] ? max(a.first - 1 - HALO, -1) : a.first - 1 - HALO;
    a.stop = w.c.wall[2][1] ? min(a.last + HALO - 1, w.c.n[2]) : a.last + HALO - 1;
    return a;
}

/* The residual of the last plane, which follows no step; and what is left to be restricted. */
template <bool HELMHOLTZ, enum finish FINISH, class tile>
static __device__ void finish_march(const struct pair_fv2 &w, const struct place &p,
                                    const struct march &a, unsigned step_before, struct carried &m)
{
    if (a.stop == a.last) { /* a wall */
        if (FINISH == RESTRICTS)
            restrict_pair<tile>(w, p, a.stop - 2, m);
        if (p.finishes)
            take<FINISH, tile>(
                p, a.stop - 1,
                residual_pair<HELMHOLTZ, true, tile>(w, p, a.stop - 1, step_before, m, m.done), m);
        __syncthreads();
    }
    if (FINISH == RESTRICTS)
        restrict_pair<tile>(w, p, a.last - 1, m);
    else
        raise(w.norm, m.norm);
}

template <bool HELMHOLTZ, bool ZERO, enum finish FINISH, int ROWS, class TILES>
static __global__ void __launch_bounds__(LANES *ROWS, FINISH ? 1 : MOST_ROWS / ROWS)
    pair_kernel(const __grid_constant__ struct pair_fv2 w, const __grid_constant__ TILES tiles,
                int planes)
{
    using tile = struct tile<HELMHOLTZ, FINISH != ONLY_SWEEPS, ROWS>;
    extern __shared__ __align__(128) unsigned char shared_memory[];
    const dim3 own = tile_of_block(tiles);
    const struct place p = find_place<ROWS, tile::HALO>(w.c, tiles, own, shared_memory);
    const struct march a = find_march<tile::HALO>(w, own.z, planes);
    const bool wall_row = (p.j == 0 && w.c.wall[1][0]) || (p.j == p.n1 - 1 && w.c.wall[1][1]);
    struct copies copies = first_copies<tile, ROWS>(w, p, a.start + 1);
    struct carried m = begin<HELMHOLTZ, ZERO, tile>(w, p, copies, a.start);
    struct slots s = first_slots<tile>();
    for (int k = a.start; k < a.stop; k++) {
        if (k + AHEAD < a.stop)
            fetch<HELMHOLTZ, ZERO, tile>(w, p, copies);
        __pipeline_commit();
        if (FINISH == RESTRICTS && k - 2 >= a.first)
            restrict_pair<tile>(w, p, k - 2, m);
        double2 c = make_double2(0.0, 0.0), residual, done;
        if (!ZERO)
            c = pair_at(p.pair_place + s.u + tile::U + tile::U_ROWS);
        const int place = (p.j + k + 1 + w.parity) & 1;
        const bool walls = wall_row || (k <= (FINISH ? 1 : 0) && w.c.wall[2][0]) ||
                           (k >= p.n2 - 2 && w.c.wall[2][1]);
        const double2 face = m.bk;
        if (FINISH && p.finishes && k - 1 >= a.first) {
            done =
                step_of_warp<HELMHOLTZ, ZERO, true, tile>(place, walls, w, p, s, c, k, m, residual);
            take<FINISH, tile>(p, k - 1, residual, m);
        } else {
            done = step_of_warp<HELMHOLTZ, ZERO, false, tile>(place, walls, w, p, s, c, k, m,
                                                              residual);
        }
        if (p.stores && k >= a.first && k < a.last)
            *(double2 *)((char *)w.out + copies.place - (AHEAD + 2) * w.c.sk * CELL_BYTES) = done;
        if (FINISH)
            put(p.pair_place + tile::DONE + ROW_BYTES + (k & 1) * tile::DONE_BYTES, done);
        move_up(m, c, done, face);
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads();
        go_on<tile>(w, copies);
        s = next_slots<tile>(s);
    }
    if (FINISH)
        finish_march<HELMHOLTZ, FINISH, tile>(w, p, a, s.step_before, m);
}

template <int ROWS>
static size_t bytes_of_tile(bool helmholtz)
{
    return helmholtz ? tile<true, false, ROWS>::BYTES : tile<false, false, ROWS>::BYTES;
}

bool cuda_pair_fv2_fits(const struct level *level, const struct device_limits *device,
                        bool few_rows)
{
    const struct operator_choice *choice = &level->stencil->choice;
    const size_t bytes = few_rows ? bytes_of_tile<FEW_ROWS>(choice->helmholtz)
                                  : bytes_of_tile<MOST_ROWS>(choice->helmholtz);
    bool even = level->dim % 2 == 0 && level->dim > 4;
    for (int q = 0; q < level->npatches; q++)
        even = even && level->patches[q].n[0] % 2 == 0;
    return bytes <= device->shared_per_block && choice->order == 2 && choice->variable &&
           is_red_black(stencil_relaxation(level->stencil, 0)) && even;
}

bool cuda_pair_fv2_finishes(const struct level *level, const struct device_limits *device)
{
    const size_t bytes = level->stencil->choice.helmholtz
                             ? tile<true, true, FINISH_ROWS_HELMHOLTZ>::BYTES
                             : tile<false, true, FINISH_ROWS>::BYTES;
    return cuda_even_patches(level) && (!level->connected || level->ghosts >= 3) &&
           bytes <= device->shared_per_block;
}

/* A tile's blocks of `planes` planes, and what each reads: the outermost of its cells, one beyond
 * them in i and j, and in k as many as its steps reach. */
template <int ROWS, int HALO>
static struct tiles cut(const struct pair_fv2 &w, int tiles_i, int tiles_j, int planes)
{
    const int n[3] = {tiles_i, tiles_j, cuda_divided(w.c.n[2], planes)};
    const struct tile_reads reads[3] = {
        {-2 * open_low(w.c, 0) - 2, 2 * (LANES - 2), 2 * LANES + 4},
        {-HALO * open_low(w.c, 1) - 1, ROWS - 2 * HALO, ROWS + 2},
        {-1 - HALO, planes, planes + 2 * HALO + 2},
    };
    return tiles_of_part(w.part, n, w.c.n, w.c.wall, reads);
}

template <bool HELMHOLTZ, bool ZERO, enum finish FINISH, int ROWS, class TILES>
static void launch_tiles(const struct pair_fv2 &w, const TILES &tiles, dim3 grid, int planes)
{
    constexpr auto kernel = pair_kernel<HELMHOLTZ, ZERO, FINISH, ROWS, TILES>;
    constexpr int BYTES = tile<HELMHOLTZ, FINISH != ONLY_SWEEPS, ROWS>::BYTES;
    static const cudaError_t prepared =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    CUDA_CALL(prepared);
    kernel<<<grid, dim3(LANES, ROWS), BYTES, cuda_stream()>>>(w, tiles, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ, bool ZERO, enum finish FINISH, int ROWS>
static void launch(const struct pair_fv2 &w, int tuned_planes)
{
    using tile = struct tile<HELMHOLTZ, FINISH != ONLY_SWEEPS, ROWS>;
    const int pairs = w.c.n[0] / 2 + open_low(w.c, 0) + open_high(w.c, 0),
              rows = w.c.n[1] + tile::HALO * (open_low(w.c, 1) + open_high(w.c, 1));
    const int tiles_i = max(1, cuda_divided(pairs - 2, LANES - 2)),
              tiles_j = max(1, cuda_divided(rows - 2 * tile::HALO, ROWS - 2 * tile::HALO));
    const int planes = cuda_choose_planes(tuned_planes, w.c.n[2], tiles_i * tiles_j, MIN_PLANES,
                                          MAX_PLANES, FINISH ? EXTRA_FINISH_STEPS : EXTRA_STEPS);
    const struct tiles tiles = cut<ROWS, tile::HALO>(w, tiles_i, tiles_j, planes);
    const dim3 grid = tile_grid(tiles);
    if (w.part == PART_ALL)
        return launch_tiles<HELMHOLTZ, ZERO, FINISH, ROWS>(w, all_tiles{}, grid, planes);
    if constexpr (FINISH != REDUCES)
        if (grid.x > 0)
            launch_tiles<HELMHOLTZ, ZERO, FINISH, ROWS>(w, tiles, grid, planes);
}

template <bool HELMHOLTZ, bool ZERO>
static void launch_tuned(const struct pair_fv2 &w)
{
    const struct cuda_tuning t =
        cuda_tuned(2, ZERO ? TUNED_ZERO_SMOOTH : TUNED_SMOOTH, HELMHOLTZ, w.c);
    if (w.few_rows || t.rows == FEW_ROWS)
        launch<HELMHOLTZ, ZERO, ONLY_SWEEPS, FEW_ROWS>(w, t.planes);
    else
        launch<HELMHOLTZ, ZERO, ONLY_SWEEPS, MOST_ROWS>(w, t.planes);
}

template <bool HELMHOLTZ>
static void launch_operator(const struct pair_fv2 &w)
{
    constexpr int ROWS = HELMHOLTZ ? FINISH_ROWS_HELMHOLTZ : FINISH_ROWS;
    if (w.coarse)
        launch<HELMHOLTZ, false, RESTRICTS, ROWS>(w, 0);
    else if (w.norm)
        launch<HELMHOLTZ, false, REDUCES, ROWS>(w, 0);
    else if (w.zero_guess)
        launch_tuned<HELMHOLTZ, true>(w);
    else
        launch_tuned<HELMHOLTZ, false>(w);
}

void cuda_pair_fv2(const struct pair_fv2 &pair)
{
    CHECK(!pair.zero_guess || (!pair.coarse && !pair.norm));
    CHECK(pair.part == PART_ALL || !pair.norm);
    if (pair.alpha)
        launch_operator<true>(pair);
    else
        launch_operator<false>(pair);
}
