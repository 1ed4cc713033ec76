/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_RECIPROCAL_CUH
#define EMULATED_RECIPROCAL_CUH
/* A correctly rounded reciprocal is the quotient. */

static inline double reciprocal(double x)
{
    return 1.0 / x;
}

#endif
