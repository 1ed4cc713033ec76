/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The residual in one pass over memory, restricted, reduced to its norm or narrowed on the way. A
 * thread owns four cells, two in i of two rows, and streams through the planes. Neighbours in k are
 * its own registers, those in i mostly the neighbouring lane's; the rows on either side are read
 * again, from the cache. There is no shared memory and no barrier: enough threads wait at once to
 * keep memory busy. */
#include "cuda/pass.cuh"
#include "cuda/fv2/cells.cuh"
#include "cuda/fv4/quads.cuh"

namespace fv2
{
/* f, u and the coefficients have the layout of patch c; pointers are at cell (0,0,0). Every extent
 * of the patch is even. Ghosts are read beyond sides without a wall. */
struct fv2_residual : operands {
    struct cells c;
    const real *u;
    real *coarse; /* at cell (0,0,0): the residual is restricted to this, or */
    long coarse_sj, coarse_sk;
    unsigned long long *norm;       /* atomic maximum of the bits of its magnitudes, or */
    struct correction_cells defect; /* f of the correction level, and *norm unless it is NULL */
};

DEVICE real2 load(const real *p)
{
    return *(const real2 *)p;
}

/* A thread's four cells: where they are in a plane, and the walls around them. */
struct thread_column {
    long at;
    int i, j;
    bool inside, low_i, high_i, low_j, high_j, memory_low, memory_high;
    bool low_k, high_k; /* walls below the first and above the last plane */
    int n2;
};

/* What the residuals of a row read in a plane besides u and β_k: of the thread's two cells, and
 * where the neighbouring lane does not hold them, u on either side and the face beyond. */
struct row_data : plane_data {
    real2 beside;
};

template <class Op>
DEVICE void load_row(const struct fv2_residual &w, const struct thread_column &t, long at,
                     struct row_data &row)
{
    row.f = load(w.f + at);
    row.bi = load(w.beta_i + at);
    row.alpha = Op::READS_ALPHA ? load(w.alpha + at) : constant_alpha<Op>();
    if (t.memory_low)
        row.beside.x = w.u[at - 1];
    if (t.memory_high)
        row.beside.y = w.u[at + 2];
    if (t.memory_high || t.high_i)
        row.bi_end = w.beta_i[at + 2];
}

/* Takes from the neighbouring lanes what they hold. */
DEVICE void shuffle_row(const struct thread_column &t, real2 u, struct row_data &row)
{
    const real2 next = beside_both(u);
    const real face = beside<1>(row.bi);
    row.beside =
        make_real2(t.memory_low ? row.beside.x : next.x, t.memory_high ? row.beside.y : next.y);
    row.bi_end = t.memory_high || t.high_i ? row.bi_end : face;
}

/* The thread's columns; a block has `groups` groups of two rows. */
DEVICE struct thread_column compute_column(const struct cells &c, int groups)
{
    const int x = blockIdx.x * LANES + threadIdx.x, group = blockIdx.y * groups + threadIdx.y;
    const bool last_column = 2 * x + 2 == c.n[0];
    struct thread_column t;
    t.at = 2 * x + 2 * group * c.sj;
    t.i = 2 * x;
    t.j = 2 * group;
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
    real2 below[2], u[2], bk[2];
};

DEVICE struct carried_planes load_first_planes(const struct fv2_residual &w,
                                               const struct thread_column &t, int first)
{
    struct carried_planes m = {};
    for (int q = 0; q < 2 && t.inside; q++) {
        const long at = t.at + q * w.c.sj + first * w.c.sk;
        m.u[q] = load(w.u + at);
        m.bk[q] = load(w.beta_k + at);
        if (first > 0 || !t.low_k)
            m.below[q] = load(w.u + at - w.c.sk);
    }
    return m;
}

/* Residuals of the thread's two rows in plane k. All reads come before the shuffles, which would
 * delay them. */
template <class Op>
DEVICE void residuals(const struct fv2_residual &w, const struct thread_column &t, int k,
                      struct carried_planes &m, fv4::quad r)
{
    const long sj = w.c.sj, sk = w.c.sk, at = t.at + k * sk;
    const bool low_k = k == 0 && t.low_k, high_k = k == t.n2 - 1 && t.high_k;
    real2 south = {}, north = {}, above[2] = {}, bj[3] = {}, bk[2] = {};
    struct row_data rows[2] = {};
    if (t.inside) {
        for (int q = 0; q < 2; q++) {
            if (!high_k)
                above[q] = load(w.u + at + q * sj + sk);
            load_row<Op>(w, t, at + q * sj, rows[q]);
            bk[q] = load(w.beta_k + at + q * sj + sk);
        }
        for (int j = 0; j < 3; j++)
            bj[j] = load(w.beta_j + at + j * sj);
        if (!t.low_j)
            south = load(w.u + at - sj);
        if (!t.high_j)
            north = load(w.u + at + 2 * sj);
    }
    for (int q = 0; q < 2; q++) {
        rows[q].bj0 = bj[q];
        rows[q].bj1 = bj[q + 1];
        shuffle_row(t, m.u[q], rows[q]);
        const struct walls walls = {q == 0 && t.low_j, q == 1 && t.high_j, low_k, high_k};
        const real2 x = residual_vector<Op, true>(
            rows[q], m.bk[q], bk[q], m.u[q], rows[q].beside, q ? m.u[0] : south, q ? north : m.u[1],
            m.below[q], above[q], t.low_i, t.high_i, walls, w.c, w.scale);
        r[q][0] = x.x;
        r[q][1] = x.y;
    }
    for (int q = 0; q < 2; q++) {
        m.below[q] = m.u[q];
        m.u[q] = above[q];
        m.bk[q] = bk[q];
    }
}

template <class Op, enum pass_finish FINISH, int GROUPS>
static __global__ void __launch_bounds__(LANES *GROUPS, 16 / GROUPS)
    residual_kernel(const __grid_constant__ struct fv2_residual w, int planes)
{
    const int first = blockIdx.z * planes, last = min(first + planes, w.c.n[2]);
    const struct thread_column t = compute_column(w.c, GROUPS);
    struct carried_planes m = load_first_planes(w, t, first);
    struct fv4::residual_sums sums = {};
    for (int k = first; k < last; k++) {
        fv4::quad r;
        residuals<Op>(w, t, k, m, r);
        if (FINISH == FINISH_RESTRICT)
            restrict_quad(w, t.i, t.j, k, t.inside, r, sums);
        else if (t.inside)
            raise_norm(r, sums);
        if (FINISH == FINISH_DEFECT && t.inside)
            fv4::store_defects(w.defect, t.i, t.j, k, r);
    }
    if (FINISH == FINISH_NORM || (FINISH == FINISH_DEFECT && w.norm))
        warp_atomic_max(w.norm, sums.norm);
}
} // namespace fv2
