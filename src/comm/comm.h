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

/* One message of an exchange: `count` doubles at `offset` of the exchange's send or receive buffer.
 */
struct message {
    int peer; /* rank in the world */
    long offset;
    long count;
};

/* Where the buffers of messages are. */
struct message_memory {
    double *(*allocate)(long length, const char *what);
    void (*release)(double *buffer);
};
extern const struct message_memory message_memory_host;

/* One exchange in flight. At most one message per neighbour and direction. */
struct exchange {
    int nsends, nreceives;
    struct message *sends, *receives;
    double *send_buffer, *receive_buffer; /* NULL before exchange_open */
    const struct message_memory *memory;
    MPI_Request *requests; /* nreceives, then nsends */
    int tag;
};

/* Takes over the messages given. Counts above INT_MAX doubles are refused. */
void exchange_create(struct exchange *x, int nsends, struct message *sends, int nreceives,
                     struct message *receives);
/* Allocates the buffers, before the first use; does nothing where there are some. */
void exchange_open(struct exchange *x, const struct message_memory *memory);
void exchange_destroy(struct exchange *x);
void exchange_post_receives(struct exchange *x);
void exchange_start_sends(struct exchange *x); /* send_buffer must be filled */
void exchange_wait(struct exchange *x);        /* until all messages, both ways, are done */

/* Gives `bytes` bytes to each of `count` peers, from out one after the other, and gets as many from
 * each, into in. Whoever names a peer is named by it. */
void comm_swap(int count, const int *peers, const void *out, void *in, int bytes);

#endif
