/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_RECIPROCAL_CUH
#define EMULATED_RECIPROCAL_CUH
/* A correctly rounded reciprocal is the quotient (reciprocal_test.cc). */
#include "base/real.h"

static inline real reciprocal(real x)
{
    return (real)1.0 / x;
}

#endif
