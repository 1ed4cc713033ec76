/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What a GPU has, as far as the choice of kernels depends on it. */
#include <stdbool.h>
#include <stddef.h>
#include "base/linkage.h"

C_BEGIN

struct device_limits {
    size_t shared_per_block; /* bytes, static and dynamic, the most that a kernel may ask for */
    bool tile_copies; /* the Tensor Memory Accelerator copies tiles: compute capability 9.0 */
};

/* Lowers the limits to those of the class of GPUs called "sm_80", …, so that the kernels for that
 * class run on a newer GPU. Lines of the CUDA C++ Programming Guide's table of technical
 * specifications per compute capability. False if there is no such class. */
bool device_limits_lower(struct device_limits *limits, const char *name);

/* The names that device_limits_lower() knows, as one line. */
const char *device_limits_names(void);

C_END
