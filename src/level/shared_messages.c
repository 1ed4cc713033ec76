/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/shared_messages.h"
#include <string.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"

/* Where messages lie in this rank's part of the memory, and where it finds those of others. */
struct layout {
    long own, length; /* where the part begins; its length, doubles */
    struct messages sends, receives;
};

/* The messages of one direction. Each peer of the node has one, if there is one in the other
 * direction: without it, a sender would not know that the receiver has read its memory. */
static struct messages copy_messages(const struct messages *m, const struct messages *other)
{
    struct messages all = {.count = m->count, .length = m->length};
    all.list = memory_alloc((size_t)(m->count + other->count) * sizeof *all.list, "messages");
    if (m->count > 0)
        memcpy(all.list, m->list, (size_t)m->count * sizeof *all.list);
    for (int i = 0; i < other->count; i++)
        if (comm_on_node(other->list[i].peer) && !message_with(m, other->list[i].peer))
            all.list[all.count++] = (struct message){.peer = other->list[i].peer};
    messages_sort(&all);
    return all;
}

/* All that this rank sends, and then what comes from other nodes. */
static void lay_out(struct layout *l)
{
    l->length = l->sends.length;
    for (int i = 0; i < l->receives.count; i++) {
        struct message *m = &l->receives.list[i];
        if (comm_on_node(m->peer))
            continue;
        m->offset = l->length;
        l->length += m->count;
    }
}

/* Adds the place of the part, and finds the messages of the node's ranks in theirs. */
static void find_places(struct layout *l)
{
    const size_t room = (size_t)l->sends.count + 1;
    int *peers = memory_alloc(room * sizeof *peers, "peers"), count = 0;
    long *out = memory_alloc(room * sizeof *out, "places of messages"),
         *in = memory_alloc(room * sizeof *in, "places of messages");
    for (int i = 0; i < l->sends.count; i++) {
        struct message *m = &l->sends.list[i];
        m->offset += l->own;
        if (!comm_on_node(m->peer))
            continue;
        peers[count] = m->peer;
        out[count++] = m->offset;
    }
    for (int i = 0; i < l->receives.count; i++)
        l->receives.list[i].offset += l->own;
    comm_swap(count, peers, out, in, sizeof *out);
    for (int p = 0; p < count; p++)
        message_with(&l->receives, peers[p])->offset = in[p];
    memory_free(peers);
    memory_free(out);
    memory_free(in);
}

/* The copies with places as in `places`, where messages lay as in `m`. */
static struct copy_list moved_copies(const struct copy_list *list, const struct messages *m,
                                     const struct messages *places, bool packing)
{
    struct copy_list moved = {.count = list->count};
    moved.copies = memory_alloc((size_t)list->count * sizeof *moved.copies, "copies");
    for (int i = 0; i < list->count; i++) {
        struct copy *c = &moved.copies[i];
        *c = list->copies[i];
        *(packing ? &c->to : &c->from) +=
            message_with(places, c->peer)->offset - message_with(m, c->peer)->offset;
    }
    return moved;
}

/* MPI sends nothing within the node but empty messages. */
static void empty_messages(struct messages *m)
{
    for (int i = 0; i < m->count; i++)
        if (comm_on_node(m->list[i].peer))
            m->list[i].count = 0;
}

static void release_memory(struct shared_messages *s)
{
    for (int b = 0; b < 2; b++) {
        if (s->device && s->memory[b].data)
            s->device->memory->unlock_pages(s->memory[b].data);
        node_memory_release(&s->memory[b]);
    }
}

/* False if the node cannot share memory, or one of its devices cannot access it. */
static bool make_memory(struct shared_messages *s, long length)
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
    if (!works)
        release_memory(s);
    return works;
}

static bool has_messages_within_node(const struct layout *l)
{
    bool found = false;
    for (int i = 0; i < l->sends.count; i++)
        found = found || comm_on_node(l->sends.list[i].peer);
    return found;
}

static struct layout layout_create(const struct exchange *x)
{
    struct layout l = {.sends = copy_messages(&x->sends, &x->receives),
                       .receives = copy_messages(&x->receives, &x->sends)};
    lay_out(&l);
    return l;
}

/* Takes over the layout's messages. */
static void connect_messages(struct shared_messages *s, struct layout *l,
                             const struct carried *carried)
{
    const struct exchange *x = carried->exchange;
    l->own = s->memory[0].own;
    find_places(l);
    s->pack = moved_copies(carried->pack, &x->sends, &l->sends, true);
    s->unpack = moved_copies(carried->unpack, &x->receives, &l->receives, false);
    empty_messages(&l->sends);
    empty_messages(&l->receives);
    exchange_create(&s->exchange, l->sends, l->receives);
}

struct shared_messages *shared_messages_create(const struct carried *carried)
{
    const struct backend *device = carried->source->staging;
    struct shared_messages *s = memory_alloc_zero(sizeof *s, "shared messages");
    struct layout l = layout_create(carried->exchange);
    const bool within = has_messages_within_node(&l);
    s->device = device && device->memory->lock_pages ? device : NULL;
    const bool works = make_memory(s, within ? l.length : 0);
    if (works && within) {
        connect_messages(s, &l, carried);
        s->source = carried->source;
        s->target = carried->target;
        shared_messages_turn(s);
    } else {
        release_memory(s);
        memory_free(l.sends.list);
        memory_free(l.receives.list);
        memory_free(s);
        s = NULL;
    }
    return s;
}

void shared_messages_destroy(struct shared_messages *s)
{
    s->source->memory->forget(&s->pack);
    s->target->memory->forget(&s->unpack);
    release_memory(s);
    exchange_destroy(&s->exchange);
    memory_free(s->pack.copies);
    memory_free(s->unpack.copies);
    memory_free(s);
}

void shared_messages_turn(struct shared_messages *s)
{
    s->current = 1 - s->current;
    s->exchange.sends.buffer = s->exchange.receives.buffer = s->memory[s->current].data;
}
