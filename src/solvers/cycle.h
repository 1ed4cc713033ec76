/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_CYCLE_H
#define SOLVERS_CYCLE_H
/* Between the files that build a program: the list, and what is done to it once it is complete. */
#include "solvers/program.h"

struct program *program_create(const char *name, struct hierarchy *h);
/* Appends a stage and returns it; valid until the next call. */
struct stage *program_add(struct program *p, enum stage_kind kind, int level);

/* Turns the textbook's list into the one to execute: neighbouring passes become one where the
 * backend can do so, passes are cut to the depth of the halos where a level has neighbours, and
 * halo exchanges are put where ghosts are read. f is the right-hand side on level `top`. */
void program_schedule(struct program *p, int top, enum field f);

#endif
