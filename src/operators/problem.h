/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The model problems (NUMERICS, Model problem): right-hand side, coefficients, and the solution
 * where it is known. */
#include <stdbool.h>
#include "level/level.h"
#include "operators/stencil.h"

/* X(x), a function of one coordinate, and its first two derivatives at one point. In directions
 * without a Dirichlet wall its mean is 0: there u may differ by a constant. */
struct factor {
    double value, d1, d2;
};
typedef struct factor factor_fn(double x, bool mean_free);

enum { MAX_TERMS = 2 };
enum problem_kind { PROBLEM_FV, PROBLEM_SINE, PROBLEM_P4, PROBLEM_P6, PROBLEM_COUNT };

struct problem {
    const char *name;
    bool exact;                  /* the solution u is known, and f follows from it */
    factor_fn *terms[MAX_TERMS]; /* u, or fv's f, is the sum of X(x)X(y)X(z) over these X */
};
extern const struct problem problems[PROBLEM_COUNT]; /* by enum problem_kind */

/* Fills f, and α and β where they are allocated, in the interior of the level's boxes, and β also
 * on the faces of the high walls. */
void problem_fill(struct level *level, int problem);

/* The exact solution (cell-centre values) into a field. Only for problems[problem].exact. */
void problem_solution(const struct level *level, int problem, enum field field);
