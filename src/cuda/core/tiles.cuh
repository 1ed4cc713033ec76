/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Tiles in kernels: one block per tile, or one cluster of blocks in j. */
#include "cuda/core/launch.cuh"
#include "cuda/core/tiles.h"

/* The block's tile. */
DEVICE dim3 tile_of_block(const struct tile_set &t, int blocks_per_tile = 1)
{
    if (!t.outer)
        return dim3(blockIdx.x + t.lo[0], blockIdx.y / blocks_per_tile + t.lo[1],
                    blockIdx.z + t.lo[2]);
    int tile[3];
    tiles_coordinates(&t, (int)blockIdx.x, tile);
    return dim3(tile[0], tile[1], tile[2]);
}

/* Whether this is the last tile in direction d, i or j. */
DEVICE bool is_last(const struct tile_set &t, dim3 tile, int d)
{
    return (int)(d == 0 ? tile.x : tile.y) == t.n[d] - 1;
}

static inline struct tile_set tiles_of_patch(enum pass_region region, const int n[3],
                                             const struct cells &c,
                                             const struct tile_reads reads[3])
{
    bool closed[3][2];
    for (int side = 0; side < 6; side++)
        closed[side / 2][side % 2] = !is_open(c, side / 2, side % 2);
    return tiles_of_region(region, n, c.n, closed, reads);
}

#ifdef __CUDACC__
/* Launches KERNEL on the tiles of the region of w: n tiles that read so. Its parameters are w, the
 * arguments, the tiles and `planes`. */
template <auto KERNEL, int BLOCKS_PER_TILE = 1, class Work, class... Arguments>
static void launch_tiles(const Work &w, const int n[3], const struct tile_reads reads[3],
                         dim3 block, int bytes, int planes, const Arguments &...arguments)
{
    const struct tile_set t = tiles_of_patch(w.region, n, w.c, reads);
    const dim3 grid = t.outer ? dim3(tiles_outside(&t), BLOCKS_PER_TILE)
                              : dim3(tiles_width(&t, 0), tiles_width(&t, 1) * BLOCKS_PER_TILE,
                                     tiles_width(&t, 2));
    if (grid.x == 0) /* a grid without blocks must not be launched */
        return;
    if constexpr (BLOCKS_PER_TILE == 1)
        launch_kernel<KERNEL>(grid, block, bytes, w, arguments..., t, planes);
    else
        launch_cluster_kernel<KERNEL>(grid, block, BLOCKS_PER_TILE, bytes, w, arguments..., t,
                                      planes);
}
#endif
