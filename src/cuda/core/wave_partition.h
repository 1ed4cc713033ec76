/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How the blocks of a k-streaming sweep share a patch, so that they fill the waves of blocks that
 * the GPU runs at once. Needs no CUDA. */

#include "base/linkage.h"

C_BEGIN

/* The first tiles have count[0] blocks each, the others count[1]; each block has planes[0] or
 * planes[1] planes, an even number, and the last block of a tile the rest. Blocks of the first
 * tiles have the lowest numbers, and among these blocks of the lowest planes. */
struct wave_partition {
    int tiles, first_tiles;
    int count[2], planes[2];
};

/* All tiles alike: n planes, `planes` per block. */
struct wave_partition wave_partition_even(int tiles, int n, int planes);

static inline int wave_partition_blocks(const struct wave_partition *p)
{
    return p->first_tiles * p->count[0] + (p->tiles - p->first_tiles) * p->count[1];
}

/* The estimated completion time, in steps. Each multiprocessor runs one block at a time, in the
 * order of their numbers; a block takes `extra` steps more than it has planes. */
long wave_partition_steps(const struct wave_partition *p, int n, int extra, int multiprocessors);

/* The same of wave_partition_even(), computed quickly. */
long wave_partition_even_steps(int tiles, int n, int planes, int extra, int multiprocessors);

/* The number of planes per block, least, least + 2, … up to most and n, with the least estimated
 * completion time of wave_partition_even(); the largest of equally good ones. */
int wave_partition_best_planes(int tiles, int n, int least, int most, int extra,
                               int multiprocessors);

/* The choice with the least estimated completion time, of two kinds: all tiles alike with `planes`
 * planes per block; or as many blocks, of two sizes, as fill one wave or a few. */
struct wave_partition wave_partition_choose(int tiles, int n, int planes, int extra,
                                            int multiprocessors);

C_END
