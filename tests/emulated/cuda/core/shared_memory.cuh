/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
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

static inline real at(int address)
{
    emulated::note_read(address);
    return *(const real *)(shared_memory + address);
}

static inline void put(int address, real value)
{
    emulated::note_write(address);
    *(real *)(shared_memory + address) = value;
}

/* The GPU reads and writes pairs of cells at multiples of their size only. */
static inline void check_pair(uintptr_t address)
{
    if (address % sizeof(real2) != 0)
        abort();
}

static inline real2 vector_at(int address)
{
    check_pair((uintptr_t)address);
    return {at(address), at(address + (int)sizeof(real))};
}

static inline void put(int address, real2 value)
{
    check_pair((uintptr_t)address);
    put(address, value.x);
    put(address + (int)sizeof(real), value.y);
}

/* See cuda_pipeline.h. */
static inline void copy_cell(int to, const void *from)
{
    put(to, (real)NAN);
    emulated::self().copies.push_back({(real *)(shared_memory + to), *(const real *)from});
}

static inline void copy_vector(int to, const void *from)
{
    check_pair((uintptr_t)to);
    check_pair((uintptr_t)from);
    copy_cell(to, from);
    copy_cell(to + (int)sizeof(real), (const real *)from + 1);
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
