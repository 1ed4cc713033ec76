/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdbool.h>

struct backend;
struct exchange;

/* Seconds after which a message of a trial is given up. */
#define TRIAL_SECONDS 60.0

/* Whether MPI carries the exchange's messages between its buffers, which lie in this backend's
 * memory. Exchanges test values twice, different ones each time, compares what this rank receives,
 * and leaves the values in the buffers. All ranks of the exchange call it. Ends the job if a
 * message has not arrived after `seconds`: MPI may still access the buffers then. */
bool exchange_selftest(struct exchange *x, const struct backend *backend, double seconds);

/* Whether MPI carries messages between buffers of this backend's memory: sends short and long
 * messages around a ring of all ranks, both ways, and compares what arrives. MPI libraries may
 * claim to take device memory where they cannot. Collective over the world, and so is the answer.
 * Ends the job where a message does not arrive at all. */
bool messages_arrive(const struct backend *backend);

/* Why MPI cannot be given pointers to this device's memory; NULL if it can. Only a library that
 * says so on every rank is tried: others read such pointers as the host's and crash. Collective
 * over the world, and so is the answer. */
const char *gpu_aware_mpi_error(const struct backend *device);
