/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/operations.h"
#include <math.h>
#include "cuda/cuda.h"

static struct operations sum_of(struct operations a, struct operations b)
{
    return (struct operations){a.instructions + b.instructions, a.flops + b.flops};
}

static struct operations times(double count, struct operations a)
{
    return (struct operations){count * a.instructions, count * a.flops};
}

/* f − A u at one cell. */
static struct operations of_residual(const struct operator_choice *op)
{
    static const struct operations fused = {1, 2}, plain = {1, 1};
    static const struct operations fv2 = {12, 17}, fv2_constant = {6, 7};
    static const struct operations fv4_face = {15, 18}, fv4_constant = {12, 16};
    struct operations s;
    if (op->order == 2)
        s = op->variable ? fv2 : fv2_constant;
    else
        s = op->variable ? sum_of(times(6, fv4_face), times(5, plain)) : fv4_constant;
    if (op->equation == EQUATION_HELMHOLTZ)
        s = sum_of(s, op->variable ? fused : plain);
    return sum_of(s, fused);
}

/* A weight of 1 need not be multiplied by. */
static struct operations of_sweep(const struct stencil *s, int sweep)
{
    static const struct operations unit = {1, 2}, weighted = {2, 3}, two_step = {4, 6};
    const struct relaxation r = stencil_relaxation(s, sweep);
    const struct operations update = r.two_step ? two_step : r.weight == 1.0 ? unit : weighted;
    return times(r.coloured ? 0.5 : 1.0, sum_of(of_residual(&s->choice), update));
}

/* In k, then in j, then in i, for each eight, four and two cells that are new in a direction only
 * once: a quarter, a half and one interpolation per cell. */
static struct operations of_prolongation(const struct pass *pass)
{
    static const struct operations quadratic = {2, 3}, quartic = {4, 6}, added = {1, 1};
    const struct operations p = times(1.75, pass->prolongation == 4 ? quartic : quadratic);
    return pass->start == START_PROLONG_ADD ? sum_of(p, added) : p;
}

struct operations operations_of_restriction(void)
{
    return (struct operations){1, 1}; /* seven additions and a product for eight cells */
}

struct operations operations_of_pass(const struct pass *pass)
{
    const struct stencil *s = pass->level->stencil;
    struct operations all = {0, 0};
    if (pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD)
        all = of_prolongation(pass);
    for (int sweep = 0; sweep < pass->nsweeps; sweep++)
        all = sum_of(all, of_sweep(s, pass->first_sweep + sweep));
    if (pass->finish != FINISH_NONE)
        all = sum_of(all, of_residual(&s->choice));
    if (pass->finish == FINISH_RESTRICT)
        all = sum_of(all, operations_of_restriction());
    return all;
}

void usage_add_counts(struct usage *u, const struct backend *backend, const struct pass *pass,
                      double cells)
{
    const bool counted = backend->on_device && pass;
    const struct cuda_counts c = counted ? cuda_count(pass) : (struct cuda_counts){NAN, NAN, NAN};
    /* All bytes of memory go through the caches. */
    u->cache_bytes = backend->on_device ? fmax(c.cache_bytes * cells, u->bytes) : NAN;
    u->shared_bytes = c.shared_bytes * cells;
    u->instructions = c.instructions * cells;
}
