/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_GPU_ONLY_H
#define LAB_GPU_ONLY_H
#include <stdbool.h>
/* What only builds with CUDA define. Others link without it: there no GPU can be opened, so nothing
 * calls it. */
#define GPU_ONLY __attribute__((weak))
#endif
