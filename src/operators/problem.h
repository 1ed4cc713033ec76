/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_PROBLEM_H
#define OPERATORS_PROBLEM_H
/* The model problems (NUMERICS, Model problem): right-hand side, coefficients, and the solution
 * where it is known. */
#include <stdbool.h>
#include "level/level.h"
#include "operators/stencil.h"

struct problem {
    const char *name;
    bool exact; /* the solution is known */
};

enum { PROBLEM_COUNT = 4 };
/* fv, sine, p4, p6: the order of enum problem_kind in app/options.h. */
extern const struct problem problems[PROBLEM_COUNT];

/* Fills f, and α and β where they are allocated, on the interior of the level's boxes (β also on
 * the faces of the high walls).
 */
void problem_fill(const struct level *level, int problem);

/* The exact solution (cell-centre values) into a field. Only for problems[problem].exact. */
void problem_solution(const struct level *level, int problem, enum field field);

#endif
