#ifndef CUDA_PAIR_FV4_CELLS_CUH
#define CUDA_PAIR_FV4_CELLS_CUH
/* Single cells of the fused red-black pass of order 4, from what is in shared memory. */
#include "cuda/opaque.cuh"
#include "cuda/pair_fv4.cuh"
#include "cuda/pair_fv4_tiles.cuh"
#include "cuda/reciprocal.cuh"
#include "operators/fv4.h"
#include "operators/smoothers.h"

/* Values by side, low and high, in i and in j. */
struct sides {
    double i[2], j[2];
};

/* u in the next cells. */
static __device__ __forceinline__ struct sides load_next(int place)
{
    return {{at(place - COLUMN), at(place + COLUMN)}, {at(place - ROW), at(place + ROW)}};
}

/* β on a cell's faces. */
static __device__ __forceinline__ struct sides load_beta(int place)
{
    return {{at(place + BETA_I_CELL), at(place + BETA_I_CELL + COLUMN)},
            {at(place + BETA_J_CELL), at(place + BETA_J_CELL + ROW)}};
}

/* A face between planes: β and its differences. */
struct face {
    double beta, d_i, d_j;
};

static __device__ __forceinline__ struct face load_face(int place)
{
    return {at(place), at(place + COLUMN) - at(place - COLUMN), at(place + ROW) - at(place - ROW)};
}

/* The faces of a cell: β at them, in the planes below and above too. */
struct faces {
    struct fv4_faces i, j, k;
};

static __device__ __forceinline__ struct faces
load_faces(int place, const struct sides &below, const struct sides &here,
           const struct sides &above, const struct face &low, const struct face &high)
{
    struct faces x = {{}, {}, {{low.beta, high.beta}, {low.d_i, high.d_i}, {low.d_j, high.d_j}}};
    for (int side = 0; side < 2; side++) {
        const int i = place + BETA_I_CELL + side * COLUMN, j = place + BETA_J_CELL + side * ROW;
        x.i.beta[side] = here.i[side];
        x.i.d_first[side] = at(i + ROW) - at(i - ROW);
        x.i.d_second[side] = above.i[side] - below.i[side];
        x.j.beta[side] = here.j[side];
        x.j.d_first[side] = at(j + COLUMN) - at(j - COLUMN);
        x.j.d_second[side] = above.j[side] - below.j[side];
    }
    return x;
}

/* u around a cell, of its own colour but for `next`. `column` are those below and above it, the far
 * one first; `place` is the cell's. */
static __device__ __forceinline__ struct fv4_cells load_cells(double here, const double column[4],
                                                              const struct sides &next, int place,
                                                              const struct sides &below,
                                                              const struct sides &above)
{
    struct fv4_cells x;
    x.here = here;
    for (int side = 0; side < 2; side++) {
        const int step = side ? 1 : -1;
        x.near_i[side] = next.i[side];
        x.near_j[side] = next.j[side];
        x.near_k[side] = column[1 + side];
        x.far_i[side] = at(place + 2 * step * COLUMN);
        x.far_j[side] = at(place + 2 * step * ROW);
        x.far_k[side] = column[3 * side];
        x.ij[side] = at(place - ROW + step * COLUMN);
        x.ij[2 + side] = at(place + ROW + step * COLUMN);
        x.ik[side] = below.i[side];
        x.ik[2 + side] = above.i[side];
        x.jk[side] = below.j[side];
        x.jk[2 + side] = above.j[side];
    }
    return x;
}

static __device__ __forceinline__ double inverse_diagonal(double scale, const struct faces &x,
                                                          double alpha)
{
    return reciprocal(fv4_inner_diagonal(scale, alpha, x.i.beta[0], x.i.beta[1], x.j.beta[0],
                                         x.j.beta[1], x.k.beta[0], x.k.beta[1]));
}

/* What else a cell's new value depends on. */
struct source {
    double f, alpha;
};

template <bool HELMHOLTZ>
static __device__ __forceinline__ double relax(const struct fv4_cells &x, const struct faces &faces,
                                               const struct source &s, double dinv, double scale)
{
    const double sum = fv4_sum_of(&x, &faces.i, &faces.j, &faces.k);
    const double rhs =
        HELMHOLTZ ? rhs_helmholtz(s.f, s.alpha, x.here) : rhs_poisson(s.f, 0.0, x.here);
    return update_gauss_seidel(x.here, dinv, residual_value(rhs, scale, sum));
}

/* What remains of a column from one step in which it is active to the next, by planes before the
 * latter's red cell: u as it was, and the face below the black cell. */
struct column {
    double u_mmm;
    struct face low;
};

/* D⁻¹ of a cell as computed or, near a wall, stored at a place. A branch around what computes it
 * would keep that from overlapping with anything. */
struct stored {
    bool wanted;
    int place;
};

static __device__ __forceinline__ double or_stored(double computed, const struct stored &stored)
{
    computed_here(computed);
    return stored.wanted ? at(stored.place) : computed;
}

/* What the red cell in plane k has loaded and the black one below it needs too, by planes around
 * the former: u in it and in the cells beside it, the column's, and β. */
struct common {
    struct sides next, beta, beta_m;
    double u_m, u_p;
    struct face low;
};

/* The new value of the red cell at place c in plane k, and the face above it. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ double
relax_red(const struct pair_fv4 &w, int c, const struct planes &p, const struct source &s,
          const struct stored &stored, struct common &common, struct face &high)
{
    common.u_m = at(p.u[1] + c);
    common.u_p = at(p.u[3] + c);
    common.next = load_next(p.u[2] + c);
    common.beta = load_beta(p.beta[2] + c);
    common.beta_m = load_beta(p.beta[1] + c);
    common.low = load_face(p.beta_k[0] + c);
    high = load_face(p.beta_k[1] + c);
    const struct faces faces = load_faces(p.beta[2] + c, common.beta_m, common.beta,
                                          load_beta(p.beta[3] + c), common.low, high);
    const double dinv = or_stored(inverse_diagonal(w.scale, faces, s.alpha), stored);
    const double column[4] = {at(p.u[0] + c), common.u_m, common.u_p, at(p.u[4] + c)};
    const struct fv4_cells x = load_cells(at(p.u[2] + c), column, common.next, p.u[2] + c,
                                          load_next(p.u[1] + c), load_next(p.u[3] + c));
    return relax<HELMHOLTZ>(x, faces, s, dinv, w.scale);
}

/* That of the black cell below it, where no wall in j or k is near. `reds` is the place among red
 * cells, and south and north how far from there those are. */
template <bool HELMHOLTZ>
static __device__ __forceinline__ double
relax_black(const struct pair_fv4 &w, int c, const struct planes &p, const struct column &column,
            int reds, int south, int north, double red, const struct source &s,
            const struct stored &stored, const struct common &common)
{
    const int place = p.red[0] + reds;
    const struct sides next = {{at(place - COLUMN), at(place + COLUMN)},
                               {at(place + south), at(place + north)}};
    const double others[4] = {column.u_mmm, at(p.red[2] + reds), red, common.u_p};
    const struct fv4_cells x =
        load_cells(common.u_m, others, next, p.u[1] + c, load_next(p.u[0] + c), common.next);
    const struct faces faces = load_faces(p.beta[1] + c, load_beta(p.beta[0] + c), common.beta_m,
                                          common.beta, column.low, common.low);
    const double dinv = or_stored(inverse_diagonal(w.scale, faces, s.alpha), stored);
    return relax<HELMHOLTZ>(x, faces, s, dinv, w.scale);
}

#endif
