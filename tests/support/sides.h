/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The sides of a test's domain. */
#include "level/sides.h"

/* All periodic, or Dirichlet walls. */
static inline struct sides sides_if(bool periodic)
{
    return sides_all(periodic ? BOUNDARY_PERIODIC : BOUNDARY_DIRICHLET);
}
