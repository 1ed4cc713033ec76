/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include "cuda/core/cells.cuh"

DEVICE int shared_offset(const double *cell)
{
    return (int)__cvta_generic_to_shared(cell);
}

/* Cells by their byte offset in shared memory. Inline instructions: compilation does not terminate
 * if the compiler analyses pointers made from such offsets. */
struct shared_cells {
    enum { UNIT = (int)sizeof(double) };

    DEVICE_MEMBER double load(int at) const
    {
        double value;
        asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(at) : "memory");
        return value;
    }
    DEVICE_MEMBER double2 load_pair(int at) const
    {
        double2 pair;
        asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                     : "=d"(pair.x), "=d"(pair.y)
                     : "r"(at)
                     : "memory");
        return pair;
    }
    DEVICE_MEMBER void store(int at, double value) const
    {
        asm volatile("st.shared.f64 [%0], %1;" : : "r"(at), "d"(value) : "memory");
    }
    DEVICE_MEMBER void store_pair(int at, double2 pair) const
    {
        asm volatile("st.shared.v2.f64 [%0], {%1, %2};"
                     :
                     : "r"(at), "d"(pair.x), "d"(pair.y)
                     : "memory");
    }
};
