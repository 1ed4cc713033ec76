/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* --dry-run --ranks P: in one process, what some of the ranks of a job of P ranks would set up. */
#include "app/options.h"
#include "base/status.h"
#include "solvers/hierarchy.h"

/* Lays out levels and plans as ranks of a job of options->ranks ranks would, one rank after the
 * other, by the functions that set up a run, and prints messages, memory and the time of set-up.
 * Nothing is sent, and no field is allocated. Refuses, with one line in message, sizes of
 * size_check() and jobs of several processes. */
enum status simulation_run(const struct hierarchy_choice *choice, const struct options *options,
                           char *message, int message_size);
