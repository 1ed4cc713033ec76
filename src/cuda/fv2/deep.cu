/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/gsrb-deep. */
#include "cuda/fv2/deep_rows.cuh"

namespace fv2
{
/* Three passes of two half-sweeps are faster on patches that do not fill the GPU with clusters. On
 * an H100 a cube of 128 has a share of 0.34, and takes a little longer so; one of 160 has 0.54, one
 * of 256 has 0.67. */
template <class Op>
static bool deep_pays(const struct level *level)
{
    constexpr double LEAST_SHARE = 0.35;
    bool pays = true;
    for (int q = 0; q < level->npatches; q++)
        pays = pays && deep_share<deep_tile_of<Op, false, RESTRICTS, SMOOTHER_SWEEPS>>(
                           cells_of(&level->patches[q])) >= LEAST_SHARE;
    return pays;
}

static int deep_covers_if_it_pays(const struct pass *pass, const struct device_limits *device)
{
    const struct level *level = pass->level;
    const int length = deep_covers<SMOOTHER_SWEEPS>(pass, device);
    bool pays = false;
    if (length > 0)
        with_operator_of<sum_fv2, sum_fv2_constant>(
            level->stencil->choice, [&](auto op) { pays = deep_pays<decltype(op)>(level); });
    return pays ? length : 0;
}
} // namespace fv2

extern const struct kernel kernel_fv2_deep = {
    .name = "fv2/gsrb-deep",
    .summary = "six half-sweeps in one pass over memory, with the residual; order 2",
    .covers = fv2::deep_covers_if_it_pays,
    .run = fv2::deep_run<SMOOTHER_SWEEPS>,
    .bytes = fv2::deep_bytes,
    .splits = fv2::deep_splits,
};
