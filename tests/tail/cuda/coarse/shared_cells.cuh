/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_SHARED_CELLS_CUH
#define TAIL_SHARED_CELLS_CUH
#include "cuda/core/launch.cuh"

static inline int shared_offset(const double *cell)
{
    return (int)((const char *)cell - grid::now->block->shared);
}

struct shared_cells {
    enum { UNIT = (int)sizeof(double) };

    static double *cell(int at)
    {
        return (double *)(grid::now->block->shared + at);
    }
    double load(int at) const
    {
        return *cell(at);
    }
    double2 load_pair(int at) const
    {
        return {cell(at)[0], cell(at)[1]};
    }
    void store(int at, double value) const
    {
        *cell(at) = value;
    }
    void store_pair(int at, double2 pair) const
    {
        cell(at)[0] = pair.x;
        cell(at)[1] = pair.y;
    }
};

#endif
