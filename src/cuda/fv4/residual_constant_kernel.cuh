/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The residual of order 4 with constant coefficients: stored, restricted, reduced to its norm or
 * narrowed. Every extent of the patch is even.
 *
 * A thread owns four columns of cells, two in i of two rows, and streams through the planes. It
 * keeps its own cells of five planes in registers. Neighbours in i and j come from the first-level
 * cache: the threads beside it have loaded them two planes ago. u of the next plane and its f are
 * loaded one step ahead. */
#include "cuda/core/tiles.cuh"
#include "cuda/fv4/quads.cuh"
#include "cuda/fv4/sweep_launch.cuh"

namespace fv4::constant
{
enum { LANES = 32, GROUPS = 8, THREADS = LANES * GROUPS, BLOCKS = 2 };
enum { TILE_WIDTH = 2 * LANES, TILE_ROWS = 2 * GROUPS, REACH = 2 };

DEVICE void load_pair(real to[2], const real *from)
{
    const real2 pair = *(const real2 *)from;
    to[0] = pair.x;
    to[1] = pair.y;
}

DEVICE void load_quad(quad to, const real *from, long sj)
{
    load_pair(to[0], from);
    load_pair(to[1], from + sj);
}

DEVICE void copy_quad(quad to, const quad from)
{
    for (int q = 0; q < 2; q++)
        for (int x = 0; x < 2; x++)
            to[q][x] = from[q][x];
}

/* Sums of the neighbours on both sides of a cell. */
struct both_sides {
    real near, far;
};

/* Of the cell between v[1] and v[3]. */
DEVICE struct both_sides along(const real *v)
{
    return {v[1] + v[3], v[0] + v[4]};
}

/* f − A u of the thread's cells in a plane, whose first cell is at u. planes[2] is this plane. */
template <class Op>
DEVICE void residuals(quad r, const struct fv4_sweep &w, const real *u, const quad planes[5],
                      const quad f)
{
    const long sj = w.c.sj;
    real rows[2][6], columns[2][6];
    for (int q = 0; q < 2; q++) {
        load_pair(rows[q], u + q * sj - 2);
        load_pair(rows[q] + 4, u + q * sj + 2);
        for (int x = 0; x < 2; x++)
            rows[q][2 + x] = planes[2][q][x];
    }
    for (int b = 0; b < 2; b++) {
        real low[2], high[2];
        load_pair(low, u + (b - 2) * sj);
        load_pair(high, u + (b + 2) * sj);
        for (int x = 0; x < 2; x++) {
            columns[x][b] = low[x];
            columns[x][2 + b] = planes[2][b][x];
            columns[x][4 + b] = high[x];
        }
    }
    for (int q = 0; q < 2; q++)
        for (int x = 0; x < 2; x++) {
            const real line[5] = {planes[0][q][x], planes[1][q][x], planes[2][q][x],
                                  planes[3][q][x], planes[4][q][x]};
            const struct both_sides i = along(rows[q] + x), j = along(columns[x] + q),
                                    k = along(line);
            const real sum = fv4_constant_sum(line[2], i.near, i.far, j.near, j.far, k.near, k.far);
            r[q][x] = Op::residual_from(f[q][x], 1.0, line[2], w.scale, sum);
        }
}

/* Completes plane k. */
template <enum sweep_kind KIND>
DEVICE void finish(const struct fv4_sweep &w, int i, int j, int k, const quad r,
                   struct residual_sums &s)
{
    if (KIND == SWEEP_RESIDUAL) {
        for (int q = 0; q < 2; q++)
            *(real2 *)(w.out + i + (j + q) * w.c.sj + k * w.c.sk) = make_real2(r[q][0], r[q][1]);
    } else if (KIND == SWEEP_RESTRICT) {
        restrict_quad(w, i, j, k, true, r, s);
    } else {
        raise_norm(r, s);
    }
    if (KIND == SWEEP_DEFECT)
        store_defects(w.defect, i, j, k, r);
}

/* All planes first ≤ k < last of the thread's columns, which begin at (i,j). Returns the largest
 * bits. */
template <class Op, enum sweep_kind KIND>
DEVICE unsigned long long stream(const struct fv4_sweep &w, int i, int j, int first, int last)
{
    const long sj = w.c.sj, sk = w.c.sk, begin = i + j * sj + first * sk;
    const real *u = w.u + begin, *f = w.f + begin;
    quad planes[5], f_here;
    struct residual_sums s = {};
    for (int d = 0; d < 5; d++)
        load_quad(planes[d], u + (d - REACH) * sk, sj);
    load_quad(f_here, f, sj);
#pragma unroll 2
    for (int k = first; k < last; k++, u += sk, f += sk) {
        quad r, u_next = {}, f_next = {};
        if (k + 1 < last) {
            load_quad(u_next, u + (REACH + 1) * sk, sj);
            load_quad(f_next, f + sk, sj);
        }
        residuals<Op>(r, w, u, planes, f_here);
        finish<KIND>(w, i, j, k, r, s);
        for (int d = 0; d < 4; d++)
            copy_quad(planes[d], planes[d + 1]);
        copy_quad(planes[4], u_next);
        copy_quad(f_here, f_next);
    }
    return s.norm;
}

template <class Op, enum sweep_kind KIND>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    residual_kernel(const __grid_constant__ struct fv4_sweep w,
                    const __grid_constant__ struct tile_set tiles, int planes)
{
    const dim3 tile = tile_of_block(tiles);
    const int i = (int)tile.x * TILE_WIDTH + 2 * (int)threadIdx.x,
              j = (int)tile.y * TILE_ROWS + 2 * (int)threadIdx.y, first = (int)tile.z * planes;
    unsigned long long norm = 0;
    if (i < w.c.n[0] && j < w.c.n[1])
        norm = stream<Op, KIND>(w, i, j, first, min(first + planes, w.c.n[2]));
    if (KIND == SWEEP_NORM || (KIND == SWEEP_DEFECT && w.norm))
        warp_atomic_max(w.norm, norm);
}
} // namespace fv4::constant
