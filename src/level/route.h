/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A route is the part of a plan (level/plan.h) that one transport carries: the copies to and from
 * the ranks that it reaches. */
#include <stdbool.h>
#include "backend/backend.h"
#include "comm/comm.h"

/* Between whose fields a plan moves cells, and how. */
struct plan_ends {
    const struct backend *source, *target;
    int longest;          /* cells along the longest side of the levels */
    bool device_messages; /* MPI reads and writes buffers on the device */
};

/* What an execution does, one after the other, each on all routes. Between the first two the host
 * waits for the device if there are messages. */
enum phase {
    PHASE_PACK,   /* cells into messages; waits for nothing */
    PHASE_MOVE,   /* starts messages, and copies cells within this rank */
    PHASE_WAIT,   /* the host, for messages */
    PHASE_UNPACK, /* cells from messages */
    NUM_PHASES
};

struct route;
typedef void route_phase(struct route *route, const real *from, real *to);

/* A way to carry copies. One without PHASE_WAIT does all in PHASE_MOVE, as work of the copier which
 * a backend may record; with other ranks it needs no host then. */
struct transport {
    bool (*reaches)(int rank); /* a symmetric relation; not collective */
    bool answers; /* a message that has none in the other direction gets an empty one */
    /* Prepares a route; false: MPI is to carry it. And takes that back. Collective over the world;
     * may be NULL. */
    bool (*connect)(struct route *route);
    void (*disconnect)(struct route *route);
    route_phase *phases[NUM_PHASES]; /* NULL: nothing to do */
};

struct route {
    const struct transport *transport;
    const struct plan_ends *ends;
    struct copy_list lists[NUM_DIRECTIONS]; /* parts of the plan's, in the order of peers */
    struct exchange exchange;               /* the messages of COPY_OUT and COPY_IN */
    const struct backend *buffers; /* allocates MPI's of the exchange; NULL before the first use */
    void *state;                   /* the transport's */
};

extern const struct transport transport_local; /* copies within this rank */
extern const struct transport transport_mpi;   /* level/messages.h */
extern const struct transport transport_node;  /* level/node_messages.c */

/* Makes a route for each of `count` transports, of which the first reaches all ranks. A copy's
 * route is that of the last one that reaches its peer. Puts the copies in the order of routes,
 * directions and peers, and within these as they were. Collective over the world if a transport has
 * connect. */
void routes_create(struct route *routes, const struct transport *const *transports, int count,
                   const struct plan_ends *ends, struct copy_list *copies);
void routes_destroy(struct route *routes, int count);

static inline bool is_single(const struct backend *backend)
{
    return backend->real_bytes == sizeof(float);
}

/* The backend that can access both ends: a device reads and writes fields of the host, and not the
 * other way round. */
static inline const struct backend *ends_copier(const struct plan_ends *ends)
{
    return ends->target->on_device ? ends->target : ends->source;
}
