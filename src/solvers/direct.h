/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_DIRECT_H
#define SOLVERS_DIRECT_H
/* Dense LU of the coarsest operator. Own code and not LAPACK: few unknowns, once, and the
 * same bits everywhere. */
#include "solvers/bottom.h"

enum { DIRECT_MAX_UNKNOWNS = 1331 }; /* 11³: the largest odd part of the size rule */

/* Assembles A by applying it to unit vectors and factorises it with partial pivoting. A singular
 * operator gets its mean pinned: the constant vector is made an eigenvector of eigenvalue A_11. */
void direct_factorise(struct bottom *b);
void direct_solve(struct bottom *b, enum field u, enum field f);

#endif
