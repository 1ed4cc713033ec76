/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The four columns of a thread, two in i of two rows, and what becomes of their residuals. */
#include "cuda/core/atomic_max.cuh"
#include "cuda/core/cells.cuh"
#include "operators/sum.h"
#include "operators/transfers.h"

namespace fv4
{
/* Values of four cells, by row and column. */
typedef real quad[2][2];

/* What residuals are reduced to: row sums of the last plane, and the largest bits so far. */
struct residual_sums {
    real rows[2];
    unsigned long long norm;
};

/* Adds the residuals of plane k. Odd planes complete the restriction to the coarse cell whose first
 * child is (i,j,k − 1), which threads with cells store. */
template <class Kernel>
DEVICE void restrict_quad(const Kernel &w, int i, int j, int k, bool has_cells, const quad r,
                          struct residual_sums &s)
{
    const real rows[2] = {r[0][0] + r[0][1], r[1][0] + r[1][1]};
    if (k % 2 != 0 && has_cells)
        w.coarse[i / 2 + (j / 2) * w.coarse_sj + (k / 2) * w.coarse_sk] =
            restrict_cell(s.rows[0], s.rows[1], rows[0], rows[1]);
    s.rows[0] = rows[0];
    s.rows[1] = rows[1];
}

DEVICE void raise_norm(const quad r, struct residual_sums &s)
{
    s.norm = larger(
        s.norm, larger(larger(magnitude_bits((double)r[0][0]), magnitude_bits((double)r[0][1])),
                       larger(magnitude_bits((double)r[1][0]), magnitude_bits((double)r[1][1]))));
}

/* Stores the residuals of the cells from (i,j) on in plane k as f of the correction level. */
DEVICE void store_defects(const struct correction_cells &c, int i, int j, int k, const quad r)
{
    for (int q = 0; q < 2; q++)
        *(float2 *)(c.x + i + (j + q) * c.sj + k * c.sk) =
            make_float2((float)(c.factor * (double)r[q][0]), (float)(c.factor * (double)r[q][1]));
}
} // namespace fv4
