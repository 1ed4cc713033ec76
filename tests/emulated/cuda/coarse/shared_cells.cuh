/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "cuda/core/shared_memory.cuh"

static inline int shared_offset(const double *cell)
{
    return __cvta_generic_to_shared(cell);
}

struct shared_cells {
    enum { UNIT = (int)sizeof(double) };

    double load(int address) const
    {
        return at(address);
    }
    double2 load_pair(int address) const
    {
        return vector_at(address);
    }
    void store(int address, double value) const
    {
        put(address, value);
    }
    void store_pair(int address, double2 pair) const
    {
        put(address, pair);
    }
};
