/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_CALL_H
#define COMM_CALL_H
/* For comm/ only: checks an MPI call. comm_start() makes MPI return errors, so that the message can
 * name the call. */

void mpi_check(int error, const char *call);
#define MPI_CALL(call) mpi_check((call), #call)

#endif
