/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_CALL_H
#define COMM_CALL_H
/* For comm/ only. */

/* Checks an MPI call. comm_start() makes MPI return errors, so that the message can name the call.
 */
void mpi_check(int error, const char *call);
#define MPI_CALL(call) mpi_check((call), #call)

/* Finds what comm_node(), comm_node_size() and comm_node_rank() return. Collective over the world.
 */
void comm_find_node(void);
void comm_leave_node(void); /* before MPI ends */

/* The environment variable by which a launcher says that it started several processes, and this
 * one's number among them; NULL if none says so. */
const char *comm_launcher_of_several(int *rank);

#endif
