/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/gsrb-deep: which operations it covers, and the launches. */
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/fv2/deep_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv2
{
enum { DEEP_SWEEPS = 6, CLUSTER = 8, MAX_PLANES = 512 };

/* As many rows as registers and shared memory have room for. */
template <class Op, bool ZERO, finish FINISH>
using deep_variant = deep_tile<Op, ZERO, FINISH, DEEP_SWEEPS, Op::READS_ALPHA ? 4 : 6, CLUSTER>;

template <class tile>
static int clusters_at_once()
{
    return cuda_clusters_at_once<deep_kernel<tile>>(tile::THREADS, tile::BYTES, CLUSTER);
}

template <class tile>
static void deep_launch(struct fv2_deep w)
{
    w.back = (int)(w.c.sk - w.c.n[2] * w.c.sk);
    const int tiles_i = deep_tiles<tile>(w.c, 0), tiles_j = deep_tiles<tile>(w.c, 1);
    const int planes = planes_per_block(0, w.c.n[2], tiles_i * tiles_j, MAX_PLANES, 2 * tile::DEPTH,
                                        clusters_at_once<tile>());
    const dim3 grid(tiles_i, tiles_j * CLUSTER, cuda_divided(w.c.n[2], planes));
    launch_cluster_kernel<deep_kernel<tile>>(grid, tile::THREADS, CLUSTER, tile::BYTES, w, planes);
}

template <class Op, bool ZERO>
static void deep_launch_start(const struct fv2_deep &w)
{
    if (w.coarse)
        deep_launch<deep_variant<Op, ZERO, RESTRICTS>>(w);
    else if (w.norm)
        deep_launch<deep_variant<Op, ZERO, REDUCES>>(w);
    else
        deep_launch<deep_variant<Op, ZERO, ONLY_SWEEPS>>(w);
}

static void deep_run(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        const struct patch_launch w = cuda_open_work(pass, q);
        struct fv2_deep deep = {w.v, w.c};
        deep.in = w.buffer[0];
        deep.out = pass->level->fields[FIELD_TMP] + w.c.offset;
        deep.parity = w.parity;
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
    level_swap(pass->level, pass->u, FIELD_TMP);
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

/* True if offsets of cells, up to the planes that are copied early, are ints. */
static bool deep_offsets_fit(const struct patch *p)
{
    return p->sk * (p->n[2] + UNROLLED) <= INT_MAX;
}

/* Smaller patches have too few clusters to fill a GPU: at 128³ three passes of two half-sweeps are
 * faster. So they are where tiles compute more than twice the cells of the patch. */
static bool deep_pays(const struct patch *p)
{
    using tile = deep_variant<op_fv2, false, ONLY_SWEEPS>;
    enum { MIN_DIM = 160 };
    const struct cells c = cells_of(p);
    const double cells = (double)c.n[0] * c.n[1], computed = (double)deep_tiles<tile>(c, 0) *
                                                             DEEP_WIDTH * deep_tiles<tile>(c, 1) *
                                                             tile::BLOCKS * tile::ROWS;
    return cells * c.n[2] >= (double)MIN_DIM * MIN_DIM * MIN_DIM && computed <= 2.0 * cells;
}

static bool deep_fits(const struct level *level)
{
    bool fits = clusters_at_once<deep_variant<op_fv2, false, RESTRICTS>>() > 0 &&
                level->stencil->choice.order == 2 && has_even_rows(level) &&
                cuda_even_patches(level) && !level->connected;
    for (int q = 0; q < level->npatches; q++)
        fits = fits && deep_offsets_fit(&level->patches[q]) && deep_pays(&level->patches[q]);
    return fits;
}

static int deep_covers(const struct pass *pass, const struct device_limits *device)
{
    if (pass_prolongs(pass) || !fuses_red_black(pass) || pass->nsweeps < DEEP_SWEEPS ||
        !device->tile_copies || !deep_fits(pass->level))
        return 0;
    const bool finish = pass->nsweeps == DEEP_SWEEPS &&
                        (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM);
    return DEEP_SWEEPS + (pass->start != START_KEEP) + finish;
}

/* D⁻¹ follows from β. */
static double deep_bytes(const struct pass *pass)
{
    return pass_bytes_once(pass) - sizeof(double);
}
} // namespace fv2

extern const struct kernel kernel_fv2_deep = {
    .name = "fv2/gsrb-deep",
    .summary = "six half-sweeps in one pass over memory, with the residual; order 2",
    .covers = fv2::deep_covers,
    .run = fv2::deep_run,
    .bytes = fv2::deep_bytes,
};
