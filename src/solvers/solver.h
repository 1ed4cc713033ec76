/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Solving A u = f on one level of a hierarchy: one cycle, cycles to a tolerance, or an outer Krylov
 * method that is preconditioned by a V-cycle. */
#include "solvers/outcome.h"

/* Prepares to solve on level `top`, whose f must be set. Collective over the ranks of that level;
 * others may call it too. */
struct solver *solver_create(struct hierarchy *h, int top, struct solver_choice choice);
void solver_destroy(struct solver *s);

/* Measures f, which has changed since solver_create. Collective over the ranks of the level; others
 * may call it too. */
void solver_set_rhs(struct solver *s);

/* Solves from zero; u of level `top` is the result. Uses u and f of all coarser levels. Ranks
 * without boxes on the level return at once with an unusable result. */
void solver_run(struct solver *s, struct solve_result *result);
/* The same from the u that is there, without an F-cycle. If its residual is within the tolerance,
 * there is no cycle. */
void solver_continue(struct solver *s, struct solve_result *result);

/* Calls fn for each program of the solver. */
void solver_programs(struct solver *s, void (*fn)(void *data, struct program *p), void *data);

/* `to` on level + 1 = restriction of `from` on level. */
void transfer_restrict(struct hierarchy *h, int level, enum field from, enum field to);
