/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
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

/* Calls launch(from, to) with a value of the type of either end. */
template <class Launch>
static void with_precisions(bool from_single, bool to_single, Launch launch)
{
    if (from_single && to_single)
        launch(0.0f, 0.0f);
    else if (from_single)
        launch(0.0f, 0.0);
    else if (to_single)
        launch(0.0, 0.0f);
    else
        launch(0.0, 0.0);
}
