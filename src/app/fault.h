/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_FAULT_H
#define APP_FAULT_H
/* For tests only: the environment variable HPGMG_FAULT=WHAT:RANK:VALUE puts one wrong value into a
 * run, to show that no check loses it. WHAT is f, beta, ghost or message, VALUE nan or inf. f and
 * beta are spoilt before the first solve, in a cell of the rank's first box on the finest level; a
 * ghost cell, or a cell that came in a message, after the first halo exchange of u there. Without
 * the variable nothing is observed, and no solve is slower. */
#include "base/status.h"
#include "solvers/hierarchy.h"

/* Arms the fault that the variable asks for, if any. STATUS_USAGE with one line in message if it
 * cannot be: malformed, or the rank has no such value. Collective. */
enum status fault_install(struct hierarchy *h, char *message, int message_size);

#endif
