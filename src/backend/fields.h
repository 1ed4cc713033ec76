/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The grid functions that a level may hold. A field is one allocation for all local boxes of the
 * level with their ghosts. */
enum field {
    FIELD_U,   /* solution, or correction on levels below the one being solved */
    FIELD_F,   /* right-hand side, or restricted residual */
    FIELD_TMP, /* second buffer of out-of-place sweeps; residual */
    /* What fused two-step sweeps write where they may not overwrite u or tmp; then both change
     * places. */
    FIELD_NEXT_U,
    FIELD_NEXT_TMP,
    /* The coefficients, from dinv to β_k. */
    FIELD_DINV,   /* relaxation weight: inverse diagonal, or inverse l1 norm for l1jacobi */
    FIELD_ALPHA,  /* cell average of α (helmholtz, variable coefficients) */
    FIELD_BETA_I, /* average of β over the low-i face of the cell */
    FIELD_BETA_J,
    FIELD_BETA_K,
    FIELD_SAVE,   /* restricted finer solution, for the Richardson analysis */
    FIELD_KRYLOV, /* the first of NUM_KRYLOV_FIELDS work vectors of the bottom solver */
    NUM_KRYLOV_FIELDS = 8,
    /* The first of NUM_OUTER_FIELDS work vectors of the outer Krylov method. They are not the
     * bottom solver's: on the coarsest level, the outer method calls the bottom solver. */
    FIELD_OUTER = FIELD_KRYLOV + NUM_KRYLOV_FIELDS,
    NUM_OUTER_FIELDS = 12,
    NUM_FIELDS = FIELD_OUTER + NUM_OUTER_FIELDS,
};
