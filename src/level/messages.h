/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Messages by MPI: from buffers on the device or in host memory, or, empty ones, beside memory that
 * the ranks of a node share (level/node_messages.c). */
#include "level/route.h"

/* Makes MPI's buffers before their first use. Messages from device memory are then tried, and the
 * job ends if they do not arrive. */
void messages_make_buffers(struct route *route);

/* Phases of a route whose exchange has buffers. */
route_phase messages_pack, messages_start, messages_wait, messages_unpack;
