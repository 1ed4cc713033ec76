/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVERS_SIZE_H
#define SOLVERS_SIZE_H
/* Which sizes the program can count. */
#include "base/status.h"
#include "solvers/hierarchy.h"

/* No level has more cells a side: three such numbers multiply to 64 bits, and one of them times the
 * number of threads to an int. */
enum { MOST_DIM = 1 << 20 };

/* At least the bytes of all fields of all levels on all ranks. */
double size_bytes(const struct hierarchy_choice *choice, int ranks);

/* Refuses, with STATUS_USAGE and one line in message, a size on so many ranks that has more boxes
 * than an int holds, more than MOST_DIM cells a side, or fields of more bytes than a long holds.
 * Every other number that follows from sizes is less than one of these. Pure: nothing is allocated,
 * and the ranks need not be there. */
enum status size_check(const struct hierarchy_choice *choice, int ranks, char *message,
                       int message_size);

#endif
