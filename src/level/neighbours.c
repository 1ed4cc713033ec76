/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/neighbours.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "level/backend.h"

static int compare_rounds(const void *a, const void *b)
{
    const int x = *(const int *)a ^ comm_rank(), y = *(const int *)b ^ comm_rank();
    return (x > y) - (x < y);
}

/* Until here, messages of the whole plan may be in memory that those of its parts overwrite. */
static void meet(const struct plan *plan)
{
    plan->source->synchronise();
    plan->target->synchronise();
    comm_barrier(comm_world());
}

struct neighbours neighbours_create(const struct plan *plan)
{
    struct neighbours n = {0, 0, NULL, plan};
    if (!plan)
        return n;
    meet(plan);
    int *peers = plan_peers(plan, &n.count);
    double most = n.count;
    comm_max_f64(comm_world(), &most, 1);
    n.most = (int)most;
    qsort(peers, (size_t)n.count, sizeof *peers, compare_rounds);
    n.list = memory_alloc((size_t)n.most * sizeof *n.list, "neighbours");
    for (int i = 0; i < n.most; i++) {
        const int rank = i < n.count ? peers[i] : NO_PEER;
        n.list[i] = (struct neighbour){rank, plan_restrict_to_peer(plan, rank)};
    }
    memory_free(peers);
    return n;
}

void neighbours_destroy(struct neighbours *n)
{
    if (n->plan)
        meet(n->plan);
    for (int i = 0; i < n->most; i++)
        plan_destroy(n->list[i].plan);
    memory_free(n->list);
}

/* The part of the plan that has the messages: the transport's or MPI's. */
static const struct plan *carrier(const struct plan *plan)
{
    const bool direct = plan->direct && plan->direct->pack.count + plan->direct->unpack.count > 0;
    return direct ? plan->direct : plan;
}

/* The same copies with both ends exchanged. */
static struct copy_list reversed(const struct copy_list *list)
{
    struct copy_list back = {list->count, NULL};
    back.copies = memory_alloc((size_t)list->count * sizeof *back.copies, "copies");
    for (int c = 0; c < list->count; c++) {
        const struct copy x = list->copies[c];
        back.copies[c] = (struct copy){.n = {x.n[0], x.n[1], x.n[2]},
                                       .peer = x.peer,
                                       .from = x.to,
                                       .from_sj = x.to_sj,
                                       .from_sk = x.to_sk,
                                       .to = x.from,
                                       .to_sj = x.from_sj,
                                       .to_sk = x.from_sk};
    }
    return back;
}

/* Copies the ghosts that the plan fills into `message`, in the order of the message. */
static void read_ghosts(const struct plan *plan, const double *field, double *message)
{
    struct copy_list back = reversed(&plan->unpack);
    plan->target->copy(&back, field, message);
    plan->target->synchronise();
    plan->target->forget(&back);
    memory_free(back.copies);
}

bool neighbour_verify(const struct neighbour *n, const double *field)
{
    const struct plan *plan = carrier(n->plan);
    const struct messages *out = &plan->exchange.sends, *in = &plan->exchange.receives;
    const struct backend *memory = plan->source->staging ? plan->source->staging : plan->source;
    const long length = out->length > in->length ? out->length : in->length;
    double *buffers[3]; /* sent, received, found in the ghosts */
    CHECK(length <= INT_MAX / (long)sizeof(double));
    for (int b = 0; b < 3; b++)
        buffers[b] = memory->allocate(length, "a trial of messages");
    plan->source->copy(&plan->pack, field, buffers[0]);
    plan->source->synchronise();
    comm_swap(1, &n->rank, buffers[0], buffers[1], (int)length * (int)sizeof(double));
    read_ghosts(plan, field, buffers[2]);
    const bool same = memcmp(buffers[1], buffers[2], (size_t)in->length * sizeof(double)) == 0;
    for (int b = 0; b < 3; b++)
        memory->release(buffers[b]);
    return same;
}
