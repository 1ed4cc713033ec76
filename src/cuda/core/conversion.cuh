/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_CONVERSION_CUH
#define CUDA_CORE_CONVERSION_CUH
/* Values between fields of either precision. */
#include <type_traits>
#include "cuda/core/cells.cuh"

/* A value of the same precision, or of the other one and multiplied. */
template <class To, class From>
DEVICE To converted(From x, double factor)
{
    if constexpr (std::is_same<To, From>::value)
        return x;
    else
        return (To)((double)x * factor);
}

#endif
