/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_SHARED_MEMORY_CUH
#define EMULATED_SHARED_MEMORY_CUH
/* Shared memory that records every access. */
#include "cuda/core/launch.cuh"

using emulated::shared_memory;

static inline int shared_begin()
{
    return 0;
}

static inline void *shared_pointer(int address)
{
    return shared_memory + address;
}

static inline double at(int address)
{
    emulated::note_read(address);
    return *(const double *)(shared_memory + address);
}

static inline void put(int address, double value)
{
    emulated::note_write(address);
    *(double *)(shared_memory + address) = value;
}

#endif
