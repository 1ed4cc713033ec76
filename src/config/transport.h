/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The transport of messages between GPUs: kernels that write into other GPUs' memory (peer), MPI
 * with pointers to GPU memory (cuda-aware), or MPI from pinned host memory (staged). */
#include "base/status.h"
#include "level/plan.h"

struct transport_chosen {
    const char *name; /* as in the option; NULL if there are no messages between GPUs */
    const struct transport *transport; /* peer's, or NULL */
    bool device_messages;              /* cuda-aware */
    const char *elsewhere;             /* between nodes, if peer is used within them; else NULL */
    const char *not_peer;              /* why auto did not take peer; else NULL */
    double overlap_above;              /* cells per rank from which overlap pays */
};

/* Takes the transport that is wanted (enum transport_kind), or the fastest that works: peer within
 * nodes, MPI between them. STATUS_ENVIRONMENT with the reason in message if the one asked for does
 * not work. Collective over the world; equal on all ranks. */
enum status transport_choose(int wanted, bool on_gpu, char *message, int size);
const struct transport_chosen *transport_chosen(void);
