/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_CORE_TILE_SOURCE_CUH
#define CUDA_CORE_TILE_SOURCE_CUH
/* Where tiles are copied from (tile_copy.cuh), as the host makes it. CUtensorMap is that of
 * <cuda.h>, which comes before this header. */
#include <type_traits>
#include "cuda/core/cells.cuh"
#include "cuda/device_limits.h"

/* A field with a patch's layout: cell (0,0,0) and the number of cells. */
struct field_source {
    const double *x;
    long sj, sk;
    int n[3];
};

template <class source>
static constexpr bool BY_ENGINE = std::is_same<source, CUtensorMap>::value;

/* The source of tiles of `width` × `rows` cells of one plane, in a field with patch c's layout
 * whose cell (0,0,0) is at x. */
template <class source>
source tile_source(const double *x, const struct cells &c, int width, int rows);

/* True if a device with these limits has the mechanism, and so much shared memory. */
template <class source>
static bool has_copies(size_t bytes, const struct device_limits *device)
{
    return (device->tile_copies || !BY_ENGINE<source>)&&bytes <= device->shared_per_block;
}

#endif
