/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdatomic.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/call.h"
#include "comm/comm.h"

enum { EXCHANGE_TAG = 1, SWAP_TAG = 2 };

/* MPICH's constant for "no statuses" is the address 1. GCC 12 sees MPI_Waitall write there and
 * warns, unless the address is not a constant to it. */
static MPI_Status *volatile no_statuses = MPI_STATUSES_IGNORE;

static void wait_for_all(int count, MPI_Request *requests)
{
    MPI_CALL(MPI_Waitall(count, requests, no_statuses));
}

static void check_lengths(const struct messages *m)
{
    for (int i = 0; i < m->count; i++)
        if (m->list[i].count > INT_MAX)
            die(STATUS_USAGE, "a message of %ld values is longer than MPI can send; use more ranks",
                m->list[i].count);
}

void exchange_create(struct exchange *x, struct messages sends, struct messages receives,
                     int value_bytes)
{
    *x = (struct exchange){.sends = sends, .receives = receives, .value_bytes = value_bytes};
    check_lengths(&sends);
    check_lengths(&receives);
    x->requests = memory_alloc((size_t)(sends.count + receives.count) * sizeof *x->requests,
                               "message requests");
}

void exchange_destroy(struct exchange *x)
{
    memory_free(x->sends.list);
    memory_free(x->receives.list);
    memory_free(x->requests);
}

/* Where the message begins in its buffer. */
static void *place(const struct exchange *x, const struct messages *all, const struct message *m)
{
    return (char *)all->buffer + m->offset * x->value_bytes;
}

/* Messages can be empty and say that the peer finds cells in memory that both share; so what was
 * written there comes before them, and what is read after. */
void exchange_start(struct exchange *x)
{
    atomic_thread_fence(memory_order_release);
    MPI_Request *request = x->requests;
    const MPI_Datatype type = x->value_bytes == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
    for (int i = 0; i < x->receives.count; i++) {
        const struct message *m = &x->receives.list[i];
        MPI_CALL(MPI_Irecv(place(x, &x->receives, m), (int)m->count, type, m->peer, EXCHANGE_TAG,
                           comm_world(), request++));
    }
    for (int i = 0; i < x->sends.count; i++) {
        const struct message *m = &x->sends.list[i];
        MPI_CALL(MPI_Isend(place(x, &x->sends, m), (int)m->count, type, m->peer, EXCHANGE_TAG,
                           comm_world(), request++));
    }
}

void exchange_wait(struct exchange *x)
{
    wait_for_all(x->receives.count + x->sends.count, x->requests);
    atomic_thread_fence(memory_order_acquire);
}

bool exchange_ends(struct exchange *x, double seconds)
{
    const double end = timer_seconds() + seconds;
    int done = 0;
    while (!done && timer_seconds() < end)
        MPI_CALL(MPI_Testall(x->receives.count + x->sends.count, x->requests, &done, no_statuses));
    atomic_thread_fence(memory_order_acquire);
    return done;
}

void comm_swap(int count, const int *peers, const void *out, void *in, int bytes)
{
    MPI_Request *requests = memory_alloc(2 * (size_t)count * sizeof *requests, "requests");
    for (int p = 0; p < count; p++) {
        MPI_CALL(MPI_Irecv((char *)in + (size_t)p * (size_t)bytes, bytes, MPI_BYTE, peers[p],
                           SWAP_TAG, comm_world(), &requests[2 * p]));
        MPI_CALL(MPI_Isend((const char *)out + (size_t)p * (size_t)bytes, bytes, MPI_BYTE, peers[p],
                           SWAP_TAG, comm_world(), &requests[2 * p + 1]));
    }
    wait_for_all(2 * count, requests);
    memory_free(requests);
}
