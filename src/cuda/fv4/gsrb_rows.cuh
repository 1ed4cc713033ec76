/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The active cells of a thread, and the registers that it keeps of its columns from step to step.
 * In a step of parity S rows S and S + 2 of its four are active. */
#include "cuda/fv4/gsrb_columns.cuh"

namespace fv4
{
/* Before step k: old u, of active rows from plane k − 3 on and of the others from plane k − 2 on; β
 * on the faces in j between rows, and its difference in i, in plane k − 1; the faces in k below
 * plane k − 1 in active rows and below plane k in the others; new red values, of inactive rows in
 * plane k − 1 and of active rows in plane k − 2. */
struct register_window {
    real u[COLUMNS][6], beta_j[COLUMNS - 1], d_i[COLUMNS - 1], red[COLUMNS];
    struct face low[COLUMNS];
};

/* Loads the planes of u that a step adds: in active rows two, up to k + 2, in the others up to
 * k + 1. It loads other planes again, since there are not enough registers to keep them; with α
 * this holds for active rows too. */
template <int S, class tile>
DEVICE void load_planes(struct register_window &x, const struct columns &t,
                        const struct planes<tile> &p)
{
    for (int q = 0; q < 2; q++) {
        const int active = 2 * q + S, other = 2 * q + 1 - S;
        for (int d = tile::READS_ALPHA ? 1 : 4; d < 6; d++)
            x.u[active][d] = at(p.u[d - 1] + row_offset(t, active));
        for (int d = 1; d < 4; d++)
            x.u[other][d] = at(p.u[d] + row_offset(t, other));
    }
}

/* Loads the registers before the first step, except for what only black cells need: those of the
 * first two steps belong to other blocks. */
template <class tile>
DEVICE void load_first_planes(struct register_window &x, const struct columns &t,
                              const struct planes<tile> &p)
{
    for (int r = 0; r < COLUMNS; r += 2)
        for (int d = 1; d < 4; d++)
            x.u[r][d] = at(p.u[d - 1] + row_offset(t, r));
    for (int r = 1; r < COLUMNS && tile::VARIABLE; r++)
        x.beta_j[r - 1] = at(p.beta[1] + tile::BETA_J_CELL + face_offset(t, r));
}

DEVICE bool is_kept(int r)
{
    return r >= 0 && r < COLUMNS;
}

/* Values on either side of a cell in i and in j. */
struct sides {
    real i[2], j[2];
};

/* The four faces in j of active cells in plane k, and in plane k − 1. */
struct faces_j {
    struct face here[COLUMNS], below[COLUMNS];
};

/* The face in j at an offset in a plane; the difference of β in k is given. */
DEVICE struct face face_j(int plane, int offset, real d_k)
{
    const int here = plane + offset;
    return {at(here), at(here + COLUMN) - at(here - COLUMN), d_k};
}

/* Operands that a red cell in plane k shares with the black cell below it: old u next to the red
 * cell; β on the black cell's faces in i, with the differences in k; and the face between them. */
struct shared_operands {
    struct sides next;
    real beta_m[2], d_k[2];
    struct face low;
};

/* The active cells in a step of parity S. */
template <class tile, bool ZERO, int S>
struct active_rows {
    using Op = typename tile::op;
    static constexpr int PARITY = S, DINV_SIZE = tile::DINV_SIZE, BLACK_DINV = tile::BLACK_DINV;
    const struct fv4_gsrb &w;
    const struct columns &t;
    const struct planes<tile> &p;
    const struct register_window &x;

    /* Old u of row r in plane k + d. */
    DEVICE_MEMBER real u_of(int r, int d) const
    {
        if (ZERO)
            return 0.0;
        return is_kept(r) ? x.u[r][d + (r % 2 == S ? 3 : 2)] : at(p.u[2 + d] + row_offset(t, r));
    }

    DEVICE_MEMBER struct sides next_of(int r, int d) const
    {
        const int address = p.u[2 + d] + row_offset(t, r);
        return {{at(address - COLUMN), at(address + COLUMN)}, {u_of(r - 1, d), u_of(r + 1, d)}};
    }

    /* All u that the operator reads at the cell of row r in plane k + d. `next` holds the
     * neighbours in i and j; `below` and `above` the neighbours in i and j of the cells below and
     * above; `column` the cells below and above, farthest to farthest. The rest has the cell's own
     * colour. */
    DEVICE_MEMBER struct fv4_cells cells_of(int r, int d, const real column[4],
                                            const struct sides &next, const struct sides &below,
                                            const struct sides &above) const
    {
        struct fv4_cells cells;
        cells.here = u_of(r, d);
        for (int side = 0; side < 2; side++) {
            const int step = side ? 1 : -1, plane = p.u[2 + d];
            cells.near_i[side] = next.i[side];
            cells.near_j[side] = next.j[side];
            cells.near_k[side] = column[1 + side];
            cells.far_i[side] = at(plane + row_offset(t, r) + 2 * step * COLUMN);
            cells.far_j[side] = u_of(r + 2 * step, d);
            cells.far_k[side] = column[3 * side];
            cells.ij[side] = at(plane + row_offset(t, r - 1) + step * COLUMN);
            cells.ij[2 + side] = at(plane + row_offset(t, r + 1) + step * COLUMN);
            cells.ik[side] = below.i[side];
            cells.ik[2 + side] = above.i[side];
            cells.jk[side] = below.j[side];
            cells.jk[2 + side] = above.j[side];
        }
        return cells;
    }

    /* β on the low or high (side 0 or 1) face in i of the cell of row r in a plane. */
    DEVICE_MEMBER real beta_i(int plane, int r, int side) const
    {
        return at(plane + tile::BETA_I_CELL + row_offset(t, r) + side * COLUMN);
    }

    /* Both faces in i of a cell; β and its difference in k are given. */
    DEVICE_MEMBER struct fv4_faces faces_i(int plane, int r, const real beta[2],
                                           const real d_k[2]) const
    {
        struct fv4_faces faces = {};
        for (int side = 0; side < 2 && Op::VARIABLE; side++) {
            faces.beta[side] = beta[side];
            faces.d_first[side] = beta_i(plane, r + 1, side) - beta_i(plane, r - 1, side);
            faces.d_second[side] = d_k[side];
        }
        return faces;
    }

    DEVICE_MEMBER struct faces_j load_faces_j() const
    {
        struct faces_j j = {};
        for (int y = 0; y < COLUMNS && Op::VARIABLE; y++) {
            const int r = y + S, offset = tile::BETA_J_CELL + face_offset(t, r);
            const bool kept = r > 0 && r < COLUMNS;
            const real below =
                kept && !tile::READS_ALPHA ? x.beta_j[r - 1] : at(p.beta[1] + offset);
            j.here[y] = face_j(p.beta[2], offset, at(p.beta[3] + offset) - below);
            const real d_k = j.here[y].beta - at(p.beta[0] + offset);
            j.below[y] = face_j(p.beta[1], offset, d_k);
            j.below[y].beta = below;
            if (kept)
                j.below[y].d_first = x.d_i[r - 1];
        }
        return j;
    }

    /* The face in k of row r, in a plane of such faces. */
    DEVICE_MEMBER struct face face_k(int plane, int r) const
    {
        const int address = plane + row_offset(t, r);
        return {at(address), at(address + COLUMN) - at(address - COLUMN),
                at(plane + row_offset(t, r + 1)) - at(plane + row_offset(t, r - 1))};
    }

    /* The new value of the red cell of row r in plane k; `high` becomes the face above it. */
    DEVICE_MEMBER real relax_red(int r, const struct faces_j &j, const struct cell_terms &s,
                                 const struct stored_dinv &stored, struct shared_operands &shared,
                                 struct face &high) const
    {
        real beta[2] = {}, d_k[2] = {};
        shared.next = next_of(r, 0);
        for (int side = 0; side < 2 && Op::VARIABLE; side++) {
            beta[side] = beta_i(p.beta[2], r, side);
            shared.beta_m[side] = beta_i(p.beta[1], r, side);
            d_k[side] = beta_i(p.beta[3], r, side) - shared.beta_m[side];
            shared.d_k[side] = beta[side] - beta_i(p.beta[0], r, side);
        }
        if (Op::VARIABLE) {
            shared.low = face_k(p.beta_k[0], r);
            high = face_k(p.beta_k[1], r);
        }
        const struct faces faces = {faces_i(p.beta[2], r, beta, d_k),
                                    both(j.here[r - S], j.here[r - S + 1]), both(shared.low, high)};
        if (ZERO)
            return relax_from_zero<Op>(w, faces, s, stored);
        const real column[4] = {x.u[r][1], x.u[r][2], x.u[r][4], x.u[r][5]};
        const struct fv4_cells cells =
            cells_of(r, 0, column, shared.next, next_of(r, -1), next_of(r, 1));
        return relax<Op>(w, cells, faces, s, stored);
    }

    /* The new red values next to the black cell of row r in plane k − 1. */
    DEVICE_MEMBER struct sides reds_of(int r) const
    {
        const int address = p.red[0] + red_offset(t, r / 2);
        struct sides next = {{at(address - COLUMN), at(address + COLUMN)}, {}};
        for (int side = 0; side < 2; side++) {
            const int y = r + (side ? 1 : -1);
            next.j[side] = is_kept(y) ? x.red[y] : at(p.red[0] + red_offset(t, side ? 2 : -1));
        }
        return next;
    }

    /* The new value of the black cell in plane k − 1, where no wall in j or k is near. */
    DEVICE_MEMBER real relax_black(int r, const struct faces_j &j, real red,
                                   const struct cell_terms &s, const struct stored_dinv &stored,
                                   const struct shared_operands &shared) const
    {
        const struct faces faces = {faces_i(p.beta[1], r, shared.beta_m, shared.d_k),
                                    both(j.below[r - S], j.below[r - S + 1]),
                                    both(x.low[r], shared.low)};
        const real column[4] = {x.u[r][0], x.red[r], red, x.u[r][4]};
        const struct fv4_cells cells =
            cells_of(r, -1, column, reds_of(r), next_of(r, -2), shared.next);
        return relax<Op>(w, cells, faces, s, stored);
    }
};

/* Saves the operands that later steps need. */
template <int S>
DEVICE void save_operands(struct register_window &x, const struct faces_j &j, const real red[2],
                          const struct face high[2])
{
    for (int y = 0; y < COLUMNS - 1; y++) {
        x.beta_j[y] = j.here[y + 1 - S].beta;
        x.d_i[y] = j.here[y + 1 - S].d_first;
    }
    for (int q = 0; q < 2; q++) {
        const int r = 2 * q + S;
        for (int d = 0; d < 4; d++)
            x.u[r][d] = x.u[r][d + 2];
        x.low[r] = high[q];
        x.red[r] = red[q];
    }
}

} // namespace fv4
