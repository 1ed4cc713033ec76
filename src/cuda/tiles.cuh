#ifndef CUDA_TILES_CUH
#define CUDA_TILES_CUH
/* Which tiles of a patch a marching kernel works on, a block a tile. */
#include "cuda/internal.cuh"

/* All, or a cuboid of them, or (outer) all but that cuboid. */
struct tiles {
    int n[3];
    int lo[3], hi[3]; /* the cuboid's are lo to hi − 1 */
    bool outer;
};

/* All tiles, for kernels that the distinction would slow down. */
struct all_tiles {
};

/* What tile t reads in one direction: cells from first + t·step on, `extent` of them. */
struct tile_reads {
    int first, step, extent;
};

static __device__ int width_of(const struct tiles &t, int d)
{
    return t.hi[d] - t.lo[d];
}

/* Tile x of an area of n0 × n1 without its cuboid. */
static __device__ void find_around(const struct tiles &t, int x, dim3 *tile)
{
    const int below = t.n[0] * t.lo[1], beside = t.n[0] - width_of(t, 0);
    if (x < below) {
        tile->x = x % t.n[0];
        tile->y = x / t.n[0];
        return;
    }
    x -= below;
    if (x < beside * width_of(t, 1)) {
        const int i = x % beside;
        tile->x = i < t.lo[0] ? i : i + width_of(t, 0);
        tile->y = t.lo[1] + x / beside;
        return;
    }
    x -= beside * width_of(t, 1);
    tile->x = x % t.n[0];
    tile->y = t.hi[1] + x / t.n[0];
}

/* The block's tile. */
static __device__ dim3 tile_of_block(const struct tiles &t)
{
    if (!t.outer)
        return dim3(blockIdx.x + t.lo[0], blockIdx.y + t.lo[1], blockIdx.z + t.lo[2]);
    const int area = t.n[0] * t.n[1], around = area - width_of(t, 0) * width_of(t, 1);
    int x = blockIdx.x;
    dim3 tile;
    if (x < around * width_of(t, 2)) {
        tile.z = t.lo[2] + x / around;
        find_around(t, x % around, &tile);
        return tile;
    }
    x -= around * width_of(t, 2);
    const int z = x / area;
    tile.x = x % area % t.n[0];
    tile.y = x % area / t.n[0];
    tile.z = z < t.lo[2] ? z : z + width_of(t, 2);
    return tile;
}

static __device__ dim3 tile_of_block(const struct all_tiles &)
{
    return blockIdx;
}

static __device__ bool is_last(const struct all_tiles &, dim3 tile, int d)
{
    return d == 0 ? tile.x == gridDim.x - 1 : tile.y == gridDim.y - 1;
}

/* Whether there is no tile beyond this one in direction d, i or j. */
static __device__ bool is_last(const struct tiles &t, dim3 tile, int d)
{
    return (int)(d == 0 ? tile.x : tile.y) == t.n[d] - 1;
}

/* The tiles of a part of patch c, which is cut into n of them. */
static struct tiles find_tiles(const struct cells &c, enum pass_part part, const int n[3],
                               const struct tile_reads reads[3])
{
    struct tiles t = {{n[0], n[1], n[2]}, {0, 0, 0}, {n[0], n[1], n[2]}, part == PART_OUTER};
    for (int d = 0; d < 3 && part != PART_ALL; d++) {
        const struct tile_reads &r = reads[d];
        while (!c.wall[d][0] && t.lo[d] < n[d] && r.first + t.lo[d] * r.step < 0)
            t.lo[d]++;
        while (!c.wall[d][1] && t.hi[d] > t.lo[d] &&
               r.first + (t.hi[d] - 1) * r.step + r.extent > c.n[d])
            t.hi[d]--;
    }
    const bool none = t.lo[0] == t.hi[0] || t.lo[1] == t.hi[1] || t.lo[2] == t.hi[2];
    for (int d = 0; d < 3 && none; d++)
        t.lo[d] = t.hi[d] = 0;
    return t;
}

/* A block a tile; without blocks there is nothing to launch. */
static dim3 tile_grid(const struct tiles &t)
{
    const int inner[3] = {t.hi[0] - t.lo[0], t.hi[1] - t.lo[1], t.hi[2] - t.lo[2]};
    if (t.outer)
        return dim3(t.n[0] * t.n[1] * t.n[2] - inner[0] * inner[1] * inner[2]);
    return dim3(inner[0], inner[1], inner[2]);
}

#endif
