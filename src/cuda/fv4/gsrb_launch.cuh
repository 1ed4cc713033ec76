/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* This folder holds the tuned kernels of the order-4 operator; docs/KERNELS.md explains them.
 * gsrb.cu and sweep.cu have what the rows of the table of kernels
 * cover, and the launches. The fused red-black pass is two kernels: gsrb_kernel.cuh, and
 * boundary_kernel.cuh for black cells next to walls in j and k. sweep_kernel.cuh is the kernel of
 * one operation. */
#include <climits>
#include "cuda/boundary/ghosts.cuh"
#include "cuda/core/operators.cuh"
#include "cuda/core/red_black.cuh"
#include "operators/pass.h"

/* One launch of the fused red-black pass. `in` has its ghosts, or is NULL if u is 0 everywhere.
 * Beyond sides without a wall, red cells next to the patch are updated too, but not stored: there,
 * REACH layers of u are read, two of β, and one of f, α and, next to walls, D⁻¹. f and the
 * coefficients have the layout of patch c; pointers are at cell (0,0,0). α and β are not read where
 * the operator has none. Ghosts of out are overwritten. */
struct fv4_gsrb : operands {
    struct cells c;
    const real *in;
    real inner_dinv; /* constant coefficients: D⁻¹ of cells that are not near walls */
    int colour;      /* local cells with even i + j + k + colour are red */
    real *out;
    struct wall_weights walls; /* of quartic rules */
    bool ghosts; /* whether to compute two layers of ghosts of out too; only if all are walls */
    enum pass_region region; /* whose blocks are launched; ghosts only for REGION_ALL */
    /* By set_bounds: */
    int first[3], last[3];      /* indices of cells that are updated */
    int away_lo[3], away_hi[3]; /* cells with lo ≤ index < hi are outside the boundary layers */
};

/* Black cells this near to a wall in j or k read ghosts that follow from red cells further inward
 * than a block of gsrb_kernel has. The boundary-layer update computes them after all other cells,
 * and then the ghosts of out. */
enum { BOUNDARY_LAYERS = 2 };

/* Layers of u that are read beyond sides without a wall; one less on edges, two on corners. */
enum { REACH = 3 };

/* Sets what follows from the walls of the patch. */
static inline void set_bounds(struct fv4_gsrb &w)
{
    for (int d = 0; d < 3; d++) {
        w.first[d] = w.c.wall[d][0] ? 0 : -1;
        w.last[d] = w.c.n[d] - (w.c.wall[d][1] != NO_WALL);
        w.away_lo[d] = w.c.wall[d][0] ? BOUNDARY_LAYERS : INT_MIN;
        w.away_hi[d] = w.c.wall[d][1] ? w.c.n[d] - BOUNDARY_LAYERS : INT_MAX;
    }
}

/* Whether index x of direction d is away from walls: outside the boundary layers. */
DEVICE bool is_away(const struct fv4_gsrb &w, int d, int x)
{
    return x >= w.away_lo[d] && x < w.away_hi[d];
}

namespace fv4
{
/* The faces of a cell, and what else its new value depends on. */
struct faces {
    struct fv4_faces i, j, k;
};
struct cell_terms {
    real f, alpha;
};

/* A cell's new value. */
template <class Op>
DEVICE real relax(const struct fv4_gsrb &w, const struct fv4_cells &x, const struct faces &faces,
                  const struct cell_terms &s, real dinv)
{
    const real sum =
        Op::VARIABLE ? fv4_sum_of(&x, &faces.i, &faces.j, &faces.k) : fv4_constant_sum_of(&x);
    return update_weighted(x.here, dinv,
                           Op::residual_from(s.f, s.alpha, x.here, (real)w.scale, sum),
                           RED_BLACK_WEIGHT);
}
} // namespace fv4
