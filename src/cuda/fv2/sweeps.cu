/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/sweeps: two or three sweeps of all cells in one pass over memory. */
#include "cuda/core/launch.cuh"
#include "cuda/fv2/sweeps_kernel.cuh"
#include "cuda/kernels.cuh"
#include "operators/traffic.h"

namespace fv2
{
/* A block takes about two steps to begin. */
enum { MAX_PLANES = 128, STARTING_STEPS = 2 };

/* Rows of a tile. Three sweeps keep so much of variable coefficients in registers that larger
 * blocks spill. */
template <class Op>
static constexpr int sweep_rows(int sweeps)
{
    return sweeps == 3 && Op::VARIABLE ? 12 : 16;
}

/* Calls f with the tile of `sweeps` sweeps of the stencil's smoother; false if its operator has
 * none.
 */
template <int SWEEPS, class F>
static bool with_tile_of(const struct stencil *s, F f)
{
    return with_operator_of<sum_fv2, sum_fv2_constant>(s->choice, [&](auto op) {
        using Op = decltype(op);
        constexpr int ROWS = sweep_rows<Op>(SWEEPS);
        if (stencil_relaxation(s, SMOOTHER_SWEEPS - 1).reads_before)
            f(sweep_tile<Op, SWEEPS, true, false, ROWS>{});
        else if (s->l1_weight)
            f(sweep_tile<Op, SWEEPS, false, true, ROWS>{});
        else
            f(sweep_tile<Op, SWEEPS, false, false, ROWS>{});
    });
}

template <class F>
static bool with_sweep_tile(const struct stencil *s, int sweeps, F f)
{
    return sweeps == 3 ? with_tile_of<3>(s, f) : with_tile_of<2>(s, f);
}

/* A block reads the cells of its tile, one row beyond them in j, and in k as far as its steps
 * reach.
 */
template <class tile>
static void launch(const struct fv2_sweeps &w)
{
    constexpr int WIDTH = LANES - 2 * tile::HALO, HEIGHT = tile::ROWS - 2 * tile::HALO;
    const int low = layers_beyond(w.c, 2, 0, 0, w.extent),
              depth = low + w.c.n[2] + layers_beyond(w.c, 2, 1, 0, w.extent);
    const int tiles_i = tiles_across<tile>(w.c, 0, w.extent),
              tiles_j = tiles_across<tile>(w.c, 1, w.extent);
    const int planes =
        planes_per_block(0, depth, tiles_i * tiles_j, MAX_PLANES, 2 * tile::HALO + STARTING_STEPS);
    const int n[3] = {tiles_i, tiles_j, cuda_divided(depth, planes)};
    const struct tile_reads reads[3] = {
        {2 * tiles_begin<tile>(w.c, 0, w.extent), 2 * WIDTH, 2 * LANES},
        {tiles_begin<tile>(w.c, 1, w.extent) - 1, HEIGHT, tile::ROWS + 2},
        {-low - tile::SWEEPS, planes, planes + 2 * tile::SWEEPS},
    };
    launch_tiles<sweeps_kernel<tile>>(w, n, reads, dim3(LANES, tile::ROWS), tile::BYTES, planes);
}

/* Where sweeps leave a buffer's new values. The buffer of sweep number `sweep` is u for even
 * numbers and FIELD_TMP for odd ones. */
struct target {
    enum field buffer, memory; /* they change places after the sweeps, if they differ */
};

/* The buffer that sweep number `sweep` reads, as the result of a pass. Two-step sweeps keep both
 * buffers, so they need other memory where the pass reads the buffer; other sweeps have the second
 * one. */
static struct target target_of(const struct pass *pass, int sweep)
{
    const enum field buffers[2] = {pass->u, FIELD_TMP}, others[2] = {FIELD_NEXT_U, FIELD_NEXT_TMP};
    const int b = sweep & 1;
    const bool reads = b == (pass->first_sweep & 1),
               two_step =
                   stencil_relaxation(pass->level->stencil, SMOOTHER_SWEEPS - 1).reads_before,
               reads_before =
                   stencil_relaxation(pass->level->stencil, pass->first_sweep).reads_before;
    if (two_step)
        return {buffers[b], reads || reads_before ? others[b] : buffers[b]};
    return {buffers[b], reads ? buffers[!b] : buffers[b]};
}

/* True if a sweep after the pass reads the values before the pass's last sweep. */
static bool keeps_before(const struct pass *pass)
{
    const int next = pass->first_sweep + pass->nsweeps;
    return next < SMOOTHER_SWEEPS && stencil_relaxation(pass->level->stencil, next).reads_before;
}

static void run_on_patch(const struct pass *pass, int q)
{
    const struct patch_launch w = cuda_open_work(pass, q);
    const int first = pass->first_sweep, end = first + pass->nsweeps;
    real *const *fields = pass->level->fields;
    struct fv2_sweeps s = {w.v, w.c};
    s.in = w.buffer[first & 1];
    s.out = fields[target_of(pass, end).memory] + w.c.offset;
    if (stencil_relaxation(w.s, first).reads_before)
        s.before = w.buffer[~first & 1];
    if (keeps_before(pass))
        s.out_before = fields[target_of(pass, end - 1).memory] + w.c.offset;
    s.extent = pass_extent(pass, 0);
    s.zero_guess = pass->start == START_ZERO;
    s.region = pass->region;
    for (int n = 0; n < pass->nsweeps; n++)
        s.sweeps[n] = stencil_relaxation(w.s, first + n);
    with_sweep_tile(w.s, pass->nsweeps, [&](auto tile) { launch<decltype(tile)>(s); });
}

static void exchange(struct level *level, const struct target &t)
{
    if (t.memory != t.buffer)
        level_swap(level, t.buffer, t.memory);
}

static void run_sweeps(const struct pass *pass)
{
    struct level *level = pass->level;
    const int end = pass->first_sweep + pass->nsweeps;
    const struct target last = target_of(pass, end), before = target_of(pass, end - 1);
    for (int q = 0; q < level->npatches; q++)
        run_on_patch(pass, q);
    if (pass->region == REGION_INTERIOR) /* the boundary region follows */
        return;
    exchange(level, last);
    if (keeps_before(pass))
        exchange(level, before);
}

/* True if `sweeps` sweeps from the pass's beginning fit into shared memory, the ghosts and the
 * fields. */
static bool sweeps_fit(const struct pass *pass, int sweeps, const struct device_limits *device)
{
    const struct level *level = pass->level;
    struct pass fused = *pass;
    bool fits = false;
    fused.nsweeps = sweeps;
    with_sweep_tile(level->stencil, sweeps, [&](auto tile) {
        fits = decltype(tile)::BYTES <= device->shared_per_block &&
               !(decltype(tile)::TWO_STEP && level->connected && sweeps > 2);
    });
    const int end = pass->first_sweep + sweeps;
    const int following = pass_operations(pass) - sweeps;
    return fits && (!level->connected || sweeps + following <= level->ghosts) &&
           level->fields[target_of(&fused, end).memory] &&
           (!keeps_before(&fused) || level->fields[target_of(&fused, end - 1).memory]);
}

/* How many sweeps are fastest together. Three of them move less data but repeat more of their
 * neighbours' cells, in smaller tiles. That is worth it where a pass moves more than u, f and β, or
 * where tiles need not be smaller. */
static int best_sweeps(const struct stencil *s)
{
    const bool moves_more = s->l1_weight || stencil_relaxation(s, SMOOTHER_SWEEPS - 1).reads_before;
    return s->choice.variable && !moves_more ? 2 : 3;
}

/* No single sweep remains of an even number. */
static int covers_sweeps(const struct pass *pass, const struct device_limits *device)
{
    const struct stencil *s = pass->level->stencil;
    if (stencil_relaxation(s, SMOOTHER_SWEEPS - 1).update > UPDATE_TWO_STEP)
        return 0; /* another formula */
    if (pass_prolongs(pass) || s->coloured || pass->nsweeps < 2 || cuda_tail_level(pass->level) ||
        !has_even_rows(pass->level))
        return 0;
    const bool three = pass->nsweeps == 3 || (pass->nsweeps > 4 && best_sweeps(s) == 3);
    for (int sweeps = three ? 3 : 2; sweeps >= 2; sweeps--)
        if (sweeps_fit(pass, sweeps, device))
            return (pass->start != START_KEEP) + sweeps;
    return 0;
}

/* Every field once; D⁻¹ only if it is the l1 weight. */
static double sweeps_bytes(const struct pass *pass)
{
    const struct stencil *s = pass->level->stencil;
    const int values =
        -!s->l1_weight + stencil_relaxation(s, pass->first_sweep).reads_before + keeps_before(pass);
    return pass_bytes_once(pass) + values * (double)sizeof(real);
}

/* It is one launch, and nothing follows that reads ghosts which it computes. */
static bool sweeps_split(const struct pass *)
{
    return true;
}
} // namespace fv2

extern const struct kernel kernel_fv2_sweeps = {
    .name = "fv2/sweeps",
    .summary = "two or three sweeps of all cells in one pass over memory; order 2",
    .covers = fv2::covers_sweeps,
    .run = fv2::run_sweeps,
    .bytes = fv2::sweeps_bytes,
    .splits = fv2::sweeps_split,
};
