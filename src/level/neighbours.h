/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_NEIGHBOURS_H
#define LEVEL_NEIGHBOURS_H
/* A plan's messages with one neighbouring rank at a time, to time them and to try whether they
 * arrive. */
#include "level/plan.h"

struct neighbour {
    int rank;
    struct plan *plan; /* the messages with this rank, both ways */
};

/* In the order of (this rank XOR the neighbour), which both ends of a pair agree on. So ranks that
 * work with one neighbour after the other, waiting for each, never wait in a circle, and all ranks
 * work in pairs at the same time. */
struct neighbours {
    int count; /* of this rank */
    int most;  /* of any rank; plans without messages fill the list up to it */
    struct neighbour *list;
    const struct plan *plan; /* whose messages they are */
};

/* Of a connected plan; NULL: no neighbours. Collective over the world. */
struct neighbours neighbours_create(const struct plan *plan);
void neighbours_destroy(struct neighbours *n); /* collective over the world */

/* Whether the ghosts of `field` that the neighbour's last message filled are bitwise those cells
 * that the neighbour has now, which it also sends from host memory. Both ends call it. */
bool neighbour_verify(const struct neighbour *n, const double *field);

#endif
