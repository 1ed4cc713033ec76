#include <limits.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/call.h"
#include "comm/comm.h"

enum { EXCHANGE_TAG = 1 };

/* Doubles in all messages of one direction. */
static size_t buffer_length(int count, const struct message *messages)
{
    size_t length = 0;
    for (int m = 0; m < count; m++) {
        if (messages[m].count > INT_MAX)
            die(STATUS_USAGE,
                "a message of %ld doubles is longer than MPI can send; use more ranks",
                messages[m].count);
        length += (size_t)messages[m].count;
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
    x->send_buffer = memory_alloc(buffer_length(nsends, sends) * sizeof(double), "send buffers");
    x->receive_buffer =
        memory_alloc(buffer_length(nreceives, receives) * sizeof(double), "receive buffers");
    x->requests =
        memory_alloc((size_t)(nsends + nreceives) * sizeof *x->requests, "message requests");
}

void exchange_destroy(struct exchange *x)
{
    memory_free(x->sends);
    memory_free(x->receives);
    memory_free(x->send_buffer);
    memory_free(x->receive_buffer);
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
