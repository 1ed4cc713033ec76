/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the device has, and its memory. */
#include "cuda/core/launch.cuh"
#include "cuda/device_limits.h"

/* The device's limits, or those to which HPGMG_DEVICE_LIMITS lowers them. */
const struct device_limits *cuda_limits();

/* Device memory with the ledger of cuda.h; dies with STATUS_MEMORY if there is none. */
void *cuda_allocate_bytes(size_t bytes, const char *what);
void cuda_release_bytes(void *block);
/* Allocates *block zero-filled unless it is there already, and returns it. cuda_close releases it
 * and sets *block to NULL. */
void *cuda_keep_bytes(void **block, size_t bytes, const char *what);
