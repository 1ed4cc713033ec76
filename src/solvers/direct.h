/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_DIRECT_H
#define SOLVERS_DIRECT_H
/* Dense LU factorisation of the coarsest operator. It does not use LAPACK, so that results are
 * bitwise identical on all machines. */
#include "solvers/bottom.h"

enum { DIRECT_MAX_UNKNOWNS = 1331 }; /* 11³: the largest odd part of the size rule */

/* Assembles A by applying it to unit vectors, and factorises it with partial pivoting. If A is
 * singular, a multiple of the matrix of ones is added first: the constant vector then has the
 * eigenvalue A_11. */
void direct_factorise(struct bottom *b);
void direct_solve(struct bottom *b, enum field u, enum field f);

#endif
