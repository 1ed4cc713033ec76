/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/bottom.h"
#include <math.h>
#include "backend/backend.h"
#include "base/check.h"
#include "base/memory.h"
#include "level/build.h"
#include "operators/pass.h"
#include "operators/setup.h"
#include "operators/stencil.h"
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

struct bottom *bottom_create(struct level *level, enum bottom_method method)
{
    struct bottom *b = memory_alloc_zero(sizeof *b, "bottom solver");
    CHECK(level->decomposition.nboxes == 1);
    b->level = level;
    b->method = method;
    return b;
}

void bottom_destroy(struct bottom *b)
{
    memory_free(b);
}

/* Computes D⁻¹ anew, of HPGMG's diagonal or of the true one. */
static void set_diagonal(struct level *l, bool hpgmg)
{
    uint64_t lambda_max = 0;
    l->stencil->hpgmg_diagonal = hpgmg;
    setup_diagonal(l, &lambda_max);
    level_exchange_halo(l, FIELD_DINV);
}

static void count(struct bottom *b, struct krylov_result r)
{
    b->counts.iterations += r.iterations;
    if (r.breakdown != BREAKDOWN_NONE)
        b->counts.breakdowns[r.breakdown]++;
}

/* HPGMG's diagonal serves as a preconditioner, but sweeps with it diverge. They need the true
 * diagonal; the next solve finds HPGMG's again, so that it does not depend on this one. */
static void solve_by_smoothing(struct bottom *b, enum field u, enum field f)
{
    const bool hpgmg = b->level->stencil->hpgmg_diagonal;
    if (hpgmg)
        set_diagonal(b->level, false);
    count(b, krylov_smooth(b->level, u, f, REDUCTION, MAX_ITERATIONS));
    if (hpgmg)
        set_diagonal(b->level, true);
}

static void solve_by_krylov(struct bottom *b, enum field u, enum field f)
{
    struct krylov_result r = b->method == BOTTOM_METHOD_CG
                                 ? krylov_cg(b->level, u, f, REDUCTION, MAX_ITERATIONS)
                                 : krylov_bicgstab(b->level, u, f, REDUCTION, MAX_ITERATIONS);
    count(b, r);
    if (r.breakdown != BREAKDOWN_NONE)
        solve_by_smoothing(b, u, f);
}

/* One block of threads solves there. It divides numbers of cells by cells along a side, by integers
 * of 31 bits (struct divider in cuda/core). With --levels the coarsest level may be larger. */
#define MAX_ON_DEVICE 0x1p28 /* 128³ cells, times 128 */
static bool divides_on_device(const struct level *l)
{
    return extent_cells(l->n) * extent_longest(l->n) <= MAX_ON_DEVICE;
}

bool bottom_on_device(const struct bottom *b)
{
    return b->method == BOTTOM_METHOD_BICGSTAB && divides_on_device(b->level) &&
           b->level->backend->passes->bottom_solve && b->level->nranks == 1 &&
           !b->level->stencil->hpgmg_diagonal; /* the smoother needs another diagonal */
}

void bottom_stage(const struct bottom *b, enum field u, enum field f, struct stage *stage)
{
    stage->pass = (struct pass){.level = b->level, .u = u, .f = f};
    stage->on_device = bottom_on_device(b);
    stage->reduction = REDUCTION;
    stage->max_iterations = MAX_ITERATIONS;
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
        b->level->backend->passes->bottom_solve(b->level, u, f, REDUCTION, MAX_ITERATIONS);
        return;
    }
    b->counts.solves++;
    if (b->method == BOTTOM_METHOD_SMOOTH)
        solve_by_smoothing(b, u, f);
    else
        solve_by_krylov(b, u, f);
    if (operator_is_singular(&b->level->stencil->choice))
        reduce_subtract_mean(b->level, u);
}
