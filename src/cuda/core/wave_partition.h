/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_WAVE_PARTITION_H
#define CUDA_CORE_WAVE_PARTITION_H
/* How a marching kernel's blocks share a patch: each has a part of a tile's planes, the first tiles
 * in as many parts as count[0] says, the others in count[1]. No CUDA is needed for it. */

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks are numbered so that those of the first tiles come first, and of these the lowest parts.
 */
struct wave_partition {
    int tiles, first_tiles;
    int count[2], planes[2]; /* of a part, even; a tile's last one may have less */
};

/* All tiles of n planes in parts of so many. */
struct wave_partition wave_partition_even(int tiles, int n, int planes);

static inline int wave_partition_blocks(const struct wave_partition *p)
{
    return p->first_tiles * p->count[0] + (p->tiles - p->first_tiles) * p->count[1];
}

/* The steps until all blocks are done, where each of so many multiprocessors runs one at a time, in
 * the order of their numbers, and takes `extra` steps more than it has planes. */
long wave_partition_steps(const struct wave_partition *p, int n, int extra, int multiprocessors);

/* The same of even parts, found quickly; `tiles` and `extra` as above. */
long wave_partition_even_steps(int tiles, int n, int planes, int extra, int multiprocessors);

/* The number of planes, least, least + 2, … up to most and n, with which even parts are done
 * soonest; the largest of equally good ones. */
int wave_partition_best_planes(int tiles, int n, int least, int most, int extra,
                               int multiprocessors);

/* Those that are done soonest: even ones of `planes` planes, or as many as there are
 * multiprocessors or a few times so many, of two sizes. */
struct wave_partition wave_partition_choose(int tiles, int n, int planes, int extra,
                                            int multiprocessors);

#ifdef __cplusplus
}
#endif
#endif
