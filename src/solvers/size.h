/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Limits of the problem size. */
#include "base/status.h"
#include "solvers/hierarchy.h"

/* The most cells per side: the product of three such numbers fits into 64 bits, and that of one and
 * the number of threads into an int. */
enum { MAX_DIM = 1 << 20 };

/* True if the coarsest level, with n cells by direction, is one on which the bottom solver may need
 * many iterations, on one rank, and that is not what --levels asked for. */
enum { MANY_COARSEST_CELLS = 4096 };
bool size_coarsest_is_large(const struct hierarchy_choice *choice, const int n[3]);

/* An upper bound of the bytes of all fields of all levels on all ranks. */
double size_bytes(const struct hierarchy_choice *choice, int ranks);

/* Refuses, with STATUS_USAGE and one line in message, a size with more boxes than an int holds,
 * more than MAX_DIM cells per side, or fields of more bytes than a long holds. All other numbers
 * that follow from the size are smaller. A pure function: `ranks` need not be the number of ranks.
 */
enum status size_check(const struct hierarchy_choice *choice, int ranks, char *message,
                       int message_size);
