/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OPERATORS_BACKEND_CPU_H
#define OPERATORS_BACKEND_CPU_H
/* The CPU backend: fields in host memory, OpenMP threads. Both tables give bitwise identical
 * results. */
#include "level/backend.h"

struct passes;

extern const struct passes cpu_passes;   /* of backend_cpu; for backends with other memory too */
extern const struct backend backend_cpu; /* tiled loops */
extern const struct backend backend_cpu_plain; /* one operation after the other: the reference */

#endif
