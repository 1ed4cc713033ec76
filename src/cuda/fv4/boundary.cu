/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches the boundary-layer update of order 4's fused red-black pass. */
#include "cuda/fv4/boundary_kernel.cuh"

void cuda_rim_fv4(const struct pair_fv4 &pair)
{
    const int *n = pair.c.n;
    const dim3 grid(cuda_divided(n[0], TILE_X), cuda_divided(max(n[1], n[2]), TILE_Y), 4);
    CHECK((long)grid.x * grid.y * grid.z * TILE_THREADS >= 2l * n[1] * n[2]); /* ends of rows */
    boundary_kernel<<<grid, TILE_THREADS, TILE_BYTES, cuda_stream()>>>(pair);
    CUDA_LAUNCHED();
}
