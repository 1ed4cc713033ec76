/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* IDR(3) around the V-cycle: a Krylov method with short recurrences for a preconditioner that need
 * be neither symmetric nor the same in every step (Sonneveld and van Gijzen, SIAM J. Sci. Comput.
 * 31, 2008; the biorthogonal form of van Gijzen and Sonneveld, ACM TOMS 38, 2011, Figure 3). */
#include "solvers/outcome.h"

/* z = M⁻¹ v: a V-cycle from zero on the method's work vectors of level `top`. */
struct program *idr_preconditioner(struct hierarchy *h, int top);

/* Improves u of the solver's level, from 0 or from the u that is there, and appends to the history,
 * one entry per V-cycle, until solve_record() says that the solve is over. Collective over the
 * ranks of the level, which hold NUM_OUTER_FIELDS work vectors from FIELD_OUTER on. */
void idr_run(struct solver *s, bool from_zero, struct solve_result *result);
