/* SPDX-License-Identifier: BSD-3-Clause */
/* The deep kernel's entry in the table of kernels: what it covers, and its launches. */
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/fv2/deep_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv2
{
enum { MAX_PLANES = 512, BLOCKS = 8 };

/* Pairs of rows of a block. In double precision registers have room for no more. In single
 * precision they have for 16 rows, but 12 are faster. */
template <class Op>
static constexpr int DEEP_PAIRS = Op::READS_ALPHA && sizeof(real) == sizeof(double) ? 4 : 6;

template <class Op, bool ZERO, finish FINISH>
using deep_tile_of = deep_tile<Op, ZERO, FINISH, SMOOTHER_SWEEPS, DEEP_PAIRS<Op>, BLOCKS>;

template <class tile>
static int deep_at_once()
{
    return cuda_clusters_at_once<deep_kernel<tile>>(tile::THREADS, tile::BYTES, tile::BLOCKS);
}

template <class tile>
static bool deep_fits(const struct device_limits *device)
{
    return tile::BYTES <= (int)device->shared_per_block && device->tile_copies &&
           deep_at_once<tile>() > 0;
}

/* Planes per block, and the steps that all blocks take, with what they repeat and about two to
 * begin. */
struct deep_plan {
    int planes;
    long steps;
};

template <class tile>
static struct deep_plan deep_plan_of(const struct cells &c)
{
    enum { EXTRA = 2 * tile::DEPTH };
    const int tiles = deep_tiles<tile>(c, 0) * deep_tiles<tile>(c, 1),
              at_once = deep_at_once<tile>(),
              planes = planes_per_block(0, c.n[2], tiles, MAX_PLANES, EXTRA, at_once);
    return {planes, wave_partition_even_steps(tiles, c.n[2], planes, EXTRA, at_once)};
}

/* How many of the cells that the GPU could update in these steps the patch has: few where tiles
 * repeat much, where blocks do not fill the GPU, and where each has few planes. */
template <class tile>
static double deep_share(const struct cells &c)
{
    const double at_once = (double)deep_at_once<tile>() * tile::BLOCKS * tile::ROWS * DEEP_WIDTH;
    return (double)c.n[0] * c.n[1] * c.n[2] / (at_once * deep_plan_of<tile>(c).steps);
}

/* Three passes of two half-sweeps are faster on patches that do not fill the GPU with clusters. On
 * an H100 a cube of 128 has a share of 0.34, and takes a little longer so; one of 160 has 0.54, one
 * of 256 has 0.67. */
template <class Op>
static bool deep_pays(const struct level *level)
{
    constexpr double LEAST_SHARE = 0.35;
    bool pays = true;
    for (int q = 0; q < level->npatches; q++)
        pays = pays && deep_share<deep_tile_of<Op, false, RESTRICTS>>(
                           cells_of(&level->patches[q])) >= LEAST_SHARE;
    return pays;
}

template <class tile>
static void deep_launch(struct fv2_deep w)
{
    const int planes = deep_plan_of<tile>(w.c).planes;
    const struct deep_grid grid = deep_grid_of<tile>(w.c, planes);
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    launch_tiles<deep_kernel<tile>, tile::BLOCKS>(w, grid.n, grid.reads, dim3(tile::THREADS),
                                                  tile::BYTES, planes);
}

template <class Op, bool ZERO>
static void deep_launch_start(const struct fv2_deep &w)
{
    if (w.coarse)
        deep_launch<deep_tile_of<Op, ZERO, RESTRICTS>>(w);
    else if (w.norm)
        deep_launch<deep_tile_of<Op, ZERO, REDUCES>>(w);
    else
        deep_launch<deep_tile_of<Op, ZERO, ONLY_SWEEPS>>(w);
}

/* The half-sweeps work out of place: u and FIELD_TMP change places after them. */
static void deep_run(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        const struct patch_launch w = cuda_open_work(pass, q);
        struct fv2_deep deep = {w.v, w.c};
        deep.in = w.buffer[0];
        deep.out = pass->level->fields[FIELD_TMP] + w.c.offset;
        deep.parity = (w.parity + pass->first_sweep) & 1;
        deep.region = pass->region;
        if (pass->finish == FINISH_RESTRICT)
            set_coarse(deep, pass, q);
        else if (pass->finish == FINISH_NORM)
            deep.norm = cuda_norm_word();
        with_operator_of<sum_fv2, sum_fv2_constant>(w.s->choice, [&](auto op) {
            if (pass->start == START_ZERO)
                deep_launch_start<decltype(op), true>(deep);
            else
                deep_launch_start<decltype(op), false>(deep);
        });
    }
    if (pass->region != REGION_INTERIOR) /* else the boundary region follows */
        level_swap(pass->level, pass->u, FIELD_TMP);
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

/* True if offsets of cells, up to the planes that are copied early, are ints. */
static bool deep_offsets_fit(const struct level *level)
{
    enum { BEYOND = 16 };
    bool fit = true;
    for (int q = 0; q < level->npatches; q++)
        fit = fit && level->patches[q].sk * (level->patches[q].n[2] + BEYOND) <= INT_MAX;
    return fit;
}

/* On a level with neighbours the kernel must do the whole pass: another kernel after it would read
 * ghosts, whose new values this kernel computes but does not store. */
static int deep_covers(const struct pass *pass, const struct device_limits *device)
{
    const struct level *level = pass->level;
    bool fits = false;
    if (pass_prolongs(pass) || !alternates_colours(pass) || pass->nsweeps < SMOOTHER_SWEEPS ||
        !has_even_rows(level) || !cuda_even_patches(level) || !deep_offsets_fit(level))
        return 0;
    with_operator_of<sum_fv2, sum_fv2_constant>(level->stencil->choice, [&](auto op) {
        using Op = decltype(op);
        fits = deep_fits<deep_tile_of<Op, false, ONLY_SWEEPS>>(device) &&
               deep_fits<deep_tile_of<Op, false, RESTRICTS>>(device) && deep_pays<Op>(level);
    });
    const bool finish = pass->nsweeps == SMOOTHER_SWEEPS && pass->finish != FINISH_NONE &&
                        pass->finish != FINISH_STORE;
    const int length = SMOOTHER_SWEEPS + (pass->start != START_KEEP) + finish;
    const bool reaches = !level->connected ||
                         (length == pass_length(pass) && level->ghosts >= SMOOTHER_SWEEPS + finish);
    return fits && reaches ? length : 0;
}

/* No norm goes to the host. */
static bool deep_splits(const struct pass *pass)
{
    return pass->finish != FINISH_NORM;
}

/* D⁻¹ follows from β. */
static double deep_bytes(const struct pass *pass)
{
    return pass_bytes_once(pass) - sizeof(real);
}
} // namespace fv2

extern const struct kernel kernel_fv2_deep = {
    .name = "fv2/gsrb-deep",
    .summary = "six half-sweeps in one pass over memory, with the residual; order 2",
    .covers = fv2::deep_covers,
    .run = fv2::deep_run,
    .bytes = fv2::deep_bytes,
    .splits = fv2::deep_splits,
};
