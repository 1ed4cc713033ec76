/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A correctly rounded reciprocal is the quotient (reciprocal_test.cc). */
#include "base/real.h"

static inline real reciprocal(real x)
{
    return (real)1.0 / x;
}
