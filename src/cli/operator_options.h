/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLI_OPERATOR_OPTIONS_H
#define CLI_OPERATOR_OPTIONS_H
/* The legal values of the options that choose the operator, for all programs. */
#include "cli/command_line.h"
#include "operators/stencil.h"

enum coefficients { COEFFICIENTS_VARIABLE, COEFFICIENTS_CONSTANT };
/* --equation, --smoother, and by side --boundary: enumerations of operators/stencil.h */
enum backend_choice { BACKEND_AUTO, BACKEND_CPU, BACKEND_GPU };

extern const struct choice order_choices[], equation_choices[], boundary_choices[],
    coefficient_choices[], smoother_choices[], backend_choices[];

/* The sides that --boundary chose. */
struct sides boundary_sides(const int boundary[6]);
/* Refuses a direction with one periodic side. */
enum status parser_check_boundary(struct parser *p, const int boundary[6]);

#endif
