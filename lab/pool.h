/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_POOL_H
#define LAB_POOL_H
/* The arrays that experiments share. */
#include "backend/backend.h"
#include "base/status.h"
#include "lab/kernels.h"

struct pool {
    const struct backend *backend;
    long n;        /* doubles of an array; a multiple of 4096 */
    long cache_n;  /* of an array that stays in the cache */
    double *block; /* all arrays, one after the other, on the backend */
    double *in[INPUTS], *out;
    double *copy;      /* of out, in host memory */
    double *pinned[2]; /* for transfers; NULL on a CPU */
};

/* array_mib: MiB of an array; 0: several times the last cache. What does not fit is refused. */
enum status pool_create(struct pool *pool, const struct backend *backend, long array_mib);
void pool_destroy(struct pool *pool);
/* Array 3 as floats. */
void pool_fill_floats(struct pool *pool);
/* Bytes that are free for arrays; 0: unknown. */
double pool_available_bytes(const struct backend *backend);

#endif
