/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_CACHE_H
#define LAB_CACHE_H

/* Bytes of the last caches that `threads` threads reach, as far as the system tells; several where
 * processors share them in groups. 32 MiB if it does not tell. */
long cache_bytes(int threads);

#endif
