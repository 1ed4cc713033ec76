/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_NVTX_H
#define BASE_NVTX_H
/* Ranges of NVTX, which Nsight Systems shows. They do nothing in builds without CUDA. */

void nvtx_push(const char *name);
void nvtx_pop(void);

#endif
