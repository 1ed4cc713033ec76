/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/residual: what it covers, and the launches. */
#include "cuda/fv2/residual_kernel.cuh"
#include "cuda/kernels.cuh"
#include "cuda/tuning.h"

namespace fv2
{
enum { MAX_RESIDUAL_PLANES = 16 };

template <class Op, enum pass_finish FINISH, int GROUPS>
static void launch(const struct fv2_residual &w, int planes)
{
    const int tiles_i = cuda_divided(w.c.n[0] / 2, LANES),
              tiles_j = cuda_divided(w.c.n[1] / 2, GROUPS);
    for (int most = MAX_RESIDUAL_PLANES; planes == 0; most /= 2)
        if (most <= 2 ||
            tiles_i * tiles_j * cuda_divided(w.c.n[2], most) >= 4 * cuda_multiprocessors())
            planes = most;
    const dim3 block(LANES, GROUPS), grid(tiles_i, tiles_j, cuda_divided(w.c.n[2], planes));
    residual_kernel<Op, FINISH, GROUPS><<<grid, block, 0, cuda_stream()>>>(w, planes);
    CUDA_LAUNCHED();
}

template <class Op, enum pass_finish FINISH>
static void launch_tuned(const struct fv2_residual &w)
{
    const struct cuda_tuning t = cuda_tuned(
        2, FINISH == FINISH_RESTRICT ? TUNED_RESTRICT : TUNED_NORM, Op::HELMHOLTZ, w.c.n);
    if (t.rows == TUNED_FV2_RESIDUAL_FEW_ROWS)
        launch<Op, FINISH, TUNED_FV2_RESIDUAL_FEW_ROWS / 2>(w, t.planes);
    else
        launch<Op, FINISH, TUNED_FV2_RESIDUAL_ROWS / 2>(w, t.planes);
}

static void run_residual(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct patch_launch w = cuda_open_work(pass, q);
        if (w.c.wrap[0] || w.c.wrap[1] || w.c.wrap[2])
            cuda_fill_walls(w, pass->first_sweep);
        struct fv2_residual r = {w.v, w.c};
        r.u = w.buffer[pass->first_sweep & 1];
        with_operator_of<sum_fv2>(w.s->choice, [&](auto op) {
            using Op = decltype(op);
            if (pass->finish == FINISH_RESTRICT) {
                set_coarse(r, pass, q);
                launch_tuned<Op, FINISH_RESTRICT>(r);
            } else if (pass->finish == FINISH_NORM) {
                r.norm = cuda_norm_word();
                launch_tuned<Op, FINISH_NORM>(r);
            } else if constexpr (MAY_BE_CORRECTED) {
                r.defect = cuda_defect(pass->level, q);
                r.norm = pass->norm ? cuda_norm_word() : NULL;
                launch_tuned<Op, FINISH_DEFECT>(r);
            }
        });
    }
    if (pass_reduces(pass))
        cuda_fetch_norm(pass->norm);
}

static int residual_covers(const struct pass *pass, const struct device_limits *)
{
    const bool fits = pass->start == START_KEEP && pass->nsweeps == 0 &&
                      with_operator_of<sum_fv2>(pass->level->stencil->choice, [](auto) {}) &&
                      extent_shortest(pass->level->n) >= 4 && cuda_even_patches(pass->level) &&
                      pass->finish != FINISH_STORE;
    return fits ? pass_length(pass) : 0;
}
} // namespace fv2

extern const struct kernel kernel_fv2_residual = {
    .name = "fv2/residual",
    .summary = "the residual, restricted, reduced to its norm or narrowed; order 2",
    .covers = fv2::residual_covers,
    .run = fv2::run_residual,
    .bytes = pass_bytes_one_by_one,
};
