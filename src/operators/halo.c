/* SPDX-License-Identifier: BSD-3-Clause */
/* The depth of halos, and how many operations one halo exchange serves. */
#include "operators/halo.h"
#include <string.h>
#include "backend/backend.h"
#include "operators/pass.h"

/* Deep ghosts pay where sweeps in them add at most this share of work. A smoothing then needs one
 * exchange, and moves each field through memory once. Boxes are longer than such ghosts are deep.
 */
#define MAX_WORK 1.25

/* Layers around a box in which a sweep reads cells that the previous sweep has updated, so that one
 * before another repeats them. Of two colours these are the next cells: all others within reach
 * have the same colour as the cell. To repeat two layers does not pay. */
static int updated_layers(const struct stencil *s)
{
    return s->coloured ? 1 : s->radius;
}

/* Layers around the box in which the result of the first of `sweeps` sweeps is needed. */
static int layers_needed(const struct stencil *s, int sweeps, bool finishes)
{
    return (sweeps - 1) * updated_layers(s) + (finishes ? s->radius : 0);
}

int sweep_layers(const struct stencil *s, int sweeps, bool finishes)
{
    const int copied = sweeps > 1 && !s->in_place ? s->radius - updated_layers(s) : 0;
    return layers_needed(s, sweeps, finishes) + copied;
}

/* Ghost layers that `sweeps` sweeps and a finish touch. */
static int layers_touched(const struct stencil *s, int sweeps)
{
    return s->radius + (sweeps > 0 ? sweep_layers(s, sweeps, true) : 0);
}

/* True if the box has a neighbour on this side. */
static bool is_open(const struct decomposition *d, const struct sides *sides, const struct box *b,
                    int e, int side)
{
    return sides_wrap(sides, e) || (side ? b->hi[e] < d->n[e] : b->lo[e] > 0);
}

/* Cells of one layer beyond the box's inter-box faces in direction e, per cell of the box. */
static double cells_of_layer(const struct decomposition *d, const struct sides *sides,
                             const struct box *b, int e)
{
    const int open = is_open(d, sides, b, e, 0) + is_open(d, sides, b, e, 1);
    return (double)open / (b->hi[e] - b->lo[e]);
}

/* Cells that one sweep works on per cell of the box, `layers` beyond its inter-box faces. */
static double work_of_sweep(const struct decomposition *d, const struct sides *sides,
                            const struct box *b, int layers)
{
    double work = 1.0;
    for (int e = 0; e < 3; e++) {
        const int open = is_open(d, sides, b, e, 0) + is_open(d, sides, b, e, 1);
        work *= 1.0 + (double)(open * layers) / (b->hi[e] - b->lo[e]);
    }
    return work;
}

/* The mean over the sweeps of a smoothing and its residual, without an exchange between them. */
static double work_of_smoothing(const struct stencil *s, const struct decomposition *d,
                                const struct box *b)
{
    double work = 1.0; /* of the residual */
    for (int sweeps = 1; sweeps <= SMOOTHER_SWEEPS; sweeps++)
        work += work_of_sweep(d, &s->choice.sides, b, sweep_layers(s, sweeps, true));
    return work / (SMOOTHER_SWEEPS + 1);
}

/* The work on the box for which it is largest. Boxes whose layers have no more cells in any
 * direction than those of the worst box so far are passed over: large jobs have millions. */
static double max_work(const struct stencil *s, const struct decomposition *d)
{
    double most = 1.0, worst[3] = {0.0, 0.0, 0.0};
    for (int b = 0; b < d->nboxes; b++) {
        double layer[3];
        bool worse = false;
        for (int e = 0; e < 3; e++) {
            layer[e] = cells_of_layer(d, &s->choice.sides, &d->boxes[b], e);
            worse = worse || layer[e] > worst[e];
        }
        const double work = worse ? work_of_smoothing(s, d, &d->boxes[b]) : 1.0;
        if (work > most) {
            most = work;
            memcpy(worst, layer, sizeof worst);
        }
    }
    return most;
}

int level_ghosts(const struct operator_choice *choice, const struct backend *backend,
                 const struct decomposition *d, bool whole)
{
    const struct stencil s = stencil_create(*choice, d->n);
    const int deep = even_layers(layers_touched(&s, SMOOTHER_SWEEPS));
    const bool pays = updated_layers(&s) == 1 &&
                      level_connects(backend, &choice->sides, d->nboxes) &&
                      max_work(&s, d) <= MAX_WORK;
    const bool at_once =
        !backend->on_device || (whole && pays && backend->passes->smooths_at_once &&
                                backend->passes->smooths_at_once(&s, d, deep));
    return pays && at_once ? deep : stencil_ghosts(choice->order);
}

int level_row_align(const struct operator_choice *choice, const struct backend *backend,
                    const struct decomposition *d)
{
    enum { SHORT = 16 };
    const bool halves = !backend->on_device && stencil_create(*choice, d->n).coloured &&
                        extent_longest(d->n) > SHORT;
    return halves ? 2 * backend->row_align : backend->row_align;
}

/* Sweeps and a finish, together, for which ghosts are deep enough. In a periodic direction with an
 * odd number of cells, colours do not alternate across its ends. A ghost's colour then differs from
 * its cell's, so it cannot be swept. */
static int applications(const struct level *level)
{
    const struct stencil *s = level->stencil;
    const bool odd = s->coloured && level_has_odd_period(level);
    int sweeps = 0;
    if (!odd && updated_layers(s) == 1)
        while (sweeps < SMOOTHER_SWEEPS && layers_touched(s, sweeps + 1) <= level->ghosts)
            sweeps++;
    return sweeps + 1;
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
    return stencil_relaxation(level->stencil, 1).reads_before ? sweeps_per_halo(level)
                                                              : applications(level);
}

int halo_layers(const struct level *level, int sweeps, bool finishes)
{
    const struct stencil *s = level->stencil;
    return s->radius + (sweeps > 0 ? layers_needed(s, sweeps, finishes) : 0);
}

int rhs_halo_layers(const struct level *level)
{
    const int sweeps = sweeps_per_halo(level);
    const bool finishes = operations_per_halo(level) > sweeps;
    return halo_layers(level, sweeps, finishes) - level->stencil->radius;
}
