/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the files that build, schedule, execute and record a program share. */
#include "solvers/program.h"

struct program *program_create(const char *name, struct hierarchy *h);
/* Appends a stage and returns it; valid until the next call. */
struct stage *program_add(struct program *p, enum stage_kind kind, int level);

/* Turns the textbook's list into the one to execute: fuses neighbouring passes where the backend
 * can, cuts passes to the depth of the halos where a level has neighbours, and inserts halo
 * exchanges where ghosts are read. f is the right-hand side on level `top`. */
void program_schedule(struct program *p, int top, enum field f);

/* The plan that a stage of kind HALO, DOWN or UP executes; NULL for the other kinds. */
struct plan *stage_plan(const struct program *p, const struct stage *stage);

/* That plan, and the levels that it moves the stage's field between. */
struct plan *stage_endpoints(const struct program *p, const struct stage *stage,
                             const struct level **from, const struct level **to);

/* Executes stage i and those after it that are one call with it; returns their number. */
int program_execute_next(struct program *p, int i);
/* Executes all stages by replaying the program's recording. The second execution makes the
 * recording: the first one has allocated whatever is allocated at first use. False, with nothing
 * done, if the program has no recording. */
bool program_replay(struct program *p);
