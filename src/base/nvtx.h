/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Ranges of NVTX, which Nsight Systems shows. They do nothing in builds without CUDA. */

void nvtx_push(const char *name);
void nvtx_pop(void);
