/* SPDX-License-Identifier: BSD-3-Clause */
/* The entry fv2/gsrb-fused: which operations it covers, and the launches. */
#include <cmath>
#include "cuda/core/launch.cuh"
#include "cuda/cuda.h"
#include "cuda/device.cuh"
#include "cuda/fv2/gsrb_kernel.cuh"
#include "cuda/kernels.cuh"

namespace fv2
{
/* A block repeats two planes of its neighbours, or four if it finishes, and takes about two steps
 * to begin. */
enum { MAX_PLANES = 128, EXTRA_STEPS = 4, EXTRA_FINISH_STEPS = 6 };

/* A block reads the outermost cells of its tile, one cell beyond them in i and j, and in k as far
 * as its steps reach. */
template <class tile>
static void launch(struct fv2_gsrb w, int tuned_planes)
{
    set_tiles<tile>(w);
    constexpr int HALO = tile::HALO, ROWS = tile::ROWS;
    const int tiles_i = tiles_across<tile>(w.c, 0), tiles_j = tiles_across<tile>(w.c, 1);
    const int planes = planes_per_block(tuned_planes, w.c.n[2], tiles_i * tiles_j, MAX_PLANES,
                                        tile::FINISHES ? EXTRA_FINISH_STEPS : EXTRA_STEPS);
    const int n[3] = {tiles_i, tiles_j, cuda_divided(w.c.n[2], planes)};
    const struct tile_reads reads[3] = {
        {-2 * open_low(w.c, 0) - 2, 2 * (LANES - 2), 2 * LANES + 4},
        {-HALO * open_low(w.c, 1) - 1, ROWS - 2 * HALO, ROWS + 2},
        {-1 - HALO, planes, planes + 2 * HALO + 2},
    };
    launch_tiles<gsrb_kernel<tile>>(w, n, reads, dim3(LANES, ROWS), tile::BYTES, planes);
}

template <class tile>
static bool fits(const struct device_limits *device)
{
    return tile::BYTES <= device->shared_per_block;
}

/* Few rows where the tuning says so, or where more of them do not fit. */
template <class Op, bool ZERO>
static void launch_sweeps(const struct fv2_gsrb &w)
{
    using many = tile<Op, ZERO, ONLY_SWEEPS, MANY_ROWS>;
    const struct cuda_tuning t =
        cuda_tuned(2, ZERO ? TUNED_ZERO_SMOOTH : TUNED_SMOOTH, Op::HELMHOLTZ, w.c.n);
    if (t.rows != FEW_ROWS && fits<many>(cuda_limits()))
        launch<many>(w, t.planes);
    else
        launch<tile<Op, ZERO, ONLY_SWEEPS, FEW_ROWS>>(w, t.planes);
}

/* Rows of a tile of a pass that finishes with the residual: less of them where α is stored. */
template <class Op>
static constexpr int finish_rows()
{
    return Op::READS_ALPHA ? 12 : 16;
}

template <class Op>
static void launch_operator(const struct fv2_gsrb &w)
{
    constexpr int ROWS = finish_rows<Op>();
    CHECK(!w.zero_guess || (!w.coarse && !w.norm));
    CHECK(w.region == REGION_ALL || !w.norm);
    if (w.coarse)
        launch<tile<Op, false, RESTRICTS, ROWS>>(w, 0);
    else if (w.norm)
        launch<tile<Op, false, REDUCES, ROWS>>(w, 0);
    else if (w.zero_guess)
        launch_sweeps<Op, true>(w);
    else
        launch_sweeps<Op, false>(w);
}

/* The two half-sweeps from `sweep` on, and after the last ones the finish. */
static void run_two_sweeps(const struct pass *pass, int q, int sweep)
{
    const struct patch_launch w = cuda_open_work(pass, q);
    struct fv2_gsrb gsrb = {w.v, w.c};
    const bool last = sweep + 2 == pass->nsweeps;
    gsrb.in = w.buffer[0];
    gsrb.out = pass->level->fields[FIELD_TMP] + w.c.offset;
    gsrb.parity = w.parity;
    gsrb.region = pass->region;
    gsrb.zero_guess = sweep == 0 && pass->start == START_ZERO;
    if (last && pass->finish == FINISH_RESTRICT)
        set_coarse(gsrb, pass, q);
    else if (last && pass->finish == FINISH_NORM)
        gsrb.norm = cuda_norm_word();
    with_operator_of<sum_fv2, sum_fv2_constant>(
        w.s->choice, [&](auto op) { launch_operator<decltype(op)>(gsrb); });
}

/* Each two half-sweeps work out of place: u and FIELD_TMP change places after them. */
static void run(const struct pass *pass)
{
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        for (int q = 0; q < pass->level->npatches; q++)
            run_two_sweeps(pass, q, sweep);
        if (pass->region != REGION_INTERIOR) /* else the boundary region follows */
            level_swap(pass->level, pass->u, FIELD_TMP);
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

/* True if tiles, and those of passes with a finish, fit into shared memory. */
static void tiles_fit(const struct pass *pass, const struct device_limits *device, bool *sweeps,
                      bool *finishes)
{
    with_operator_of<sum_fv2, sum_fv2_constant>(pass->level->stencil->choice, [&](auto op) {
        using Op = decltype(op);
        *sweeps = fits<tile<Op, false, ONLY_SWEEPS, FEW_ROWS>>(device);
        *finishes = fits<tile<Op, false, RESTRICTS, finish_rows<Op>()>>(device);
    });
}

/* True if the kernel's offsets in vectors, up to four planes beyond a patch, are ints. */
static bool offsets_fit(const struct level *level)
{
    bool fit = true;
    for (int q = 0; q < level->npatches; q++)
        fit = fit && level->patches[q].sk / 2 * (level->patches[q].n[2] + 4) <= INT_MAX;
    return fit;
}

/* The finish needs a guess: the kernel that begins at zero has none. On a level with neighbours
 * nothing may follow two half-sweeps but the finish: it would read ghosts that these kernels
 * compute and do not store. */
static int covers(const struct pass *pass, const struct device_limits *device)
{
    const struct level *level = pass->level;
    bool sweeps = false, finishes = false;
    tiles_fit(pass, device, &sweeps, &finishes);
    if (pass_prolongs(pass) || !fuses_red_black(pass) || !has_even_rows(level) || !sweeps)
        return 0;
    const bool has_finish = pass->finish != FINISH_NONE,
               finish = (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM) &&
                        (pass->nsweeps > 2 || pass->start != START_ZERO) &&
                        cuda_even_patches(level) && (!level->connected || level->ghosts >= 3) &&
                        finishes;
    const bool more = pass->nsweeps > 2 || (has_finish && !finish);
    return (level->connected && more) || !offsets_fit(level)
               ? 0
               : pass_length(pass) - (has_finish && !finish);
}

/* Of two half-sweeps with variable coefficients on a guess, per cell that the block stores. In a
 * step a thread, which has two cells, loads from shared memory six vectors (u, f, β in i, twice β
 * in j, β in k; with α seven) and six cells (β, two of u, three new red ones), stores a red cell,
 * and copies five vectors there (with α six). What surrounds the tile is not counted. Instructions
 * are those of the machine code for compute capability 9.0. */
template <class tile>
static constexpr struct cuda_counts count_step()
{
    constexpr int LOADS = 6 + tile::ALPHAS, COPIES = 5 + tile::ALPHAS, CELLS = 6 + 1;
    constexpr int INSTRUCTIONS = tile::ALPHAS ? 167 : 161;
    constexpr double STORED = 2.0 * (LANES - 2) * (tile::ROWS - 2 * tile::HALO);
    constexpr double THREADS = LANES * tile::ROWS;
    return {COPIES * VECTOR_BYTES * THREADS / STORED + CELL_BYTES,
            ((LOADS + COPIES) * VECTOR_BYTES + CELLS * CELL_BYTES) * THREADS / STORED,
            INSTRUCTIONS * THREADS / STORED};
}

template <class Op>
static struct cuda_counts count_rows()
{
    using many = tile<Op, false, ONLY_SWEEPS, MANY_ROWS>;
    return fits<many>(cuda_limits()) ? count_step<many>()
                                     : count_step<tile<Op, false, ONLY_SWEEPS, FEW_ROWS>>();
}

static struct cuda_counts counts(const struct pass *pass)
{
    const struct stencil *s = pass->level->stencil;
    const double pairs = pass->nsweeps / 2;
    if (!s->choice.variable || pass->start == START_ZERO || pass->finish != FINISH_NONE)
        return {red_black_bytes(pass), NAN, NAN};
    const struct cuda_counts c =
        s->reads_alpha ? count_rows<op_fv2_helmholtz>() : count_rows<op_fv2>();
    return {pairs * c.cache_bytes, pairs * c.shared_bytes, pairs * c.instructions};
}

/* One launch does all of it, and no norm goes to the host. */
static bool splits(const struct pass *pass)
{
    return pass->nsweeps == 2 && pass->finish != FINISH_NORM;
}
} // namespace fv2

extern const struct kernel kernel_fv2_fused = {
    .name = "fv2/gsrb-fused",
    .summary = "red and black in one pass over memory, with the residual; order 2",
    .covers = fv2::covers,
    .run = fv2::run,
    .bytes = red_black_bytes,
    .splits = fv2::splits,
    .counts = fv2::counts,
};
