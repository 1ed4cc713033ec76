/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_OPERATOR_OPTIONS_H
#define CLI_OPERATOR_OPTIONS_H
/* The legal values of the options that choose the operator, for all programs. */
#include "cli/option.h"

enum boundary { BOUNDARY_DIRICHLET, BOUNDARY_PERIODIC };
enum coefficients { COEFFICIENTS_VARIABLE, COEFFICIENTS_CONSTANT };
/* --equation and --smoother: enumerations of operators/stencil.h */
enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_GPU };

extern const struct choice order_choices[], equation_choices[], boundary_choices[],
    coefficient_choices[], smoother_choices[], backend_choices[];

#endif
