/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the rest of the program sees of the GPU. Builds without CUDA link absent.c, which has the
 * same symbols. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "backend/backend.h"
#include "base/linkage.h"

C_BEGIN

/* Fields in GPU memory, passes as kernels. Use only after cuda_open() succeeded. */
extern const struct backend backend_cuda;
/* CPU passes on pinned memory that kernels can reach too: for CPU levels below GPU levels. */
extern const struct backend backend_cuda_host;
/* The same for levels of single precision. */
extern const struct backend backend_cuda_single, backend_cuda_host_single;

struct cuda_device {
    char name[64];
    char uuid[48];     /* as nvidia-smi prints it, "GPU-…" */
    char bus_id[32];   /* PCI address */
    int number, count; /* this one, and how many are visible */
    int multiprocessors;
    size_t memory_bytes, free_bytes; /* free: when it was opened */
    int driver, runtime;             /* versions, 1000·major + 10·minor */
};

/* Chooses a GPU and prepares it: the one that cudaSetDevice() has chosen for this thread unless
 * that is number 0, else number local_rank modulo the visible ones. Keeps a GPU that is open. False
 * with one line in message if there is none that works; the program may then go on without. */
bool cuda_open(int local_rank, char *message, int message_size);
/* Everything that was allocated since cuda_open must have been released. */
void cuda_close(void);
const struct cuda_device *cuda_device(void); /* NULL before cuda_open succeeded */
/* What is free now. */
size_t cuda_free_bytes(void);
/* Makes a GPU this thread's current one, as cudaSetDevice() does; returns the one before. Does
 * nothing while none is open. */
int cuda_use_device(int number);
/* The number of the GPU whose memory this is; −1 for memory that the host can access. */
int cuda_device_of(const void *data);

/* Narrows and orders the kernels that passes may use: names between commas, or "default" for all of
 * them. What the list leaves falls to the kernel "generic". False with one line in message if a
 * name is unknown. Answers do not depend on it. */
bool cuda_choose_kernels(const char *list, char *message, int message_size);
/* Per cell of a pass, counted in the sources of the kernels that run it: bytes between the
 * second-level cache and multiprocessors; bytes that threads and copies read and write in shared
 * memory; and instructions of threads. The latter two are NaN if a kernel does not count them. */
struct cuda_counts {
    double cache_bytes, shared_bytes, instructions;
};
struct pass;
struct cuda_counts cuda_count(const struct pass *pass);
/* For a cycle whose stages are not fused. */
void cuda_leave_out_tail(void);
/* The names of this build's kernels, by number from 0; NULL after the last. Needs no GPU. */
const char *cuda_kernel_name(int number);
/* Prints a line for each of them: --list-kernels. */
void cuda_list_kernels(FILE *out);

/* The most device memory that the program has held at a time, bytes. */
size_t cuda_peak_bytes(void);

/* The transport by which kernels write into the memory of other GPUs of their node, if on every
 * node each rank has a GPU of its own and all can map each other's memory, and there are two on
 * some; else NULL, and why. Collective over the world, and so is the answer; the reason may differ.
 */
const struct transport *cuda_peer_transport(const char **why_not);

/* Bytes a second, read and written, of a copy within device memory: of 256 MiB or, where that is
 * not free twice, of a quarter of what is; the median of several. 0 without a GPU. */
double cuda_copy_rate(void);

C_END
