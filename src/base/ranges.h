/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H
/* Named, nested ranges on the time line of a profiler (NVTX; Nsight Systems). They cost a few
 * nanoseconds without a profiler, and nothing in builds without CUDA. */

void range_push(const char *name);
void range_pop(void);

#endif
