/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMM_COMM_H
#define COMM_COMM_H
/* MPI start-up, shut-down and the few collectives that the program needs. Every MPI call of the
 * project is in comm/. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

/* MPI_Init_thread (FUNNELED), and die() ends the job through MPI_Abort from now on. */
void comm_start(int *argc, char ***argv);
/* Waits for all ranks and finalises MPI. */
void comm_finish(void);

int comm_rank(void); /* of the world */
int comm_size(void);
int comm_node_size(void); /* ranks on the node of this one; collective over the world */
int comm_node_rank(void); /* this one's number among them; likewise */
/* nodes[r] is the same number for all ranks r of one node. Collective over the world. */
void comm_nodes(int *nodes);
/* For tests: comm_nodes() speaks of that many nodes with equally many ranks from now on. */
void comm_pretend_nodes(int count);
/* True if the MPI library says at run time that it takes pointers to GPU memory. */
bool comm_takes_device_memory(void);

/* A communicator of the ranks with member != 0, ordered as in the world. MPI_COMM_NULL for the
 * others. Collective. */
MPI_Comm comm_split(int member);
void comm_free(MPI_Comm *comm);

/* In-place reductions over comm. Maxima of unsigned integers carry norms: the bit pattern of |x|
 * orders like |x|, and NaN sorts above infinity, so nothing is lost (MPI_MAX of doubles loses NaN).
 */
uint64_t comm_max_u64(MPI_Comm comm, uint64_t value);
int64_t comm_min_i64(MPI_Comm comm, int64_t value);
void comm_sum_i64(MPI_Comm comm, int64_t *values, int count); /* wraps like unsigned integers */
void comm_sum_f64(MPI_Comm comm, double *values,
                  int count); /* for times only: the order is not fixed */
void comm_max_f64(MPI_Comm comm, double *values, int count); /* for times only */
void comm_min_f64(MPI_Comm comm, double *values, int count); /* for times only */
void comm_broadcast(MPI_Comm comm, void *data, int bytes);   /* from rank 0 of comm */
void comm_broadcast_from(MPI_Comm comm, int root, void *data, int bytes);
void comm_barrier(MPI_Comm comm);

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
    long length;    /* of all, doubles */
    double *buffer; /* the caller's, needed by exchange_start */
};

/* One exchange, which may be started again once it is over. */
struct exchange {
    struct messages sends, receives;
    MPI_Request *requests; /* of the receives, then of the sends */
};

/* Takes over both lists. Refuses messages of more than INT_MAX doubles. */
void exchange_create(struct exchange *x, struct messages sends, struct messages receives);
void exchange_destroy(struct exchange *x);
void exchange_start(struct exchange *x); /* posts the receives, then sends */
void exchange_wait(struct exchange *x);  /* until all messages, both ways, are done */

/* Sends `bytes` bytes to each of `count` peers, from out one after the other, and receives as many
 * from each, into in. If a rank names a peer, the peer names the rank. */
void comm_swap(int count, const int *peers, const void *out, void *in, int bytes);

#endif
