/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Exit statuses of all programs. Shells use 126 and above for signals. */

enum status {
    STATUS_VALID = 0,       /* ran, and every check passed */
    STATUS_INVALID = 1,     /* ran, but a check failed: no speed is reported */
    STATUS_USAGE = 2,       /* a wrong option, value, input file or size */
    STATUS_ENVIRONMENT = 3, /* the machine lacks a GPU or library that an option needs */
    STATUS_MEMORY = 4,      /* the problem does not fit in memory */
    STATUS_SYSTEM = 5,      /* a CUDA, MPI or I/O call failed */
};
