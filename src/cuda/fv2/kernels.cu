/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of order 2 with variable coefficients. */
#include "cuda/kernels.cuh"
#include "cuda/fv2/gsrb.cuh"
#include "cuda/fv2/residual.cuh"

static struct pair_fv2 open_pair(const struct work &w, bool few_rows)
{
    struct pair_fv2 pair = {w.c};
    set_operator(pair, w);
    pair.in = w.buffer[0];
    pair.out = w.pass->level->fields[FIELD_TMP] + w.c.offset;
    pair.parity = w.parity;
    pair.part = w.pass->part;
    pair.few_rows = few_rows;
    return pair;
}

/* The two half-sweeps from `sweep` on, and after the last ones the finish. */
static void run_pair(const struct pass *pass, int q, int sweep, bool few_rows)
{
    struct pair_fv2 pair = open_pair(cuda_open_work(pass, q), few_rows);
    const bool last = sweep + 2 == pass->nsweeps;
    pair.zero_guess = sweep == 0 && pass->start == START_ZERO;
    if (last && pass->finish == FINISH_RESTRICT)
        set_coarse(pair, pass, q);
    else if (last && pass->finish == FINISH_NORM)
        pair.norm = cuda_norm_word();
    cuda_pair_fv2(pair);
}

/* Each pair of half-sweeps works out of place: u and FIELD_TMP change places after it. */
static void run_pairs(const struct part *part, bool few_rows)
{
    const struct pass *pass = &part->pass;
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        for (int q = 0; q < pass->level->npatches; q++)
            run_pair(pass, q, sweep, few_rows);
        if (pass->part != PART_INNER) /* else the outer part follows */
            level_swap(pass->level, pass->u, FIELD_TMP);
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

static void run_many_rows(const struct part *part)
{
    run_pairs(part, false);
}

static void run_few_rows(const struct part *part)
{
    run_pairs(part, true);
}

/* The finish needs a guess: the kernel that begins at zero has none. What follows on a level with
 * neighbours would read ghosts that these kernels compute and do not store. */
static struct coverage cover_pairs(const struct part *part, const struct device_limits *device,
                                   bool few_rows)
{
    const struct pass *pass = &part->pass;
    if (pass_prolongs(pass) || !sweeps_in_pairs(pass) ||
        !cuda_pair_fv2_fits(pass->level, device, few_rows))
        return cover_nothing();
    struct coverage c = cover_all(part);
    c.finish = (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM) &&
               (pass->nsweeps > 2 || pass->start != START_ZERO) &&
               cuda_pair_fv2_finishes(pass->level, device);
    const bool more = part->after > 0 || (pass->finish != FINISH_NONE && !c.finish);
    return pass->level->connected && more ? cover_nothing() : c;
}

static struct coverage many_rows_cover(const struct part *part, const struct device_limits *device)
{
    return cover_pairs(part, device, false);
}

static struct coverage few_rows_cover(const struct part *part, const struct device_limits *device)
{
    return cover_pairs(part, device, true);
}

/* One launch does all of it, without a norm to be brought to the host. */
static bool pairs_split(const struct part *part)
{
    return part->pass.nsweeps == 2 && part->pass.finish != FINISH_NORM;
}

static struct coverage residual_covers(const struct part *part, const struct device_limits *)
{
    const struct pass *pass = &part->pass;
    const struct operator_choice *choice = &pass->level->stencil->choice;
    const bool fits = pass->start == START_KEEP && pass->nsweeps == 0 && choice->order == 2 &&
                      choice->variable && pass->level->dim >= 4 && cuda_even_patches(pass->level) &&
                      (pass->finish == FINISH_RESTRICT || pass->finish == FINISH_NORM);
    return fits ? cover_all(part) : cover_nothing();
}

static void run_residual(const struct part *part)
{
    const struct pass *pass = &part->pass;
    for (int q = 0; q < pass->level->npatches; q++) {
        const struct work w = cuda_open_work(pass, q);
        struct residual_fv2 r = {w.c};
        set_operator(r, w);
        r.u = w.buffer[pass->first_sweep & 1];
        if (pass->finish == FINISH_RESTRICT)
            set_coarse(r, pass, q);
        else
            r.norm = cuda_norm_word();
        cuda_residual_fv2(r);
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

extern const struct kernel kernel_fv2_fused = {
    .name = "fv2/gsrb-fused",
    .summary =
        "red and black in one pass over memory, with the residual; order 2, tiles of 20 rows",
    .covers = many_rows_cover,
    .run = run_many_rows,
    .bytes = red_black_bytes,
    .splits = pairs_split,
};

extern const struct kernel kernel_fv2_fused_small = {
    .name = "fv2/gsrb-fused-small",
    .summary = "the same with tiles of 10 rows, for less shared memory",
    .covers = few_rows_cover,
    .run = run_few_rows,
    .bytes = red_black_bytes,
    .splits = pairs_split,
};

extern const struct kernel kernel_fv2_residual = {
    .name = "fv2/residual",
    .summary = "the residual, restricted or reduced to its norm; order 2",
    .covers = residual_covers,
    .run = run_residual,
    .bytes = part_bytes,
};
