/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A block's dynamic shared memory, by addresses in bytes. */
#include "cuda/core/cells.cuh"

extern __shared__ __align__(128) unsigned char shared_memory[];

DEVICE int shared_begin()
{
    return (int)__cvta_generic_to_shared(shared_memory);
}

DEVICE void *shared_pointer(int address)
{
    return __cvta_shared_to_generic((unsigned)address);
}

DEVICE real at(int address)
{
    return *(const real *)shared_pointer(address);
}

DEVICE void put(int address, real value)
{
    *(real *)shared_pointer(address) = value;
}

/* Two cells at a multiple of their size. */
DEVICE real2 vector_at(int address)
{
    return *(const real2 *)shared_pointer(address);
}

DEVICE void put(int address, real2 value)
{
    *(real2 *)shared_pointer(address) = value;
}

/* Asynchronous copies of two cells, by way of the second-level cache alone if they are 16 bytes,
 * and of one cell. */
DEVICE void copy_vector(int to, const void *from)
{
    if (sizeof(real2) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" : : "r"(to), "l"(from));
}

DEVICE void copy_cell(int to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                 :
                 : "r"(to), "l"(from), "n"(sizeof(real)));
}

/* The same if `wanted` is not 0, without a branch: threads that copy nothing may have any address.
 */
DEVICE void copy_vector_if(int wanted, int to, const void *from)
{
    if (sizeof(real2) == 16)
        asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %0, 0;\n"
                     "@p cp.async.cg.shared.global [%1], [%2], 16;\n}"
                     :
                     : "r"(wanted), "r"(to), "l"(from));
    else
        asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %0, 0;\n"
                     "@p cp.async.ca.shared.global [%1], [%2], 8;\n}"
                     :
                     : "r"(wanted), "r"(to), "l"(from));
}

DEVICE void copy_cell_if(int wanted, int to, const void *from)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.s32 p, %0, 0;\n"
                 "@p cp.async.ca.shared.global [%1], [%2], %3;\n}"
                 :
                 : "r"(wanted), "r"(to), "l"(from), "n"(sizeof(real)));
}
