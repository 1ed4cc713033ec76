/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* This folder holds what several kernels use. cells.cuh is what they know of a patch; operators.cuh
 * the operators as types. launch.cuh, tiles.* and wave_partition.* divide a patch among blocks.
 * tile_copy.* brings tiles to shared memory, which shared_memory.cuh reads. fences.cuh holds the
 * compiler fences with their reasons. The other files hold one small function each. */
#include "level/sides.h"
#include "operators/formula.h"

/* A function, or member function, for the device. */
#define DEVICE_MEMBER __device__ __forceinline__
#define DEVICE static DEVICE_MEMBER

/* Whether the GPUs of this compilation run a kernel with TMA, or with so much shared memory per
 * block. Else its body is left out: the limits of a device know the code that it runs (device.cu).
 */
template <bool WITH_TMA, int BYTES = 0>
static constexpr bool RUNS_HERE =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    !WITH_TMA && BYTES <= 163 * 1024;
#else
    true;
#endif

/* Two neighbours in a row. */
#ifdef SINGLE
typedef float2 real2;
#else
typedef double2 real2;
#endif

DEVICE real2 make_real2(real x, real y)
{
    real2 pair;
    pair.x = x;
    pair.y = y;
    return pair;
}

/* The index of the cell whose periodic image is at index `at`, which is at most n cells outside
 * of n; an index inside stays. */
DEVICE int wrapped(int at, int n)
{
    return at < 0 ? at + n : at >= n ? at - n : at;
}

/* One patch. */
struct cells {
    int n[3];
    int lo[3]; /* global index of cell (0,0,0) */
    long offset, sj, sk;
    unsigned char wall[3][2]; /* enum wall */
    bool wrap[3];             /* the neighbours beyond both sides are the patch's own cells */
};

/* Cells of a correction level in single precision. */
struct correction_cells {
    float *x; /* at cell (0,0,0) */
    long sj, sk;
    double factor; /* by which residuals are multiplied, or corrections */
};

/* Whether a side is open: neither a wall nor wrapped. Cells beyond it belong to other patches. */
static inline HD bool is_open(const struct cells &c, int d, int side)
{
    return !c.wall[d][side] && !c.wrap[d];
}

struct patch;
struct level;
struct cells cells_of(const struct patch *p);
/* True if all patches of the level have an even number of cells in every direction. */
bool cuda_even_patches(const struct level *level);

/* Layers of ghosts around a field that a map of its tiles includes. */
enum { MAP_GHOSTS = 4 };

inline int cuda_divided(int a, int b) /* rounded up */
{
    return (a + b - 1) / b;
}

/* `bytes` rounded up to whole lines of 128 bytes. */
constexpr int cuda_whole_lines(int bytes)
{
    return (bytes + 127) / 128 * 128;
}
