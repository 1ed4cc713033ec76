/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv4/gsrb-fused: which operations it covers, and the launches. */
#include <cmath>
#include "cuda/core/launch.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/fv4/boundary_kernel.cuh"
#include "cuda/fv4/gsrb_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv4
{
/* A block takes about five steps to begin. */
enum { MAX_PLANES = 256, EXTRA_STEPS = 5, MIN_DIM = 8 };

template <class tile, bool ZERO>
static void launch(const struct fv4_gsrb &w)
{
    constexpr auto KERNEL = gsrb_kernel<tile, ZERO>;
    const int tiles_i = cuda_divided(w.c.n[0], tile::CORE_WIDTH),
              tiles_j = cuda_divided(w.last[1] - w.first[1] - 1, tile::CORE_ROWS),
              at_once = cuda_blocks_at_once<KERNEL>(tile::THREADS, tile::SHARED_BYTES);
    const struct cuda_tuning tuning = cuda_tuned(4, TUNED_SMOOTH, tile::op::HELMHOLTZ, w.c.n);
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

/* Calls f with the largest tile of the level's operator that the device has room and copies for;
 * false if there is none. Without β the second one fits everywhere. */
template <class F>
static bool with_tile(const struct level *level, const struct device_limits *device, F f)
{
    bool found = false;
    with_operator_of<sum_fv4, sum_fv4_constant>(level->stencil->choice, [&](auto op) {
        using Op = decltype(op);
        if constexpr (Op::VARIABLE)
            found = with_first_tile<large_tile<Op>, medium_tile<Op>, small_tile<Op>>(device, f);
        else if constexpr (medium_tile<Op>::max_bytes() <= 99 * 1024)
            found = with_first_tile<large_tile<Op>, medium_tile<Op>>(device, f);
    });
    return found;
}

template <class Op, bool OPEN>
static void launch_boundary(const struct fv4_gsrb &w)
{
    using namespace boundary;
    CHECK(has_threads_for_ends(w));
    launch_kernel<boundary_kernel<Op, OPEN>>(boundary_grid(w.c), TILE_THREADS, TILE_BYTES, w);
}

/* Whether the patch has a wall in j or k: black cells next to it are left to the boundary-layer
 * update. */
static bool has_boundary_layers(const struct cells &c)
{
    return c.wall[1][0] || c.wall[1][1] || c.wall[2][0] || c.wall[2][1];
}

static bool has_walls_only(const struct cells &c)
{
    bool only = true;
    for (int side = 0; side < 6; side++)
        only = only && c.wall[side / 2][side % 2];
    return only;
}

/* Whether the level has wrapped sides, and no open ones. */
static bool is_wrapped(const struct level *level)
{
    return sides_have(&level->sides, BOUNDARY_PERIODIC) && !level->connected;
}

/* Two half-sweeps on patch q from `sweep` on. */
static struct fv4_gsrb make_sweeps(const struct pass *pass, int q, int sweep)
{
    const struct patch_launch w = cuda_open_work(pass, q);
    const struct operator_choice *op = &w.s->choice;
    struct fv4_gsrb gsrb = {w.v, w.c};
    gsrb.inner_dinv =
        (real)1.0 / fv4_inner_diagonal((real)gsrb.scale, (real)operator_diagonal_term(op, 1.0), 1,
                                       1, 1, 1, 1, 1);
    gsrb.in = sweep == 0 && pass->start == START_ZERO ? NULL : w.buffer[0];
    gsrb.out = w.buffer[1];
    gsrb.colour = w.parity;
    gsrb.region = pass->region;
    gsrb.ghosts = (sweep + 2 < pass->nsweeps || pass->ops_until_halo > 0) && has_walls_only(gsrb.c);
    gsrb.walls = *stencil_walls(w.s);
    set_bounds(gsrb);
    return gsrb;
}

static void run_boundary(const struct pass *pass, int q, int sweep)
{
    const struct fv4_gsrb w = make_sweeps(pass, q, sweep);
    if (!has_boundary_layers(w.c))
        return;
    with_operator_of<sum_fv4, sum_fv4_constant>(pass->level->stencil->choice, [&](auto op) {
        has_walls_only(w.c) ? launch_boundary<decltype(op), false>(w)
                            : launch_boundary<decltype(op), true>(w);
    });
}

/* The ghosts of u that two half-sweeps read. In a wrapped direction these are more than one sweep
 * reads: red cells beyond the patch are updated too. */
static void fill_ghosts(const struct pass *pass)
{
    for (int q = 0; q < pass->level->npatches; q++) {
        struct patch_launch w = cuda_open_work(pass, q);
        if (is_wrapped(pass->level))
            cuda_store_ghosts(w.c, w.buffer[0],
                              *level_ghost_list(pass->level, q, ghosts_star(REACH)),
                              *stencil_walls(w.s), REGION_ALL);
        else
            cuda_fill_walls(w, 0);
    }
}

/* The update of these red cells reads f. */
static void fill_rhs_ghosts(const struct pass *pass)
{
    const struct level *level = pass->level;
    for (int q = 0; q < level->npatches && sides_have(&level->sides, BOUNDARY_PERIODIC); q++) {
        const struct cells c = cells_of(&level->patches[q]);
        cuda_wrap_sides(c, level->fields[pass->f] + c.offset);
    }
}

/* Two half-sweeps on all patches. The boundary-layer update follows the outer blocks, and reads
 * what the inner ones have stored. */
static void run_two_sweeps(const struct pass *pass, int sweep)
{
    if (sweep > 0 && is_wrapped(pass->level))
        fill_ghosts(pass);
    for (int q = 0; q < pass->level->npatches; q++) {
        const struct fv4_gsrb w = make_sweeps(pass, q, sweep);
        with_tile(pass->level, cuda_limits(), [&](auto tile) {
            w.in ? launch<decltype(tile), false>(w) : launch<decltype(tile), true>(w);
        });
    }
    if (pass->region == REGION_INTERIOR)
        return cuda_mark(INNER_DONE);
    if (pass->region == REGION_BOUNDARY)
        cuda_await(INNER_DONE);
    for (int q = 0; q < pass->level->npatches; q++)
        run_boundary(pass, q, sweep);
    level_swap(pass->level, pass->u, FIELD_TMP);
}

/* The first sweep needs ghosts unless u is zero. Those behind walls that later sweeps need, or an
 * operation that follows, come with the sweeps. */
static void run(const struct pass *pass)
{
    if (pass->region == REGION_BOUNDARY)
        cuda_await(INNER_PREPARED);
    if (pass->start == START_KEEP && !pass->ghosts_filled)
        fill_ghosts(pass);
    if (pass->region != REGION_BOUNDARY)
        fill_rhs_ghosts(pass);
    if (pass->region == REGION_INTERIOR)
        cuda_mark(INNER_PREPARED);
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2)
        run_two_sweeps(pass, sweep);
}

/* Rows end within a warp, and no cell is near walls on both sides. */
static bool patches_fit(const struct level *level)
{
    bool fit = true;
    for (int q = 0; q < level->npatches; q++)
        for (int d = 0; d < 3; d++) {
            const int n = level->patches[q].n[d];
            fit = fit && n >= MIN_DIM && n % 4 == 0;
        }
    return fit;
}

/* On a level with neighbours nothing may follow: it would read ghosts that are not stored. */
static int covers(const struct pass *pass, const struct device_limits *device)
{
    const struct level *level = pass->level;
    if (pass_prolongs(pass) || !fuses_red_black(pass) || !patches_fit(level) ||
        (level->connected && pass_operations(pass) > 2) || !with_tile(level, device, [](auto) {}))
        return 0;
    return (pass->start != START_KEEP) + pass->nsweeps;
}

static bool leaves_ghosts(const struct level *level)
{
    return !level->connected && !sides_have(&level->sides, BOUNDARY_PERIODIC);
}

/* Passes with several fused sweeps exist only on levels without neighbours. */
static bool splits(const struct pass *pass)
{
    return pass->nsweeps == 2;
}

/* Of two half-sweeps with variable coefficients on a guess, per cell of the block's core. In a step
 * a warp has 137 loads of shared memory and 2 stores, and some 735 instructions (machine code for
 * compute capability 9.0; with α 4 and 50 more). One warp loads 55 values more for outer cells.
 * Tiles are written once. The boundary-layer update is not counted. */
template <class tile>
static constexpr struct cuda_counts count_step()
{
    constexpr int CELL = (int)sizeof(real), LOADS = tile::READS_ALPHA ? 141 : 137, STORES = 2;
    constexpr int INSTRUCTIONS = tile::READS_ALPHA ? 785 : 735, OUTER_LOADS = 55;
    constexpr int THREADS_AT_WORK = LANES * tile::WARPS;
    constexpr double CORE = tile::CORE_WIDTH * tile::CORE_ROWS;
    constexpr double TILES = tile::U_BYTES + 2 * tile::BETA_BYTES + tile::BETA_J_BYTES;
    constexpr int SOURCES = tile::READS_ALPHA ? 2 : 1; /* f and α, not by way of shared memory */
    return {(TILES + SOURCES * CELL * COLUMNS * THREADS_AT_WORK) / CORE + CELL,
            (TILES + CELL * ((LOADS + STORES) * THREADS_AT_WORK + OUTER_LOADS * LANES)) / CORE,
            INSTRUCTIONS * THREADS_AT_WORK / CORE};
}

static struct cuda_counts counts(const struct pass *pass)
{
    const double pairs = pass->nsweeps / 2;
    struct cuda_counts c = {};
    if (!pass->level->stencil->choice.variable || pass->start == START_ZERO)
        return {red_black_bytes(pass), NAN, NAN};
    with_tile(pass->level, cuda_limits(), [&](auto tile) { c = count_step<decltype(tile)>(); });
    return {pairs * c.cache_bytes, pairs * c.shared_bytes, pairs * c.instructions};
}
} // namespace fv4

extern const struct kernel kernel_fv4_fused = {
    .name = "fv4/gsrb-fused",
    .summary = "red and black in one pass over memory; order 4",
    .covers = fv4::covers,
    .run = fv4::run,
    .bytes = red_black_bytes,
    .splits = fv4::splits,
    .counts = fv4::counts,
    .leaves_ghosts = fv4::leaves_ghosts,
};
