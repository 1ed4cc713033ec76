/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The kernel of all rungs: sweep(). What changes from rung to rung is Near, the type that knows
 * where the neighbours of a thread's cells come from:
 *
 *     from_memory      every value from memory, by plain or by read-only loads
 *     in_registers<B>  as B, but what a column has read stays in registers for the next plane
 *     in_shared        u from planes in shared memory, which the block loads together
 *
 * A thread has ROWS cells, neighbours in j, and goes with them through the planes of its block. */
#include <cuda_pipeline.h>
#include "cuda/core/operators.cuh"
#include "cuda/core/shared_memory.cuh"
#include "lab/rung_shape.h"

namespace rungs
{
/* One half-sweep on the level's only box. Pointers are at cell (0,0,0). */
struct half_sweep {
    struct view v;
    double *out;
    int n[3];
    int colour; /* cells with (i + j + k + colour) even are updated */
    double weight;
    int planes; /* of a block */
};

struct plain {
    DEVICE_MEMBER static double load(const double *x)
    {
        return *x;
    }
};

/* Loads that may be served by a read-only path, and may pass stores. */
struct read_only {
    DEVICE_MEMBER static double load(const double *x)
    {
        return __ldg(x);
    }
};

/* --- where neighbours come from --------------------------------------------------------------- */

/* u(r,i,j,k) is u at offset (i,j,k) from the cell in row r; beta<D>(r,i,j,k) is β below it in
 * direction D. UNROLL planes are one step of the loop over planes. */
template <int order, class Loads, int rows>
struct from_memory {
    static constexpr int ORDER = order, RADIUS = order / 2, ROWS = rows, UNROLL = 1;
    const half_sweep &s;
    const int first, last; /* planes of the block */
    const bool inside;     /* the thread has cells */
    const long column;     /* offset of row 0 in plane 0 */
    long cell;             /* in the present plane */

    DEVICE_MEMBER from_memory(const half_sweep &sweep, int i, int j, int low, int high)
        : s(sweep), first(low), last(high), inside(i < s.n[0] && j < s.n[1]),
          column(i + j * s.v.sj), cell(column + first * s.v.sk)
    {
    }
    /* Before the first plane. */
    DEVICE_MEMBER void begin()
    {
    }
    /* Before and after the cells of plane k, the q-th of a step. */
    DEVICE_MEMBER void enter(int k, int)
    {
        cell = column + k * s.v.sk;
    }
    DEVICE_MEMBER void leave()
    {
    }
    DEVICE_MEMBER double load(const double *field, int r, int i, int j, int k) const
    {
        return Loads::load(field + cell + i + (r + j) * s.v.sj + k * s.v.sk);
    }
    DEVICE_MEMBER double u(int r, int i, int j, int k) const
    {
        return load(s.v.u, r, i, j, k);
    }
    template <int D>
    DEVICE_MEMBER double beta(int r, int i, int j, int k) const
    {
        return load(D == 0 ? s.v.beta_i : D == 1 ? s.v.beta_j : s.v.beta_k, r, i, j, k);
    }
};

/* Keeps u of the column, from RADIUS planes below to RADIUS above, and β of the faces below and
 * above. The highest come from Base; each is loaded once per column instead of once per use. */
template <class Base>
struct in_registers : Base {
    using Base::RADIUS, Base::ROWS;
    double kept_u[ROWS][2 * RADIUS + 1] = {}, kept_beta[ROWS][2] = {};

    using Base::Base;
    DEVICE_MEMBER void begin()
    {
        Base::begin();
        if (!Base::inside)
            return;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int d = 0; d < 2 * RADIUS; d++)
                kept_u[r][d] = Base::u(r, 0, 0, d - RADIUS);
            kept_beta[r][0] = Base::template beta<2>(r, 0, 0, 0);
        }
    }
    DEVICE_MEMBER void enter(int k, int q)
    {
        Base::enter(k, q);
        if (!Base::inside)
            return;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            kept_u[r][2 * RADIUS] = Base::u(r, 0, 0, RADIUS);
            kept_beta[r][1] = Base::template beta<2>(r, 0, 0, 1);
        }
    }
    DEVICE_MEMBER void leave()
    {
        Base::leave();
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int d = 0; d < 2 * RADIUS; d++)
                kept_u[r][d] = kept_u[r][d + 1];
            kept_beta[r][0] = kept_beta[r][1];
        }
    }
    DEVICE_MEMBER double u(int r, int i, int j, int k) const
    {
        return i == 0 && j == 0 ? kept_u[r][RADIUS + k] : Base::u(r, i, j, k);
    }
    template <int D>
    DEVICE_MEMBER double beta(int r, int i, int j, int k) const
    {
        return D == 2 && i == 0 && j == 0 ? kept_beta[r][k] : Base::template beta<D>(r, i, j, k);
    }
};

/* A ring of planes of the block's tile of u with its halo. The planes that the operator reads are
 * there, AHEAD more are on their way, and one slot is free: so one barrier per plane is enough.
 * With UNROLLED a step goes once around the ring, and slots are constants. In shared memory the
 * planes of a row follow each other: offsets within the tile do not depend on the block's shape. */
template <int order, class Loads, int rows, bool UNROLLED, int AHEAD>
struct in_shared : from_memory<order, Loads, rows> {
    using Base = from_memory<order, Loads, rows>;
    using Base::RADIUS, Base::ROWS, Base::s;
    static constexpr int PLANES = ring_planes(RADIUS, AHEAD), UNROLL = UNROLLED ? PLANES : 1;
    static constexpr int PITCH = (RING_WIDTH + 2 * RADIUS) * (int)sizeof(double);
    const int low[2]; /* the tile's first cell */
    int slot;         /* of the present plane */

    DEVICE_MEMBER in_shared(const half_sweep &sweep, int i, int j, int bottom, int top)
        : Base(sweep, i, j, bottom, top), low{i - (int)threadIdx.x - RADIUS,
                                              j - (int)threadIdx.y * ROWS - RADIUS},
          slot(0)
    {
    }
    /* The slot of the plane `d` after the present one. */
    DEVICE_MEMBER int slot_of(int d) const
    {
        const int next = slot + d;
        return next < 0 ? next + PLANES : next >= PLANES ? next - PLANES : next;
    }
    DEVICE_MEMBER static int address(int row, int column, int in_slot)
    {
        return shared_begin() + (row * PLANES + in_slot) * PITCH + column * (int)sizeof(double);
    }
    /* All threads fetch the plane `d` after plane k. Memory ends with the ghosts that the operator
     * reads, and planes with those that the block reads. */
    DEVICE_MEMBER void fetch(int k, int d) const
    {
        const double *plane = s.v.u + low[0] + low[1] * s.v.sj + (k + d) * s.v.sk;
        const int width = min((int)blockDim.x + 2 * RADIUS, s.n[0] + RADIUS - low[0]),
                  height = min((int)blockDim.y * ROWS + 2 * RADIUS, s.n[1] + RADIUS - low[1]);
        for (int row = threadIdx.y; row < height && k + d < Base::last + RADIUS; row += blockDim.y)
            for (int i = threadIdx.x; i < width; i += blockDim.x) {
                const int to = address(row, i, slot_of(d));
                if (AHEAD > 0)
                    copy_cell(to, plane + row * s.v.sj + i);
                else
                    put(to, Loads::load(plane + row * s.v.sj + i));
            }
        if (AHEAD > 0)
            __pipeline_commit();
    }
    /* Until all planes but the last AHEAD have arrived for all threads. */
    DEVICE_MEMBER void wait() const
    {
        if (AHEAD > 0)
            __pipeline_wait_prior(AHEAD);
        __syncthreads();
    }
    DEVICE_MEMBER void begin()
    {
        for (int d = -RADIUS; d < RADIUS + AHEAD; d++)
            fetch(Base::first, d);
        wait();
    }
    DEVICE_MEMBER void enter(int k, int q)
    {
        Base::enter(k, q);
        if (UNROLLED)
            slot = q;
        fetch(k, RADIUS + AHEAD);
        wait();
    }
    DEVICE_MEMBER void leave()
    {
        if (!UNROLLED)
            slot = slot_of(1);
    }
    DEVICE_MEMBER double u(int r, int i, int j, int k) const
    {
        return at(address((int)threadIdx.y * ROWS + RADIUS + r + j, (int)threadIdx.x + RADIUS + i,
                          slot_of(k)));
    }
};

/* --- the sweep -------------------------------------------------------------------------------- */

template <class Near>
DEVICE double operator_sum(const Near &x, int r)
{
    const near_by cell([&](int i, int j, int k) { return x.u(r, i, j, k); },
                       [&](int d, int across, int first, int second) {
                           return d == 0   ? x.template beta<0>(r, across, first, second)
                                  : d == 1 ? x.template beta<1>(r, first, across, second)
                                           : x.template beta<2>(r, first, second, across);
                       });
    if constexpr (Near::ORDER == 2)
        return sum_fv2(cell);
    else
        return sum_fv4(cell);
}

/* The new value of row r. A warp has cells of both colours, so a branch would save it nothing: all
 * cells are computed, and those of one colour keep their old value. */
template <class Near>
DEVICE double relaxed_row(const Near &x, int r, bool updated)
{
    const half_sweep &s = x.s;
    const double u = x.u(r, 0, 0, 0), f = x.load(s.v.f, r, 0, 0, 0),
                 dinv = x.load(s.v.dinv, r, 0, 0, 0);
    const double residual = residual_value(rhs_poisson(f, 0.0, u), s.v.scale, operator_sum(x, r));
    return updated ? update_weighted(u, dinv, residual, s.weight) : u;
}

/* The new values are stored together, so that loads of a row need not wait for another row's store.
 */
template <class Near>
DEVICE void relax_plane(const Near &x, bool first_updated)
{
    double value[Near::ROWS];
#pragma unroll
    for (int r = 0; r < Near::ROWS; r++)
        value[r] = relaxed_row(x, r, first_updated == (r % 2 == 0));
#pragma unroll
    for (int r = 0; r < Near::ROWS; r++)
        x.s.out[x.cell + r * x.s.v.sj] = value[r];
}

template <class Near>
DEVICE void sweep(const half_sweep &s)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x,
              j = (blockIdx.y * blockDim.y + threadIdx.y) * Near::ROWS;
    const int first = blockIdx.z * s.planes, last = min(first + s.planes, s.n[2]);
    Near near(s, i, j, first, last);
    near.begin();
    for (int plane = first; plane < last; plane += Near::UNROLL)
#pragma unroll
        for (int q = 0; q < Near::UNROLL; q++) {
            const int k = plane + q;
            if (k >= last)
                break;
            near.enter(k, q);
            if (near.inside)
                relax_plane(near, has_colour(i + j + k, s.colour));
            near.leave();
        }
}
} // namespace rungs
