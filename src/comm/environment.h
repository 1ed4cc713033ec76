/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_ENVIRONMENT_H
#define COMM_ENVIRONMENT_H
/* What the program runs on, as far as MPI knows it. */

/* The MPI library's name and version, one line, cut to size. */
void comm_library(char *text, int size);

#endif
