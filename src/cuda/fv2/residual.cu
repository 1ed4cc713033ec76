/* SPDX-License-Identifier: BSD-3-Clause */
/* The row fv2/residual: the residual in one pass over memory, restricted or reduced to its norm on
 * the way. A thread owns four cells, two in i of two rows, and streams through the planes.
 * Neighbours in k are its own registers, those in i mostly the neighbouring lane's; the rows on
 * either side are read again, from the cache. There is no shared memory and no barrier: enough
 * threads wait at once to keep memory busy. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/kernels.cuh"
#include "cuda/tuning.h"
#include "operators/boundary.h"
#include "operators/sum.h"
#include "operators/transfers.h"

namespace fv2
{
enum { LANES = 32, MAX_PLANES = 16 };

/* f, u and the coefficients have the layout of patch c; pointers are at cell (0,0,0); alpha is NULL
 * for poisson. Every extent of the patch is even. Ghosts are read beyond sides without a wall. */
struct fv2_residual {
    struct cells c;
    const double *u, *f, *alpha, *beta_i, *beta_j, *beta_k;
    double scale;
    double *coarse; /* at cell (0,0,0): the residual is restricted to this, or */
    long coarse_sj, coarse_sk;
    unsigned long long *norm; /* atomic maximum of the bits of its magnitudes */
};

DEVICE double2 vector_at(const double *p)
{
    return *(const double2 *)p;
}

/* The neighbour, or behind a wall the ghost that follows from the cell and the next one inward. */
DEVICE double or_ghost(bool wall, double neighbour, double u, double inward)
{
    return wall ? wall_quadratic(u, inward) : neighbour;
}

/* A thread's four cells: where they are in a plane, and the walls around them. */
struct thread_column {
    long at;
    int coarse_i, coarse_j; /* of their coarse cell */
    bool inside, low_i, high_i, low_j, high_j, memory_low, memory_high;
    bool low_k, high_k; /* walls below the first and above the last plane */
    int n2;
};

/* A row's part of what the residuals of a plane read: of the thread's two cells, and where the
 * neighbouring lane does not hold them, u on either side and the face beyond. */
struct row_data {
    double2 f, alpha, bi;
    double u_low, u_high, bi_end;
};

template <bool HELMHOLTZ>
DEVICE void load_row(const struct fv2_residual &w, const struct thread_column &t, long at,
                     struct row_data *row)
{
    row->f = vector_at(w.f + at);
    row->bi = vector_at(w.beta_i + at);
    if (HELMHOLTZ)
        row->alpha = vector_at(w.alpha + at);
    if (t.memory_low)
        row->u_low = w.u[at - 1];
    if (t.memory_high)
        row->u_high = w.u[at + 2];
    if (t.memory_high || t.high_i)
        row->bi_end = w.beta_i[at + 2];
}

/* Neighbours in j or k of a thread's two cells, and the faces towards them. */
struct neighbour_vectors {
    double2 low, high, face_low, face_high;
};

/* Residuals of a thread's two cells in one row of plane k. */
template <bool HELMHOLTZ>
DEVICE double2 residual_vector(const struct fv2_residual &w, const struct thread_column &t, int k,
                               const struct row_data &row, double2 u,
                               const struct neighbour_vectors &j, const struct neighbour_vectors &l,
                               bool low_j, bool high_j)
{
    const double before = __shfl_up_sync(0xffffffffu, u.y, 1),
                 after = __shfl_down_sync(0xffffffffu, u.x, 1),
                 next = __shfl_down_sync(0xffffffffu, row.bi.x, 1);
    const double im = t.memory_low ? row.u_low : before, ip = t.memory_high ? row.u_high : after,
                 bi_end = t.memory_high || t.high_i ? row.bi_end : next;
    const bool low_k = k == 0 && t.low_k, high_k = k == t.n2 - 1 && t.high_k;
    const double sx =
        fv2_sum(u.x, or_ghost(t.low_i, im, u.x, u.y), u.y, or_ghost(low_j, j.low.x, u.x, j.high.x),
                or_ghost(high_j, j.high.x, u.x, j.low.x), or_ghost(low_k, l.low.x, u.x, l.high.x),
                or_ghost(high_k, l.high.x, u.x, l.low.x), row.bi.x, row.bi.y, j.face_low.x,
                j.face_high.x, l.face_low.x, l.face_high.x);
    const double sy =
        fv2_sum(u.y, u.x, or_ghost(t.high_i, ip, u.y, u.x), or_ghost(low_j, j.low.y, u.y, j.high.y),
                or_ghost(high_j, j.high.y, u.y, j.low.y), or_ghost(low_k, l.low.y, u.y, l.high.y),
                or_ghost(high_k, l.high.y, u.y, l.low.y), row.bi.y, bi_end, j.face_low.y,
                j.face_high.y, l.face_low.y, l.face_high.y);
    const double rx =
        HELMHOLTZ ? rhs_helmholtz(row.f.x, row.alpha.x, u.x) : rhs_poisson(row.f.x, 0.0, u.x);
    const double ry =
        HELMHOLTZ ? rhs_helmholtz(row.f.y, row.alpha.y, u.y) : rhs_poisson(row.f.y, 0.0, u.y);
    return make_double2(residual_value(rx, w.scale, sx), residual_value(ry, w.scale, sy));
}

DEVICE unsigned long long largest_bits(double2 a, double2 b)
{
    return larger(larger(magnitude_bits(a.x), magnitude_bits(a.y)),
                  larger(magnitude_bits(b.x), magnitude_bits(b.y)));
}

/* The thread's columns; a block has so many groups of two rows. */
DEVICE struct thread_column compute_column(const struct cells &c, int groups)
{
    const int x = blockIdx.x * LANES + threadIdx.x, group = blockIdx.y * groups + threadIdx.y;
    const bool last_column = 2 * x + 2 == c.n[0];
    struct thread_column t;
    t.at = 2 * x + 2 * group * c.sj;
    t.coarse_i = x;
    t.coarse_j = group;
    t.n2 = c.n[2];
    t.inside = 2 * x < c.n[0] && 2 * group < c.n[1];
    t.low_i = x == 0 && c.wall[0][0];
    t.high_i = last_column && c.wall[0][1];
    t.low_j = group == 0 && c.wall[1][0];
    t.high_j = 2 * group + 2 == c.n[1] && c.wall[1][1];
    t.low_k = c.wall[2][0];
    t.high_k = c.wall[2][1];
    t.memory_low = t.inside && threadIdx.x == 0 && !t.low_i;
    t.memory_high = t.inside && (threadIdx.x == LANES - 1 || last_column) && !t.high_i;
    return t;
}

/* What a thread carries from plane to plane, of its two rows: u in the plane below and here, and
 * β_k below. */
struct carried_planes {
    double2 km0, km1, u0, u1, bk0, bk1;
};

DEVICE struct carried_planes load_first_planes(const struct fv2_residual &w,
                                               const struct thread_column &t, int first)
{
    struct carried_planes m = {};
    const long sj = w.c.sj, sk = w.c.sk, at = t.at + first * sk;
    if (!t.inside)
        return m;
    m.u0 = vector_at(w.u + at);
    m.u1 = vector_at(w.u + at + sj);
    m.bk0 = vector_at(w.beta_k + at);
    m.bk1 = vector_at(w.beta_k + at + sj);
    if (first > 0 || !t.low_k) {
        m.km0 = vector_at(w.u + at - sk);
        m.km1 = vector_at(w.u + at + sj - sk);
    }
    return m;
}

/* Residuals of the thread's two rows in plane k. All reads come before the shuffles, which would
 * delay them. */
template <bool HELMHOLTZ>
DEVICE void residuals(const struct fv2_residual &w, const struct thread_column &t, int k,
                      struct carried_planes &m, double2 r[2])
{
    const long sj = w.c.sj, sk = w.c.sk, at = t.at + k * sk;
    double2 below = {}, above = {}, kp0 = {}, kp1 = {}, bj[3] = {}, bk0 = {}, bk1 = {};
    struct row_data row_0 = {}, row_1 = {};
    if (t.inside) {
        if (k + 1 < t.n2 || !t.high_k) {
            kp0 = vector_at(w.u + at + sk);
            kp1 = vector_at(w.u + at + sj + sk);
        }
        load_row<HELMHOLTZ>(w, t, at, &row_0);
        load_row<HELMHOLTZ>(w, t, at + sj, &row_1);
        for (int j = 0; j < 3; j++)
            bj[j] = vector_at(w.beta_j + at + j * sj);
        bk0 = vector_at(w.beta_k + at + sk);
        bk1 = vector_at(w.beta_k + at + sj + sk);
        if (!t.low_j)
            below = vector_at(w.u + at - sj);
        if (!t.high_j)
            above = vector_at(w.u + at + 2 * sj);
    }
    r[0] = residual_vector<HELMHOLTZ>(w, t, k, row_0, m.u0, {below, m.u1, bj[0], bj[1]},
                                      {m.km0, kp0, m.bk0, bk0}, t.low_j, false);
    r[1] = residual_vector<HELMHOLTZ>(w, t, k, row_1, m.u1, {m.u0, above, bj[1], bj[2]},
                                      {m.km1, kp1, m.bk1, bk1}, false, t.high_j);
    m = {m.u0, m.u1, kp0, kp1, bk0, bk1};
}

template <bool HELMHOLTZ, bool RESTRICTS, int GROUPS>
static __global__ void __launch_bounds__(LANES *GROUPS, 16 / GROUPS)
    residual_kernel(const __grid_constant__ struct fv2_residual w, int planes)
{
    const int first = blockIdx.z * planes, last = min(first + planes, w.c.n[2]);
    const struct thread_column t = compute_column(w.c, GROUPS);
    struct carried_planes m = load_first_planes(w, t, first);
    unsigned long long norm = 0;
    double even_0 = 0.0, even_1 = 0.0;
    for (int k = first; k < last; k++) {
        double2 r[2];
        residuals<HELMHOLTZ>(w, t, k, m, r);
        if (RESTRICTS && k % 2 == 0) {
            even_0 = r[0].x + r[0].y;
            even_1 = r[1].x + r[1].y;
        } else if (RESTRICTS && t.inside) {
            w.coarse[t.coarse_i + t.coarse_j * w.coarse_sj + k / 2 * w.coarse_sk] =
                restrict_cell(even_0, even_1, r[0].x + r[0].y, r[1].x + r[1].y);
        }
        if (!RESTRICTS && t.inside)
            norm = larger(norm, largest_bits(r[0], r[1]));
    }
    if (!RESTRICTS)
        warp_atomic_max(w.norm, norm);
}

template <bool HELMHOLTZ, bool RESTRICTS, int GROUPS>
static void launch(const struct fv2_residual &w, int planes)
{
    const int tiles_i = cuda_divided(w.c.n[0] / 2, LANES),
              tiles_j = cuda_divided(w.c.n[1] / 2, GROUPS);
    for (int most = MAX_PLANES; planes == 0; most /= 2)
        if (most <= 2 ||
            tiles_i * tiles_j * cuda_divided(w.c.n[2], most) >= 4 * cuda_multiprocessors())
            planes = most;
    const dim3 block(LANES, GROUPS), grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    residual_kernel<HELMHOLTZ, RESTRICTS, GROUPS><<<grid, block, 0, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

template <bool HELMHOLTZ, bool RESTRICTS>
static void launch_tuned(const struct fv2_residual &w)
{
    const struct cuda_tuning t =
        cuda_tuned(2, RESTRICTS ? TUNED_RESTRICT : TUNED_NORM, HELMHOLTZ, w.c.n);
    if (t.rows == TUNED_FV2_RESIDUAL_FEW_ROWS)
        launch<HELMHOLTZ, RESTRICTS, TUNED_FV2_RESIDUAL_FEW_ROWS / 2>(w, t.planes);
    else
        launch<HELMHOLTZ, RESTRICTS, TUNED_FV2_RESIDUAL_ROWS / 2>(w, t.planes);
}

static void run_residual(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct work w = cuda_open_work(pass, q);
        if (w.c.wrap[0] || w.c.wrap[1] || w.c.wrap[2])
            cuda_fill_walls(w, pass->first_sweep);
        struct fv2_residual r = {w.c};
        set_operator(r, w);
        r.u = w.buffer[pass->first_sweep & 1];
        if (pass->finish == FINISH_RESTRICT) {
            set_coarse(r, pass, q);
            r.alpha ? launch_tuned<true, true>(r) : launch_tuned<false, true>(r);
        } else {
            r.norm = cuda_norm_word();
            r.alpha ? launch_tuned<true, false>(r) : launch_tuned<false, false>(r);
        }
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

static int residual_covers(const struct pass *pass, const struct device_limits *)
{
    const struct operator_choice *choice = &pass->level->stencil->choice;
    const bool fits = pass->start == START_KEEP && pass->nsweeps == 0 && choice->order == 2 &&
                      choice->variable && pass->level->dim >= 4 && cuda_even_patches(pass->level) &&
                      (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM);
    return fits ? pass_length(pass) : 0;
}
} // namespace fv2

extern const struct kernel kernel_fv2_residual = {
    .name = "fv2/residual",
    .summary = "the residual, restricted or reduced to its norm; order 2",
    .covers = fv2::residual_covers,
    .run = fv2::run_residual,
    .bytes = pass_bytes_one_by_one,
};
