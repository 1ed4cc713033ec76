/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_PAUSE_H
#define CUDA_CORE_PAUSE_H
/* For CPU threads that wait for a word. */

static inline void pause_thread()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
