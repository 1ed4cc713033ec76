/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Fences are for the CUDA compiler only. */
#include <cstring>
#include "base/real.h"

template <class T>
static inline T opaque(T value)
{
    return value;
}

template <class T>
static inline void pin_register(T &)
{
}

static inline void force_eval(real &)
{
}

/* The first bytes of either type tell as much as any others. */
static inline int some_bits(real x)
{
    int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline unsigned zero_after(int bits, unsigned zero)
{
    return bits & zero;
}
