/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A plan moves cells from the boxes of one level to regions of the boxes of another (or of the
 * same) level, between ranks where needed. Halo exchange, agglomeration and distribution are plans.
 * A plan is built once, by intersecting boxes. */
#include "level/regions.h"
#include "level/route.h"

enum { MAX_ROUTES = 3 };

/* One plan as this rank sees it. */
struct plan {
    struct plan_ends ends;
    struct copy_list copies; /* all, in the order of routes */
    int nroutes;
    struct route routes[MAX_ROUTES]; /* the first one is MPI's, the last one has the local copies */
    bool has_messages;               /* of MPI, for which the host waits */
    long cells[NUM_DIRECTIONS];      /* of this rank's copies, per execution */
};

/* Plan that fills, on every box of `target`, the part chosen by `what` and `grow` (0 <= grow <=
 * target->ghosts) with the values that the boxes of `source` own there. Both levels have the same
 * extent. In periodic directions, images continue it (any grow, also above that). Nothing beyond
 * walls is touched, with one exception: the faces on the high wall belong to the boxes below it if
 * the field is face-centred (centre = 0..2). They are stored in the source's first ghost layer, so
 * it must have one. Every cell is covered exactly once. There is at most one message per pair of
 * ranks and direction. Collective over the world. */
struct plan *plan_create(const struct level *source, const struct level *target, enum target what,
                         int grow, int centre);
void plan_destroy(struct plan *plan);

/* Chooses the routes. Between devices the transport (or NULL) carries the copies within this rank
 * and to ranks that it reaches; a plan with another end ignores it. MPI carries the others: from
 * buffers on the device or, without device_messages, from host memory. Then the ranks of a node
 * that can share memory do so (level/node_messages.c). A plan that is not connected leaves all
 * messages to MPI. Before the first execution, at most once. Collective over the world. */
void plan_connect(struct plan *plan, const struct transport *transport, bool device_messages);

/* Seconds spent in the parts of executions, which add to it. Work that a device does after the call
 * has returned is not counted. */
struct plan_times {
    double pack, local, wait, unpack;
};

/* True if the plan is a device's work alone, which its backend may record. */
bool plan_is_recordable(const struct plan *plan);

/* Between levels of different precision: multiplies values, as doubles, by this power of two (1
 * until then, and after plan_connect). */
void plan_scale(struct plan *plan, double factor);

/* Moves the cells: plan_begin, then plan_end. `from` is a field of source's layout, `to` one of
 * target's (the same for a halo). times may be NULL. */
void plan_execute(struct plan *plan, const real *from, real *to, struct plan_times *times);
/* The same between fields of the plan's levels, in whatever order their rows are stored. */
void plan_move(struct plan *plan, const struct level *source, enum field from,
               const struct level *target, enum field to, struct plan_times *times);

/* plan_begin packs or, where MPI carries nothing, begins the whole plan. It waits neither on the
 * host nor for other ranks; but before its first messages from device memory these are tried, and
 * the job ends if they do not arrive. plan_end starts the messages, does the local copies while
 * they travel, waits and unpacks. In between, other work may be begun that the plan does not touch.
 * Here times must not be NULL. */
void plan_begin(struct plan *plan, const real *from, real *to, struct plan_times *times);
void plan_end(struct plan *plan, const real *from, real *to, struct plan_times *times);

/* A plan between a device and the host, in two halves for a hand-over (backend/backend.h). The
 * device makes the copies that plan_on_device lists, and plan_on_host does the rest: messages,
 * packing and unpacking on the host. It follows the copies if the plan's source is on the device,
 * and precedes them otherwise. */
bool plan_crosses_devices(const struct plan *plan); /* the plan is between a device and the host */
void plan_on_device(struct plan *plan, const real *from, real *to,
                    struct plan_copies copies[MAX_PLAN_COPIES]);
void plan_on_host(struct plan *plan, const real *from, real *to);
