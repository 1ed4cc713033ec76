/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* For comm/ only. */
#include <mpi.h>

struct world {
    MPI_Comm comm;
    int rank, size;
    MPI_Comm node; /* of the ranks of this rank's node */
    int node_size, node_rank;
};
extern struct world *selected_world;

/* What MPI says of an error, in one line. */
void mpi_error_text(int error, char text[MPI_MAX_ERROR_STRING]);

/* Checks an MPI call. Every world makes MPI return errors, so that the message can name the call.
 */
void mpi_check(int error, const char *call);
#define MPI_CALL(call) mpi_check((call), #call)

/* Sets node, node_size and node_rank. Collective over the world given. */
void world_find_node(struct world *world);

/* The environment variable by which a launcher says that it started several processes, and this
 * one's number among them; NULL if none says so. */
const char *comm_launcher_of_several(int *rank);
