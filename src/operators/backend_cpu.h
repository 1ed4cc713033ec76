#ifndef OPERATORS_BACKEND_CPU_H
#define OPERATORS_BACKEND_CPU_H
/* The CPU backend: fields in host memory, OpenMP threads. Both tables give the same bits. */
#include "level/backend.h"

extern const struct backend backend_cpu; /* tiled loops: fast */
extern const struct backend
    backend_cpu_plain; /* one operation after the other: the readable truth */

#endif
