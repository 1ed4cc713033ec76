/* SPDX-License-Identifier: BSD-3-Clause */
/* The row fv4/residual-constant: what it covers, and the launches. */
#include "cuda/core/launch.cuh"
#include "cuda/fv4/residual_constant_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv4::constant
{
/* A block takes about two steps to begin. */
enum { MAX_PLANES = 512, EXTRA_STEPS = 2 };

template <class Op, enum pass_finish FINISH>
static void launch(const struct residual &w, enum pass_part part)
{
    constexpr auto KERNEL = residual_kernel<Op, FINISH>;
    const int tiles_i = cuda_divided(w.c.n[0], TILE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1], TILE_ROWS),
              planes = planes_per_block(0, w.c.n[2], tiles_i * tiles_j, MAX_PLANES, EXTRA_STEPS,
                                        cuda_blocks_at_once<KERNEL>(THREADS, 0));
    const int n[3] = {tiles_i, tiles_j, cuda_divided(w.c.n[2], planes)};
    const struct tile_reads reads[3] = {
        {-REACH, TILE_WIDTH, TILE_WIDTH + 2 * REACH},
        {-REACH, TILE_ROWS, TILE_ROWS + 2 * REACH},
        {-REACH, planes, planes + 2 * REACH},
    };
    const struct tile_set tiles = tiles_of_patch(part, n, w.c, reads);
    const dim3 grid = tile_grid(tiles);
    if (grid.x > 0)
        launch_kernel<KERNEL>(grid, dim3(LANES, GROUPS), 0, w, tiles, planes);
}

template <class Op>
static void launch_finish(const struct pass *pass, int q, struct residual &w)
{
    if (pass->finish == FINISH_NORM) {
        w.norm = cuda_norm_word();
        launch<Op, FINISH_NORM>(w, pass->part);
    } else if (pass->finish == FINISH_RESTRICT) {
        set_coarse(w, pass, q);
        launch<Op, FINISH_RESTRICT>(w, pass->part);
    } else {
        w.out = pass->level->fields[pass->residual] + w.c.offset;
        launch<Op, FINISH_STORE>(w, pass->part);
    }
}

/* If the pass is split, the inner part runs first and does not depend on the ghosts behind walls
 * around halos; the outer part depends on all ghosts. */
static void run(const struct pass *pass)
{
    if (pass->part == PART_OUTER)
        cuda_await_inner_prepared();
    if (!pass->ghosts_filled)
        cuda_fill_ghosts(pass);
    if (pass->part == PART_INNER)
        cuda_inner_prepared();
    for (int q = 0; q < pass->level->npatches; q++) {
        const struct work w = cuda_open_work(pass, q);
        struct residual r = {w.c, w.buffer[pass->first_sweep & 1], w.v.f, w.v.scale};
        with_operator(w.s->choice, [&](auto op) {
            if constexpr (op.ORDER == 4 && !op.VARIABLE)
                launch_finish<decltype(op)>(pass, q, r);
        });
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

static int covers(const struct pass *pass, const struct device_limits *)
{
    const struct level *level = pass->level;
    const struct operator_choice *choice = &level->stencil->choice;
    const bool fits = choice->order == 4 && !choice->variable && cuda_even_patches(level) &&
                      pass->start == START_KEEP && pass->nsweeps == 0;
    return fits ? pass_length(pass) : 0;
}

static bool splits(const struct pass *pass)
{
    return pass->finish != FINISH_NORM;
}
} // namespace fv4::constant

extern const struct kernel kernel_fv4_residual_constant = {
    "fv4/residual-constant", "the residual with constant coefficients; order 4",
    fv4::constant::covers,   fv4::constant::run,
    pass_bytes_one_by_one,   fv4::constant::splits,
};
