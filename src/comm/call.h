/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_CALL_H
#define COMM_CALL_H
/* Inside comm/: every MPI call is checked. Errors return (comm_start sets that), so that the
 * message can name the call. */

void mpi_check(int error, const char *call);
#define MPI_CALL(call) mpi_check((call), #call)

#endif
