/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Memory that the ranks of a node share: POSIX shared memory, mapped by all of them. */
#include <stdbool.h>
#include <stddef.h>

struct node_memory {
    double *data; /* the parts of all ranks of the node, in the order of ranks, each on pages of its
                     own, near the rank that owns it; NULL: there is none */
    size_t bytes;
    long own; /* where this rank's part begins, doubles */
};

/* Shares memory with a part of `length` doubles, zero-filled, for this rank. Returns whether that
 * was possible, which all ranks of the node agree on. It is not for a rank that is alone on its
 * node. Collective over the world. */
bool node_memory_share(struct node_memory *m, long length);
/* Unmaps it here. Other ranks keep theirs. */
void node_memory_release(struct node_memory *m);

/* True on all ranks of a node if it is on each of them; for one of each node. Collective over the
 * world. */
bool node_all(bool value);
