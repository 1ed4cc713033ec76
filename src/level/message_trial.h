/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LEVEL_MESSAGE_TRIAL_H
#define LEVEL_MESSAGE_TRIAL_H
#include <stdbool.h>

struct backend;

/* Whether MPI carries messages between buffers of this backend's memory: sends short and long
 * messages around a ring of all ranks, both ways, and compares what arrives. MPI libraries may
 * claim to take device memory where they cannot. Collective over the world, and so is the answer.
 */
bool messages_arrive(const struct backend *memory);

/* Why MPI cannot be given pointers to this device's memory; NULL if it can. Only a library that
 * says so on every rank is tried: others read such pointers as the host's and crash. Collective
 * over the world, and so is the answer. */
const char *why_no_device_messages(const struct backend *device);

#endif
