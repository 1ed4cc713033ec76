/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Compiler fences: they cost no instruction, but hide from the compiler what it would use to the
 * kernel's disadvantage. Results do not depend on them. */
#include "cuda/core/cells.cuh"

/* The same value, unknown to the compiler. It computes what derives from the value anew
 * where it is used. Without this it keeps all derived values in registers from step to step, and
 * spills others. */
DEVICE int opaque(int value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* The same for an address. Without this, a copy of the kernel's parameters is made of single values
 * by every thread, instead of as an array in memory that the threads copy together. */
DEVICE const real *opaque(const real *address)
{
    asm volatile("" : "+l"(address));
    return address;
}

/* Keeps a value in a register. Without this the compiler loads it again in every sweep, which waits
 * for the load. */
DEVICE void pin_register(int &x)
{
    asm volatile("" : "+r"(x));
}

DEVICE void pin_register(double &x)
{
    asm volatile("" : "+d"(x));
}

DEVICE void pin_register(float &x)
{
    asm volatile("" : "+f"(x));
}

/* Computes x here. Without this the compiler moves the computation into the branch that uses x,
 * where it overlaps with nothing. */
DEVICE void force_eval(double &x)
{
    asm("" : "+d"(x));
}

DEVICE void force_eval(float &x)
{
    asm("" : "+f"(x));
}

/* Some of a value's bits, for zero_after(). */
DEVICE int some_bits(double x)
{
    return __double2hiint(x);
}

DEVICE int some_bits(float x)
{
    return __float_as_int(x);
}

/* 0, once the loads that `bits` come from have completed; `zero` is 0 but the compiler does not
 * know. Loads from an address that the result is added to are issued after those loads. Without
 * this they may be issued before. As loads share the few scoreboards that instructions wait on, a
 * use of the earlier values then waits for the later loads too, which takes 10 to 25 % of the
 * kernel's time. */
DEVICE unsigned zero_after(int bits, unsigned zero)
{
    return bits & zero;
}
