/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The errors and orders on record for every model problem, operator and boundary. */
#include <stdbool.h>
#include "operators/stencil.h"

/* Of a solution on h, with dim cells per side. */
struct accuracy {
    double error;  /* ‖u − u_exact‖_max where u_exact is known, else ‖u_2h − R u‖_max */
    double order;  /* log2 of the error on 2h over that on h, f of 2h being restricted */
    bool recorded; /* for this dim; else estimated from the recorded sizes */
};

enum { ACCURACY_SIZES = 7, ACCURACY_SMALLEST = 16 }; /* 16³, 32³ … 1024³ are on record */

/* Accuracy of the exact solution of the discrete equations, whatever the solver. Between recorded
 * sizes log(error) is linear in log(dim). Beyond the largest it falls with the order: op.order for
 * fv, 2 for the manufactured problems, which use point values (NUMERICS, Model problems). False
 * below ACCURACY_SMALLEST, between coarse sizes outside the asymptotic range, and where the record
 * lacks the smoother. */
bool accuracy_converged(struct operator_choice op, int problem, int dim, struct accuracy *known);
/* The same after one F-cycle, which adds the algebraic error of op.smoother. */
bool accuracy_f_cycle(struct operator_choice op, int problem, int dim, struct accuracy *known);
