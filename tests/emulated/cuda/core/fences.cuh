/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef EMULATED_OPAQUE_CUH
#define EMULATED_OPAQUE_CUH
/* Nothing is hidden here. */

static inline int hidden(int value)
{
    return value;
}

static inline void computed_here(double &)
{
}

#endif
