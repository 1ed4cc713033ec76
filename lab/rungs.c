/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a GPU's rungs, and what blocks and registers they can have. */
#include "lab/rungs.h"
#include <string.h>
#include "lab/gpu.h"
#include "lab/lab.h"
#include "operators/pass.h"

#define RUNG(title, text, i, j, cells, kept, planes_ahead, ...)                                    \
    {.name = title,                                                                                \
     .summary = text,                                                                              \
     .shape = {.block = {i, j}, .rows = cells, .ahead = planes_ahead, .keeps = kept},              \
     .run = gpu_run_rung},
const struct rung gpu_rungs[] = {
#include "lab/rungs.def"
    {.name = "default", .summary = "the pass that hpgmg-gpu runs", .run = rung_default},
    {.name = NULL},
};

/* A multiprocessor has 65536 registers: one block of this size, or two of 1024 threads, fill it. */
const struct register_limit register_limits[REGISTER_LIMITS] = {
    {255, 256}, {128, 512}, {64, 1024}, {32, 1024}};

struct pass rung_pass(struct level *level)
{
    return (struct pass){.level = level, .u = FIELD_U, .f = FIELD_F, .nsweeps = 2};
}

void rung_default(struct level *level, const struct rung *rung, const struct rung_shape *shape)
{
    const struct pass pass = rung_pass(level);
    (void)rung, (void)shape;
    level->backend->passes->run(&pass);
}

/* The limit of --registers, or without it the highest for the block size. NULL if there
 * is none. */
static const struct register_limit *find_limit(int registers, int threads)
{
    for (int l = 0; l < REGISTER_LIMITS; l++)
        if (threads <= register_limits[l].threads &&
            (registers == 0 || registers == register_limits[l].registers))
            return &register_limits[l];
    return NULL;
}

/* Planes of a block, so that every multiprocessor has several. What is kept from plane to plane
 * wants many. */
static int choose_planes(const struct level *l, const struct rung_shape *s)
{
    enum { MIN_PLANES = 4, WANTED_BLOCKS = 1056 };
    const int rows = s->block[1] * s->rows;
    const long tiles =
        (long)((l->n[0] + s->block[0] - 1) / s->block[0]) * ((l->n[0] + rows - 1) / rows);
    const long planes = l->n[0] * tiles / WANTED_BLOCKS;
    if (s->keeps == KEEPS_NOTHING)
        return 1;
    return planes < MIN_PLANES ? MIN_PLANES : planes < l->n[0] ? (int)planes : l->n[0];
}

enum status rung_choose_shape(const struct rung *rung, const struct level *level,
                              const struct rung_wish *wish, struct rung_shape *s)
{
    int max_bytes;
    *s = rung->shape;
    s->order = level->stencil->choice.order;
    if (s->block[0] == 0)
        return STATUS_VALID;
    if (wish->block[0] > 0)
        memcpy(s->block, wish->block, sizeof s->block);
    const int threads = s->block[0] * s->block[1];
    const struct register_limit *limit = find_limit(wish->registers, threads);
    if (s->keeps == KEEPS_PLANES && s->block[0] > RING_WIDTH)
        return refuse(STATUS_USAGE,
                      "--block: rung %s has tiles of at most %d cells along i in shared memory",
                      rung->name, RING_WIDTH);
    if (!limit)
        return refuse(STATUS_USAGE,
                      "--registers %d: with blocks of %d threads there are fewer per thread",
                      wish->registers, threads);
    s->registers = limit->registers;
    s->planes = choose_planes(level, s);
    if (gpu_prepare_rung(rung, s, &max_bytes))
        return STATUS_VALID;
    return refuse(STATUS_USAGE,
                  "--block: rung %s needs %d bytes of shared memory for blocks of %d x %d; "
                  "a block has %d",
                  rung->name, rung_shared_bytes(s), s->block[0], s->block[1], max_bytes);
}
