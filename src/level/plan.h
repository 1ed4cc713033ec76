/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_PLAN_H
#define LEVEL_PLAN_H
/* A plan moves cells from the boxes of one level to regions of the boxes of another (or of the
 * same) level, between ranks where needed: halo exchange, agglomeration and its way back are all
 * plans. Built by intersection, once. */
#include "comm/comm.h"
#include "level/level.h"

/* A cuboid of cells copied between two pieces of memory: element (i,j,k), 0 <= i < n[0] …, goes
 * from source[from + i + j·from_sj + k·from_sk] to target[to + i + j·to_sj + k·to_sk]. */
struct copy {
    int n[3];
    long from, from_sj, from_sk;
    long to, to_sj, to_sk;
};

struct copy_list {
    int count;
    struct copy *copies;
};

struct plan;

/* A way for messages between fields on devices without a host's hand, with the ranks that it
 * reaches: whom one reaches, reaches that one. connect (collective over the world) prepares a plan
 * all of whose messages are with such ranks and returns what execute and disconnect want; execute
 * begins the whole plan as work on the device, which a backend may record. */
struct transport {
    const char *name;
    bool (*reaches)(int rank);
    void *(*connect)(const struct plan *plan);
    void (*execute)(void *connection, const double *from, double *to);
    void (*disconnect)(void *connection);
};

/* One plan as this rank sees it. */
struct plan {
    struct copy_list pack;   /* source field -> exchange.send_buffer */
    struct copy_list local;  /* source field -> target field, same rank */
    struct copy_list unpack; /* exchange.receive_buffer -> target field */
    struct exchange exchange;
    const struct backend *source, *target; /* whose fields it moves */
    const char *what;                      /* a halo, for messages about it */
    int dim;                               /* cells a side of its levels */
    long cells_local, cells_sent;          /* by this rank, per execution */
    bool device_messages;                  /* the MPI library takes buffers on the device */
    struct plan *direct; /* after plan_connect: what is local and what the transport carries; the
                            lists and messages above are then what is left for MPI */
    const struct transport *transport; /* of a direct plan */
    void *connection;                  /* the transport's */
};

/* What part of the target's patches a plan fills. */
enum target {
    TARGET_GHOSTS, /* the `grow` layers around each box, without the box itself; both levels then
                      have the same boxes */
    TARGET_GROWN,  /* the box and `grow` layers around it */
};

/* Plan that fills, on every box of `target`, the part chosen by `what` and `grow` (0 <= grow <=
 * target->ghosts) with the values that the boxes of `source` own there. Both levels have the same
 * dim. If periodic, images of the domain continue it on all sides (any grow, also above dim); if
 * not, nothing beyond the walls is touched, except that for a face-centred field (centre = 0..2)
 * the faces on the high wall belong to the boxes below it (stored in the source's first ghost
 * layer, so it must have one). Every cell is covered exactly once. At most one message per pair of
 * ranks. Collective over the world. */
struct plan *plan_create(const struct level *source, const struct level *target, enum target what,
                         int grow, int centre);
void plan_destroy(struct plan *plan);

/* The plan's messages with ranks that the transport reaches use it from now on, if both ends of the
 * plan are on devices. Before the first execution, and at most once. Collective over the world. */
void plan_connect(struct plan *plan, const struct transport *transport);

/* Seconds spent in the parts of one or more executions; add to the same struct again and again. */
struct plan_times {
    double pack, local, wait, unpack;
};

/* True if the plan is a device's work alone, which its backend may record. */
bool plan_is_recordable(const struct plan *plan);

/* Moves the cells: packs, sends by MPI, while these messages travel copies what is local and begins
 * what the transport carries, waits, unpacks. `from` is a field of source's layout, `to` one of
 * target's (the same for a halo). times may be NULL; without a host's hand there are no parts to
 * time. */
void plan_execute(struct plan *plan, const double *from, double *to, struct plan_times *times);

/* The same in two halves, between which other work may be begun that the plan does not touch: the
 * first waits for nothing, neither on the host nor for other ranks. */
void plan_begin(struct plan *plan, const double *from, double *to);
void plan_end(struct plan *plan, const double *from, double *to, struct plan_times *times);

#endif
