/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LAB_POOL_H
#define LAB_POOL_H
/* The arrays that the machine's experiments share, and how one is set up, checked and timed. */
#include "lab/limiter.h"
#include "lab/machine.h"
#include "lab/options.h"
#include "level/backend.h"

struct pool {
    const struct backend *backend;
    long n;        /* doubles of an array; a multiple of 4096 */
    long cache_n;  /* of an array that stays in the cache */
    double *block; /* all arrays, one after the other, on the backend */
    double *in[INPUTS], *out;
    double *copy;      /* of out, in host memory */
    double *pinned[2]; /* for transfers; NULL on a CPU */
};

/* array_mib: MiB of an array; 0: several times the last cache. What does not fit into memory is
 * refused: false, with a line in message. */
bool pool_create(struct pool *pool, const struct backend *backend, long array_mib, char *message,
                 int message_size);
void pool_destroy(struct pool *pool);

/* The experiment of a row on these arrays. */
struct experiment pool_experiment(const struct pool *pool, const struct machine_row *row);
/* Runs it once on poisoned results, and says whether they are right. */
bool pool_check(const struct pool *pool, struct experiment *e);
struct spread pool_time(const struct pool *pool, struct experiment *e, int samples);

/* The best of a few samples, with arrays as for pool_create; false and a line in message if there
 * is no room for them. Dies if a result is wrong. All are unknown if nothing is to be timed. */
bool ceilings_measure(struct ceilings *ceilings, const struct backend *backend,
                      const struct lab_options *options, char *message, int message_size);

#endif
