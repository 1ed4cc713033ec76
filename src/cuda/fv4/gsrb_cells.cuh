/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The update of a single cell of the fused red-black pass, from shared memory. */
#include "cuda/core/fences.cuh"
#include "cuda/fv4/gsrb_launch.cuh"
#include "cuda/fv4/gsrb_tiles.cuh"
#include "cuda/core/reciprocal.cuh"

namespace fv4
{
/* A face: β and its differences in the two other directions, the lower one first. */
struct face {
    real beta, d_first, d_second;
};

/* Loads a face from the plane of β at `address`; first and second are strides in the plane. */
DEVICE struct face load_face(int address, int first, int second)
{
    return {at(address), at(address + first) - at(address - first),
            at(address + second) - at(address - second)};
}

DEVICE struct fv4_faces both(const struct face &low, const struct face &high)
{
    return {{low.beta, high.beta}, {low.d_first, high.d_first}, {low.d_second, high.d_second}};
}

/* D⁻¹ of a cell that is not near walls. */
template <class Op>
DEVICE real inverse_diagonal(const struct fv4_gsrb &w, const struct faces &x, real alpha)
{
    if (!Op::VARIABLE)
        return w.inner_dinv;
    return reciprocal(fv4_inner_diagonal((real)w.scale, alpha, x.i.beta[0], x.i.beta[1],
                                         x.j.beta[0], x.j.beta[1], x.k.beta[0], x.k.beta[1]));
}

/* D⁻¹ of a cell near a wall, where it does not follow from the nearest faces alone. A branch around
 * the computation of D⁻¹ elsewhere would not let it overlap with anything. */
struct stored_dinv {
    bool wanted;
    int address;
};

DEVICE real or_stored(real computed, const struct stored_dinv &stored)
{
    force_eval(computed);
    return stored.wanted ? at(stored.address) : computed;
}

template <class Op>
DEVICE real relax(const struct fv4_gsrb &w, const struct fv4_cells &x, const struct faces &faces,
                  const struct cell_terms &s, const struct stored_dinv &stored)
{
    return relax<Op>(w, x, faces, s, or_stored(inverse_diagonal<Op>(w, faces, s.alpha), stored));
}

/* Loads a face in i or j, at the same offset in each plane; `across` is the stride in the other of
 * these directions. */
template <class tile>
DEVICE struct face load_side(const struct planes<tile> &p, int offset, int across)
{
    const int here = p.beta[2] + offset;
    return {at(here), at(here + across) - at(here - across),
            at(p.beta[3] + offset) - at(p.beta[1] + offset)};
}

/* The new value of a red cell where u is 0 everywhere. */
template <class Op>
DEVICE real relax_from_zero(const struct fv4_gsrb &w, const struct faces &faces,
                            const struct cell_terms &s, const struct stored_dinv &stored)
{
    return relax_zero(or_stored(inverse_diagonal<Op>(w, faces, s.alpha), stored), s.f,
                      RED_BLACK_WEIGHT);
}

/* The faces of the cell at offset c in plane k. */
template <class tile>
DEVICE struct faces load_faces(int c, const struct planes<tile> &p)
{
    if (!tile::VARIABLE)
        return {};
    return {both(load_side(p, tile::BETA_I_CELL + c, tile::ROW),
                 load_side(p, tile::BETA_I_CELL + c + COLUMN, tile::ROW)),
            both(load_side(p, tile::BETA_J_CELL + c, COLUMN),
                 load_side(p, tile::BETA_J_CELL + c + tile::ROW, COLUMN)),
            both(load_face(p.beta_k[0] + c, COLUMN, tile::ROW),
                 load_face(p.beta_k[1] + c, COLUMN, tile::ROW))};
}

/* The new value of the red cell at offset c in plane k, all from shared memory. */
template <bool ZERO, class tile>
DEVICE real relax_alone(const struct fv4_gsrb &w, int c, const struct planes<tile> &p,
                        const struct cell_terms &s, const struct stored_dinv &stored)
{
    using Op = typename tile::op;
    const struct faces faces = load_faces(c, p);
    if (ZERO)
        return relax_from_zero<Op>(w, faces, s, stored);
    const struct fv4_cells x = fv4_cells_near(near_by(
        [&](int i, int j, int k) { return at(p.u[2 + k] + c + i * COLUMN + j * tile::ROW); }));
    return relax<Op>(w, x, faces, s, stored);
}

} // namespace fv4
