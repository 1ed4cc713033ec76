/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_ACCURACY_H
#define APP_ACCURACY_H
/* What is known of the accuracy of a solution: the errors and orders that this program has on
 * record for every model problem, operator and boundary. */
#include <stdbool.h>
#include "operators/stencil.h"

/* Of a solution on h, with dim cells a side. */
struct accuracy {
    double error;  /* ‖u − u_exact‖_max where u_exact is known, else ‖u_2h − R u‖_max */
    double order;  /* log2 of the error on 2h over that on h, f of 2h being restricted */
    bool recorded; /* at this very dim; else estimated from the sizes that are on record */
};

enum { ACCURACY_SIZES = 7, ACCURACY_SMALLEST = 16 }; /* 16³, 32³ … 1024³ are on record */

/* Of the solution of the discrete equations themselves, which no choice of solver changes. Between
 * recorded sizes the estimate is linear in log(dim); beyond the largest it falls with the order of
 * the discretisation: op.order for fv, and 2 for the manufactured problems, whose right-hand side
 * is made of point values (NUMERICS, Model problems). False below ACCURACY_SMALLEST,
 * between coarse sizes whose errors do not yet fall as they should, and where there is no record of
 * the smoother.
 */
bool accuracy_converged(struct operator_choice op, int problem, int dim, struct accuracy *known);
/* Of what one F-cycle leaves: the same with the algebraic error of op.smoother. */
bool accuracy_f_cycle(struct operator_choice op, int problem, int dim, struct accuracy *known);

#endif
