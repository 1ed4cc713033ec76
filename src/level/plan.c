/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/plan.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "level/backend.h"

/* A plan while it is built. The walk over all intersections is made twice: first to learn how long
 * each peer's message is, then to place the copies. Both ranks of a message walk in the same order,
 * so its contents need no header. */
struct building {
    struct plan *plan;
    const struct level *source, *target;
    int centre;
    bool placing;
    const struct patch **source_patches,
        **target_patches;         /* by index of the box; NULL where remote */
    long *send_end, *receive_end; /* by rank: doubles so far (counting), next offset (placing) */
};

static void append(struct copy_list *list, struct copy copy)
{
    /* Grown in powers of two, kept track of by the count alone. */
    if ((list->count & (list->count - 1)) == 0) {
        const size_t capacity = list->count ? 2 * (size_t)list->count : 1;
        list->copies = memory_grow(list->copies, (size_t)list->count * sizeof copy,
                                   capacity * sizeof copy, "plan");
    }
    list->copies[list->count++] = copy;
}

static long patch_index(const struct patch *p, const int at[3])
{
    return p->offset + (at[0] - p->box.lo[0]) + (at[1] - p->box.lo[1]) * p->sj +
           (at[2] - p->box.lo[2]) * p->sk;
}

/* Cells of `box` that a field of this centring has: on the high wall one more plane of faces. */
static struct box with_wall_faces(const struct level *l, struct box box, int centre)
{
    if (centre != CENTRE_CELL && !l->periodic && box.hi[centre] == l->dim)
        box.hi[centre]++;
    return box;
}

/* The copy of `region` (in target indices; the source holds it shifted by -shift), with the ends
 * that are local. */
static struct copy make_copy(const struct patch *source, const struct patch *target,
                             struct box region, const int shift[3])
{
    struct copy c = {
        {region.hi[0] - region.lo[0], region.hi[1] - region.lo[1], region.hi[2] - region.lo[2]},
        0,
        0,
        0,
        0,
        0,
        0};
    if (source) {
        const int at[3] = {region.lo[0] - shift[0], region.lo[1] - shift[1],
                           region.lo[2] - shift[2]};
        c.from = patch_index(source, at);
        c.from_sj = source->sj;
        c.from_sk = source->sk;
    } else {
        c.from_sj = c.n[0];
        c.from_sk = (long)c.n[0] * c.n[1];
    }
    if (target) {
        c.to = patch_index(target, region.lo);
        c.to_sj = target->sj;
        c.to_sk = target->sk;
    } else {
        c.to_sj = c.n[0];
        c.to_sk = (long)c.n[0] * c.n[1];
    }
    return c;
}

/* One intersection, at least one end of which is local. */
static void add_region(struct building *b, int source, int target, struct box region,
                       const int shift[3])
{
    const struct patch *from = b->source_patches[source], *to = b->target_patches[target];
    const int sender = b->source->decomposition.owner[source],
              receiver = b->target->decomposition.owner[target];
    const long cells = box_cells(region);
    struct copy c = make_copy(from, to, region, shift);
    if (from && to) {
        b->plan->cells_local += b->placing ? cells : 0;
        if (b->placing)
            append(&b->plan->local, c);
    } else if (from) {
        c.to = b->send_end[receiver];
        b->send_end[receiver] += cells;
        b->plan->cells_sent += b->placing ? cells : 0;
        if (b->placing)
            append(&b->plan->pack, c);
    } else {
        c.from = b->receive_end[sender];
        b->receive_end[sender] += cells;
        if (b->placing)
            append(&b->plan->unpack, c);
    }
}

/* What one source box, in all its periodic images, gives to the region wanted around one target
 * box. A ghost region is the grown box without the box itself; as boxes and images tile space, an
 * intersection lies wholly in one or the other. */
static void intersect_pair(struct building *b, int source, int target, struct box wanted,
                           struct box own, bool ghosts_only, int images)
{
    const int dim = b->target->dim;
    const struct box box =
        with_wall_faces(b->source, b->source->decomposition.boxes[source], b->centre);
    for (int k = -images; k <= images; k++)
        for (int j = -images; j <= images; j++)
            for (int i = -images; i <= images; i++) {
                const int shift[3] = {i * dim, j * dim, k * dim};
                const struct box region =
                    box_intersect(wanted, box_shift(box, shift[0], shift[1], shift[2]));
                if (box_is_empty(region) ||
                    (ghosts_only && !box_is_empty(box_intersect(region, own))))
                    continue;
                add_region(b, source, target, region, shift);
            }
}

/* The region to fill around a target box; never beyond what the patch stores. */
static struct box wanted_region(const struct level *l, struct box box, int grow, int centre)
{
    const struct box stored = box_grow(box, l->ghosts);
    return box_intersect(box_grow(with_wall_faces(l, box, centre), grow), stored);
}

static void walk(struct building *b, enum target what, int grow)
{
    const struct decomposition *sources = &b->source->decomposition,
                               *targets = &b->target->decomposition;
    const int dim = b->target->dim;
    const int images = b->target->periodic ? (grow + dim - 1) / dim : 0;
    for (int t = 0; t < targets->nboxes; t++) {
        const struct box own = with_wall_faces(b->target, targets->boxes[t], b->centre);
        const struct box wanted = wanted_region(b->target, targets->boxes[t], grow, b->centre);
        for (int s = 0; s < sources->nboxes; s++)
            if (b->source_patches[s] || b->target_patches[t])
                intersect_pair(b, s, t, wanted, own, what == TARGET_GHOSTS, images);
    }
}

static const struct patch **patches_by_box(const struct level *l)
{
    const struct patch **patches =
        memory_alloc_zero((size_t)l->decomposition.nboxes * sizeof *patches, "plan");
    for (int q = 0; q < l->npatches; q++)
        patches[l->patches[q].index] = &l->patches[q];
    return patches;
}

/* The messages whose lengths have been counted by rank; turns the lengths into offsets. */
static struct message *make_messages(long *lengths, int *count)
{
    const int ranks = comm_size();
    struct message *messages = memory_alloc((size_t)ranks * sizeof *messages, "messages");
    long offset = 0;
    *count = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const long length = lengths[rank];
        if (length > 0)
            messages[(*count)++] = (struct message){rank, offset, length};
        lengths[rank] = offset;
        offset += length;
    }
    return messages;
}

struct plan *plan_create(const struct level *source, const struct level *target, enum target what,
                         int grow, int centre)
{
    CHECK(source->dim == target->dim && source->periodic == target->periodic && grow >= 0 &&
          grow <= target->ghosts);
    CHECK(what == TARGET_GROWN ||
          decomposition_equal(&source->decomposition, &target->decomposition));
    /* The faces on a high wall are stored in the first ghost layer. */
    CHECK(centre == CENTRE_CELL || source->periodic || source->ghosts > 0);
    const size_t per_rank = (size_t)comm_size() * sizeof(long);
    struct plan *plan = memory_alloc_zero(sizeof *plan, "plan");
    plan->source = source->backend;
    plan->target = target->backend;
    plan->what = what == TARGET_GHOSTS ? "halo" : "move between levels";
    plan->dim = target->dim;
    struct building b = {.plan = plan, .source = source, .target = target, .centre = centre};
    b.source_patches = patches_by_box(source);
    b.target_patches = patches_by_box(target);
    b.send_end = memory_alloc_zero(per_rank, "plan");
    b.receive_end = memory_alloc_zero(per_rank, "plan");
    walk(&b, what, grow);
    int nsends, nreceives;
    struct message *sends = make_messages(b.send_end, &nsends),
                   *receives = make_messages(b.receive_end, &nreceives);
    exchange_create(&plan->exchange, nsends, sends, nreceives, receives);
    b.placing = true;
    walk(&b, what, grow);
    memory_free(b.source_patches);
    memory_free(b.target_patches);
    memory_free(b.send_end);
    memory_free(b.receive_end);
    return plan;
}

void plan_destroy(struct plan *plan)
{
    if (plan->transport)
        plan->transport->disconnect(plan->connection);
    if (plan->direct)
        plan_destroy(plan->direct);
    plan->source->forget(&plan->pack);
    plan->source->forget(&plan->local);
    plan->target->forget(&plan->local);
    plan->target->forget(&plan->unpack);
    exchange_destroy(&plan->exchange);
    memory_free(plan->pack.copies);
    memory_free(plan->local.copies);
    memory_free(plan->unpack.copies);
    memory_free(plan);
}

static bool on_devices(const struct plan *plan)
{
    return plan->source->on_device && plan->target->on_device;
}

/* One direction of a plan's messages, and the copies to or from their buffer. */
struct traffic {
    struct message *messages;
    int count;
    struct copy_list copies;
};

/* The place of a copy in the buffer of messages. */
static long *place_in_buffer(struct copy *c, bool packing)
{
    return packing ? &c->to : &c->from;
}

/* The messages of `all` with ranks that the transport reaches (or does not), and their copies, in
 * a buffer of their own. */
static struct traffic part_of(const struct traffic *all, const struct transport *transport,
                              bool reached, bool packing)
{
    struct traffic part = {
        .messages = memory_alloc((size_t)comm_size() * sizeof *part.messages, "messages")};
    long length = 0;
    for (int m = 0; m < all->count; m++) {
        const struct message *message = &all->messages[m];
        if (transport->reaches(message->peer) != reached)
            continue;
        part.messages[part.count++] = (struct message){message->peer, length, message->count};
        for (int i = 0; i < all->copies.count; i++) {
            struct copy c = all->copies.copies[i];
            long *place = place_in_buffer(&c, packing);
            if (*place < message->offset || *place >= message->offset + message->count)
                continue;
            *place += length - message->offset;
            append(&part.copies, c);
        }
        length += message->count;
    }
    return part;
}

static void set_traffic(struct plan *plan, struct traffic out, struct traffic in)
{
    exchange_create(&plan->exchange, out.count, out.messages, in.count, in.messages);
    plan->pack = out.copies;
    plan->unpack = in.copies;
}

/* Moves to a plan of its own what is local and what the transport can carry. */
static struct plan *take_direct(struct plan *plan, const struct transport *transport)
{
    struct plan *direct = memory_alloc_zero(sizeof *direct, "plan");
    struct exchange all = plan->exchange;
    const struct traffic out = {all.sends, all.nsends, plan->pack},
                         in = {all.receives, all.nreceives, plan->unpack};
    *direct = *plan;
    plan->local = (struct copy_list){0, NULL};
    set_traffic(direct, part_of(&out, transport, true, true), part_of(&in, transport, true, false));
    set_traffic(plan, part_of(&out, transport, false, true), part_of(&in, transport, false, false));
    exchange_destroy(&all);
    memory_free(out.copies.copies);
    memory_free(in.copies.copies);
    return direct;
}

void plan_connect(struct plan *plan, const struct transport *transport)
{
    CHECK(!plan->direct && !plan->transport);
    if (!on_devices(plan))
        return;
    plan->direct = take_direct(plan, transport);
    plan->direct->transport = transport;
    plan->direct->connection = transport->connect(plan->direct);
}

static bool has_messages(const struct plan *plan)
{
    return plan->exchange.nsends + plan->exchange.nreceives > 0;
}

bool plan_is_recordable(const struct plan *plan)
{
    return on_devices(plan) && !has_messages(plan);
}

/* The backend of two that can reach both ends: a device reaches the host's fields, not the other
 * way round. */
static const struct backend *reaching(const struct plan *plan)
{
    return plan->target->on_device ? plan->target : plan->source;
}

static const struct message_memory *buffer_memory(const struct plan *plan)
{
    static struct message_memory on_device;
    const struct backend *backend = reaching(plan);
    if (!plan->device_messages || !on_devices(plan))
        return backend->messages;
    on_device = (struct message_memory){backend->allocate, backend->release};
    return &on_device;
}

static void begin_direct(const struct plan *plan, const double *from, double *to)
{
    if (plan->direct)
        plan->direct->transport->execute(plan->direct->connection, from, to);
}

static bool all_direct(const struct plan *plan)
{
    return plan->direct && !has_messages(plan);
}

void plan_begin(struct plan *plan, const double *from, double *to)
{
    struct exchange *x = &plan->exchange;
    if (all_direct(plan)) {
        begin_direct(plan, from, to);
        return;
    }
    exchange_open(x, buffer_memory(plan));
    if (!reaching(plan)->on_device)
        exchange_post_receives(x);
    plan->source->copy(&plan->pack, from, x->send_buffer);
}

/* By MPI. Buffers are free again when the last unpacking is done: at once on the host, and on a
 * device before the next packing is. No rank waits for another one's transport before it has sent
 * its own messages, so the two ways cannot block each other. */
void plan_end(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    struct exchange *x = &plan->exchange;
    if (all_direct(plan))
        return;
    const double start = times ? timer_seconds() : 0.0;
    if (reaching(plan)->on_device && has_messages(plan)) {
        reaching(plan)->synchronise();
        exchange_post_receives(x);
    }
    const double packed = times ? timer_seconds() : 0.0;
    exchange_start_sends(x);
    reaching(plan)->copy(&plan->local, from, to);
    begin_direct(plan, from, to);
    if (plan->source->on_device != plan->target->on_device)
        reaching(plan)->synchronise();
    const double copied = times ? timer_seconds() : 0.0;
    exchange_wait(x);
    const double arrived = times ? timer_seconds() : 0.0;
    plan->target->copy(&plan->unpack, x->receive_buffer, to);
    if (!times)
        return;
    times->pack += packed - start;
    times->local += copied - packed;
    times->wait += arrived - copied;
    times->unpack += timer_seconds() - arrived;
}

void plan_execute(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    const double start = times ? timer_seconds() : 0.0;
    plan_begin(plan, from, to);
    if (times && !all_direct(plan))
        times->pack += timer_seconds() - start;
    plan_end(plan, from, to, times);
}
