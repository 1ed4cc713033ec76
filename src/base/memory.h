/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Host memory with a ledger. The program allocates all host memory here, so leaks and bytes per
 * unknown are counted. (Leak checkers cannot tell the program's leaks from the MPI library's.) */
#include <stddef.h>
#include "base/linkage.h"

C_BEGIN

/* `bytes` bytes of uninitialised memory (or 0), aligned to 128 bytes. Dies with STATUS_MEMORY and
 * the name `what` of the block if there is no memory. Not thread-safe: only the main thread
 * allocates. */
void *memory_alloc(size_t bytes, const char *what);
/* The same, filled with zero bytes. */
void *memory_alloc_zero(size_t bytes, const char *what);
/* Grows a block of old_bytes to new_bytes and keeps its contents; block may be NULL. */
void *memory_grow(void *block, size_t old_bytes, size_t new_bytes, const char *what);
/* Grows an array of `count` elements of `size` bytes so that one more fits, and returns it. `array`
 * is NULL if count is 0, else what an earlier call returned. */
void *memory_room(void *array, int count, size_t size, const char *what);
/* Releases a block of memory_alloc; NULL is allowed. */
void memory_free(void *block);

/* Blocks and bytes now live, and the largest number of live bytes so far. */
size_t memory_live_blocks(void);
size_t memory_live_bytes(void);
size_t memory_peak_bytes(void);

/* Bytes that this process can still allocate without swapping (Linux): the machine's available
 * memory, or less where a control group sets a limit. 0 if unknown. */
size_t memory_available_bytes(void);

C_END
