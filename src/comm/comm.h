/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* MPI start-up, shut-down, collectives and messages. Every MPI call of the project is in comm/. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/* Calls MPI_Init_thread (FUNNELED). The world is MPI_COMM_WORLD. From now on die() ends the job by
 * MPI_Abort. */
void comm_start(int *argc, char ***argv);
/* Waits for all ranks and finalises MPI. */
void comm_finish(void);

/* The ranks that work together. "The world" of all comments is the selected one: its ranks have the
 * numbers of comm_rank() and comm_size(), and its communicator carries all messages. */
struct world;
/* The communicator of the world. */
MPI_Comm comm_world(void);
/* A world of its own for the ranks of comm, with a private communicator. Collective over comm.
 * Needs an MPI that is running. From now on die() ends the job by MPI_Abort. */
struct world *comm_world_create(MPI_Comm comm);
/* Not of the selected world. Collective over the world. */
void comm_world_destroy(struct world *world);
/* Selects a world; returns the one that was selected before. */
struct world *comm_world_select(struct world *world);
/* Whether this process was forked from one that had made a world. MPI is its parent's. */
bool comm_is_forked(void);
/* Whether MPI runs: initialised, by this library or its caller, and not finalised. */
bool comm_is_running(void);
/* For a library, in whose program MPI is running or not: die() ends the job accordingly, and waits
 * for lower ranks among all. */
void comm_prepare_to_die(void);
/* Whether comm is a communicator of one group of ranks, this one among them. */
bool comm_is_usable(MPI_Comm comm);
/* The communicator of Fortran's handle, of NULL MPI_COMM_WORLD. MPI_COMM_NULL if the handle is that
 * of none, or MPI does not run. */
MPI_Comm comm_of_fortran(const int *handle);

int comm_rank(void); /* of the world */
int comm_size(void);
/* From now on comm_rank() and comm_size() are those of a rank of a larger job, for which this one
 * process stands; with size 0, its own again. In between, no message may be sent to other ranks. */
void comm_mock_world(int rank, int size);
/* The number of ranks on this rank's node, and this rank's number among them. Not collective. */
int comm_node_size(void);
int comm_node_rank(void);
/* The ranks of this rank's node, ordered as in the world. */
MPI_Comm comm_node(void);
/* The ranks of this rank's node that name the same thing: how many, this one included, and how many
 * of them are lower than this one. `size` bytes of each name are compared, and `size` is equal on
 * all ranks. Collective over the world. */
struct sharers {
    int count, lower;
};
struct sharers comm_sharers(const void *name, int size);
/* True if a rank of the world is on this rank's node. Not collective. */
bool comm_on_node(int rank);
/* For tests: from now on the ranks are distributed over `count` nodes, or over real ones again if
 * it is 0. Collective over the world. */
void comm_mock_nodes(int count);
/* True if the MPI library says at run time that it takes pointers to GPU memory. */
bool comm_takes_device_memory(void);
/* The MPI library's name and version in one line, truncated to size. */
void comm_library(char *text, int size);

/* A communicator of the ranks with member != 0, ordered as in the world. The other ranks get
 * MPI_COMM_NULL. Collective over the world. */
MPI_Comm comm_split(int member);
void comm_free(MPI_Comm *comm);

/* Reductions over comm. Norms are reduced as unsigned integers: bit patterns of |x| order like |x|,
 * and NaN is above infinity (MPI_MAX of doubles can lose NaN). */
uint64_t comm_max_u64(MPI_Comm comm, uint64_t value);
int64_t comm_min_i64(MPI_Comm comm, int64_t value);
void comm_sum_i64(MPI_Comm comm, int64_t *values, int count); /* wraps like unsigned integers */
/* For times only: the order of a sum is not fixed, and NaN can be lost. */
void comm_sum_f64(MPI_Comm comm, double *values, int count);
void comm_max_f64(MPI_Comm comm, double *values, int count);
void comm_min_f64(MPI_Comm comm, double *values, int count);
void comm_broadcast(MPI_Comm comm, void *data, int bytes); /* from rank 0 of comm */
void comm_broadcast_from(MPI_Comm comm, int root, void *data, int bytes);
void comm_barrier(MPI_Comm comm);
/* Puts `bytes` bytes of each rank, in the order of ranks, into `all` of rank 0 of comm. */
void comm_gather(MPI_Comm comm, const void *own, void *all, int bytes);

/* One message: `count` doubles at `offset` of a buffer. */
struct message {
    int peer; /* rank in the world */
    long offset;
    long count;
};

/* The messages of one direction, at most one per peer, one after the other in a buffer. */
struct messages {
    int count;
    struct message *list;
    long length;    /* of all, values */
    double *buffer; /* the caller's, needed by exchange_start */
};

/* One exchange, which may be started again once it is over. */
struct exchange {
    struct messages sends, receives;
    int value_bytes;       /* of a double or a float */
    MPI_Request *requests; /* of the receives, then of the sends */
};

/* Takes over both lists. Refuses messages of more than INT_MAX values. */
void exchange_create(struct exchange *x, struct messages sends, struct messages receives,
                     int value_bytes);
void exchange_destroy(struct exchange *x);
void exchange_start(struct exchange *x); /* posts the receives, then sends */
void exchange_wait(struct exchange *x);  /* until all messages, both ways, are done */
/* The same for at most `seconds`. False if messages are still on their way then; they need their
 * buffers until an exchange_wait(). */
bool exchange_ends(struct exchange *x, double seconds);

/* Sends `bytes` bytes to each of `count` peers, from out one after the other, and receives as many
 * from each, into in. If a rank names a peer, the peer names the rank. */
void comm_swap(int count, const int *peers, const void *out, void *in, int bytes);
