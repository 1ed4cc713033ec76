/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H
/* Exit statuses of every program of the project; below 126 so that signals stay readable. */

enum status {
    STATUS_VALID = 0,       /* ran, and every check passed */
    STATUS_INVALID = 1,     /* ran, but the answer failed a check: no speed is reported */
    STATUS_USAGE = 2,       /* a wrong option, value, input file or size */
    STATUS_ENVIRONMENT = 3, /* the machine lacks what was asked for (a GPU, a library) */
    STATUS_MEMORY = 4,      /* the problem does not fit in memory */
    STATUS_SYSTEM = 5,      /* a CUDA, MPI or I/O call failed */
};

#endif
