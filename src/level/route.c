/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/route.h"
#include <limits.h>
#include <stdlib.h>
#include "base/memory.h"

/* A copy and the number of its route. */
struct routed {
    int route;
    const struct copy *copy;
};

static int compare_routed(const void *a, const void *b)
{
    const struct routed *x = a, *y = b;
    const int differences[] = {x->route - y->route,
                               (int)x->copy->direction - (int)y->copy->direction,
                               x->copy->peer - y->copy->peer};
    for (int d = 0; d < 3; d++)
        if (differences[d] != 0)
            return differences[d];
    return (x->copy > y->copy) - (x->copy < y->copy);
}

static int route_to(int peer, const struct transport *const *transports, int count)
{
    int r = count - 1;
    while (!transports[r]->reaches(peer))
        r--;
    return r;
}

/* Sorts the copies and gives the routes their parts of them. */
static void share_copies(struct route *routes, const struct transport *const *transports, int count,
                         struct copy_list *copies)
{
    const size_t length = (size_t)copies->count;
    struct routed *all = memory_alloc(length * sizeof *all, "plan");
    struct copy *sorted = memory_alloc(length * sizeof *sorted, "plan");
    for (int c = 0; c < copies->count; c++)
        all[c] = (struct routed){route_to(copies->copies[c].peer, transports, count),
                                 &copies->copies[c]};
    qsort(all, length, sizeof *all, compare_routed);
    for (int c = 0; c < copies->count; c++) {
        sorted[c] = *all[c].copy;
        struct copy_list *list = &routes[all[c].route].lists[sorted[c].direction];
        if (list->count++ == 0)
            list->copies = &sorted[c];
    }
    memory_free(all);
    memory_free(copies->copies);
    copies->copies = sorted;
}

/* The precision of both ends of the copies, messages included: these are short if one end is. */
static void set_precision(struct route *r)
{
    const bool from = is_single(r->ends->source), to = is_single(r->ends->target);
    struct copy_list *lists = r->lists;
    lists[COPY_OUT].from_single = lists[COPY_LOCAL].from_single = from;
    lists[COPY_IN].to_single = lists[COPY_LOCAL].to_single = to;
    lists[COPY_OUT].to_single = lists[COPY_IN].from_single = from || to;
    for (int d = 0; d < NUM_DIRECTIONS; d++)
        lists[d].factor = 1.0;
}

/* The messages of copies in the order of peers, one per peer. Sets the copies' offsets in the
 * buffer of all messages. */
static struct messages make_messages(struct copy_list *list)
{
    struct messages m = {0};
    for (int i = 0; i < list->count; i++) {
        struct copy *c = &list->copies[i];
        if (m.count == 0 || m.list[m.count - 1].peer != c->peer) {
            m.list = memory_room(m.list, m.count, sizeof *m.list, "messages");
            m.list[m.count++] = (struct message){c->peer, m.length, 0};
        }
        *(c->direction == COPY_OUT ? &c->to : &c->from) = m.length;
        m.list[m.count - 1].count += copy_cells(c);
        m.length += copy_cells(c);
    }
    return m;
}

/* The messages, and an empty one for every peer that has one in the other direction only. */
static struct messages answered(struct messages m, const struct messages *other)
{
    struct messages all = {.length = m.length};
    all.list = memory_alloc((size_t)(m.count + other->count) * sizeof *all.list, "messages");
    for (int i = 0, j = 0; i < m.count || j < other->count;) {
        const int own = i < m.count ? m.list[i].peer : INT_MAX,
                  its = j < other->count ? other->list[j].peer : INT_MAX;
        all.list[all.count++] = own <= its ? m.list[i] : (struct message){.peer = its};
        i += own <= its;
        j += its <= own;
    }
    memory_free(m.list);
    return all;
}

static void connect(struct route *r)
{
    struct messages sends = make_messages(&r->lists[COPY_OUT]),
                    receives = make_messages(&r->lists[COPY_IN]);
    if (r->transport->answers) {
        sends = answered(sends, &receives);
        receives = answered(receives, &sends);
    }
    exchange_create(&r->exchange, sends, receives,
                    r->lists[COPY_OUT].to_single ? sizeof(float) : sizeof(double));
    if (!r->transport->connect || r->transport->connect(r))
        return;
    exchange_destroy(&r->exchange);
    r->transport = &transport_mpi;
    connect(r);
}

void routes_create(struct route *routes, const struct transport *const *transports, int count,
                   const struct plan_ends *ends, struct copy_list *copies)
{
    for (int r = 0; r < count; r++)
        routes[r] = (struct route){.transport = transports[r], .ends = ends};
    share_copies(routes, transports, count, copies);
    for (int r = 0; r < count; r++) {
        set_precision(&routes[r]);
        connect(&routes[r]);
    }
}

void routes_destroy(struct route *routes, int count)
{
    for (struct route *r = routes; r < routes + count; r++) {
        if (r->transport->disconnect)
            r->transport->disconnect(r);
        for (int d = 0; d < NUM_DIRECTIONS; d++) {
            r->ends->source->memory->forget(&r->lists[d]);
            r->ends->target->memory->forget(&r->lists[d]);
        }
        exchange_destroy(&r->exchange);
    }
}

static bool is_own(int rank)
{
    return rank == comm_rank();
}

static void copy_local(struct route *r, const real *from, real *to)
{
    ends_copier(r->ends)->memory->copy(&r->lists[COPY_LOCAL], from, to);
}

const struct transport transport_local = {.reaches = is_own, .phases = {[PHASE_MOVE] = copy_local}};
