/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* For CPU threads that wait for a word. */

static inline void pause_thread()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}
