/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_MGPCG_H
#define SOLVERS_MGPCG_H
/* Conjugate gradients preconditioned by one V-cycle. In general neither the operator (quadratic
 * walls, variable fv4) nor the V-cycle is symmetric. The flexible form is therefore used, and
 * breakdowns are detected and reported. */
#include "solvers/solver.h"

/* z = M⁻¹ r: a V-cycle from zero on the work vectors of level `top`. */
struct program *mgpcg_preconditioner(struct hierarchy *h, int top);
/* from_zero: from u = 0, else from the u that is there. */
void mgpcg_run(struct solver *s, bool from_zero, struct solve_result *result);

/* Appends a relative residual to the history and sets the outcome; true if the solve is over. */
bool solve_record(const struct solver_choice *choice, struct solve_result *r, double residual);

#endif
