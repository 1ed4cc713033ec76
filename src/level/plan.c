/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/plan.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "level/backend.h"

/* A plan while it is built. Both ranks of a message walk over the intersections in the same order,
 * so a message needs no header. */
struct building {
    struct plan *plan;
    const struct level *source, *target;
    int centre;
    const struct patch **source_patches, **target_patches; /* by index of the box; NULL: remote */
};

static void append(struct copy_list *list, struct copy copy)
{
    /* The capacity is the next power of two. */
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

/* The box's cells in a field of this centring: one more plane of faces on the high wall. */
static struct box with_wall_faces(const struct level *l, struct box box, int centre)
{
    if (centre != CENTRE_CELL && !l->periodic && box.hi[centre] == l->dim)
        box.hi[centre]++;
    return box;
}

/* The copy of `region` (in target indices; the source holds it shifted by -shift). A remote patch
 * is NULL: that end is in a message, where the cells lie without gaps. */
static struct copy make_copy(const struct patch *source, const struct patch *target,
                             struct box region, const int shift[3])
{
    int n[3], from[3];
    for (int d = 0; d < 3; d++) {
        n[d] = region.hi[d] - region.lo[d];
        from[d] = region.lo[d] - shift[d];
    }
    const long sj = n[0], sk = sj * n[1];
    return (struct copy){.n = {n[0], n[1], n[2]},
                         .from = source ? patch_index(source, from) : 0,
                         .from_sj = source ? source->sj : sj,
                         .from_sk = source ? source->sk : sk,
                         .to = target ? patch_index(target, region.lo) : 0,
                         .to_sj = target ? target->sj : sj,
                         .to_sk = target ? target->sk : sk};
}

/* Adds one intersection, at least one end of which is local. */
static void add_region(struct building *b, int source, int target, struct box region,
                       const int shift[3])
{
    const struct patch *from = b->source_patches[source], *to = b->target_patches[target];
    struct plan *plan = b->plan;
    struct copy c = make_copy(from, to, region, shift);
    c.peer = from ? b->target->decomposition.owner[target] : b->source->decomposition.owner[source];
    append(from && to ? &plan->local : from ? &plan->pack : &plan->unpack, c);
}

/* Adds the intersections of one source box, in all its periodic images, with the region wanted
 * around one target box. A ghost region is the grown box without the box itself. Boxes and images
 * tile space, so an intersection is inside or outside of that box as a whole. */
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
static struct box wanted_region(const struct level *l, struct box box, enum target what, int grow,
                                int centre)
{
    const struct box stored = box_grow(box, l->ghosts);
    struct box wanted = box_intersect(box_grow(with_wall_faces(l, box, centre), grow), stored);
    for (int d = 0; d < 3; d++)
        if (what == TARGET_HALO && level_wraps(l, box, d)) {
            wanted.lo[d] = box.lo[d];
            wanted.hi[d] = box.hi[d];
        }
    return wanted;
}

static void walk(struct building *b, enum target what, int grow)
{
    const struct decomposition *sources = &b->source->decomposition,
                               *targets = &b->target->decomposition;
    const int dim = b->target->dim;
    const int images = b->target->periodic ? (grow + dim - 1) / dim : 0;
    for (int t = 0; t < targets->nboxes; t++) {
        const struct box own = with_wall_faces(b->target, targets->boxes[t], b->centre);
        const struct box wanted =
            wanted_region(b->target, targets->boxes[t], what, grow, b->centre);
        for (int s = 0; s < sources->nboxes; s++)
            if (b->source_patches[s] || b->target_patches[t])
                intersect_pair(b, s, t, wanted, own, what != TARGET_GROWN, images);
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

static long copy_cells(const struct copy *c)
{
    return (long)c->n[0] * c->n[1] * c->n[2];
}

static long list_cells(const struct copy_list *list)
{
    long cells = 0;
    for (int c = 0; c < list->count; c++)
        cells += copy_cells(&list->copies[c]);
    return cells;
}

/* Makes the messages that the copies of one direction need, one per peer in the order of ranks, and
 * sets the copies' offsets in the buffer of all messages. */
static struct messages make_messages(struct copy_list *list, bool packing)
{
    const int ranks = comm_size();
    long *next = memory_alloc_zero((size_t)ranks * sizeof *next, "plan"); /* offset, by peer */
    struct messages m = {.list = memory_alloc((size_t)ranks * sizeof *m.list, "messages")};
    for (int c = 0; c < list->count; c++)
        next[list->copies[c].peer] += copy_cells(&list->copies[c]);
    for (int rank = 0; rank < ranks; rank++) {
        const long cells = next[rank];
        if (cells > 0)
            m.list[m.count++] = (struct message){rank, m.length, cells};
        next[rank] = m.length;
        m.length += cells;
    }
    for (int i = 0; i < list->count; i++) {
        struct copy *c = &list->copies[i];
        *(packing ? &c->to : &c->from) = next[c->peer];
        next[c->peer] += copy_cells(c);
    }
    memory_free(next);
    return m;
}

static void create_exchange(struct plan *plan)
{
    exchange_create(&plan->exchange, make_messages(&plan->pack, true),
                    make_messages(&plan->unpack, false));
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
    struct plan *plan = memory_alloc_zero(sizeof *plan, "plan");
    plan->source = source->backend;
    plan->target = target->backend;
    plan->dim = target->dim;
    struct building b = {
        plan, source, target, centre, patches_by_box(source), patches_by_box(target)};
    walk(&b, what, grow);
    memory_free(b.source_patches);
    memory_free(b.target_patches);
    plan->cells_local = list_cells(&plan->local);
    plan->cells_sent = list_cells(&plan->pack);
    create_exchange(plan);
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
    if (plan->buffers) {
        plan->buffers->release(plan->exchange.sends.buffer);
        plan->buffers->release(plan->exchange.receives.buffer);
    }
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

/* Removes from the list the copies of ranks that the transport reaches, and returns these. */
static struct copy_list take_reached(struct copy_list *list, const struct transport *transport)
{
    const struct copy_list all = *list;
    struct copy_list reached = {0, NULL};
    list->count = 0;
    for (int c = 0; c < all.count; c++)
        if (transport->reaches(all.copies[c].peer))
            append(&reached, all.copies[c]);
        else
            list->copies[list->count++] = all.copies[c];
    return reached;
}

void plan_connect(struct plan *plan, const struct transport *transport, bool device_messages)
{
    CHECK(!plan->direct && !plan->transport && !plan->buffers);
    plan->device_messages = device_messages && on_devices(plan);
    if (!transport || !on_devices(plan))
        return;
    struct plan *direct = plan->direct = memory_alloc(sizeof *direct, "plan");
    exchange_destroy(&plan->exchange);
    *direct = *plan;
    direct->direct = NULL;
    plan->local = (struct copy_list){0, NULL};
    direct->pack = take_reached(&plan->pack, transport);
    direct->unpack = take_reached(&plan->unpack, transport);
    create_exchange(plan);
    create_exchange(direct);
    direct->transport = transport;
    direct->connection = transport->connect(direct);
}

static bool has_messages(const struct plan *plan)
{
    return plan->exchange.sends.count + plan->exchange.receives.count > 0;
}

bool plan_is_recordable(const struct plan *plan)
{
    return on_devices(plan) && !has_messages(plan);
}

bool plan_hands_over(const struct plan *plan)
{
    return plan->source->on_device != plan->target->on_device;
}

/* The backend that can access both ends: a device reads and writes fields of the host, and not the
 * other way round. */
static const struct backend *copier(const struct plan *plan)
{
    return plan->target->on_device ? plan->target : plan->source;
}

/* Waits for the device, if the plan has one: the host may be at work while the device waits for it.
 */
static void synchronise(const struct plan *plan)
{
    const struct backend *backend = copier(plan);
    if (backend->on_device)
        backend->synchronise();
}

/* Makes the messages' buffers before their first use. */
static void make_buffers(struct plan *plan)
{
    if (!has_messages(plan) || plan->buffers)
        return;
    const struct backend *staging = copier(plan)->staging;
    plan->buffers = plan->device_messages || !staging ? copier(plan) : staging;
    for (int out = 0; out <= 1; out++) {
        struct messages *m = out ? &plan->exchange.sends : &plan->exchange.receives;
        m->buffer = plan->buffers->allocate(m->length, "message buffers");
    }
}

/* Begins what MPI does not carry. */
static void begin_direct(const struct plan *plan, const double *from, double *to)
{
    if (plan->direct)
        plan->direct->transport->execute(plan->direct->connection, from, to);
    else
        copier(plan)->copy(&plan->local, from, to);
}

/* Seconds since *start, which becomes now. */
static double lap(double *start)
{
    const double now = timer_seconds(), seconds = now - *start;
    *start = now;
    return seconds;
}

void plan_begin(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    double start = timer_seconds();
    make_buffers(plan);
    plan->source->copy(&plan->pack, from, plan->exchange.sends.buffer);
    times->pack += lap(&start);
    if (!has_messages(plan)) {
        begin_direct(plan, from, to);
        times->local += lap(&start);
    }
}

/* MPI sends from the host, so the host waits until the device has packed. By then the device has
 * also unpacked the previous execution, so the receive buffer is free. Every rank sends its
 * messages before its device waits for another rank's transport, so the two ways cannot block each
 * other. */
void plan_end(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    double start = timer_seconds();
    if (has_messages(plan)) {
        synchronise(plan);
        times->pack += lap(&start);
        exchange_start(&plan->exchange);
        begin_direct(plan, from, to);
    }
    if (plan_hands_over(plan))
        synchronise(plan);
    times->local += lap(&start);
    exchange_wait(&plan->exchange);
    times->wait += lap(&start);
    plan->target->copy(&plan->unpack, plan->exchange.receives.buffer, to);
    times->unpack += lap(&start);
}

void plan_execute(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    struct plan_times unused = {0};
    plan_begin(plan, from, to, times ? times : &unused);
    plan_end(plan, from, to, times ? times : &unused);
}

void plan_on_device(struct plan *plan, const double *from, double *to,
                    struct plan_copies copies[MAX_PLAN_COPIES])
{
    CHECK(plan_hands_over(plan));
    make_buffers(plan);
    copies[0] = (struct plan_copies){&plan->local, from, to};
    copies[1] = plan->source->on_device
                    ? (struct plan_copies){&plan->pack, from, plan->exchange.sends.buffer}
                    : (struct plan_copies){&plan->unpack, plan->exchange.receives.buffer, to};
}

void plan_on_host(struct plan *plan, const double *from, double *to)
{
    if (!plan->source->on_device)
        plan->source->copy(&plan->pack, from, plan->exchange.sends.buffer);
    if (has_messages(plan)) {
        exchange_start(&plan->exchange);
        exchange_wait(&plan->exchange);
    }
    if (plan->source->on_device)
        plan->target->copy(&plan->unpack, plan->exchange.receives.buffer, to);
}
