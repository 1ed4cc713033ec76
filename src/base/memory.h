/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H
/* Host memory with a ledger. Every block of the program comes from here, so that "no leak" and
 * "bytes per unknown" are counts and not estimates (MPI libraries leak on their own, which hides
 * ours from leak checkers). */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bytes of uninitialised memory, 128-byte aligned; dies with STATUS_MEMORY if there is none. bytes
 * may be 0. `what` names the block in that message. Thread-safe is not needed: only the main thread
 * allocates. */
void *memory_alloc(size_t bytes, const char *what);
/* The same, filled with zero bytes. */
void *memory_alloc_zero(size_t bytes, const char *what);
/* A block of old_bytes grown to new_bytes (contents kept); block may be NULL. */
void *memory_grow(void *block, size_t old_bytes, size_t new_bytes, const char *what);
/* Releases a block of memory_alloc; NULL is allowed. */
void memory_free(void *block);

/* Blocks and bytes now live, and the largest number of bytes that ever were. */
size_t memory_live_blocks(void);
size_t memory_live_bytes(void);
size_t memory_peak_bytes(void);

/* Bytes that this process could still allocate without swapping: the smaller of the machine's
 * available memory and the control group's limit (Linux). 0 if unknown. */
size_t memory_available_bytes(void);

#ifdef __cplusplus
}
#endif
#endif
