/* SPDX-License-Identifier: BSD-3-Clause */
#include "level/plan.h"
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "level/messages.h"

/* Makes the routes of these transports. */
static void make_routes(struct plan *plan, const struct transport *const *transports, int count)
{
    plan->nroutes = count;
    routes_create(plan->routes, transports, count, &plan->ends, &plan->copies);
    plan->has_messages = false;
    for (int r = 0; r < count; r++) {
        const struct exchange *x = &plan->routes[r].exchange;
        if (plan->routes[r].transport->phases[PHASE_WAIT] && x->sends.count + x->receives.count > 0)
            plan->has_messages = true;
    }
}

struct plan *plan_create(const struct level *source, const struct level *target, enum target what,
                         int grow, int centre)
{
    static const struct transport *const transports[] = {&transport_mpi, &transport_local};
    struct plan *plan = memory_alloc_zero(sizeof *plan, "plan");
    plan->ends = (struct plan_ends){
        .source = source->backend, .target = target->backend, .longest = extent_longest(target->n)};
    plan->copies = regions_find(source, target, what, grow, centre);
    make_routes(plan, transports, 2);
    for (int c = 0; c < plan->copies.count; c++)
        plan->cells[plan->copies.copies[c].direction] += copy_cells(&plan->copies.copies[c]);
    return plan;
}

void plan_destroy(struct plan *plan)
{
    routes_destroy(plan->routes, plan->nroutes);
    memory_free(plan->copies.copies);
    memory_free(plan);
}

static bool on_devices(const struct plan *plan)
{
    return plan->ends.source->on_device && plan->ends.target->on_device;
}

bool plan_crosses_devices(const struct plan *plan)
{
    return plan->ends.source->on_device != plan->ends.target->on_device;
}

/* True if its copies can be to and from host memory. */
static bool reaches_host(const struct backend *backend)
{
    return !backend->on_device || backend->staging;
}

void plan_connect(struct plan *plan, const struct transport *transport, bool device_messages)
{
    const struct transport *transports[MAX_ROUTES] = {&transport_mpi};
    int count = 1;
    CHECK(!plan->routes[0].buffers);
    routes_destroy(plan->routes, plan->nroutes);
    plan->ends.device_messages = device_messages && on_devices(plan);
    if (comm_node_size() > 1 && !plan->ends.device_messages && !plan_crosses_devices(plan) &&
        reaches_host(ends_copier(&plan->ends)))
        transports[count++] = &transport_node;
    transports[count++] = transport && on_devices(plan) ? transport : &transport_local;
    make_routes(plan, transports, count);
}

bool plan_is_recordable(const struct plan *plan)
{
    return on_devices(plan) && !plan->has_messages;
}

/* Waits for the device, if the plan has one: the host may be at work while the device waits for it.
 */
static void synchronise(const struct plan *plan)
{
    const struct backend *backend = ends_copier(&plan->ends);
    if (backend->on_device)
        backend->memory->synchronise();
}

static void run(struct plan *plan, enum phase phase, const real *from, real *to)
{
    for (struct route *r = plan->routes; r < plan->routes + plan->nroutes; r++)
        if (r->transport->phases[phase])
            r->transport->phases[phase](r, from, to);
}

/* Seconds since *start, which becomes now. */
static double lap(real *start)
{
    const double now = timer_seconds(), seconds = now - *start;
    *start = now;
    return seconds;
}

void plan_begin(struct plan *plan, const real *from, real *to, struct plan_times *times)
{
    double start = timer_seconds();
    run(plan, PHASE_PACK, from, to);
    times->pack += lap(&start);
    if (!plan->has_messages) {
        run(plan, PHASE_MOVE, from, to);
        times->local += lap(&start);
    }
}

/* MPI sends from the host, so the host waits until the device has packed. By then the device has
 * also unpacked the previous execution, so the receive buffer is free. Every rank sends its
 * messages, by the first routes, before its device waits for another rank's transport, so the two
 * ways cannot block each other. */
void plan_end(struct plan *plan, const real *from, real *to, struct plan_times *times)
{
    double start = timer_seconds();
    if (plan->has_messages) {
        synchronise(plan);
        times->pack += lap(&start);
        run(plan, PHASE_MOVE, from, to);
    }
    if (plan_crosses_devices(plan))
        synchronise(plan);
    times->local += lap(&start);
    run(plan, PHASE_WAIT, from, to);
    times->wait += lap(&start);
    run(plan, PHASE_UNPACK, from, to);
    times->unpack += lap(&start);
}

/* Rows of fields on devices are always in the order of struct patch. */
static void set_order(struct plan *plan, bool own_from, bool own_to)
{
    for (struct route *r = plan->routes; r < plan->routes + plan->nroutes; r++) {
        r->lists[COPY_OUT].own_from = r->lists[COPY_LOCAL].own_from = own_from;
        r->lists[COPY_IN].own_to = r->lists[COPY_LOCAL].own_to = own_to;
    }
}

void plan_scale(struct plan *plan, double factor)
{
    for (struct route *r = plan->routes; r < plan->routes + plan->nroutes; r++)
        for (int d = 0; d < NUM_DIRECTIONS; d++)
            r->lists[d].factor = factor;
}

void plan_execute(struct plan *plan, const real *from, real *to, struct plan_times *times)
{
    struct plan_times unused = {0};
    set_order(plan, false, false);
    plan_begin(plan, from, to, times ? times : &unused);
    plan_end(plan, from, to, times ? times : &unused);
}

void plan_move(struct plan *plan, const struct level *source, enum field from,
               const struct level *target, enum field to, struct plan_times *times)
{
    struct plan_times unused = {0};
    if (plan_crosses_devices(plan)) {
        level_natural(source, from);
        level_natural(target, to);
    }
    set_order(plan, source->own_order[from], target->own_order[to]);
    plan_begin(plan, source->fields[from], target->fields[to], times ? times : &unused);
    plan_end(plan, source->fields[from], target->fields[to], times ? times : &unused);
}

void plan_on_device(struct plan *plan, const real *from, real *to,
                    struct plan_copies copies[MAX_PLAN_COPIES])
{
    struct route *mpi = &plan->routes[0], *local = &plan->routes[1];
    CHECK(plan_crosses_devices(plan));
    messages_make_buffers(mpi);
    copies[0] = (struct plan_copies){&local->lists[COPY_LOCAL], from, to};
    copies[1] = plan->ends.source->on_device
                    ? (struct plan_copies){&mpi->lists[COPY_OUT], from, mpi->exchange.sends.buffer}
                    : (struct plan_copies){&mpi->lists[COPY_IN], mpi->exchange.receives.buffer, to};
}

void plan_on_host(struct plan *plan, const real *from, real *to)
{
    struct route *mpi = &plan->routes[0];
    const bool down = plan->ends.source->on_device;
    const int first = down ? PHASE_MOVE : PHASE_PACK, last = down ? PHASE_UNPACK : PHASE_WAIT;
    for (int phase = first; phase <= last; phase++)
        mpi->transport->phases[phase](mpi, from, to);
}
