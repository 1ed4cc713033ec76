/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APP_TRANSPORT_H
#define APP_TRANSPORT_H
/* How messages between GPUs travel: by kernels that write into other GPUs' memory (peer), by an MPI
 * library that takes pointers to it (cuda-aware), or by way of page-locked host memory (staged). */
#include "app/options.h"
#include "level/plan.h"

struct transport_chosen {
    const char *name; /* as the option says it; NULL where there is nothing to choose */
    const struct transport *transport; /* peer's, or NULL */
    bool device_messages;              /* cuda-aware */
    const char *elsewhere; /* the one between nodes, where peer is the one within; NULL if there is
                              one node */
    const char *not_peer;  /* why auto did not take peer; NULL if it did, or was not asked */
    double overlap_above;  /* cells a rank from which on it pays to compute while halos travel */
};

/* Takes what the options ask for, or the fastest that works: peer within nodes and what MPI can do
 * between them. For tests, HPGMG_NODES=COUNT in the environment tells the ranks to
 * act as COUNT nodes. STATUS_ENVIRONMENT and why in message if what is asked for does not.
 * Collective over the world; all ranks return the same. */
enum status transport_choose(const struct options *options, bool on_gpu, char *message, int size);
const struct transport_chosen *transport_chosen(void);

#endif
