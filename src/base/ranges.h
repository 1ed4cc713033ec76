/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_RANGES_H
#define BASE_RANGES_H
/* Named ranges on a profiler's time line (NVTX, as Nsight Systems shows it). They nest; without a
 * profiler they cost a few nanoseconds, in builds without CUDA nothing. */

void range_push(const char *name);
void range_pop(void);

#endif
