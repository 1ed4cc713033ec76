/* SPDX-License-Identifier: BSD-3-Clause */
#include <cudaTypedefs.h>
#include "cuda/core/launch.cuh"
#include "cuda/core/tile_source.cuh"

/* The driver's function through the runtime, so that the program also starts without a driver. */
static PFN_cuTensorMapEncodeTiled_v12000 encode_tiled()
{
    static void *function;
    if (!function) {
        cudaDriverEntryPointQueryResult found;
        CUDA_CALL(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                   cudaEnableDefault, &found));
        CHECK(found == cudaDriverEntryPointSuccess);
    }
    return (PFN_cuTensorMapEncodeTiled_v12000)function;
}

template <>
CUtensorMap tile_source<CUtensorMap>(const real *x, const struct cells &c, int width, int rows)
{
    const cuuint64_t extent[3] = {(cuuint64_t)c.n[0] + 2 * MAP_GHOSTS,
                                  (cuuint64_t)c.n[1] + 2 * MAP_GHOSTS,
                                  (cuuint64_t)c.n[2] + 2 * MAP_GHOSTS};
    const cuuint64_t strides[2] = {c.sj * sizeof(real), c.sk * sizeof(real)};
    const cuuint32_t tile[3] = {(cuuint32_t)width, (cuuint32_t)rows, 1}, steps[3] = {1, 1, 1};
    const real *first = x - MAP_GHOSTS * (1 + c.sj + c.sk);
    constexpr auto TYPE = sizeof(real) == sizeof(double) ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
                                                         : CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    CUtensorMap map;
    const CUresult result =
        encode_tiled()(&map, TYPE, 3, (void *)first, extent, strides, tile, steps,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK(result == CUDA_SUCCESS);
    return map;
}

template <>
struct field_source tile_source<field_source>(const real *x, const struct cells &c, int, int) {
    CHECK(c.n[0] % 2 == 0);
    return {x, c.sj, c.sk, {c.n[0], c.n[1], c.n[2]}};
}
