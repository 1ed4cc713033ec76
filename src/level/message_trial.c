/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/message_trial.h"
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"

/* Values per message. MPI libraries send short messages at once and long ones by another protocol.
 */
enum { SHORT = 8, LONG = 1 << 17, NEIGHBOURS = 2 };

/* What rank `from` sends at place `at` of a message, the first and the second time: a value that
 * single precision has too. */
static double value_of(int from, long at, bool again)
{
    const double value = 1.0 + from % 32 + (double)at / LONG;
    return again ? -value : value;
}

static void fill(const struct messages *m, bool again, double *values)
{
    for (int p = 0; p < m->count; p++)
        for (long at = 0; at < m->list[p].count; at++)
            values[m->list[p].offset + at] = value_of(comm_rank(), at, again);
}

static bool is_right(const struct messages *m, bool again, const double *values)
{
    bool right = true;
    for (int p = 0; p < m->count; p++)
        for (long at = 0; at < m->list[p].count; at++)
            right = right && values[m->list[p].offset + at] == value_of(m->list[p].peer, at, again);
    return right;
}

static bool arrives_once(struct exchange *x, const struct backend *backend, double seconds,
                         bool again)
{
    double *sent = memory_alloc((size_t)x->sends.length * sizeof *sent, "message trial"),
           *received = memory_alloc((size_t)x->receives.length * sizeof *received, "message trial");
    fill(&x->sends, again, sent);
    backend->memory->upload(x->sends.buffer, sent, x->sends.length);
    backend->memory->synchronise();
    exchange_start(x);
    if (!exchange_ends(x, seconds))
        die(STATUS_SYSTEM,
            "rank %d: a message of a trial has not arrived within %g s; if it is between GPUs' "
            "memories, --transport staged avoids it",
            comm_rank(), seconds);
    backend->memory->download(x->receives.buffer, received, x->receives.length);
    const bool right = is_right(&x->receives, again, received);
    memory_free(sent);
    memory_free(received);
    return right;
}

/* A library that reads freed memory may find the values of an earlier trial there, but not the
 * right ones both times. */
bool exchange_selftest(struct exchange *x, const struct backend *backend, double seconds)
{
    const bool first = arrives_once(x, backend, seconds, false);
    return arrives_once(x, backend, seconds, true) && first;
}

static struct messages ring_messages(int length, const struct backend *backend)
{
    const int rank = comm_rank(), ranks = comm_size();
    struct messages m = {.count = NEIGHBOURS, .length = NEIGHBOURS * length};
    m.list = memory_alloc(NEIGHBOURS * sizeof *m.list, "message trial");
    m.list[0] = (struct message){(rank + ranks - 1) % ranks, 0, length};
    m.list[1] = (struct message){(rank + 1) % ranks, length, length};
    m.buffer = backend->memory->allocate(m.length, "message trial");
    return m;
}

static bool length_arrives(const struct backend *backend, int length)
{
    struct exchange x;
    exchange_create(&x, ring_messages(length, backend), ring_messages(length, backend),
                    backend->real_bytes);
    const bool right = exchange_selftest(&x, backend, TRIAL_SECONDS);
    backend->memory->release(x.sends.buffer);
    backend->memory->release(x.receives.buffer);
    exchange_destroy(&x);
    return comm_min_i64(comm_world(), right) != 0;
}

bool messages_arrive(const struct backend *backend)
{
    return length_arrives(backend, SHORT) && length_arrives(backend, LONG);
}

const char *gpu_aware_mpi_error(const struct backend *device)
{
    if (!comm_min_i64(comm_world(), comm_takes_device_memory()))
        return "the MPI library does not accept pointers to GPU memory";
    return messages_arrive(device) ? NULL
                                   : "the MPI library says that it accepts pointers to GPU memory, "
                                     "but messages from there do not arrive";
}
