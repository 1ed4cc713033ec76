/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/bottom.h"
#include <math.h>
#include "base/check.h"
#include "base/memory.h"
#include "level/backend.h"
#include "operators/passes.h"
#include "operators/setup.h"
#include "operators/stencil.h"
#include "solvers/direct.h"
#include "solvers/krylov.h"
#include "solvers/reduce.h"

#define REDUCTION 1e-3
enum { MAX_ITERATIONS = 200 };

const char *breakdown_text(enum breakdown breakdown)
{
    static const char *const texts[NUM_BREAKDOWNS] = {"none", "zero pivot", "pivot not finite",
                                                      "no convergence", "too few sweeps"};
    return texts[breakdown];
}

struct bottom *bottom_create(struct level *level, enum bottom_method method, bool singular)
{
    struct bottom *b = memory_alloc_zero(sizeof *b, "bottom solver");
    CHECK(level->decomposition.nboxes == 1);
    b->level = level;
    b->method = method;
    b->singular = singular;
    if (method == BOTTOM_METHOD_DIRECT && level->active)
        direct_factorise(b);
    return b;
}

void bottom_destroy(struct bottom *b)
{
    memory_free(b->matrix);
    memory_free(b->pivots);
    memory_free(b);
}

/* One application of the smoother, with its halo exchanges: a periodic box is its own neighbour. */
static void smooth(struct level *l, enum field u, enum field f)
{
    const int group = l->connected ? sweeps_per_halo(l) : SMOOTHER_SWEEPS;
    level_exchange_halo(l, f);
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep += group) {
        const enum field buffer = l->stencil->in_place || sweep % 2 == 0 ? u : FIELD_TMP;
        const int left = SMOOTHER_SWEEPS - sweep;
        const struct pass pass = {.level = l,
                                  .u = u,
                                  .f = f,
                                  .first_sweep = sweep,
                                  .nsweeps = left < group ? left : group};
        level_exchange_halo(l, buffer);
        l->backend->passes->run(&pass);
    }
}

/* Computes D⁻¹ anew, of HPGMG's diagonal or of the true one. */
static void set_diagonal(struct level *l, bool hpgmg)
{
    uint64_t lambda_max = 0;
    l->stencil->hpgmg_diagonal = hpgmg;
    setup_diagonal(l, &lambda_max);
    level_exchange_halo(l, FIELD_DINV);
}

static double residual_norm(struct level *l, enum field u, enum field f)
{
    krylov_residual(l, FIELD_KRYLOV, u, f);
    krylov_project(l, FIELD_KRYLOV);
    return reduce_norm(l, FIELD_KRYLOV);
}

static void smooth_until_solved(struct bottom *b, enum field u, enum field f)
{
    struct level *l = b->level;
    const double target = REDUCTION * residual_norm(l, u, f);
    int sweeps = 0;
    double norm = target == 0.0 ? 0.0 : INFINITY;
    while (sweeps < MAX_ITERATIONS && norm > target) {
        smooth(l, u, f);
        sweeps += SMOOTHER_SWEEPS;
        norm = residual_norm(l, u, f);
    }
    b->counts.iterations += sweeps;
    if (!(norm <= target))
        b->counts.breakdowns[BREAKDOWN_SWEEPS]++;
}

/* HPGMG's diagonal serves as a preconditioner, but sweeps with it diverge. They need the true
 * diagonal; the next solve finds HPGMG's again, so that it does not depend on this one. */
static void solve_by_smoothing(struct bottom *b, enum field u, enum field f)
{
    const bool hpgmg = b->level->stencil->hpgmg_diagonal;
    if (hpgmg)
        set_diagonal(b->level, false);
    smooth_until_solved(b, u, f);
    if (hpgmg)
        set_diagonal(b->level, true);
}

static void solve_by_krylov(struct bottom *b, enum field u, enum field f)
{
    struct krylov_result r = b->method == BOTTOM_METHOD_CG
                                 ? krylov_cg(b->level, u, f, REDUCTION, MAX_ITERATIONS)
                                 : krylov_bicgstab(b->level, u, f, REDUCTION, MAX_ITERATIONS);
    b->counts.iterations += r.iterations;
    if (r.breakdown == BREAKDOWN_NONE)
        return;
    b->counts.breakdowns[r.breakdown]++;
    solve_by_smoothing(b, u, f);
}

bool bottom_on_device(const struct bottom *b)
{
    return b->method == BOTTOM_METHOD_BICGSTAB && b->level->backend->passes->bottom_solve &&
           b->level->nranks == 1 &&
           !b->level->stencil->hpgmg_diagonal; /* the smoother needs another diagonal */
}

void bottom_stage(const struct bottom *b, enum field u, enum field f, struct stage *stage)
{
    stage->pass = (struct pass){.level = b->level, .u = u, .f = f};
    stage->on_device = bottom_on_device(b);
    stage->reduction = REDUCTION;
    stage->max_iterations = MAX_ITERATIONS;
    stage->singular = b->singular;
}

struct bottom_counts bottom_counts(const struct bottom *b)
{
    struct bottom_counts all = b->counts, device;
    if (!bottom_on_device(b))
        return all;
    b->level->backend->passes->bottom_counts(&device);
    all.solves += device.solves;
    all.iterations += device.iterations;
    for (int i = 0; i < NUM_BREAKDOWNS; i++)
        all.breakdowns[i] += device.breakdowns[i];
    return all;
}

void bottom_solve(struct bottom *b, enum field u, enum field f)
{
    if (bottom_on_device(b)) {
        b->level->backend->passes->bottom_solve(b->level, u, f, REDUCTION, MAX_ITERATIONS,
                                                b->singular);
        return;
    }
    b->counts.solves++;
    if (b->method == BOTTOM_METHOD_DIRECT)
        direct_solve(b, u, f);
    else if (b->method == BOTTOM_METHOD_SMOOTH)
        solve_by_smoothing(b, u, f);
    else
        solve_by_krylov(b, u, f);
    if (b->singular)
        reduce_subtract_mean(b->level, u);
}
