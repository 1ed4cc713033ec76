/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What follows from a pass. */
#include "backend/backend.h"
#include "backend/passes.h"
#include "base/linkage.h"
#include "level/level.h"
#include "operators/stencil.h"

C_BEGIN

static inline bool pass_prolongs(const struct pass *pass)
{
    return pass->start == START_PROLONG_SET || pass->start == START_PROLONG_ADD;
}

/* Whether the coarse side has half the cells in all directions. */
static inline bool pass_halves(const struct pass *pass)
{
    return extent_halved(pass->level->n, pass->coarse->n);
}

/* Whether the pass raises *norm. */
static inline bool pass_reduces(const struct pass *pass)
{
    return pass->finish == FINISH_NORM || (pass->finish == FINISH_DEFECT && pass->norm);
}

/* Applications of the operator in a pass: its sweeps, and the finish. */
static inline int pass_operations(const struct pass *pass)
{
    return pass->nsweeps + (pass->finish != FINISH_NONE);
}

/* All that a pass does, in this order: its start, its sweeps, its finish. */
static inline int pass_length(const struct pass *pass)
{
    return (pass->start != START_KEEP) + pass_operations(pass);
}

/* Returns the first `count` of these as a pass, and leaves the others in `rest`. */
struct pass pass_split_front(struct pass *rest, int count);

/* Ghost layers computed by an operator application with `following` more to come in its pass. */
static inline int pass_extent(const struct pass *pass, int following)
{
    const struct level *l = pass->level;
    return l->connected ? (pass->ops_until_halo + following) * l->stencil->radius : 0;
}

/* The field that holds u and its ghosts when the pass begins. */
static inline enum field pass_reads(const struct pass *pass)
{
    return pass->level->stencil->in_place || pass->first_sweep % 2 == 0 ? pass->u : FIELD_TMP;
}

/* Memory of a field of the level from this offset on, in cells. */
static inline real *level_at(const struct level *level, real *cells, long offset)
{
    return (real *)((char *)cells + offset * level->backend->real_bytes);
}

static inline real *patch_cells(const struct level *level, const struct patch *p, enum field field)
{
    return level->fields[field] ? level_at(level, level_natural(level, field), p->offset) : NULL;
}

/* Ghost layers of a level with these boxes: at least stencil_ghosts(). On long boxes there are
 * enough for a whole smoothing and its residual: on the CPU, whose passes move each field through
 * memory once per halo exchange, and on devices that do so (smooths_at_once) if passes smooth by
 * SMOOTHER_SWEEPS sweeps (whole). */
int level_ghosts(const struct operator_choice *choice, const struct backend *backend,
                 const struct decomposition *d, bool whole);
/* Row lengths of the level are multiples of this many doubles: the backend's row_align, or twice as
 * many where the CPU may store rows in two halves (cpu/halves.h), so that both halves are aligned.
 */
int level_row_align(const struct operator_choice *choice, const struct backend *backend,
                    const struct decomposition *d);
/* How many sweeps and finishes together, and how many sweeps alone, one run() may do on a connected
 * level before halos must be exchanged again. The latter leaves room for a finish if two or more
 * sweeps remain. */
int operations_per_halo(const struct level *level);
int sweeps_per_halo(const struct level *level);

C_END
