/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV4_GSRB_CUH
#define CUDA_FV4_GSRB_CUH
/* This folder holds the tuned kernels of the order-4 operator: fused red-black for all
 * coefficients, single operations for variable ones. gsrb.cu and sweep.cu have the rows of the
 * table of kernels, what these cover, and the launches. sweep_kernel.cuh is the kernel of one
 * operation. The fused red-black pass is two kernels: gsrb_kernel.cuh, and boundary_kernel.cuh for
 * black cells next to walls in j and k. The former builds on gsrb_rows.cuh (registers),
 * gsrb_columns.cuh (positions, loads), gsrb_cells.cuh (the update of one cell) and gsrb_tiles.cuh
 * (shared memory), each on the next. */
#include "cuda/core/operators.cuh"

/* One launch of the fused red-black pass, on a patch with walls on all sides. `in` has its ghosts,
 * or is NULL if u is 0 everywhere. f and the coefficients have the layout of patch c; pointers are
 * at cell (0,0,0). α and β are not read where the operator has none. Ghosts of out are
 * overwritten. */
struct fv4_gsrb {
    struct cells c;
    const double *in, *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    double scale;
    double inner_dinv; /* constant coefficients: D⁻¹ of cells that are not near walls */
    int colour;        /* local cells with even i + j + k + colour are red */
    double *out;
    bool ghosts; /* whether to compute two layers of ghosts of out too */
};

/* With constant coefficients α is 1. */
template <class Op>
constexpr bool READS_ALPHA = Op::VARIABLE &&Op::HELMHOLTZ;

/* Black cells this near to a wall in j or k read ghosts that follow from red cells further inward
 * than a block of gsrb_kernel has. The boundary-layer update computes them after all other cells,
 * and then the ghosts of out. */
enum { BOUNDARY_LAYERS = 2 };

/* Whether `x` is at least so many cells away from both ends of 0 … n − 1. */
DEVICE bool is_within(int x, int n, int layers)
{
    return x >= layers && x < n - layers;
}

#endif
