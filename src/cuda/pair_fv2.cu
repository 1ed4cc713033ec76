/* The fused pass. A thread owns a pair of neighbouring cells in i, one of which is red and the
 * other black in every plane, and marches through the planes: at each step it updates the red cell
 * of its pair in plane k + 1 and the black one in plane k, which are at the same place in the pair.
 * So every coefficient is loaded once, 16 bytes at a time, and used once; the inverse diagonal is
 * recomputed, which is cheaper than reading it. What a step needs is copied to shared memory AHEAD
 * steps before, without a register or a wait. Neighbours in k are the thread's own registers, in i
 * those of the next lane, in j they come through shared memory, with one barrier a plane. The
 * outermost rows and lanes of a block only repeat what its inner cells need; what else they compute
 * is not used; beyond sides that are no wall, so do the ghosts next to the patch. Walls are folded
 * in: a ghost is the quadratic extrapolation from the cell itself and the next one inward. */
#include "cuda/pair_fv2.cuh"
#include "cuda/reciprocal.cuh"
#include "cuda/tuning.cuh"
#include <cuda_pipeline.h>
#include "operators/boundary.h"
#include "operators/fv2.h"
#include "operators/smoothers.h"

/* A block has 32 × ROWS threads; the fewer rows, the more blocks a multiprocessor holds. */
enum { LANES = 32, AHEAD = 2 };
enum { MOST_ROWS = TUNED_PAIR_MOST_ROWS, FEW_ROWS = TUNED_PAIR_FEW_ROWS };
enum { U_SLOTS = AHEAD + 2, SLOTS = AHEAD + 1 };
/* Planes a block, an even number: it repeats two of its neighbours', and takes about two steps to
 * begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 128, EXTRA_STEPS = 4 };

/* What step k needs besides u, in plane k + 1; the face of β_k is the high one. All rows begin at
 * multiples of 128 bytes: copies to other places take twice the traffic. */
template <int ROWS>
struct alignas(128) poisson_slot {
    double2 f[ROWS][LANES], bi[ROWS][LANES], bk[ROWS][LANES], bj[ROWS + 1][LANES];
    double bi_end[ROWS]; /* beyond the last lane */
};
template <int ROWS>
struct alignas(128) helmholtz_slot : poisson_slot<ROWS> {
    double2 alpha[ROWS][LANES];
};
template <bool HELMHOLTZ, int ROWS>
struct slot_of {
    using type = poisson_slot<ROWS>;
};
template <int ROWS>
struct slot_of<true, ROWS> {
    using type = helmholtz_slot<ROWS>;
};

/* u of a plane, from the row below the tile to the row above it. */
template <int ROWS>
struct alignas(128) u_plane {
    double2 row[ROWS + 2][LANES];
};

/* Shared memory: copies in flight and what neighbours in j exchange. u has plane k + 2 at step k.
 */
template <bool HELMHOLTZ, int ROWS>
struct ring {
    struct u_plane<ROWS> u[U_SLOTS];
    typename slot_of<HELMHOLTZ, ROWS>::type steps[SLOTS];
    double red[2][ROWS][LANES]; /* new values */
};

/* A thread's place. Sides without a wall are open: there the first ghosts belong to the tiles. */
struct place {
    int lane, row, pair, pairs, j, n1, n2;
    int end_pair, end_j; /* beyond the last ones */
    long column;
    bool inside, stores;
};

/* How far the tiles reach beyond the patch in direction d. */
static __host__ __device__ int open_low(const struct cells &c, int d)
{
    return c.wall[d][0] ? 0 : 1;
}

static __host__ __device__ int open_high(const struct cells &c, int d)
{
    return c.wall[d][1] ? 0 : 1;
}

template <int ROWS>
static __device__ struct place find_place(const struct cells &c)
{
    struct place p;
    p.lane = threadIdx.x;
    p.row = threadIdx.y;
    p.pair = (int)blockIdx.x * (LANES - 2) + p.lane - open_low(c, 0);
    p.j = (int)blockIdx.y * (ROWS - 2) + p.row - open_low(c, 1);
    p.pairs = c.n[0] / 2;
    p.n1 = c.n[1];
    p.n2 = c.n[2];
    p.end_pair = p.pairs + open_high(c, 0);
    p.end_j = p.n1 + open_high(c, 1);
    p.column = 2 * p.pair + p.j * c.sj;
    p.inside = p.pair < p.end_pair && p.j < p.end_j;
    p.stores = p.pair >= 0 && p.pair < p.pairs && p.j >= 0 && p.j < p.n1 &&
               (p.lane > 0 || blockIdx.x == 0) &&
               (p.lane < LANES - 1 || blockIdx.x == gridDim.x - 1) &&
               (p.row > 0 || blockIdx.y == 0) && (p.row < ROWS - 1 || blockIdx.y == gridDim.y - 1);
    return p;
}

static __device__ void copy_pair(double2 *to, const double *from)
{
    __pipeline_memcpy_async(to, from, sizeof *to);
}

/* What a thread copies: its own pair, or the faces just beyond the last one; and some threads, what
 * is needed around the tile besides. */
struct copies {
    bool own;
    enum { NOTHING, U_BELOW, U_ABOVE, BETA_J_ABOVE, BETA_I_END } extra;
    long from; /* of the extra one in plane 0 */
};

template <int ROWS>
static __device__ struct copies find_copies(const struct cells &c, const struct place &p)
{
    const int first_pair = p.pair - p.lane, first_row = p.j - p.row, above = first_row + ROWS;
    const long column = 2 * p.pair;
    struct copies s = {p.pair <= p.pairs && p.j <= p.end_j, copies::NOTHING, 0};
    if (p.row == 0 && p.pair < p.end_pair && above <= p.end_j) {
        s.extra = copies::BETA_J_ABOVE;
        s.from = column + above * c.sj;
    } else if (p.row == 1 && p.lane < ROWS && first_pair + LANES <= p.pairs &&
               first_row + p.lane < p.end_j) {
        s.extra = copies::BETA_I_END;
        s.from = 2 * (first_pair + LANES) + (first_row + p.lane) * c.sj;
    } else if (p.row == 2 && p.pair < p.end_pair && first_row != 0) {
        s.extra = copies::U_BELOW;
        s.from = column + (first_row - 1) * c.sj;
    } else if (p.row == 3 && p.pair < p.end_pair && above < p.end_j + open_high(c, 1)) {
        s.extra = copies::U_ABOVE;
        s.from = column + above * c.sj;
    }
    return s;
}

/* u of a plane, with the rows on either side of the tile. */
template <int ROWS>
static __device__ void fetch_u(const struct pair_fv2 &w, const struct place &p,
                               const struct copies &s, struct u_plane<ROWS> &u, int plane)
{
    const double *from = w.in + plane * w.c.sk;
    if (s.own)
        copy_pair(&u.row[p.row + 1][p.lane], from + p.column);
    if (s.extra == copies::U_BELOW)
        copy_pair(&u.row[0][p.lane], from + s.from);
    if (s.extra == copies::U_ABOVE)
        copy_pair(&u.row[ROWS + 1][p.lane], from + s.from);
}

/* The coefficients and right-hand side of step k. */
template <bool HELMHOLTZ, int ROWS>
static __device__ void fetch_step(const struct pair_fv2 &w, const struct place &p,
                                  const struct copies &s,
                                  typename slot_of<HELMHOLTZ, ROWS>::type &to, int k)
{
    const long plane = (k + 1) * w.c.sk, at = plane + p.column;
    if (s.own) {
        copy_pair(&to.bk[p.row][p.lane], w.beta_k + at + w.c.sk);
        copy_pair(&to.f[p.row][p.lane], w.f + at);
        copy_pair(&to.bi[p.row][p.lane], w.beta_i + at);
        copy_pair(&to.bj[p.row][p.lane], w.beta_j + at);
        if constexpr (HELMHOLTZ)
            copy_pair(&to.alpha[p.row][p.lane], w.alpha + at);
    }
    if (s.extra == copies::BETA_J_ABOVE)
        copy_pair(&to.bj[ROWS][p.lane], w.beta_j + plane + s.from);
    if (s.extra == copies::BETA_I_END)
        __pipeline_memcpy_async(&to.bi_end[p.lane], w.beta_i + plane + s.from, sizeof(double));
}

/* All of step k. Planes beyond the last ones are ghosts; they are read, but not used. */
template <bool HELMHOLTZ, bool ZERO, int ROWS>
static __device__ void fetch(const struct pair_fv2 &w, const struct place &p,
                             const struct copies &s, struct ring<HELMHOLTZ, ROWS> &r, int u_slot,
                             int slot, int k)
{
    if (!ZERO)
        fetch_u(w, p, s, r.u[u_slot], k + 2);
    fetch_step<HELMHOLTZ, ROWS>(w, p, s, r.steps[slot], k);
}

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
    return update_gauss_seidel(u, reciprocal(diagonal), residual);
}

/* What a thread carries from step to step: u in planes k − 1, k, k + 1; P coarse in plane k + 2;
 * β_k below plane k + 1; what the black cell of plane k needs. */
struct carried {
    double2 z, a, b, prolonged, bk;
    cell_data black;
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

/* Both cells' data of plane k + 1. */
template <bool HELMHOLTZ, int E, int ROWS>
static __device__ void split(const typename slot_of<HELMHOLTZ, ROWS>::type &s,
                             const struct place &p, double2 bk0, double2 bk1, cell_data *red,
                             cell_data *black)
{
    const double2 f = s.f[p.row][p.lane], bi = s.bi[p.row][p.lane];
    const double2 bj0 = s.bj[p.row][p.lane], bj1 = s.bj[p.row + 1][p.lane];
    double2 alpha = make_double2(0.0, 0.0);
    if constexpr (HELMHOLTZ)
        alpha = s.alpha[p.row][p.lane];
    double next = __shfl_down_sync(0xffffffffu, bi.x, 1);
    if (p.lane == LANES - 1)
        next = s.bi_end[p.row];
    const cell_data low = {f.x, alpha.x, bi.x, bi.y, bj0.x, bj1.x, bk0.x, bk1.x};
    const cell_data high = {f.y, alpha.y, bi.y, next, bj0.y, bj1.y, bk0.y, bk1.y};
    *red = E ? high : low;
    *black = E ? low : high;
}

/* Step k of a warp whose red cell in plane k + 1, and black one in plane k, is at place E. c is u
 * in plane k + 2, u that of plane k + 1 in the tile. */
template <bool HELMHOLTZ, bool ZERO, int E, bool WALLS, int ROWS>
static __device__ void step(const struct pair_fv2 &w, const struct place &p,
                            struct ring<HELMHOLTZ, ROWS> &r, const struct u_plane<ROWS> &u,
                            int slot, double2 c, int k, int first, struct carried &m)
{
    const int now = k & 1;
    const bool end_of_row =
        E ? p.pair == p.pairs - 1 && w.c.wall[0][1] : p.pair == 0 && w.c.wall[0][0];
    const double2 bk = r.steps[slot].bk[p.row][p.lane];
    const cell_data black = m.black;
    cell_data red;
    split<HELMHOLTZ, E, ROWS>(r.steps[slot], p, m.bk, bk, &red, &m.black);
    m.bk = bk;
    const double black_beside = beside<E>(m.b), red_beside = beside<E>(m.a);

    /* Both updates are made wherever the thread is, so that neither waits for the other. */
    double jm = 0.0, jp = 0.0;
    if (!ZERO) {
        jm = member(u.row[p.row][p.lane], E);
        jp = member(u.row[p.row + 2][p.lane], E);
    }
    const double red_jm = r.red[now][max(p.row - 1, 0)][p.lane],
                 red_jp = r.red[now][min(p.row + 1, ROWS - 1)][p.lane];
    const bool k0 = w.c.wall[2][0], k1 = w.c.wall[2][1];
    struct walls walls = {p.j == 0 && w.c.wall[1][0], p.j == p.n1 - 1 && w.c.wall[1][1],
                          k + 1 == 0 && k0, k + 1 == p.n2 - 1 && k1};
    const double new_red = update<HELMHOLTZ, E, WALLS>(
        member(m.b, E), gather<E>(m.b, black_beside, jm, jp, member(m.a, E), member(c, E)), red,
        end_of_row, walls, w.scale);
    m.b = E ? make_double2(m.b.x, new_red) : make_double2(new_red, m.b.y);
    r.red[now ^ 1][p.row][p.lane] = new_red;
    walls.k0 = k == 0 && k0;
    walls.k1 = k == p.n2 - 1 && k1;
    const double new_black = update<HELMHOLTZ, E, WALLS>(
        member(m.a, E), gather<E>(m.a, red_beside, red_jm, red_jp, member(m.z, E), member(m.b, E)),
        black, end_of_row, walls, w.scale);
    if (p.stores && k >= first)
        *(double2 *)(w.out + p.column + k * w.c.sk) =
            E ? make_double2(m.a.x, new_black) : make_double2(new_black, m.a.y);
}

/* Step k with what is uniform in a warp as template parameters. */
template <bool HELMHOLTZ, bool ZERO, class... Arguments>
static __device__ void step_of_warp(int place, bool walls, Arguments &&...arguments)
{
    if (place && walls)
        step<HELMHOLTZ, ZERO, 1, true>(arguments...);
    else if (place)
        step<HELMHOLTZ, ZERO, 1, false>(arguments...);
    else if (walls)
        step<HELMHOLTZ, ZERO, 0, true>(arguments...);
    else
        step<HELMHOLTZ, ZERO, 0, false>(arguments...);
}

/* Starts the first copies, and waits for what step `start` needs. */
template <bool HELMHOLTZ, bool ZERO, int ROWS>
static __device__ struct carried begin(const struct pair_fv2 &w, const struct place &p,
                                       const struct copies &s, struct ring<HELMHOLTZ, ROWS> &r,
                                       int start)
{
    struct carried m = {};
    if (!ZERO)
        fetch_u(w, p, s, r.u[0], start + 1);
    for (int a = 0; a < AHEAD; a++) {
        fetch<HELMHOLTZ, ZERO, ROWS>(w, p, s, r, a + 1, a, start + a);
        __pipeline_commit();
    }
    if (p.inside) {
        m.bk = *(const double2 *)(w.beta_k + p.column + (start + 1) * w.c.sk);
        if (!ZERO && (start >= 0 || !w.c.wall[2][0]))
            m.a = *(const double2 *)(w.in + p.column + start * w.c.sk);
    }
    __pipeline_wait_prior(AHEAD - 1);
    if (!ZERO && p.inside)
        m.b = r.u[0].row[p.row + 1][p.lane];
    __syncthreads();
    return m;
}

static __device__ int next_slot(int slot, int slots)
{
    return slot + 1 < slots ? slot + 1 : 0;
}

template <bool HELMHOLTZ, bool ZERO, int ROWS>
static __global__ void __launch_bounds__(LANES *ROWS, MOST_ROWS / ROWS)
    pair_kernel(const __grid_constant__ struct pair_fv2 w, int planes)
{
    extern __shared__ __align__(128) unsigned char shared_memory[];
    auto &r = *reinterpret_cast<struct ring<HELMHOLTZ, ROWS> *>(shared_memory);
    const struct place p = find_place<ROWS>(w.c);
    const struct copies s = find_copies<ROWS>(w.c, p);
    const int first = blockIdx.z * planes, last = min(first + planes, p.n2);
    const int start = w.c.wall[2][0] ? max(first - 2, -1) : first - 2;
    const bool wall_row = (p.j == 0 && w.c.wall[1][0]) || (p.j == p.n1 - 1 && w.c.wall[1][1]);
    struct carried m = begin<HELMHOLTZ, ZERO, ROWS>(w, p, s, r, start);
    int u_before = 0, u_slot = 1, u_fetched = AHEAD + 1, slot = 0, fetched = AHEAD;
    for (int k = start; k < last; k++) {
        if (k + AHEAD < last)
            fetch<HELMHOLTZ, ZERO, ROWS>(w, p, s, r, u_fetched, fetched, k + AHEAD);
        __pipeline_commit();
        double2 c = make_double2(0.0, 0.0);
        if (!ZERO)
            c = r.u[u_slot].row[p.row + 1][p.lane];
        step_of_warp<HELMHOLTZ, ZERO>((p.j + k + 1 + w.parity) & 1,
                                      wall_row || (k <= 0 && w.c.wall[2][0]) ||
                                          (k >= p.n2 - 2 && w.c.wall[2][1]),
                                      w, p, r, r.u[u_before], slot, c, k, first, m);
        m.z = m.a;
        m.a = m.b;
        m.b = c;
        __pipeline_wait_prior(AHEAD - 1);
        __syncthreads();
        u_before = u_slot;
        u_slot = next_slot(u_slot, U_SLOTS);
        u_fetched = next_slot(u_fetched, U_SLOTS);
        slot = next_slot(slot, SLOTS);
        fetched = next_slot(fetched, SLOTS);
    }
}

bool cuda_pair_fv2_fits(const struct level *level)
{
    const struct operator_choice *choice = &level->stencil->choice;
    const size_t bytes =
        choice->helmholtz ? sizeof(ring<true, MOST_ROWS>) : sizeof(ring<false, MOST_ROWS>);
    bool even = level->dim % 2 == 0 && level->dim > 4;
    for (int q = 0; q < level->npatches; q++)
        even = even && level->patches[q].n[0] % 2 == 0;
    return bytes <= cuda_shared_bytes() && choice->order == 2 && choice->variable &&
           choice->smoother == SMOOTHER_GSRB && even;
}

template <bool HELMHOLTZ, bool ZERO, int ROWS>
static void launch(const struct pair_fv2 &w, int planes)
{
    constexpr int BYTES = sizeof(ring<HELMHOLTZ, ROWS>);
    static const cudaError_t prepared = cudaFuncSetAttribute(
        pair_kernel<HELMHOLTZ, ZERO, ROWS>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    CUDA_CALL(prepared);
    const int pairs = w.c.n[0] / 2 + open_low(w.c, 0) + open_high(w.c, 0),
              rows = w.c.n[1] + open_low(w.c, 1) + open_high(w.c, 1);
    const int tiles_i = max(1, cuda_divided(pairs - 2, LANES - 2)),
              tiles_j = max(1, cuda_divided(rows - 2, ROWS - 2));
    if (planes == 0)
        planes =
            cuda_choose_planes(w.c.n[2], tiles_i * tiles_j, MIN_PLANES, MAX_PLANES, EXTRA_STEPS);
    const dim3 block(LANES, ROWS), grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    pair_kernel<HELMHOLTZ, ZERO, ROWS><<<grid, block, BYTES, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ, bool ZERO>
static void launch_tuned(const struct pair_fv2 &w)
{
    const struct cuda_tuning t =
        cuda_tuned(2, ZERO ? TUNED_ZERO_SMOOTH : TUNED_SMOOTH, HELMHOLTZ, w.c);
    if (t.rows == FEW_ROWS)
        launch<HELMHOLTZ, ZERO, FEW_ROWS>(w, t.planes);
    else
        launch<HELMHOLTZ, ZERO, MOST_ROWS>(w, t.planes);
}

void cuda_pair_fv2(const struct pair_fv2 &pair)
{
    if (pair.alpha && pair.zero_guess)
        launch_tuned<true, true>(pair);
    else if (pair.alpha)
        launch_tuned<true, false>(pair);
    else if (pair.zero_guess)
        launch_tuned<false, true>(pair);
    else
        launch_tuned<false, false>(pair);
}
