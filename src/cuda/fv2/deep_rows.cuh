/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_FV2_DEEP_ROWS_CUH
#define CUDA_FV2_DEEP_ROWS_CUH
/* Rows of the table of kernels for passes of any number of half-sweeps by the deep kernel: which
 * operations they cover, and the launches. */
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/fv2/deep_kernel.cuh"
#include "cuda/kernels.cuh"
#include "cuda/tuning.h"

namespace fv2
{
/* Planes per block at most: neighbouring blocks work on the same planes at about the same time. */
enum { MAX_PLANES = 128, MAX_CLUSTER_PLANES = 512 };

/* As many rows as registers and shared memory have room for, and as many blocks in a cluster as
 * make what it repeats of its neighbours small. */
struct deep_shape {
    int pairs, blocks, resident;
};

template <class Op, finish FINISH, int SWEEPS>
static constexpr struct deep_shape deep_shape_of(bool few)
{
    constexpr bool ALPHAS = Op::READS_ALPHA;
    if (SWEEPS > 3)
        return {ALPHAS ? 4 : 6, 8, 1};
    if (FINISH != ONLY_SWEEPS)
        return {ALPHAS ? 6 : 8, SWEEPS == 3 ? 2 : 1, 1};
    if (SWEEPS == 3)
        return {TUNED_FV2_DEEP_ROWS / 2, 1, 1};
    return few ? deep_shape{TUNED_FV2_GSRB_FEW_ROWS / 2, 1, 2}
               : deep_shape{TUNED_FV2_GSRB_ROWS / 2, 1, 1};
}

template <class Op, bool ZERO, finish FINISH, int SWEEPS, bool FEW = true>
struct deep_variant {
    static constexpr struct deep_shape SHAPE = deep_shape_of<Op, FINISH, SWEEPS>(FEW);
    using type = deep_tile<Op, ZERO, FINISH, SWEEPS, SHAPE.pairs, SHAPE.blocks, SHAPE.resident>;
};
template <class Op, bool ZERO, finish FINISH, int SWEEPS, bool FEW = true>
using deep_tile_of = typename deep_variant<Op, ZERO, FINISH, SWEEPS, FEW>::type;

/* Blocks, or clusters, that the GPU runs at once. */
template <class tile>
static int deep_at_once()
{
    if constexpr (tile::BLOCKS > 1)
        return cuda_clusters_at_once<deep_kernel<tile>>(tile::THREADS, tile::BYTES, tile::BLOCKS);
    else
        return cuda_blocks_at_once<deep_kernel<tile>>(tile::THREADS, tile::BYTES);
}

template <class tile>
static bool deep_fits(const struct device_limits *device)
{
    return tile::BYTES <= (int)device->shared_per_block &&
           (tile::BLOCKS == 1 || (device->tile_copies && deep_at_once<tile>() > 0));
}

/* Planes per block, and the steps that all blocks take, with what they repeat and about two to
 * begin. */
struct deep_plan {
    int planes;
    long steps;
};

template <class tile>
static struct deep_plan deep_plan_of(const struct cells &c, int tuned_planes)
{
    enum { EXTRA = 2 * tile::DEPTH, MOST = tile::BLOCKS > 1 ? MAX_CLUSTER_PLANES : MAX_PLANES };
    const int tiles = deep_tiles<tile>(c, 0) * deep_tiles<tile>(c, 1),
              at_once = deep_at_once<tile>(),
              planes = planes_per_block(tuned_planes, c.n[2], tiles, MOST, EXTRA, at_once);
    return {planes, wave_partition_even_steps(tiles, c.n[2], planes, EXTRA, at_once)};
}

/* How many of the cells that the GPU could update in these steps the patch has: few where tiles
 * repeat much, where blocks do not fill the GPU, and where each has few planes. */
template <class tile>
static double deep_share(const struct cells &c)
{
    const double at_once = (double)deep_at_once<tile>() * tile::BLOCKS * tile::ROWS * DEEP_WIDTH;
    return (double)c.n[0] * c.n[1] * c.n[2] / (at_once * deep_plan_of<tile>(c, 0).steps);
}

template <class tile>
static void deep_launch(struct fv2_deep w, const struct cuda_tuning &tuned)
{
    const int tuned_planes = tuned.rows == tile::ROWS ? tuned.planes : 0,
              planes = deep_plan_of<tile>(w.c, tuned_planes).planes;
    const struct deep_grid grid = deep_grid_of<tile>(w.c, planes);
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    launch_tiles<deep_kernel<tile>, tile::BLOCKS>(w, grid.n, grid.reads, dim3(tile::THREADS),
                                                  tile::BYTES, planes);
}

/* Few rows where the tuning says so, or where more of them do not fit. */
template <class Op, bool ZERO, int SWEEPS>
static void deep_launch_sweeps(const struct fv2_deep &w)
{
    using many = deep_tile_of<Op, ZERO, ONLY_SWEEPS, SWEEPS, false>;
    using few = deep_tile_of<Op, ZERO, ONLY_SWEEPS, SWEEPS>;
    const struct cuda_tuning t =
        cuda_tuned(2, ZERO ? TUNED_ZERO_SMOOTH : TUNED_SMOOTH, Op::HELMHOLTZ, w.c.n);
    if (t.rows != few::ROWS && deep_fits<many>(cuda_limits()))
        deep_launch<many>(w, t);
    else
        deep_launch<few>(w, t);
}

/* Whether there are variants that begin at zero and finish: not where a smoothing, which begins
 * at zero, consists of several passes. */
template <int SWEEPS>
static constexpr bool FINISHES_FROM_ZERO = SWEEPS == SMOOTHER_SWEEPS;

template <class Op, bool ZERO, int SWEEPS>
static void deep_launch_start(const struct fv2_deep &w)
{
    if constexpr (!ZERO || FINISHES_FROM_ZERO<SWEEPS>) {
        if (w.coarse)
            return deep_launch<deep_tile_of<Op, ZERO, RESTRICTS, SWEEPS>>(w, {});
        if (w.norm)
            return deep_launch<deep_tile_of<Op, ZERO, REDUCES, SWEEPS>>(w, {});
    }
    deep_launch_sweeps<Op, ZERO, SWEEPS>(w);
}

/* The half-sweeps work out of place: u and FIELD_TMP change places after them. */
template <int SWEEPS>
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
                deep_launch_start<decltype(op), true, SWEEPS>(deep);
            else
                deep_launch_start<decltype(op), false, SWEEPS>(deep);
        });
    }
    if (pass->region != REGION_INTERIOR) /* else the boundary region follows */
        level_swap(pass->level, pass->u, FIELD_TMP);
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

/* True if offsets of cells, up to the planes that are copied early, are ints. */
static inline bool deep_offsets_fit(const struct level *level)
{
    enum { BEYOND = 16 };
    bool fit = true;
    for (int q = 0; q < level->npatches; q++)
        fit = fit && level->patches[q].sk * (level->patches[q].n[2] + BEYOND) <= INT_MAX;
    return fit;
}

/* True if the tiles of this many half-sweeps, and those with a finish, fit. */
template <int SWEEPS>
static void deep_tiles_fit(const struct pass *pass, const struct device_limits *device,
                           bool *sweeps, bool *finishes)
{
    with_operator_of<sum_fv2, sum_fv2_constant>(pass->level->stencil->choice, [&](auto op) {
        *sweeps = deep_fits<deep_tile_of<decltype(op), false, ONLY_SWEEPS, SWEEPS>>(device);
        *finishes = deep_fits<deep_tile_of<decltype(op), false, RESTRICTS, SWEEPS>>(device);
    });
}

/* On a level with neighbours nothing may follow: it would read ghosts that the kernel computes and
 * does not store. */
template <int SWEEPS>
static int deep_covers(const struct pass *pass, const struct device_limits *device)
{
    const struct level *level = pass->level;
    bool sweeps = false, finishes = false;
    if (pass_prolongs(pass) || !alternates_colours(pass) || pass->nsweeps < SWEEPS ||
        !has_even_rows(level) || !cuda_even_patches(level) || !deep_offsets_fit(level))
        return 0;
    deep_tiles_fit<SWEEPS>(pass, device, &sweeps, &finishes);
    const bool last = pass->nsweeps == SWEEPS && pass->finish != FINISH_NONE,
               finish = last && pass->finish != FINISH_STORE && finishes &&
                        (pass->start != START_ZERO || FINISHES_FROM_ZERO<SWEEPS>);
    const int length = SWEEPS + (pass->start != START_KEEP) + finish;
    const bool reaches =
        !level->connected || (length == pass_length(pass) && level->ghosts >= SWEEPS + finish);
    return sweeps && reaches ? length : 0;
}

/* No norm goes to the host. */
static inline bool deep_splits(const struct pass *pass)
{
    return pass->finish != FINISH_NORM;
}

/* D⁻¹ follows from β. */
static inline double deep_bytes(const struct pass *pass)
{
    return pass_bytes_once(pass) - sizeof(double);
}
} // namespace fv2

#endif
