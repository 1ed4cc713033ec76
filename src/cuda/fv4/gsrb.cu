/* SPDX-License-Identifier: BSD-3-Clause */
/* The row fv4/gsrb-fused: which operations it covers, and the launches. */
#include "cuda/core/launch.cuh"
#include "cuda/fv4/boundary_kernel.cuh"
#include "cuda/fv4/gsrb_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv4
{
/* A block takes about five steps to begin. */
enum { MAX_PLANES = 256, EXTRA_STEPS = 5, LEAST_DIM = 8 };

template <class tile, bool HELMHOLTZ, bool ZERO>
static void launch(const struct fv4_gsrb &w)
{
    constexpr auto KERNEL = gsrb_kernel<tile, HELMHOLTZ, ZERO>;
    const int tiles_i = cuda_divided(w.c.n[0], tile::CORE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1] - 2, tile::CORE_ROWS),
              at_once = cuda_blocks_at_once<KERNEL>(tile::THREADS, tile::SHARED_BYTES);
    const struct cuda_tuning tuning = cuda_tuned(4, TUNED_SMOOTH, HELMHOLTZ, w.c.n);
    const bool tuned = tuning.planes > 0 && tuning.rows == tile::CORE_ROWS;
    const int tiles = tiles_i * tiles_j, n = w.c.n[2],
              planes = planes_per_block(tuned ? tuning.planes : 0, n, tiles, MAX_PLANES,
                                        EXTRA_STEPS, at_once);
    const struct wave_partition p =
        tuned ? wave_partition_even(tiles, n, planes)
              : wave_partition_choose(tiles, n, planes, EXTRA_STEPS, at_once);
    launch_kernel<KERNEL>(wave_partition_blocks(&p), tile::THREADS, tile::SHARED_BYTES, w,
                          make_sources<tile>(w), make_block_partition(p, tiles_i), 0u);
}

static void launch_boundary(const struct fv4_gsrb &w)
{
    using namespace boundary;
    const int *n = w.c.n;
    const dim3 grid(cuda_divided(n[0], TILE_X), cuda_divided(max(n[1], n[2]), TILE_Y), 4);
    CHECK((long)grid.x * grid.y * grid.z * TILE_THREADS >= 2l * n[1] * n[2]); /* ends of rows */
    launch_kernel<boundary_kernel>(grid, TILE_THREADS, TILE_BYTES, w);
}

template <class tile>
static void run_two_sweeps(const struct part *part, int sweep)
{
    const struct work w = cuda_open_work(&part->pass, 0);
    struct fv4_gsrb gsrb = {w.c};
    set_operator(gsrb, w);
    gsrb.in = sweep == 0 && part->pass.start == START_ZERO ? NULL : w.buffer[0];
    gsrb.out = w.buffer[1];
    gsrb.dinv = w.v.dinv;
    gsrb.colour = w.parity;
    gsrb.ghosts = sweep + 2 < part->pass.nsweeps || part->after > 0;
    if (gsrb.in)
        gsrb.alpha ? launch<tile, true, false>(gsrb) : launch<tile, false, false>(gsrb);
    else
        gsrb.alpha ? launch<tile, true, true>(gsrb) : launch<tile, false, true>(gsrb);
    launch_boundary(gsrb);
}

/* All sweeps on the level's only patch. They need ghosts unless u is zero, and leave ghosts if an
 * operation follows. */
template <class tile>
static void run(const struct part *part)
{
    const struct pass *pass = &part->pass;
    if (pass->start == START_KEEP && !part->ghosts) {
        struct work w = cuda_open_work(pass, 0);
        cuda_fill_walls(w, 0);
    }
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        run_two_sweeps<tile>(part, sweep);
        level_swap(pass->level, pass->u, FIELD_TMP);
    }
}

template <class tile>
static struct coverage covers(const struct part *part, const struct device_limits *device)
{
    const struct pass *pass = &part->pass;
    const struct level *level = pass->level;
    const void *kernel = (const void *)gsrb_kernel<tile, false, false>;
    if (tile::SHARED_BYTES > device->shared_per_block ||
        !cuda_has_copies<typename tile::source>(kernel, device) || pass_prolongs(pass) ||
        !fuses_red_black(pass, 4) || !level->stencil->choice.variable || level->connected ||
        level->dim < LEAST_DIM || level->dim % 4 != 0)
        return cover_nothing();
    struct coverage c = cover_all(part);
    c.finish = false;
    c.ghosts = true;
    return c;
}

template <class tile>
static constexpr struct kernel fused_row(const char *name, const char *summary)
{
    return {name, summary, covers<tile>, run<tile>, red_black_bytes};
}
} // namespace fv4

extern const struct kernel kernel_fv4_fused = fv4::fused_row<fv4::large_tile>(
    "fv4/gsrb-fused",
    "red and black in one pass over memory; order 4, one patch with walls on all sides");
extern const struct kernel kernel_fv4_fused_medium = fv4::fused_row<fv4::medium_tile>(
    "fv4/gsrb-fused-medium", "the same without TMA, with tiles of 10 rows instead of 14");
extern const struct kernel kernel_fv4_fused_small = fv4::fused_row<fv4::small_tile>(
    "fv4/gsrb-fused-small", "the same without TMA, with tiles of 10 rows of half the length");
