/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The CPU backend: fields in host memory, OpenMP threads. Both tables give bitwise identical
 * results. */
#include "backend/backend.h"

struct passes;

extern const struct passes cpu_passes;   /* of backend_cpu; for backends with other memory too */
extern const struct backend backend_cpu; /* tiled loops */
extern const struct backend backend_cpu_plain; /* one operation after the other: the reference */

/* The same for levels of single precision. */
extern const struct passes cpu_passes_single;
extern const struct backend backend_cpu_single, backend_cpu_plain_single;

/* Threads that work on a box of `cells` cells: one, or all that may. */
int cpu_threads(long cells);
/* Sets the maximum of threads that work on levels; OpenMP's maximum still holds. */
void cpu_use_threads(int most);
/* Ends idle threads if some of OpenMP's may not work on levels. Under OMP_WAIT_POLICY=active they
 * would take cycles from those that may. Later parallel regions create threads again. */
void cpu_release_threads(void);
