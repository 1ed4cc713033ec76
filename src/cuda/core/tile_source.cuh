/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Where tiles are copied from (tile_copy.cuh), as the host makes it. CUtensorMap is that of
 * <cuda.h>, which comes before this header. */
#include <type_traits>
#include "cuda/core/cells.cuh"
#include "cuda/device_limits.h"

/* A field with a patch's layout: cell (0,0,0) and the number of cells. */
struct field_source {
    const real *x;
    long sj, sk;
    int n[3];
};

template <class source>
static constexpr bool BY_ENGINE = std::is_same<source, CUtensorMap>::value;

/* The source of tiles of `width` × `rows` cells of one plane, in a field with patch c's layout
 * whose cell (0,0,0) is at x. */
template <class source>
source tile_source(const real *x, const struct cells &c, int width, int rows);

/* True if a device with these limits has the tile's way of copying and its shared memory. */
template <class tile>
static bool runs_tile(const struct device_limits *device)
{
    const bool copies = device->tile_copies || !BY_ENGINE<typename tile::source>;
    return copies && tile::max_bytes() <= device->shared_per_block;
}

/* Calls f with the first of the tiles that the device runs; false if there is none. */
template <class... tiles, class F>
static bool with_first_tile(const struct device_limits *device, F f)
{
    return ((runs_tile<tiles>(device) && (f(tiles{}), true)) || ...);
}
