/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAIL_FENCES_CUH
#define TAIL_FENCES_CUH
/* Fences are for the CUDA compiler only. */

template <class T>
static inline T hidden(T value)
{
    return value;
}

template <class T>
static inline void keep(T &)
{
}

#endif
