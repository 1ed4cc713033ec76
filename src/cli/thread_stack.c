/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/thread_stack.h"
#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "comm/comm.h"

/* More than twice what was needed with -O3 (order 4, 512-bit vectors: between 32 and 48 KiB). */
enum { LEAST_BYTES = 128 * 1024 };

/* INT64_MAX if the system does not tell. */
static int64_t own_bytes(void)
{
    pthread_attr_t attributes;
    size_t bytes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return INT64_MAX;
    const bool told = pthread_attr_getstacksize(&attributes, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return told ? (int64_t)bytes : INT64_MAX;
}

/* Of the first thread that OpenMP makes; the others have the same. The initial thread's stack grows
 * to its own limit, below which MPI does not start. */
static int64_t bytes_of_threads(void)
{
    int64_t bytes = INT64_MAX;
#pragma omp parallel num_threads(2) if (omp_get_max_threads() > 1)
    if (omp_get_thread_num() == 1)
        bytes = own_bytes();
    return bytes;
}

/* What OMP_STACKSIZE asks for: a number, and B, K, M or G, K being understood (OpenMP 5.2, section
 * 21.2). INT64_MAX if it is not set. A thread that has less than this cannot even be asked. */
static int64_t wanted_bytes(void)
{
    static const char units[] = "BKMG";
    const char *text = getenv("OMP_STACKSIZE");
    char *end;
    if (!text || omp_get_max_threads() == 1)
        return INT64_MAX;
    const long number = strtol(text, &end, 10);
    end += strspn(end, " ");
    const char *unit = strchr(units, *end ? toupper((unsigned char)*end) : 'K');
    if (end == text || !unit || number <= 0 || number > LEAST_BYTES)
        return INT64_MAX;
    return (int64_t)number << (10 * (unit - units));
}

enum status thread_stack_check(char *message, int size)
{
    int64_t bytes = comm_min_i64(MPI_COMM_WORLD, wanted_bytes());
    if (bytes >= LEAST_BYTES)
        bytes = comm_min_i64(MPI_COMM_WORLD, bytes_of_threads());
    if (bytes >= LEAST_BYTES)
        return STATUS_VALID;
    snprintf(message, (size_t)size,
             "OpenMP's threads have %lld bytes of stack and need %d; raise OMP_STACKSIZE",
             (long long)bytes, (int)LEAST_BYTES);
    return STATUS_ENVIRONMENT;
}
