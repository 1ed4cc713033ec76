/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/plan.h"
#include <stdlib.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "level/message_trial.h"
#include "level/shared_messages.h"

/* A box of the target and one of the source near it; at least one is local. */
struct pair {
    int target, source;
};

/* A plan while it is built. Both ranks of a message walk over the intersections in the same order,
 * that of pairs, so a message needs no header. */
struct building {
    struct plan *plan;
    const struct level *source, *target;
    enum target what;
    int grow, centre;
    int images[3]; /* of the domain, by direction on each side, that ghosts reach */
    int npairs;    /* a pair is here once per image in which its boxes are near each other */
    struct pair *pairs;
    int box; /* whose pairs are now searched for */
};

/* Releases what append() has allocated beyond the list's length. */
static void trim(struct copy_list *list)
{
    const size_t bytes = (size_t)list->count * sizeof *list->copies;
    if (list->count > 0)
        list->copies = memory_grow(list->copies, bytes, bytes, "plan");
}

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

/* The patch of a box; NULL if the box is remote. A rank's boxes are contiguous. */
static const struct patch *patch_of(const struct level *l, int box)
{
    const bool local =
        l->npatches > 0 && box >= l->patches[0].index && box - l->patches[0].index < l->npatches;
    return local ? &l->patches[box - l->patches[0].index] : NULL;
}

/* The box's cells in a field of this centring: one more plane of faces on the high wall. */
static struct box with_wall_faces(const struct level *l, struct box box, int centre)
{
    if (centre != CENTRE_CELL && !sides_wrap(&l->sides, centre) && box.hi[centre] == l->n[centre])
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
                         .to_sk = target ? target->sk : sk,
                         .from_i = source ? from[0] - source->box.lo[0] : 0,
                         .to_i = target ? region.lo[0] - target->box.lo[0] : 0};
}

/* Adds one intersection with at least one local end. */
static void add_region(struct building *b, int source, int target, struct box region,
                       const int shift[3])
{
    const struct patch *from = patch_of(b->source, source), *to = patch_of(b->target, target);
    struct plan *plan = b->plan;
    struct copy c = make_copy(from, to, region, shift);
    c.peer = from ? b->target->decomposition.owner[target] : b->source->decomposition.owner[source];
    append(from && to ? &plan->local : from ? &plan->pack : &plan->unpack, c);
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

/* Adds the intersections of the source box, in all its periodic images, with the region wanted
 * around the target box. A ghost region is the grown box without the box itself. Boxes and images
 * tile space, so an intersection is inside or outside of that box as a whole. */
static void intersect_pair(struct building *b, struct pair pair)
{
    const int *n = b->target->n, *images = b->images;
    const struct box target = b->target->decomposition.boxes[pair.target];
    const struct box own = with_wall_faces(b->target, target, b->centre);
    const struct box wanted = wanted_region(b->target, target, b->what, b->grow, b->centre);
    const struct box box =
        with_wall_faces(b->source, b->source->decomposition.boxes[pair.source], b->centre);
    for (int k = -images[2]; k <= images[2]; k++)
        for (int j = -images[1]; j <= images[1]; j++)
            for (int i = -images[0]; i <= images[0]; i++) {
                const int shift[3] = {i * n[0], j * n[1], k * n[2]};
                const struct box region =
                    box_intersect(wanted, box_shift(box, shift[0], shift[1], shift[2]));
                if (box_is_empty(region) ||
                    (b->what != TARGET_GROWN && !box_is_empty(box_intersect(region, own))))
                    continue;
                add_region(b, pair.source, pair.target, region, shift);
            }
}

static void add_pair(struct building *b, struct pair pair)
{
    b->pairs = memory_room(b->pairs, b->npairs, sizeof *b->pairs, "plan");
    b->pairs[b->npairs++] = pair;
}

static void add_source(void *building, int source)
{
    struct building *b = building;
    add_pair(b, (struct pair){b->box, source});
}

/* Pairs of two local boxes follow from their targets. */
static void add_remote_target(void *building, int target)
{
    struct building *b = building;
    if (!patch_of(b->target, target))
        add_pair(b, (struct pair){target, b->box});
}

/* Adds the pairs of a local box with the other level's boxes that its ghosts, or whose ghosts, may
 * reach, in all images. Faces on a high wall belong to boxes that have the cells before them, so
 * cells find them. */
static void find_pairs(struct building *b, const struct patch *patch, const struct box_index *index,
                       void (*found)(void *building, int box))
{
    const int *n = b->target->n, *images = b->images;
    const struct box near = box_grow(patch->box, b->grow);
    b->box = patch->index;
    for (int k = -images[2]; k <= images[2]; k++)
        for (int j = -images[1]; j <= images[1]; j++)
            for (int i = -images[0]; i <= images[0]; i++)
                box_index_search(index, box_shift(near, i * n[0], j * n[1], k * n[2]), found, b);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return x->target != y->target ? (x->target > y->target) - (x->target < y->target)
                                  : (x->source > y->source) - (x->source < y->source);
}

/* Makes all copies, by target box, then source box, then image. */
static void make_copies(struct building *b)
{
    for (int q = 0; q < b->target->npatches; q++)
        find_pairs(b, &b->target->patches[q], &b->source->index, add_source);
    for (int q = 0; q < b->source->npatches; q++)
        find_pairs(b, &b->source->patches[q], &b->target->index, add_remote_target);
    if (b->npairs > 0)
        qsort(b->pairs, (size_t)b->npairs, sizeof *b->pairs, compare_pairs);
    for (int p = 0; p < b->npairs; p++)
        if (p == 0 || compare_pairs(&b->pairs[p - 1], &b->pairs[p]) != 0)
            intersect_pair(b, b->pairs[p]);
    memory_free(b->pairs);
    trim(&b->plan->pack);
    trim(&b->plan->local);
    trim(&b->plan->unpack);
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

/* One message per peer of the list's copies, still empty, in the order of ranks. */
static struct messages find_peers(const struct copy_list *list)
{
    struct messages m = {0};
    struct message *all = memory_alloc((size_t)list->count * sizeof *all, "messages");
    for (int c = 0; c < list->count; c++)
        all[c] = (struct message){.peer = list->copies[c].peer};
    messages_sort(&(struct messages){.count = list->count, .list = all});
    for (int c = 0; c < list->count; c++)
        if (m.count == 0 || all[c].peer != all[m.count - 1].peer)
            all[m.count++] = all[c];
    m.list =
        memory_grow(all, (size_t)m.count * sizeof *all, (size_t)m.count * sizeof *all, "messages");
    return m;
}

/* Makes the messages that the copies of one direction need, one per peer in the order of ranks, and
 * sets the copies' offsets in the buffer of all messages. */
static struct messages make_messages(struct copy_list *list, bool packing)
{
    struct messages m = find_peers(list);
    for (int c = 0; c < list->count; c++)
        message_with(&m, list->copies[c].peer)->count += copy_cells(&list->copies[c]);
    for (int p = 0; p < m.count; p++) {
        m.list[p].offset = m.length;
        m.length += m.list[p].count;
        m.list[p].count = 0; /* of the cells that have an offset */
    }
    for (int i = 0; i < list->count; i++) {
        struct copy *c = &list->copies[i];
        struct message *message = message_with(&m, c->peer);
        *(packing ? &c->to : &c->from) = message->offset + message->count;
        message->count += copy_cells(c);
    }
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
    CHECK(extent_equal(source->n, target->n) && sides_equal(&source->sides, &target->sides) &&
          grow >= 0 && grow <= target->ghosts);
    CHECK(what == TARGET_GROWN ||
          decomposition_equal(&source->decomposition, &target->decomposition));
    /* The faces on a high wall are stored in the first ghost layer. */
    CHECK(centre == CENTRE_CELL || sides_wrap(&source->sides, centre) || source->ghosts > 0);
    struct plan *plan = memory_alloc_zero(sizeof *plan, "plan");
    plan->source = source->backend;
    plan->target = target->backend;
    plan->longest = extent_longest(target->n);
    struct building b = {.plan = plan,
                         .source = source,
                         .target = target,
                         .what = what,
                         .grow = grow,
                         .centre = centre};
    for (int d = 0; d < 3; d++)
        b.images[d] = sides_wrap(&target->sides, d) ? (grow + target->n[d] - 1) / target->n[d] : 0;
    make_copies(&b);
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
    if (plan->shared)
        shared_messages_destroy(plan->shared);
    plan->source->memory->forget(&plan->pack);
    plan->source->memory->forget(&plan->local);
    plan->target->memory->forget(&plan->local);
    plan->target->memory->forget(&plan->unpack);
    if (plan->buffers) {
        plan->buffers->memory->release(plan->exchange.sends.buffer);
        plan->buffers->memory->release(plan->exchange.receives.buffer);
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
static struct copy_list split_by_transport(struct copy_list *list,
                                           const struct transport *transport)
{
    const struct copy_list all = *list;
    struct copy_list reached = {0};
    list->count = 0;
    for (int c = 0; c < all.count; c++)
        if (transport->reaches(all.copies[c].peer))
            append(&reached, all.copies[c]);
        else
            list->copies[list->count++] = all.copies[c];
    return reached;
}

/* Splits off what the transport carries, and the local copies, which it makes too. */
static void connect_transport(struct plan *plan, const struct transport *transport)
{
    struct plan *direct = plan->direct = memory_alloc(sizeof *direct, "plan");
    exchange_destroy(&plan->exchange);
    *direct = *plan;
    direct->direct = NULL;
    plan->local = (struct copy_list){0};
    direct->pack = split_by_transport(&plan->pack, transport);
    direct->unpack = split_by_transport(&plan->unpack, transport);
    create_exchange(plan);
    create_exchange(direct);
    direct->transport = transport;
    direct->connection = transport->connect(direct);
}

bool plan_crosses_devices(const struct plan *plan)
{
    return plan->source->on_device != plan->target->on_device;
}

/* The backend that can access both ends: a device reads and writes fields of the host, and not the
 * other way round. */
static const struct backend *copier(const struct plan *plan)
{
    return plan->target->on_device ? plan->target : plan->source;
}

/* True if its copies can be to and from host memory. */
static bool reaches_host(const struct backend *backend)
{
    return !backend->on_device || backend->staging;
}

void plan_connect(struct plan *plan, const struct transport *transport, bool device_messages)
{
    CHECK(!plan->direct && !plan->transport && !plan->buffers && !plan->shared);
    plan->device_messages = device_messages && on_devices(plan);
    if (transport && on_devices(plan))
        connect_transport(plan, transport);
    if (!plan->device_messages && !plan_crosses_devices(plan) && reaches_host(copier(plan)))
        plan->shared = shared_messages_create(&(struct carried){
            &plan->pack, &plan->unpack, &plan->exchange, plan->source, plan->target});
}

static bool has_messages(const struct plan *plan)
{
    return plan->exchange.sends.count + plan->exchange.receives.count > 0;
}

bool plan_is_recordable(const struct plan *plan)
{
    return on_devices(plan) && !has_messages(plan);
}

/* Waits for the device, if the plan has one: the host may be at work while the device waits for it.
 */
static void synchronise(const struct plan *plan)
{
    const struct backend *backend = copier(plan);
    if (backend->on_device)
        backend->memory->synchronise();
}

static struct exchange *messages_of(struct plan *plan)
{
    return plan->shared ? &plan->shared->exchange : &plan->exchange;
}

static const struct copy_list *pack_list(const struct plan *plan)
{
    return plan->shared ? &plan->shared->pack : &plan->pack;
}

static const struct copy_list *unpack_list(const struct plan *plan)
{
    return plan->shared ? &plan->shared->unpack : &plan->unpack;
}

/* An MPI library that carried other messages from device memory may lose these without an error. */
static void try_device_messages(struct plan *plan)
{
    if (!exchange_selftest(&plan->exchange, plan->buffers, TRIAL_SECONDS))
        die(STATUS_SYSTEM,
            "rank %d: messages from GPU memory do not arrive as they were sent, by this MPI "
            "library; --transport staged avoids them",
            comm_rank());
}

/* Makes the messages' buffers before their first use. */
static void make_buffers(struct plan *plan)
{
    if (!has_messages(plan) || plan->buffers || plan->shared)
        return;
    const struct backend *staging = copier(plan)->staging;
    plan->buffers = plan->device_messages || !staging ? copier(plan) : staging;
    for (int out = 0; out <= 1; out++) {
        struct messages *m = out ? &plan->exchange.sends : &plan->exchange.receives;
        m->buffer = plan->buffers->memory->allocate(m->length, "message buffers");
    }
    if (plan->device_messages)
        try_device_messages(plan);
}

/* Begins what MPI does not carry. */
static void begin_direct(const struct plan *plan, const double *from, double *to)
{
    if (plan->direct)
        plan->direct->transport->execute(plan->direct->connection, from, to);
    else
        copier(plan)->memory->copy(&plan->local, from, to);
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
    if (plan->shared)
        shared_messages_turn(plan->shared);
    plan->source->memory->copy(pack_list(plan), from, messages_of(plan)->sends.buffer);
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
        exchange_start(messages_of(plan));
        begin_direct(plan, from, to);
    }
    if (plan_crosses_devices(plan))
        synchronise(plan);
    times->local += lap(&start);
    exchange_wait(messages_of(plan));
    times->wait += lap(&start);
    plan->target->memory->copy(unpack_list(plan), messages_of(plan)->receives.buffer, to);
    times->unpack += lap(&start);
}

static void execute(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    struct plan_times unused = {0};
    plan_begin(plan, from, to, times ? times : &unused);
    plan_end(plan, from, to, times ? times : &unused);
}

/* Rows of fields on devices are always in the order of struct patch. */
static void set_order(struct plan *plan, bool own_from, bool own_to)
{
    plan->pack.own_from = plan->local.own_from = own_from;
    plan->unpack.own_to = plan->local.own_to = own_to;
    if (plan->shared) {
        plan->shared->pack.own_from = own_from;
        plan->shared->unpack.own_to = own_to;
    }
}

void plan_execute(struct plan *plan, const double *from, double *to, struct plan_times *times)
{
    set_order(plan, false, false);
    execute(plan, from, to, times);
}

void plan_move(struct plan *plan, const struct level *source, enum field from,
               const struct level *target, enum field to, struct plan_times *times)
{
    if (plan_crosses_devices(plan)) {
        plan_execute(plan, level_natural(source, from), level_natural(target, to), times);
        return;
    }
    set_order(plan, source->own_order[from], target->own_order[to]);
    execute(plan, source->fields[from], target->fields[to], times);
}

void plan_on_device(struct plan *plan, const double *from, double *to,
                    struct plan_copies copies[MAX_PLAN_COPIES])
{
    CHECK(plan_crosses_devices(plan));
    make_buffers(plan);
    copies[0] = (struct plan_copies){&plan->local, from, to};
    copies[1] = plan->source->on_device
                    ? (struct plan_copies){&plan->pack, from, plan->exchange.sends.buffer}
                    : (struct plan_copies){&plan->unpack, plan->exchange.receives.buffer, to};
}

void plan_on_host(struct plan *plan, const double *from, double *to)
{
    if (!plan->source->on_device)
        plan->source->memory->copy(&plan->pack, from, plan->exchange.sends.buffer);
    if (has_messages(plan)) {
        exchange_start(&plan->exchange);
        exchange_wait(&plan->exchange);
    }
    if (plan->source->on_device)
        plan->target->memory->copy(&plan->unpack, plan->exchange.receives.buffer, to);
}
