/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_MESSAGE_TRIAL_H
#define LEVEL_MESSAGE_TRIAL_H
#include <stdbool.h>

struct backend;
struct exchange;

/* Seconds after which a message of a trial is given up. */
#define TRIAL_SECONDS 60.0

/* Whether MPI carries the exchange's messages between its buffers, which lie in this backend's
 * memory: twice sends numbers of their own, other ones each time, and compares what this rank
 * receives. The buffers keep them. All ranks of the exchange call it. Ends the job if a message is
 * on its way for more than `seconds`, for MPI then keeps the buffers. */
bool exchange_arrives(struct exchange *x, const struct backend *memory, double seconds);

/* Whether MPI carries messages between buffers of this backend's memory: sends short and long
 * messages around a ring of all ranks, both ways, and compares what arrives. MPI libraries may
 * claim to take device memory where they cannot. Collective over the world, and so is the answer.
 * Ends the job where a message does not arrive at all. */
bool messages_arrive(const struct backend *memory);

/* Why MPI cannot be given pointers to this device's memory; NULL if it can. Only a library that
 * says so on every rank is tried: others read such pointers as the host's and crash. Collective
 * over the world, and so is the answer. */
const char *why_no_device_messages(const struct backend *device);

#endif
