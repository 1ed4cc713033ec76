/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_FAULT_H
#define APP_FAULT_H
/* For tests only: environment variables that disturb a run. Without them no solve is slower.
 *
 * HPGMG_FAULT=WHAT:RANK:VALUE puts one wrong value into a run, to show that no check loses it. WHAT
 * is f, beta, ghost or message, VALUE nan or inf. f and beta are spoilt in a cell of the rank's
 * first box on the finest level before the first solve; a ghost cell, or a cell received in a
 * message, after the first halo exchange of u there.
 *
 * HPGMG_DELAY=SEED:MICROSECONDS makes every rank sleep after every stage for a random time of at
 * most MICROSECONDS, to show that the answer does not depend on which rank comes first. With
 * :recorded behind that, cycles are recorded as without delays, and every rank sleeps before each
 * cycle and after each stage that the host executes itself. */
#include "base/status.h"
#include "solvers/hierarchy.h"

/* Arms what the variables ask for. STATUS_USAGE with one line in message if one is malformed, or
 * the rank has no such value. Collective over the world. */
enum status fault_install(struct hierarchy *h, char *message, int message_size);

#endif
