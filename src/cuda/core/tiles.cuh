/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_TILES_CUH
#define CUDA_CORE_TILES_CUH
/* Tiles as kernels see them. */
#include "cuda/internal.cuh"
#include "cuda/core/tiles.h"

/* All tiles, for kernels that the distinction would slow down. */
struct all_tiles {
};

/* The block's tile. */
static __device__ dim3 tile_of_block(const struct tiles &t)
{
    if (!t.outer)
        return dim3(blockIdx.x + t.lo[0], blockIdx.y + t.lo[1], blockIdx.z + t.lo[2]);
    int place[3];
    tiles_coordinates(&t, (int)blockIdx.x, place);
    return dim3(place[0], place[1], place[2]);
}

static __device__ dim3 tile_of_block(const struct all_tiles &)
{
    return blockIdx;
}

/* Whether there is no tile beyond this one in direction d, i or j. */
static __device__ bool is_last(const struct tiles &t, dim3 tile, int d)
{
    return (int)(d == 0 ? tile.x : tile.y) == t.n[d] - 1;
}

static __device__ bool is_last(const struct all_tiles &, dim3 tile, int d)
{
    return d == 0 ? tile.x == gridDim.x - 1 : tile.y == gridDim.y - 1;
}

/* A block a tile; without blocks there is nothing to launch. */
static dim3 tile_grid(const struct tiles &t)
{
    if (t.outer)
        return dim3(tiles_outside(&t));
    return dim3(tiles_width(&t, 0), tiles_width(&t, 1), tiles_width(&t, 2));
}

#endif
