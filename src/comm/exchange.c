/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/call.h"
#include "comm/comm.h"

enum { EXCHANGE_TAG = 1, SWAP_TAG = 2 };

static double *allocate_host(long length, const char *what)
{
    return memory_alloc((size_t)length * sizeof(double), what);
}

static void release_host(double *buffer)
{
    memory_free(buffer);
}

const struct message_memory message_memory_host = {allocate_host, release_host};

/* Doubles in all messages of one direction. */
static long buffer_length(int count, const struct message *messages)
{
    long length = 0;
    for (int m = 0; m < count; m++) {
        if (messages[m].count > INT_MAX)
            die(STATUS_USAGE,
                "a message of %ld doubles is longer than MPI can send; use more ranks",
                messages[m].count);
        length += messages[m].count;
    }
    return length;
}

void exchange_create(struct exchange *x, int nsends, struct message *sends, int nreceives,
                     struct message *receives)
{
    *x = (struct exchange){.nsends = nsends,
                           .sends = sends,
                           .nreceives = nreceives,
                           .receives = receives,
                           .tag = EXCHANGE_TAG};
    buffer_length(nsends, sends);
    buffer_length(nreceives, receives);
    x->requests =
        memory_alloc((size_t)(nsends + nreceives) * sizeof *x->requests, "message requests");
}

void exchange_open(struct exchange *x, const struct message_memory *memory)
{
    if (x->memory)
        return;
    x->memory = memory;
    x->send_buffer = memory->allocate(buffer_length(x->nsends, x->sends), "send buffers");
    x->receive_buffer =
        memory->allocate(buffer_length(x->nreceives, x->receives), "receive buffers");
}

void exchange_destroy(struct exchange *x)
{
    memory_free(x->sends);
    memory_free(x->receives);
    if (x->memory) {
        x->memory->release(x->send_buffer);
        x->memory->release(x->receive_buffer);
    }
    memory_free(x->requests);
}

void exchange_post_receives(struct exchange *x)
{
    for (int m = 0; m < x->nreceives; m++) {
        const struct message *r = &x->receives[m];
        MPI_CALL(MPI_Irecv(x->receive_buffer + r->offset, (int)r->count, MPI_DOUBLE, r->peer,
                           x->tag, MPI_COMM_WORLD, &x->requests[m]));
    }
}

void exchange_start_sends(struct exchange *x)
{
    for (int m = 0; m < x->nsends; m++) {
        const struct message *s = &x->sends[m];
        MPI_CALL(MPI_Isend(x->send_buffer + s->offset, (int)s->count, MPI_DOUBLE, s->peer, x->tag,
                           MPI_COMM_WORLD, &x->requests[x->nreceives + m]));
    }
}

void exchange_wait(struct exchange *x)
{
    MPI_CALL(MPI_Waitall(x->nreceives + x->nsends, x->requests, MPI_STATUSES_IGNORE));
}

void comm_swap(int count, const int *peers, const void *out, void *in, int bytes)
{
    MPI_Request *requests = memory_alloc(2 * (size_t)count * sizeof *requests, "requests");
    for (int p = 0; p < count; p++) {
        MPI_CALL(MPI_Irecv((char *)in + (size_t)p * (size_t)bytes, bytes, MPI_BYTE, peers[p],
                           SWAP_TAG, MPI_COMM_WORLD, &requests[2 * p]));
        MPI_CALL(MPI_Isend((const char *)out + (size_t)p * (size_t)bytes, bytes, MPI_BYTE, peers[p],
                           SWAP_TAG, MPI_COMM_WORLD, &requests[2 * p + 1]));
    }
    MPI_CALL(MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE));
    memory_free(requests);
}
