/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_SHARED_MEMORY_CUH
#define EMULATED_SHARED_MEMORY_CUH
/* Shared memory that records every access. */
#include "cuda/core/launch.cuh"

#define shared_memory (emulated::now->shared)

static inline int shared_begin()
{
    return 0;
}

static inline void *shared_pointer(int address)
{
    return shared_memory + address;
}

static inline int __cvta_generic_to_shared(const void *pointer)
{
    return (int)((const unsigned char *)pointer - shared_memory);
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

static inline double2 vector_at(int address)
{
    return {at(address), at(address + (int)sizeof(double))};
}

static inline void put(int address, double2 value)
{
    put(address, value.x);
    put(address + (int)sizeof(double), value.y);
}

/* See cuda_pipeline.h. */
static inline void copy_cell(int to, const void *from)
{
    put(to, std::nan(""));
    emulated::self().copies.push_back({(double *)(shared_memory + to), *(const double *)from});
}

static inline void copy_vector(int to, const void *from)
{
    copy_cell(to, from);
    copy_cell(to + (int)sizeof(double), (const double *)from + 1);
}

static inline void copy_cell_if(int wanted, int to, const void *from)
{
    if (wanted)
        copy_cell(to, from);
}

static inline void copy_vector_if(int wanted, int to, const void *from)
{
    if (wanted)
        copy_vector(to, from);
}

#endif
