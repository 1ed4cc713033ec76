/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/messages.h"
#include "base/check.h"
#include "level/message_trial.h"

/* An MPI library that carried other messages from device memory may lose these without an error. */
static void try_device_messages(struct route *r)
{
    if (!exchange_selftest(&r->exchange, r->buffers, TRIAL_SECONDS))
        die(STATUS_SYSTEM,
            "rank %d: messages from GPU memory do not arrive as they were sent, by this MPI "
            "library; --transport staged avoids them",
            comm_rank());
}

void messages_make_buffers(struct route *r)
{
    struct messages *sends = &r->exchange.sends, *receives = &r->exchange.receives;
    const struct backend *copier = ends_copier(r->ends);
    if (r->buffers || sends->count + receives->count == 0)
        return;
    r->buffers = r->ends->device_messages || !copier->staging ? copier : copier->staging;
    sends->buffer = r->buffers->memory->allocate(sends->length, "message buffers");
    receives->buffer = r->buffers->memory->allocate(receives->length, "message buffers");
    if (r->ends->device_messages)
        try_device_messages(r);
}

static void release_buffers(struct route *r)
{
    if (!r->buffers)
        return;
    r->buffers->memory->release(r->exchange.sends.buffer);
    r->buffers->memory->release(r->exchange.receives.buffer);
}

void messages_pack(struct route *r, const real *from, real *to)
{
    (void)to;
    r->ends->source->memory->copy(&r->lists[COPY_OUT], from, r->exchange.sends.buffer);
}

void messages_start(struct route *r, const real *from, real *to)
{
    (void)from, (void)to;
    exchange_start(&r->exchange);
}

void messages_wait(struct route *r, const real *from, real *to)
{
    (void)from, (void)to;
    exchange_wait(&r->exchange);
}

void messages_unpack(struct route *r, const real *from, real *to)
{
    (void)from;
    r->ends->target->memory->copy(&r->lists[COPY_IN], r->exchange.receives.buffer, to);
}

static void pack(struct route *r, const real *from, real *to)
{
    messages_make_buffers(r);
    messages_pack(r, from, to);
}

static bool reaches_all(int rank)
{
    (void)rank;
    return true;
}

const struct transport transport_mpi = {
    .reaches = reaches_all,
    .disconnect = release_buffers,
    .phases = {pack, messages_start, messages_wait, messages_unpack},
};
