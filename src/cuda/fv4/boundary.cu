/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches what is left near walls of a pass of order 4. */
#include "cuda/fv4/boundary_kernel.cuh"

void cuda_rim_fv4(const struct pair_fv4 &pair)
{
    const int *n = pair.c.n;
    const dim3 grid(cuda_divided(n[0], RIM_X), cuda_divided(max(n[1], n[2]), RIM_Y), 4);
    CHECK((long)grid.x * grid.y * grid.z * RIM_THREADS >= 2l * n[1] * n[2]); /* ends of rows */
    rim_kernel<<<grid, RIM_THREADS, RIM_BYTES, cuda_stream()>>>(pair);
    CUDA_LAUNCHED();
}
