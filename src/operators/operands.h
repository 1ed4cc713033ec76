/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What residuals and sweeps read of a patch in addition to u, for all backends. */
#include "base/linkage.h"
#include "level/level.h"

C_BEGIN

/* Pointers are at cell (0,0,0), and those to what no field holds equal f. */
struct operands {
    const real *f, *alpha, *dinv, *beta_i, *beta_j, *beta_k;
    double scale; /* of struct stencil */
};

/* The operands of a patch with right-hand side f. operands_of() first puts the rows of all fields
 * into the order of struct patch; operands_in() leaves them as they are stored. */
struct operands operands_of(const struct level *level, const struct patch *patch, enum field f);
struct operands operands_in(const struct level *level, const struct patch *patch, enum field f);

C_END
