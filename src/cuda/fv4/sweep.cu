/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows fv4/sweep and fv4/residual, of one operation each: what they cover, and the launches. */
#include "cuda/core/launch.cuh"
#include "cuda/device.cuh"
#include "cuda/fv4/residual_constant_kernel.cuh"
#include "cuda/fv4/sweep_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv4
{
/* A block takes about four steps to begin. */
enum { MAX_PLANES = 512, EXTRA_STEPS = 4 };

template <class tile, class Op>
static sweep_sources<typename tile::source> make_sources(const struct fv4_sweep &w)
{
    using source = typename tile::source;
    constexpr int ROWS = tile::CORE_ROWS;
    return {tile_source<source>(w.u, w.c, WIDTH, ROWS + 4),
            tile_source<source>(w.beta_i, w.c, WIDTH, ROWS + 2),
            tile_source<source>(w.beta_j, w.c, WIDTH, ROWS + 1),
            tile_source<source>(w.beta_k, w.c, WIDTH, ROWS + 2),
            tile_source<source>(w.f, w.c, CORE_WIDTH, ROWS),
            tile_source<source>(w.dinv, w.c, CORE_WIDTH, ROWS),
            READS_ALPHA<Op> ? tile_source<source>(w.alpha, w.c, CORE_WIDTH, ROWS) : source{}};
}

template <class tile, class Op, enum sweep_kind KIND>
static void launch(const struct fv4_sweep &w)
{
    constexpr auto STAGE = KIND == SWEEP_RESTRICT ? TUNED_RESTRICT
                           : KIND == SWEEP_NORM   ? TUNED_NORM
                                                  : TUNED_SWEEP;
    constexpr auto KERNEL = sweep_kernel<tile, Op, KIND>;
    constexpr int BYTES = sizeof(struct shared_planes<tile, Op, KIND>);
    const struct cuda_tuning tuning = cuda_tuned(4, STAGE, Op::HELMHOLTZ, w.c.n);
    const int tiles_i = cuda_divided(w.c.n[0], CORE_WIDTH),
              tiles_j = cuda_divided(w.c.n[1], tile::CORE_ROWS),
              tuned = tuning.rows == tile::CORE_ROWS ? tuning.planes : 0,
              planes = planes_per_block(tuned, w.c.n[2], tiles_i * tiles_j, MAX_PLANES, EXTRA_STEPS,
                                        cuda_blocks_at_once<KERNEL>(tile::THREADS, BYTES));
    const int n[3] = {tiles_i, tiles_j, cuda_divided(w.c.n[2], planes)};
    const struct tile_reads reads[3] = {
        {-HALO, CORE_WIDTH, CORE_WIDTH + 2 * HALO},
        {-HALO, tile::CORE_ROWS, tile::CORE_ROWS + 2 * HALO},
        {-HALO, planes, planes + 2 * HALO},
    };
    launch_tiles<KERNEL>(w, n, reads, dim3(LANES, tile::THREADS / LANES), BYTES, planes,
                         make_sources<tile, Op>(w));
}

template <class tile, class Op>
static void launch_kind(const struct fv4_sweep &w)
{
    switch (w.kind) {
    case SWEEP_COLOURED:
        return launch<tile, Op, SWEEP_COLOURED>(w);
    case SWEEP_WEIGHTED:
        return launch<tile, Op, SWEEP_WEIGHTED>(w);
    case SWEEP_TWO_STEP:
        return launch<tile, Op, SWEEP_TWO_STEP>(w);
    case SWEEP_RESIDUAL:
        return launch<tile, Op, SWEEP_RESIDUAL>(w);
    case SWEEP_RESTRICT:
        return launch<tile, Op, SWEEP_RESTRICT>(w);
    case SWEEP_DEFECT:
        if constexpr (MAY_BE_CORRECTED)
            launch<tile, Op, SWEEP_DEFECT>(w);
        return;
    case SWEEP_NORM:
        return launch<tile, Op, SWEEP_NORM>(w);
    }
}

namespace constant
{
/* A block takes about two steps to begin. */
enum { EXTRA_STEPS = 2 };

template <class Op, enum sweep_kind KIND>
static void launch(const struct fv4_sweep &w)
{
    constexpr auto KERNEL = residual_kernel<Op, KIND>;
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
    launch_tiles<KERNEL>(w, n, reads, dim3(LANES, GROUPS), 0, planes);
}

template <class Op>
static void launch_kind(const struct fv4_sweep &w)
{
    if (w.kind == SWEEP_NORM)
        launch<Op, SWEEP_NORM>(w);
    else if (w.kind == SWEEP_RESTRICT)
        launch<Op, SWEEP_RESTRICT>(w);
    else if (w.kind == SWEEP_RESIDUAL)
        launch<Op, SWEEP_RESIDUAL>(w);
    else if constexpr (MAY_BE_CORRECTED)
        launch<Op, SWEEP_DEFECT>(w);
}
} // namespace constant

/* D⁻¹ follows from the nearest faces alone in cells within these bounds; see probe_create. */
static void set_inner(struct fv4_sweep &m, const struct patch_launch &w)
{
    const int reach = w.s->radius, *n = w.pass->level->n;
    for (int d = 0; d < 3; d++) {
        m.inner_lo[d] = w.c.wall[d][0] ? reach : 0;
        m.inner_hi[d] = n[d] > 2 * reach ? w.c.n[d] - (w.c.wall[d][1] ? reach : 0) : 0;
    }
}

static void set_sweep(struct fv4_sweep &m, const struct patch_launch &w, int sweep)
{
    const struct relaxation r = stencil_relaxation(w.s, sweep);
    m.kind = r.coloured                    ? SWEEP_COLOURED
             : r.update == UPDATE_TWO_STEP ? SWEEP_TWO_STEP
                                           : SWEEP_WEIGHTED;
    m.out = w.buffer[(sweep + 1) & 1];
    m.colour = (w.parity + r.colour) & 1;
    m.weight = (real)r.weight;
    m.c1 = (real)r.c1;
    set_inner(m, w);
}

static void set_finish(struct fv4_sweep &m, const struct patch_launch &w, int q)
{
    const struct pass *p = w.pass;
    if (p->finish == FINISH_NORM) {
        m.kind = SWEEP_NORM;
        m.norm = cuda_norm_word();
    } else if (p->finish == FINISH_DEFECT) {
        m.kind = SWEEP_DEFECT;
        m.defect = cuda_defect(p->level, q);
        m.norm = p->norm ? cuda_norm_word() : NULL;
    } else if (p->finish == FINISH_RESTRICT) {
        m.kind = SWEEP_RESTRICT;
        set_coarse(m, p, q);
    } else {
        m.kind = SWEEP_RESIDUAL;
        m.out = p->level->fields[p->residual] + w.c.offset;
    }
}

/* Calls f with the largest tile that the device has room and copies for; false if there is none. */
template <class F>
static bool with_tile(const struct device_limits *device, F f)
{
    return with_first_tile<large_sweep, medium_sweep, small_sweep>(device, f);
}

static void run_on_patch(const struct pass *pass, int q)
{
    const struct patch_launch w = cuda_open_work(pass, q);
    struct fv4_sweep m = {w.v, w.c};
    m.region = pass->region;
    m.u = w.buffer[pass->first_sweep & 1];
    if (pass->nsweeps > 0)
        set_sweep(m, w, pass->first_sweep);
    else
        set_finish(m, w, q);
    with_operator_of<sum_fv4_constant>(w.s->choice,
                                       [&](auto op) { constant::launch_kind<decltype(op)>(m); });
    with_operator_of<sum_fv4>(w.s->choice, [&](auto op) {
        with_tile(cuda_limits(), [&](auto tile) { launch_kind<decltype(tile), decltype(op)>(m); });
    });
}

/* One operation on all patches. If it is split, the interior runs first and does not depend on
 * the ghosts behind walls around halos; the boundary region depends on all ghosts. */
static void run(const struct pass *pass)
{
    if (pass->region == REGION_BOUNDARY)
        cuda_await(INNER_PREPARED);
    if (!pass->ghosts_filled)
        cuda_fill_ghosts(pass);
    if (pass->region == REGION_INTERIOR)
        cuda_mark(INNER_PREPARED);
    for (int q = 0; q < pass->level->npatches; q++)
        run_on_patch(pass, q);
    if (pass_reduces(pass))
        cuda_fetch_norm(pass->norm);
}

static bool fits(const struct pass *pass)
{
    return cuda_even_patches(pass->level) && pass->start == START_KEEP;
}

/* Whether there is a kernel of the stored coefficients' operators. */
static bool has_tile(const struct pass *pass, const struct device_limits *device)
{
    return with_operator_of<sum_fv4>(pass->level->stencil->choice, [](auto) {}) &&
           with_tile(device, [](auto) {});
}

/* The first sweep alone, unless it would have to compute ghosts for an operation after it. */
static int sweep_covers(const struct pass *pass, const struct device_limits *device)
{
    return pass->nsweeps > 0 && fits(pass) && has_tile(pass, device) &&
           pass_extent(pass, pass_operations(pass) - 1) == 0 &&
           stencil_relaxation(pass->level->stencil, pass->first_sweep).update <= UPDATE_TWO_STEP;
}

static int residual_covers(const struct pass *pass, const struct device_limits *device)
{
    const bool constant =
        with_operator_of<sum_fv4_constant>(pass->level->stencil->choice, [](auto) {});
    return pass->nsweeps == 0 && fits(pass) && (constant || has_tile(pass, device))
               ? pass_length(pass)
               : 0;
}

static bool sweep_splits(const struct pass *pass)
{
    return pass_operations(pass) == 1;
}

static bool residual_splits(const struct pass *pass)
{
    return !pass_reduces(pass);
}
} // namespace fv4

extern const struct kernel kernel_fv4_sweep = {
    .name = "fv4/sweep",
    .summary = "one sweep of any smoother; order 4",
    .covers = fv4::sweep_covers,
    .run = fv4::run,
    .bytes = pass_bytes_one_by_one,
    .splits = fv4::sweep_splits,
};

extern const struct kernel kernel_fv4_residual = {
    .name = "fv4/residual",
    .summary = "the residual, stored, restricted, reduced to its norm or narrowed; order 4",
    .covers = fv4::residual_covers,
    .run = fv4::run,
    .bytes = pass_bytes_one_by_one,
    .splits = fv4::residual_splits,
};
