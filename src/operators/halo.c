/* SPDX-License-Identifier: BSD-3-Clause */
/* The depth of halos, and how many operations one halo exchange serves. */
#include "operators/halo.h"
#include "level/backend.h"
#include "operators/passes.h"

/* Boxes whose cells are many beside those that deep ghosts add. */
enum { LONG_SIDE = 64 };

int level_ghosts(const struct operator_choice *choice, const struct backend *backend,
                 const struct decomposition *d)
{
    const bool deep = choice->order == 2 && !backend->on_device &&
                      level_connects(backend, choice->periodic, d->nboxes) &&
                      decomposition_shortest_side(d) >= LONG_SIDE;
    return deep ? SMOOTHER_SWEEPS + 1 : stencil_ghosts(choice->order);
}

/* Order 4 would repeat two layers of a sweep beyond each side. That pays for two half-sweeps, which
 * are one pass over memory. */
static bool repeats_too_much(const struct stencil *s)
{
    return s->radius > 1 && !s->coloured;
}

/* Applications of the operator for which ghosts are deep enough. In a periodic domain with an odd
 * number of cells per side, colours do not alternate across its ends. A ghost's
 * colour then differs from its cell's, so it cannot be swept. */
static int applications(const struct level *level)
{
    const struct stencil *s = level->stencil;
    const bool odd = s->coloured && level->periodic && level->dim % 2;
    return odd || repeats_too_much(s) ? 1 : level->ghosts / s->radius;
}

int sweeps_per_halo(const struct level *level)
{
    const int deepest = applications(level);
    return deepest > 2 ? deepest - 1 : deepest;
}

/* A two-step sweep also reads the iterate before the last one, in ghosts too. Previous passes have
 * computed these ghosts only as deep as their sweeps needed. */
int operations_per_halo(const struct level *level)
{
    return stencil_relaxation(level->stencil, 1).two_step ? sweeps_per_halo(level)
                                                          : applications(level);
}

/* Layers around a box of which a sweep reads cells that the sweep before it has updated. Of two
 * colours these are the next cells: all others within reach have the same colour as the cell. */
static int updated_layers(const struct stencil *s)
{
    return s->coloured ? 1 : s->radius;
}

int halo_layers(const struct level *level, int sweeps, bool finishes)
{
    const struct stencil *s = level->stencil;
    return s->radius +
           (sweeps > 0 ? (sweeps - 1) * updated_layers(s) + (finishes ? s->radius : 0) : 0);
}

int rhs_halo_layers(const struct level *level)
{
    const int sweeps = sweeps_per_halo(level);
    const bool finishes = operations_per_halo(level) > sweeps;
    return halo_layers(level, sweeps, finishes) - level->stencil->radius;
}
