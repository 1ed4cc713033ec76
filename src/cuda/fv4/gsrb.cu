/* SPDX-License-Identifier: BSD-3-Clause */
/* Which levels the fused red-black pass of order 4 is for, and its launches. */
#include "cuda/fv4/gsrb_kernel.cuh"
#include "cuda/device.cuh"
#include "cuda/pass.cuh"
#include "cuda/tuning.cuh"

/* Planes a block, even; it takes about five steps to begin. */
enum { MIN_PLANES = 2, MAX_PLANES = 256, EXTRA_STEPS = 5, LEAST_DIM = 8 };

bool cuda_pair_fv4_fits(const struct level *level, const struct device_limits *device)
{
    const struct operator_choice *choice = &level->stencil->choice;
    static const bool compiled = cuda_has_tile_copies((const void *)red_black_kernel<false, false>);
    return compiled && device->tile_copies && SHARED_BYTES <= device->shared_per_block &&
           choice->order == 4 && choice->variable &&
           is_red_black(stencil_relaxation(level->stencil, 0)) && !level->connected &&
           level->dim >= LEAST_DIM && level->dim % 4 == 0;
}

template <bool HELMHOLTZ, bool ZERO>
static void launch(const struct pair_fv4 &w)
{
    static const cudaError_t prepared =
        cudaFuncSetAttribute(red_black_kernel<HELMHOLTZ, ZERO>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    CUDA_CALL(prepared);
    const int tiles_i = cuda_divided(w.c.n[0], CORE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1] - 2, CORE_ROWS);
    const struct cuda_tuning tuning = cuda_tuned(4, TUNED_SMOOTH, HELMHOLTZ, w.c);
    const int tiles = tiles_i * tiles_j, n = w.c.n[2],
              planes =
                  cuda_choose_planes(tuning.planes, n, tiles, MIN_PLANES, MAX_PLANES, EXTRA_STEPS);
    const struct parts parts =
        tuning.planes > 0 ? parts_even(tiles, n, planes)
                          : parts_choose(tiles, n, planes, EXTRA_STEPS, cuda_multiprocessors());
    const struct maps maps = {ZERO ? CUtensorMap{}
                                   : cuda_tile_map(w.in, w.c, WIDTH, REGION_ROWS + 4),
                              cuda_tile_map(w.beta_i, w.c, WIDTH, REGION_ROWS + 2),
                              cuda_tile_map(w.beta_j, w.c, WIDTH, REGION_ROWS + 1),
                              cuda_tile_map(w.beta_k, w.c, WIDTH, REGION_ROWS + 2)};
    red_black_kernel<HELMHOLTZ, ZERO>
        <<<parts_blocks(&parts), LANES * WARPS, SHARED_BYTES, cuda_stream()>>>(
            w, maps, share(parts, tiles_i), 0);
    CUDA_LAUNCHED();
}

void cuda_pair_fv4(const struct pair_fv4 &w)
{
    if (w.in)
        w.alpha ? launch<true, false>(w) : launch<false, false>(w);
    else
        w.alpha ? launch<true, true>(w) : launch<false, true>(w);
    cuda_rim_fv4(w);
}
