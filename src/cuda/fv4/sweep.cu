/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread owns four columns of cells, a pair in i of two rows, and marches through the planes. At
 * step k it computes the fluxes in i and j of its cells in plane k and those through their low k
 * faces, with which plane k − 1 is finished. Fluxes between threads are computed twice: that costs
 * less than to exchange them. One thread asks for tiles of all fields to be copied to shared
 * memory, some steps before they are needed; barriers in shared memory tell when a step's tiles
 * have come, and when all have used them. No warp waits for another one otherwise. */
#include "cuda/fv4/sweep.cuh"
#include "cuda/core/atomic_max.cuh"
#include "cuda/core/reciprocal.cuh"
#include "cuda/core/tile_copy.cuh"
#include "cuda/core/tiles.cuh"
#include "cuda/device_limits.h"
#include "cuda/tuning.cuh"
#include "operators/fv4.h"
#include "operators/smoothers.h"
#include "operators/sum.h"
#include "operators/transfers.h"

enum { LANES = 32, GROUPS = TUNED_MARCH_ROWS / 2, THREADS = LANES * GROUPS };
enum { CORE_WIDTH = 2 * LANES, CORE_ROWS = 2 * GROUPS };
/* Planes a block, even; it takes about four steps to begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 512, EXTRA_STEPS = 4 };

/* Tiles of u and β have a halo of two columns on either side. In j the stencil of u reaches two
 * rows beyond the cells, differences of β one, and there is a face of β_j above the last row. */
enum { HALO = 2, WIDTH = CORE_WIDTH + 2 * HALO };
enum { U_ROWS = CORE_ROWS + 4, BETA_ROWS = CORE_ROWS + 2, BETA_J_ROWS = CORE_ROWS + 1 };
enum { U_FIRST = -2, BETA_FIRST = -1 };

/* Where the copies of a tile go. */
template <int ROWS, int COLUMNS>
struct alignas(128) tile {
    double rows[ROWS][COLUMNS];
    static constexpr int BYTES = ROWS * COLUMNS * (int)sizeof(double);
};

using u_tile = struct tile<U_ROWS, WIDTH>;
using beta_tile = struct tile<BETA_ROWS, WIDTH>;
using beta_j_tile = struct tile<BETA_J_ROWS, WIDTH>;
using core_tile = struct tile<CORE_ROWS, CORE_WIDTH>;

template <enum march_kind KIND>
static constexpr bool READS_DINV = KIND == MARCH_WEIGHTED || KIND == MARCH_TWO_STEP;

/* Step k brings u and β of i and j faces in plane k + 1, β of the faces below plane k, and the rest
 * of plane k − 1, which it finishes. It is asked for AHEAD steps before, as many as fit; u is used
 * in three steps, β in two. */
template <bool HELMHOLTZ, enum march_kind KIND>
struct shared_planes {
    static constexpr int AHEAD = (HELMHOLTZ && READS_DINV<KIND>) ? 1 : 2;
    static constexpr int SLOTS = AHEAD + 1, BETA_SLOTS = AHEAD + 2, U_SLOTS = AHEAD + 3;
    u_tile u[U_SLOTS];
    beta_tile beta_i[BETA_SLOTS], beta_k[BETA_SLOTS];
    beta_j_tile beta_j[BETA_SLOTS];
    core_tile f[SLOTS], alpha[HELMHOLTZ ? SLOTS : 1], dinv[READS_DINV<KIND> ? SLOTS : 1];
    barrier_word full[SLOTS], empty[SLOTS];
};

/* Where the copies come from. */
struct maps {
    CUtensorMap u, beta_i, beta_j, beta_k, f, dinv, alpha;
};

/* Steps of a block: two that only bring u and β of the planes before, one that only yields
 * differences, and one a plane. */
struct march {
    int i, j;        /* of the tile's first core cell */
    int first, last; /* planes */
    static constexpr int BEFORE = 3;
};

static __device__ struct march march_of_tile(const struct cells &c, dim3 tile, int planes)
{
    struct march m;
    m.i = (int)tile.x * CORE_WIDTH;
    m.j = (int)tile.y * CORE_ROWS;
    m.first = (int)tile.z * planes;
    m.last = min(m.first + planes, c.n[2]);
    return m;
}

static __device__ int next_slot(int slot, int slots)
{
    return slot + 1 < slots ? slot + 1 : 0;
}

/* Slots of a step, and how often the barriers have been used. */
template <class SHARED>
struct turn {
    int slot = 0, parity = 0, beta = 0, beta_before = 0, u = 0, u_before = 0, u_before_that = 0;

    __device__ void advance()
    {
        slot = next_slot(slot, SHARED::SLOTS);
        parity ^= slot == 0;
        beta_before = beta;
        beta = next_slot(beta, SHARED::BETA_SLOTS);
        u_before_that = u_before;
        u_before = u;
        u = next_slot(u, SHARED::U_SLOTS);
    }
};

/* Asks for the tiles of step k, once their slots are free. */
template <bool HELMHOLTZ, enum march_kind KIND, class SHARED>
static __device__ void fetch(const struct maps &maps, const struct march &m, SHARED &s,
                             const struct turn<SHARED> &t, int k)
{
    constexpr int BEGINNING = u_tile::BYTES + beta_tile::BYTES + beta_j_tile::BYTES,
                  CORES = 1 + HELMHOLTZ + READS_DINV<KIND>,
                  REST = beta_tile::BYTES + CORES * core_tile::BYTES;
    const int i = m.i - HALO;
    const bool begun = k >= m.first - 1;
    barrier_word *full = &s.full[t.slot];
    barrier_wait(&s.empty[t.slot], t.parity ^ 1);
    barrier_expect(full, BEGINNING + (begun ? REST : 0));
    tile_fetch(s.u[t.u].rows, maps.u, i, m.j + U_FIRST, k + 1, full);
    tile_fetch(s.beta_i[t.beta].rows, maps.beta_i, i, m.j + BETA_FIRST, k + 1, full);
    tile_fetch(s.beta_j[t.beta].rows, maps.beta_j, i, m.j, k + 1, full);
    if (!begun)
        return;
    tile_fetch(s.beta_k[t.beta].rows, maps.beta_k, i, m.j + BETA_FIRST, k, full);
    tile_fetch(s.f[t.slot].rows, maps.f, m.i, m.j, k - 1, full);
    if (HELMHOLTZ)
        tile_fetch(s.alpha[t.slot].rows, maps.alpha, m.i, m.j, k - 1, full);
    if (READS_DINV<KIND>)
        tile_fetch(s.dinv[t.slot].rows, maps.dinv, m.i, m.j, k - 1, full);
}

/* A thread's place: i and j of its first cell. */
struct place {
    int lane, group, i, j;
    bool core;      /* it has cells to update */
    bool by_a_wall; /* in i or j: their D⁻¹ is not that of cells within */
};

static __device__ struct place find_place(const struct march_fv4 &w, const struct march &m)
{
    const struct cells &c = w.c;
    struct place p;
    p.lane = threadIdx.x;
    p.group = threadIdx.y;
    p.i = m.i + 2 * p.lane;
    p.j = m.j + 2 * p.group;
    p.core = p.i < c.n[0] && p.j < c.n[1];
    p.by_a_wall =
        p.i < w.inner_lo[0] || p.i >= w.inner_hi[0] || p.j < w.inner_lo[1] || p.j >= w.inner_hi[1];
    return p;
}

/* Values by row and place in the pair. */
typedef double quad[2][2];

/* The columns' values in planes around k; *_m is plane k − 1. β by faces: three in a row's i
 * direction, three rows of them in j. */
struct columns {
    quad u_mm, u_m, u;
    double beta_i_m[2][3], beta_i[2][3];
    double beta_j_m[3][2], beta_j[3][2];
    quad di_m, dj_m;  /* central differences of u in plane k − 1 */
    quad sum, flux_k; /* of plane k − 1: what i and j fluxes add up to, low k flux */
};

/* What a row has at a thread's pair, and beside it as many cells as there is room for. */
static __device__ void load(double (&to)[2], const double *pair)
{
    const double2 p = *(const double2 *)pair;
    to[0] = p.x;
    to[1] = p.y;
}

static __device__ void load(double (&to)[3], const double *pair)
{
    const double2 p = *(const double2 *)pair;
    to[0] = p.x;
    to[1] = p.y;
    to[2] = pair[2];
}

/* A pair and the next cells on either side. */
static __device__ void load(double (&to)[4], const double *pair)
{
    const double2 p = *(const double2 *)pair;
    to[0] = pair[-1];
    to[1] = p.x;
    to[2] = p.y;
    to[3] = pair[2];
}

/* Where a thread's pair is in the first row of its group, in the planes that step k uses. */
struct pointers {
    const double *u_m, *u, *u_p, *beta_i, *beta_i_p, *beta_j, *beta_j_p, *beta_k, *beta_k_m;
};

template <class SHARED>
static __device__ struct pointers find_pointers(const SHARED &s, const struct turn<SHARED> &t,
                                                const struct place &p)
{
    const int first = 2 * p.group, column = 2 * p.lane + HALO;
    struct pointers x;
    x.u_m = &s.u[t.u_before_that].rows[first - U_FIRST][column];
    x.u = &s.u[t.u_before].rows[first - U_FIRST][column];
    x.u_p = &s.u[t.u].rows[first - U_FIRST][column];
    x.beta_i = &s.beta_i[t.beta_before].rows[first - BETA_FIRST][column];
    x.beta_i_p = &s.beta_i[t.beta].rows[first - BETA_FIRST][column];
    x.beta_j = &s.beta_j[t.beta_before].rows[first][column];
    x.beta_j_p = &s.beta_j[t.beta].rows[first][column];
    x.beta_k = &s.beta_k[t.beta].rows[first - BETA_FIRST][column];
    x.beta_k_m = &s.beta_k[t.beta_before].rows[first - BETA_FIRST][column];
    return x;
}

/* u around the columns in plane k, and its central differences, at most at the next cells in i and
 * j. */
struct around {
    double west[2][2], east[2][2];     /* pairs beside each row */
    double south[4], north[4];         /* rows below and above, with the cells beside */
    double south_far[2], north_far[2]; /* the rows after them */
    double di[4][2];                   /* of rows south … north */
    double dj[2][4];                   /* of cells west … east of each row */
    double dk[2][4], dk_south[2], dk_north[2];
};

static __device__ void look_around(struct around &a, const struct columns &c,
                                   const struct pointers &x, const quad u_p)
{
    for (int q = 0; q < 2; q++) {
        load(a.west[q], x.u + q * WIDTH - 2);
        load(a.east[q], x.u + q * WIDTH + 2);
        a.dk[q][0] = x.u_p[q * WIDTH - 1] - x.u_m[q * WIDTH - 1];
        a.dk[q][1] = u_p[q][0] - c.u_m[q][0];
        a.dk[q][2] = u_p[q][1] - c.u_m[q][1];
        a.dk[q][3] = x.u_p[q * WIDTH + 2] - x.u_m[q * WIDTH + 2];
        a.di[1 + q][0] = c.u[q][1] - a.west[q][1];
        a.di[1 + q][1] = a.east[q][0] - c.u[q][0];
    }
    load(a.south, x.u - WIDTH);
    load(a.north, x.u + 2 * WIDTH);
    load(a.south_far, x.u - 2 * WIDTH);
    load(a.north_far, x.u + 3 * WIDTH);
    double m[2], p[2];
    load(m, x.u_m - WIDTH);
    load(p, x.u_p - WIDTH);
    for (int i = 0; i < 2; i++)
        a.dk_south[i] = p[i] - m[i];
    load(m, x.u_m + 2 * WIDTH);
    load(p, x.u_p + 2 * WIDTH);
    for (int i = 0; i < 2; i++) {
        a.dk_north[i] = p[i] - m[i];
        a.di[0][i] = a.south[i + 2] - a.south[i];
        a.di[3][i] = a.north[i + 2] - a.north[i];
    }
    const double row0[4] = {a.west[0][1], c.u[0][0], c.u[0][1], a.east[0][0]},
                 row1[4] = {a.west[1][1], c.u[1][0], c.u[1][1], a.east[1][0]};
    for (int i = 0; i < 4; i++) {
        a.dj[0][i] = row1[i] - a.south[i];
        a.dj[1][i] = a.north[i] - row0[i];
    }
}

/* Net fluxes in i of the cells. */
static __device__ void sum_in_i(quad sum, const struct columns &c, const struct around &a,
                                const struct pointers &x, const double beta_p[2][3])
{
    double south[3], north[3];
    load(south, x.beta_i - WIDTH);
    load(north, x.beta_i + 2 * WIDTH);
    for (int q = 0; q < 2; q++) {
        const double u[6] = {a.west[q][0], a.west[q][1], c.u[q][0],
                             c.u[q][1],    a.east[q][0], a.east[q][1]};
        double flux[3];
        for (int i = 0; i < 3; i++) {
            const double db_j = q == 0 ? c.beta_i[1][i] - south[i] : north[i] - c.beta_i[0][i];
            flux[i] = fv4_flux(c.beta_i[q][i], u[i], u[i + 1], u[i + 2], u[i + 3], db_j, a.dj[q][i],
                               a.dj[q][i + 1], beta_p[q][i] - c.beta_i_m[q][i], a.dk[q][i],
                               a.dk[q][i + 1]);
        }
        for (int i = 0; i < 2; i++)
            sum[q][i] = flux[i] - flux[i + 1];
    }
}

/* Adds the net fluxes in j. */
static __device__ void add_in_j(quad sum, const struct columns &c, const struct around &a,
                                const struct pointers &x, const double beta_p[3][2])
{
    double db_i[3][2];
    for (int q = 0; q < 3; q++) {
        db_i[q][0] = c.beta_j[q][1] - x.beta_j[q * WIDTH - 1];
        db_i[q][1] = x.beta_j[q * WIDTH + 2] - c.beta_j[q][0];
    }
    for (int i = 0; i < 2; i++) {
        const double u[6] = {a.south_far[i], a.south[i + 1], c.u[0][i],
                             c.u[1][i],      a.north[i + 1], a.north_far[i]};
        const double dk[4] = {a.dk_south[i], a.dk[0][i + 1], a.dk[1][i + 1], a.dk_north[i]};
        double flux[3];
        for (int q = 0; q < 3; q++)
            flux[q] =
                fv4_flux(c.beta_j[q][i], u[q], u[q + 1], u[q + 2], u[q + 3], db_i[q][i], a.di[q][i],
                         a.di[q + 1][i], beta_p[q][i] - c.beta_j_m[q][i], dk[q], dk[q + 1]);
        for (int q = 0; q < 2; q++)
            sum[q][i] = sum[q][i] + (flux[q] - flux[q + 1]);
    }
}

/* The fluxes through the faces below plane k. */
static __device__ void fluxes_in_k(quad flux, const struct columns &c, const struct around &a,
                                   const struct pointers &x, const quad u_p)
{
    double row[2][4], south[2], north[2];
    load(row[0], x.beta_k);
    load(row[1], x.beta_k + WIDTH);
    load(south, x.beta_k - WIDTH);
    load(north, x.beta_k + 2 * WIDTH);
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            const double db_j = q == 0 ? row[1][i + 1] - south[i] : north[i] - row[0][i + 1];
            flux[q][i] = fv4_flux(row[q][i + 1], c.u_mm[q][i], c.u_m[q][i], c.u[q][i], u_p[q][i],
                                  row[q][i + 2] - row[q][i], c.di_m[q][i], a.di[1 + q][i], db_j,
                                  c.dj_m[q][i], a.dj[q][i + 1]);
        }
}

/* What a step brings a thread of planes above. */
struct arrivals {
    quad u, di, dj;
    double beta_i[2][3], beta_j[3][2];
};

/* Step k: fluxes of plane k; the operator's sums in plane k − 1, as fv4_sum adds them up: high
 * fluxes are other cells' low ones, negated. */
static __device__ void advance(struct columns &c, const struct pointers &x, struct arrivals &n,
                               quad sum)
{
    for (int q = 0; q < 2; q++) {
        load(n.u[q], x.u_p + q * WIDTH);
        load(n.beta_i[q], x.beta_i_p + q * WIDTH);
    }
    for (int q = 0; q < 3; q++)
        load(n.beta_j[q], x.beta_j_p + q * WIDTH);
    struct around a;
    quad sum_ij, flux_k;
    look_around(a, c, x, n.u);
    sum_in_i(sum_ij, c, a, x, n.beta_i);
    add_in_j(sum_ij, c, a, x, n.beta_j);
    fluxes_in_k(flux_k, c, a, x, n.u);
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            sum[q][i] = c.sum[q][i] + (c.flux_k[q][i] - flux_k[q][i]);
            c.sum[q][i] = sum_ij[q][i];
            c.flux_k[q][i] = flux_k[q][i];
            n.di[q][i] = a.di[1 + q][i];
            n.dj[q][i] = a.dj[q][i + 1];
        }
}

/* On to the next step. */
static __device__ void move_up(struct columns &c, const struct arrivals &n)
{
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 2; i++) {
            c.u_mm[q][i] = c.u_m[q][i];
            c.u_m[q][i] = c.u[q][i];
            c.u[q][i] = n.u[q][i];
            c.di_m[q][i] = n.di[q][i];
            c.dj_m[q][i] = n.dj[q][i];
        }
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < 3; i++) {
            c.beta_i_m[q][i] = c.beta_i[q][i];
            c.beta_i[q][i] = n.beta_i[q][i];
            c.beta_j_m[i][q] = c.beta_j[i][q];
            c.beta_j[i][q] = n.beta_j[i][q];
        }
}

/* What becomes of the residuals besides new values: sums of pairs of the last even plane, and the
 * largest magnitude. */
struct yield {
    double even[2];
    unsigned long long norm;
};

/* f − A u of the cell in row q at place x of its pair in plane k − 1. */
template <bool HELMHOLTZ, class SHARED>
static __device__ double residual_of(const struct march_fv4 &w, const struct place &p,
                                     const SHARED &s, int slot, double u, double sum, int q, int x)
{
    const double f = s.f[slot].rows[2 * p.group + q][2 * p.lane + x];
    double alpha = 0.0;
    if constexpr (HELMHOLTZ)
        alpha = s.alpha[slot].rows[2 * p.group + q][2 * p.lane + x];
    return residual_value(HELMHOLTZ ? rhs_helmholtz(f, alpha, u) : rhs_poisson(f, 0.0, u), w.scale,
                          sum);
}

/* D⁻¹ of such a cell with no wall within the stencil's reach. */
template <bool HELMHOLTZ, class SHARED>
static __device__ double inverse_diagonal(const struct march_fv4 &w, const struct place &p,
                                          const SHARED &s, int slot, const struct columns &c,
                                          const struct pointers &b, int q, int x)
{
    double alpha = 0.0;
    if constexpr (HELMHOLTZ)
        alpha = s.alpha[slot].rows[2 * p.group + q][2 * p.lane + x];
    return reciprocal(fv4_inner_diagonal(w.scale, alpha, c.beta_i_m[q][x], c.beta_i_m[q][x + 1],
                                         c.beta_j_m[q][x], c.beta_j_m[q + 1][x],
                                         b.beta_k_m[q * WIDTH + x], b.beta_k[q * WIDTH + x]));
}

/* One colour in plane k − 1, where the first row's cells of the colour are at place E; `at` is
 * the first cell, dinv their D⁻¹ by a wall. */
template <bool HELMHOLTZ, int E, class SHARED>
static __device__ void relax(const struct march_fv4 &w, const struct place &p, const SHARED &s,
                             int slot, const struct columns &c, const struct pointers &b,
                             const quad sum, long at, bool by_a_wall, const quad dinv)
{
    for (int q = 0; q < 2; q++) {
        const int x = E ^ q;
        const double u = c.u_m[q][x];
        const double inverse =
            by_a_wall ? dinv[q][x] : inverse_diagonal<HELMHOLTZ>(w, p, s, slot, c, b, q, x);
        const double value = update_weighted(
            u, inverse, residual_of<HELMHOLTZ>(w, p, s, slot, u, sum[q][x], q, x), w.weight);
        *(double2 *)(w.out + at + q * w.c.sj) =
            x ? make_double2(c.u_m[q][0], value) : make_double2(value, c.u_m[q][1]);
    }
}

/* The new value of a cell where all are updated, or its residual. */
template <enum march_kind KIND>
static __device__ double new_value(const struct march_fv4 &w, double u, double dinv, double r,
                                   double previous)
{
    if (KIND == MARCH_WEIGHTED)
        return update_weighted(u, dinv, r, w.weight);
    if (KIND == MARCH_TWO_STEP)
        return update_two_step(u, previous, dinv, r, w.weight, w.c1);
    return r;
}

template <enum march_kind KIND, class SHARED>
static __device__ void store(const struct march_fv4 &w, const struct place &p, const SHARED &s,
                             int slot, const quad u, const quad r, long at)
{
    for (int q = 0; q < 2; q++) {
        double2 *out = (double2 *)(w.out + at + q * w.c.sj);
        double dinv[2] = {0.0, 0.0};
        if constexpr (READS_DINV<KIND>)
            load(dinv, &s.dinv[slot].rows[2 * p.group + q][2 * p.lane]);
        const double2 previous = KIND == MARCH_TWO_STEP ? *out : make_double2(0.0, 0.0);
        *out = make_double2(new_value<KIND>(w, u[q][0], dinv[0], r[q][0], previous.x),
                            new_value<KIND>(w, u[q][1], dinv[1], r[q][1], previous.y));
    }
}

static __device__ void restrict_pairs(const struct march_fv4 &w, const struct place &p,
                                      const quad r, int k, struct yield &y)
{
    const double pair[2] = {r[0][0] + r[0][1], r[1][0] + r[1][1]};
    if (k % 2 != 0 && p.core)
        w.out[p.i / 2 + (p.j / 2) * w.out_sj + (k / 2) * w.out_sk] =
            restrict_cell(y.even[0], y.even[1], pair[0], pair[1]);
    y.even[0] = pair[0];
    y.even[1] = pair[1];
}

/* The last thing a block does with plane k, but for sweeps of one colour. */
template <bool HELMHOLTZ, enum march_kind KIND, class SHARED>
static __device__ void finish(const struct march_fv4 &w, const struct place &p, const SHARED &s,
                              int slot, const quad u, const quad sum, int k, long at,
                              struct yield &y)
{
    quad r;
    for (int q = 0; q < 2; q++)
        for (int x = 0; x < 2; x++)
            r[q][x] = residual_of<HELMHOLTZ>(w, p, s, slot, u[q][x], sum[q][x], q, x);
    if (KIND == MARCH_RESTRICT)
        restrict_pairs(w, p, r, k, y);
    else if (KIND == MARCH_NORM && p.core)
        y.norm = larger(y.norm, larger(larger(magnitude_bits(r[0][0]), magnitude_bits(r[0][1])),
                                       larger(magnitude_bits(r[1][0]), magnitude_bits(r[1][1]))));
    else if (KIND != MARCH_NORM && p.core)
        store<KIND>(w, p, s, slot, u, r, at);
}

/* The warp has used a step's slots. */
static __device__ void release(const struct place &p, barrier_word *empty)
{
    __syncwarp();
    if (p.lane == 0)
        barrier_arrive(empty);
}

/* Own values of the planes before the first step. */
static __device__ void load_before(struct columns &c, const struct pointers &x)
{
    for (int q = 0; q < 2; q++) {
        for (int i = 0; i < 2; i++)
            c.u_m[q][i] = c.u[q][i];
        load(c.u[q], x.u_p + q * WIDTH);
        load(c.beta_i[q], x.beta_i_p + q * WIDTH);
    }
    for (int q = 0; q < 3; q++)
        load(c.beta_j[q], x.beta_j_p + q * WIDTH);
}

/* Begins the loads of D⁻¹ of plane k where it is needed. */
static __device__ void load_dinv(quad dinv, const struct march_fv4 &w, long at, bool needed)
{
    for (int q = 0; q < 2 && needed; q++)
        load(dinv[q], w.dinv + at + q * w.c.sj);
}

template <bool HELMHOLTZ, enum march_kind KIND>
static __global__ void __launch_bounds__(THREADS, 1)
    march_kernel(const __grid_constant__ struct march_fv4 w,
                 const __grid_constant__ struct maps maps,
                 const __grid_constant__ struct tiles tiles, int planes)
{
    using shared = struct shared_planes<HELMHOLTZ, KIND>;
    extern __shared__ __align__(128) unsigned char shared_memory[];
    auto &s = *reinterpret_cast<shared *>(shared_memory);
    const struct march m = march_of_tile(w.c, tile_of_block(tiles), planes);
    const struct place p = find_place(w, m);
    const bool fetches = p.lane == 0 && p.group == 0;
    struct turn<shared> here, ahead;
    if (fetches) {
        for (int slot = 0; slot < shared::SLOTS; slot++) {
            barrier_create(&s.full[slot], 1);
            barrier_create(&s.empty[slot], GROUPS);
        }
        barriers_created();
    }
    __syncthreads();
    for (int step = 0; step < shared::AHEAD; step++, ahead.advance())
        if (fetches)
            fetch<HELMHOLTZ, KIND>(maps, m, s, ahead, m.first - march::BEFORE + step);

    struct columns c = {};
    struct yield yield = {};
    for (int k = m.first - march::BEFORE; k < m.first - 1; k++) {
        barrier_wait(&s.full[here.slot], here.parity);
        load_before(c, find_pointers(s, here, p));
        if (fetches)
            fetch<HELMHOLTZ, KIND>(maps, m, s, ahead, k + shared::AHEAD);
        release(p, &s.empty[here.slot]);
        here.advance();
        ahead.advance();
    }
    long at = p.i + p.j * w.c.sj + (m.first - 2) * w.c.sk;
#pragma unroll 2
    for (int k = m.first - 1; k <= m.last; k++, at += w.c.sk) {
        quad sum, dinv;
        struct arrivals arrivals;
        const bool finishes = k > m.first;
        const bool by_a_wall = p.by_a_wall || k - 1 < w.inner_lo[2] || k - 1 >= w.inner_hi[2];
        if (KIND == MARCH_COLOURED)
            load_dinv(dinv, w, at, by_a_wall && finishes && p.core);
        barrier_wait(&s.full[here.slot], here.parity);
        const struct pointers pointers = find_pointers(s, here, p);
        advance(c, pointers, arrivals, sum);
        if (fetches && k + shared::AHEAD <= m.last)
            fetch<HELMHOLTZ, KIND>(maps, m, s, ahead, k + shared::AHEAD);
        if (KIND != MARCH_COLOURED && finishes)
            finish<HELMHOLTZ, KIND>(w, p, s, here.slot, c.u_m, sum, k - 1, at, yield);
        else if (finishes && p.core && ((k - 1 + w.colour) & 1))
            relax<HELMHOLTZ, 1>(w, p, s, here.slot, c, pointers, sum, at, by_a_wall, dinv);
        else if (finishes && p.core)
            relax<HELMHOLTZ, 0>(w, p, s, here.slot, c, pointers, sum, at, by_a_wall, dinv);
        move_up(c, arrivals);
        release(p, &s.empty[here.slot]);
        here.advance();
        ahead.advance();
    }
    if (KIND == MARCH_NORM)
        raise(w.norm, yield.norm);
}

bool cuda_march_fv4_fits(const struct level *level, const struct device_limits *device)
{
    const struct operator_choice *choice = &level->stencil->choice;
    static const bool compiled =
        cuda_has_tile_copies((const void *)march_kernel<false, MARCH_STORE>);
    const size_t bytes = choice->helmholtz ? sizeof(struct shared_planes<true, MARCH_COLOURED>)
                                           : sizeof(struct shared_planes<false, MARCH_WEIGHTED>);
    return compiled && device->tile_copies && bytes <= device->shared_per_block &&
           choice->order == 4 && choice->variable && level->dim % 2 == 0;
}

static struct maps find_maps(const struct march_fv4 &w)
{
    struct maps m = {};
    m.u = cuda_tile_map(w.u, w.c, WIDTH, U_ROWS);
    m.beta_i = cuda_tile_map(w.beta_i, w.c, WIDTH, BETA_ROWS);
    m.beta_j = cuda_tile_map(w.beta_j, w.c, WIDTH, BETA_J_ROWS);
    m.beta_k = cuda_tile_map(w.beta_k, w.c, WIDTH, BETA_ROWS);
    m.f = cuda_tile_map(w.f, w.c, CORE_WIDTH, CORE_ROWS);
    m.dinv = cuda_tile_map(w.dinv, w.c, CORE_WIDTH, CORE_ROWS);
    if (w.alpha)
        m.alpha = cuda_tile_map(w.alpha, w.c, CORE_WIDTH, CORE_ROWS);
    return m;
}

static struct tiles cut(const struct march_fv4 &w, int tiles_i, int tiles_j, int planes)
{
    const int n[3] = {tiles_i, tiles_j, cuda_divided(w.c.n[2], planes)};
    const struct tile_reads reads[3] = {
        {-HALO, CORE_WIDTH, CORE_WIDTH + 2 * HALO},
        {-HALO, CORE_ROWS, CORE_ROWS + 2 * HALO},
        {-HALO, planes, planes + 2 * HALO},
    };
    return tiles_of_part(w.part, n, w.c.n, w.c.wall, reads);
}

template <bool HELMHOLTZ, enum march_kind KIND>
static void launch(const struct march_fv4 &w)
{
    constexpr int BYTES = sizeof(struct shared_planes<HELMHOLTZ, KIND>);
    static const cudaError_t prepared = cudaFuncSetAttribute(
        march_kernel<HELMHOLTZ, KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES);
    CUDA_CALL(prepared);
    const int tiles_i = cuda_divided(w.c.n[0], CORE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1], CORE_ROWS);
    const struct cuda_tuning t = cuda_tuned(4,
                                            KIND == MARCH_RESTRICT ? TUNED_RESTRICT
                                            : KIND == MARCH_NORM   ? TUNED_NORM
                                                                   : TUNED_SWEEP,
                                            HELMHOLTZ, w.c);
    const int planes = cuda_choose_planes(t.planes, w.c.n[2], tiles_i * tiles_j, MIN_PLANES,
                                          MAX_PLANES, EXTRA_STEPS);
    const struct tiles tiles = cut(w, tiles_i, tiles_j, planes);
    const dim3 block(LANES, GROUPS), grid = tile_grid(tiles);
    if (grid.x == 0)
        return;
    march_kernel<HELMHOLTZ, KIND>
        <<<grid, block, BYTES, cuda_stream()>>>(w, find_maps(w), tiles, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ>
static void launch_kind(const struct march_fv4 &w)
{
    switch (w.kind) {
    case MARCH_COLOURED:
        return launch<HELMHOLTZ, MARCH_COLOURED>(w);
    case MARCH_WEIGHTED:
        return launch<HELMHOLTZ, MARCH_WEIGHTED>(w);
    case MARCH_TWO_STEP:
        return launch<HELMHOLTZ, MARCH_TWO_STEP>(w);
    case MARCH_STORE:
        return launch<HELMHOLTZ, MARCH_STORE>(w);
    case MARCH_RESTRICT:
        return launch<HELMHOLTZ, MARCH_RESTRICT>(w);
    case MARCH_NORM:
        return launch<HELMHOLTZ, MARCH_NORM>(w);
    }
}

void cuda_march_fv4(const struct march_fv4 &march)
{
    if (march.alpha)
        launch_kind<true>(march);
    else
        launch_kind<false>(march);
}
