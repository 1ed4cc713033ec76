/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_SHARED_MESSAGES_H
#define LEVEL_SHARED_MESSAGES_H
/* The messages of a plan between ranks of one node, in memory that these ranks share. A rank packs
 * into its part, and the receivers unpack from there. What MPI sends instead is empty and says that
 * the cells are there. Messages between nodes are MPI's, from and to the same memory. */
#include "backend/backend.h"
#include "comm/comm.h"
#include "comm/node_memory.h"

/* What a plan moves by messages. */
struct carried {
    const struct copy_list *pack, *unpack;
    const struct exchange *exchange;
    const struct backend *source, *target;
};

struct shared_messages {
    struct node_memory memory[2]; /* for executions of even and odd numbers */
    int current;
    struct copy_list pack, unpack; /* the plan's, with places in this memory */
    struct exchange exchange;      /* its buffers are the current memory */
    const struct backend *source, *target;
    const struct backend *device; /* that accesses this memory; NULL: none */
};

/* NULL where no messages are within the node, or where the node or its devices cannot share memory.
 * Then MPI carries all messages of its ranks. Collective over the world. */
struct shared_messages *shared_messages_create(const struct carried *carried);
void shared_messages_destroy(struct shared_messages *s);

/* Switches to the other of the two buffers, before the ranks pack. Its receivers have read what
 * they overwrite: it was sent two executions ago, and each receiver has since sent a message that
 * this rank has waited for. */
void shared_messages_turn(struct shared_messages *s);

#endif
