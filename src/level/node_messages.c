/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between ranks of one node, in memory that these ranks share. A rank packs into its part,
 * and the receivers unpack from there. What MPI sends instead is empty and says that the cells are
 * there. */
#include "base/memory.h"
#include "comm/node_memory.h"
#include "level/messages.h"

struct shared {
    struct node_memory memory[2]; /* for executions of even and odd numbers */
    int current;
    const struct backend *device; /* that accesses this memory; NULL: none */
};

static void release(struct route *r)
{
    struct shared *s = r->state;
    for (int b = 0; b < 2; b++) {
        if (s->device && s->memory[b].data)
            s->device->memory->unlock_pages(s->memory[b].data);
        node_memory_release(&s->memory[b]);
    }
    memory_free(s);
}

/* `length` doubles. False if the node cannot share memory, or one of its devices
 * cannot access it. */
static bool make_memory(struct shared *s, long length)
{
    bool works = true;
    for (int b = 0; b < 2 && works; b++) {
        works = node_memory_share(&s->memory[b], length);
        if (works && s->device) {
            works = s->device->memory->lock_pages(s->memory[b].data, s->memory[b].bytes);
            if (!works)
                node_memory_release(&s->memory[b]);
            works = node_all(works);
        }
    }
    return works;
}

/* Moves the copies of a message, of which *copy is the first, to another place in memory, and
 * empties it for MPI. Sets *copy after the last one. */
static void move_message(struct message *m, long offset, const struct copy_list *list, int *copy)
{
    for (; *copy < list->count && list->copies[*copy].peer == m->peer; ++*copy) {
        struct copy *c = &list->copies[*copy];
        *(c->direction == COPY_OUT ? &c->to : &c->from) += offset - m->offset;
    }
    m->offset = offset;
    m->count = 0;
}

/* Sends lie in this rank's part of the memory, which begins at `own`; receives where their senders
 * say. Every peer has both. */
static void find_places(struct route *r, long own)
{
    const struct messages *sends = &r->exchange.sends, *receives = &r->exchange.receives;
    const int count = sends->count;
    int *peers = memory_alloc((size_t)count * sizeof *peers, "peers"), sent = 0, received = 0;
    long *out = memory_alloc((size_t)count * sizeof *out, "places of messages"),
         *in = memory_alloc((size_t)count * sizeof *in, "places of messages");
    for (int p = 0; p < count; p++) {
        peers[p] = sends->list[p].peer;
        out[p] = own + sends->list[p].offset;
        move_message(&sends->list[p], out[p], &r->lists[COPY_OUT], &sent);
    }
    comm_swap(count, peers, out, in, sizeof *out);
    for (int p = 0; p < count; p++)
        move_message(&receives->list[p], in[p], &r->lists[COPY_IN], &received);
    memory_free(peers);
    memory_free(out);
    memory_free(in);
}

/* False where no messages are within the node, or where the node or its devices cannot share
 * memory.
 */
static bool share(struct route *r)
{
    const struct backend *device = r->ends->source->staging;
    struct shared *s = r->state = memory_alloc_zero(sizeof *s, "shared messages");
    s->device = device && device->memory->lock_pages ? device : NULL;
    const long per_double = (long)sizeof(double) / r->exchange.value_bytes,
               length = r->exchange.sends.length;
    const bool works = make_memory(s, (length + per_double - 1) / per_double);
    if (works)
        find_places(r, s->memory[0].own * per_double);
    else
        release(r);
    return works;
}

/* Takes the two buffers in turns. The receivers have read what is overwritten: it was sent two
 * executions ago, and each receiver has since sent a message that this rank has waited for. */
static void pack(struct route *r, const real *from, real *to)
{
    struct shared *s = r->state;
    s->current = 1 - s->current;
    r->exchange.sends.buffer = r->exchange.receives.buffer = s->memory[s->current].data;
    messages_pack(r, from, to);
}

const struct transport transport_node = {
    .reaches = comm_on_node,
    .answers = true,
    .connect = share,
    .disconnect = release,
    .phases = {pack, messages_start, messages_wait, messages_unpack},
};
