/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of order 4 with variable coefficients. */
#include "cuda/kernels.cuh"
#include "cuda/fv4/sweep.cuh"
#include "cuda/fv4/gsrb.cuh"

static struct pair_fv4 open_pair(const struct work &w)
{
    struct pair_fv4 pair = {w.c};
    set_operator(pair, w);
    pair.in = w.buffer[0];
    pair.out = w.buffer[1];
    pair.dinv = w.v.dinv;
    pair.colour = w.parity;
    return pair;
}

/* All sweeps on the level's only patch. They want ghosts, unless u is zero, and leave them if
 * something follows. */
static void run_pairs(const struct part *part)
{
    const struct pass *pass = &part->pass;
    if (pass->start == START_KEEP && !part->ghosts) {
        struct work w = cuda_open_work(pass, 0);
        cuda_fill_walls(w, 0);
    }
    for (int sweep = 0; sweep < pass->nsweeps; sweep += 2) {
        struct pair_fv4 pair = open_pair(cuda_open_work(pass, 0));
        if (sweep == 0 && pass->start == START_ZERO)
            pair.in = NULL;
        pair.ghosts = sweep + 2 < pass->nsweeps || part->after > 0;
        cuda_pair_fv4(pair);
        level_swap(pass->level, pass->u, FIELD_TMP);
    }
}

static struct coverage pairs_cover(const struct part *part, const struct device_limits *device)
{
    const struct pass *pass = &part->pass;
    if (pass_prolongs(pass) || !sweeps_in_pairs(pass) || !cuda_pair_fv4_fits(pass->level, device))
        return cover_nothing();
    struct coverage c = cover_all(part);
    c.finish = false;
    c.ghosts = true;
    return c;
}

/* What every operation by the order-4 kernel has in common. */
static struct march_fv4 open_march(const struct work &w, enum march_kind kind, double *out)
{
    struct march_fv4 m = {w.c, kind, w.pass->part};
    set_operator(m, w);
    m.u = w.v.u;
    m.dinv = w.v.dinv;
    m.out = out;
    m.out_sj = w.c.sj;
    m.out_sk = w.c.sk;
    return m;
}

/* Where D⁻¹ follows from the nearest faces alone; see probe_create. */
static void find_inner(const struct work &w, struct march_fv4 &m)
{
    const int reach = w.s->radius, dim = w.pass->level->dim;
    for (int d = 0; d < 3; d++) {
        m.inner_lo[d] = w.c.wall[d][0] ? reach : 0;
        m.inner_hi[d] = dim > 2 * reach ? w.c.n[d] - (w.c.wall[d][1] ? reach : 0) : 0;
    }
}

static void sweep_by_march(const struct work &w, int sweep)
{
    const struct relaxation r = stencil_relaxation(w.s, sweep);
    const enum march_kind kind = r.coloured   ? MARCH_COLOURED
                                 : r.two_step ? MARCH_TWO_STEP
                                              : MARCH_WEIGHTED;
    struct march_fv4 m = open_march(w, kind, w.buffer[(sweep + 1) & 1]);
    m.colour = (w.parity + r.colour) & 1;
    m.weight = r.weight;
    m.c1 = r.c1;
    find_inner(w, m);
    cuda_march_fv4(m);
}

static void finish_by_march(const struct work &w, int q)
{
    const struct pass *p = w.pass;
    struct march_fv4 m = open_march(w, MARCH_STORE, NULL);
    if (p->finish == FINISH_NORM) {
        m.kind = MARCH_NORM;
        m.norm = cuda_norm_word();
    } else if (p->finish == FINISH_RESTRICT) {
        const struct patch *coarse = &p->coarse->patches[q];
        m.kind = MARCH_RESTRICT;
        m.out = p->coarse->fields[p->coarse_f] + coarse->offset;
        m.out_sj = coarse->sj;
        m.out_sk = coarse->sk;
    } else {
        m.out = p->level->fields[p->residual] + w.c.offset;
    }
    cuda_march_fv4(m);
}

static void fill_walls(const struct part *part, int q)
{
    struct work w = cuda_open_work(&part->pass, q);
    if (!part->ghosts)
        cuda_fill_walls(w, part->pass.first_sweep);
}

/* One operation on all patches. Of a split one the inner part, which comes first, does not depend
 * on the walls around halos, but the outer one on all. */
static void run_operation(const struct part *part)
{
    const struct pass *pass = &part->pass;
    if (pass->part == PART_OUTER)
        cuda_await_inner_prepared();
    for (int q = 0; q < pass->level->npatches; q++)
        fill_walls(part, q);
    if (pass->part == PART_INNER)
        cuda_inner_prepared();
    for (int q = 0; q < pass->level->npatches; q++) {
        struct work w = cuda_open_work(pass, q);
        w.v.u = w.buffer[pass->first_sweep & 1];
        if (pass->nsweeps > 0)
            sweep_by_march(w, pass->first_sweep);
        else
            finish_by_march(w, q);
    }
    if (pass->finish == FINISH_NORM)
        cuda_fetch_norm(pass->norm);
}

/* The first sweep alone, where no ghosts are swept for a sweep after it. */
static struct coverage sweep_covers(const struct part *part, const struct device_limits *device)
{
    const struct pass *pass = &part->pass;
    struct coverage c = cover_nothing();
    if (pass->start == START_KEEP && pass->nsweeps > 0 &&
        cuda_march_fv4_fits(pass->level, device) &&
        part_extent(part, pass_operations(pass) - 1) == 0)
        c.nsweeps = 1;
    return c;
}

static struct coverage residual_covers(const struct part *part, const struct device_limits *device)
{
    const struct pass *pass = &part->pass;
    return pass->start == START_KEEP && pass->nsweeps == 0 &&
                   cuda_march_fv4_fits(pass->level, device)
               ? cover_all(part)
               : cover_nothing();
}

static bool sweep_splits(const struct part *part)
{
    return pass_operations(&part->pass) == 1;
}

static bool residual_splits(const struct part *part)
{
    return part->pass.finish != FINISH_NORM;
}

extern const struct kernel kernel_fv4_fused = {
    .name = "fv4/gsrb-fused",
    .summary = "red and black in one pass over memory; order 4, one patch with walls on all sides",
    .covers = pairs_cover,
    .run = run_pairs,
    .bytes = red_black_bytes,
};

extern const struct kernel kernel_fv4_sweep = {
    .name = "fv4/sweep",
    .summary = "one sweep of any smoother; order 4",
    .covers = sweep_covers,
    .run = run_operation,
    .bytes = part_bytes,
    .splits = sweep_splits,
};

extern const struct kernel kernel_fv4_residual = {
    .name = "fv4/residual",
    .summary = "the residual, stored, restricted or reduced to its norm; order 4",
    .covers = residual_covers,
    .run = run_operation,
    .bytes = part_bytes,
    .splits = residual_splits,
};
