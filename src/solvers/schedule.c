/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites a program's list of stages: fuses passes, and adds the halo exchanges that they need. */
#include "base/check.h"
#include "base/memory.h"
#include "solvers/stages.h"

/* True if b, which directly follows a, can be the rest of the same pass: b has only sweeps and a
 * finish, and continues where a stopped. A pass without sweeps leaves its data in u, where sweep 0
 * finds them and an even number of sweeps leaves them. */
static bool continues(const struct pass *a, const struct pass *b)
{
    if (a->level != b->level || a->u != b->u || a->f != b->f || a->finish != FINISH_NONE ||
        b->start != START_KEEP)
        return false;
    return a->nsweeps == 0 || b->nsweeps == 0 || a->first_sweep + a->nsweeps == b->first_sweep;
}

static struct pass fused(const struct pass *a, const struct pass *b)
{
    struct pass p = *a;
    if (p.nsweeps == 0)
        p.first_sweep = b->first_sweep;
    p.nsweeps += b->nsweeps;
    p.finish = b->finish;
    p.norm = b->norm;
    p.residual = b->residual;
    if (b->coarse) {
        CHECK(!a->coarse || a->coarse == b->coarse);
        p.coarse = b->coarse;
        p.coarse_f = b->coarse_f;
        p.coarse_u = b->coarse_u;
    }
    return p;
}

/* Fuses as many neighbouring passes as possible; scheduling splits them again where halos are read.
 */
static void fuse(struct program *p)
{
    int kept = 0;
    for (int s = 0; s < p->count; s++) {
        struct stage *last = kept > 0 ? &p->stages[kept - 1] : NULL;
        const struct stage *next = &p->stages[s];
        if (last && last->kind == STAGE_PASS && next->kind == STAGE_PASS &&
            continues(&last->pass, &next->pass))
            last->pass = fused(&last->pass, &next->pass);
        else
            p->stages[kept++] = *next;
    }
    p->count = kept;
}

static void add_halo(struct program *p, int level, enum field field, int layers)
{
    if (!p->hierarchy->levels[level]->connected)
        return;
    hierarchy_make_halo(p->hierarchy, level, layers);
    struct stage *s = program_add(p, STAGE_HALO, level);
    s->field = field;
    s->layers = layers;
}

/* The layers of ghosts that the first operations of the pass read, if its start can compute them
 * from a deeper halo of the coarse side, so that they need no exchange; else 0. A correction
 * cannot: it would be added to ghosts that are not valid. The halo must lie within a neighbour:
 * what is behind that neighbour's far wall is not exchanged. */
static int prolonged_ghosts(const struct pass *pass)
{
    const int most = sweeps_per_halo(pass->level), radius = pass->level->stencil->radius;
    const int sweeps = pass->nsweeps < most ? pass->nsweeps : most;
    const int layers = (sweeps + (sweeps == pass->nsweeps && pass->finish != FINISH_NONE)) * radius;
    return pass->start == START_PROLONG_SET && layers % 2 == 0 &&
                   pass->prolongation / 2 + layers / 2 <= pass->coarse->ghosts &&
                   pass->prolongation + layers <=
                       decomposition_shortest_side(&pass->level->decomposition)
               ? layers
               : 0;
}

/* A pass on a level with neighbours becomes its start alone, if that prolongs but computes no
 * ghosts; then groups of as many sweeps as the halo's depth allows; then the finish, with the last
 * group if the halo is deep enough. */
static void schedule_connected(struct program *p, int level, const struct pass *whole)
{
    const int most = sweeps_per_halo(whole->level), depth = operations_per_halo(whole->level);
    struct pass rest = *whole;
    bool ghosts_valid = whole->start == START_ZERO || prolonged_ghosts(whole) > 0;
    if (pass_prolongs(whole) && !ghosts_valid) {
        rest.nsweeps = 0;
        rest.finish = FINISH_NONE;
        program_add(p, STAGE_PASS, level)->pass = rest;
        rest = *whole;
        rest.start = START_KEEP;
        if (rest.nsweeps == 0 && rest.finish == FINISH_NONE)
            return;
    }
    do {
        struct pass part = rest;
        part.nsweeps = rest.nsweeps < most ? rest.nsweeps : most;
        const bool last = part.nsweeps == rest.nsweeps &&
                          (rest.finish == FINISH_NONE || part.nsweeps + 1 <= depth);
        if (!last)
            part.finish = FINISH_NONE;
        if (!ghosts_valid)
            add_halo(p, level, pass_reads(&part),
                     pass_operations(&part) * part.level->stencil->radius);
        program_add(p, STAGE_PASS, level)->pass = part;
        if (last)
            return;
        rest.start = START_KEEP;
        rest.first_sweep += part.nsweeps;
        rest.nsweeps -= part.nsweeps;
        ghosts_valid = false;
    } while (true);
}

/* The coarse side of a prolongation needs its halo, deeper if the prolongation computes ghosts too.
 * A separate coarse side gets its whole halo when u is moved there. */
static void schedule_pass(struct program *p, const struct stage *s)
{
    const struct pass *pass = &s->pass;
    const int layers = pass->level->connected ? prolonged_ghosts(pass) : 0;
    if (pass_prolongs(pass) && !p->hierarchy->transfers[s->level].separate)
        add_halo(p, s->level + 1, FIELD_U, pass->prolongation / 2 + layers / 2);
    if (pass->level->connected)
        schedule_connected(p, s->level, pass);
    else
        *program_add(p, STAGE_PASS, s->level) = *s;
}

/* Passes of several sweeps also compute in all layers of ghosts but the outermost, and read f
 * there.
 */
static void add_rhs_halo(struct program *p, int level, enum field f)
{
    const struct level *l = p->hierarchy->levels[level];
    if (level < p->hierarchy->nlevels - 1 && operations_per_halo(l) > 1)
        add_halo(p, level, f, (operations_per_halo(l) - 1) * l->stencil->radius);
}

/* True if the stage leaves a new right-hand side on level + 1. */
static bool makes_rhs(const struct program *p, const struct stage *s)
{
    const bool restricts =
        s->kind == STAGE_RESTRICT || (s->kind == STAGE_PASS && s->pass.finish == FINISH_RESTRICT);
    return s->kind == STAGE_DOWN || (restricts && !p->hierarchy->transfers[s->level].separate);
}

void program_schedule(struct program *p, int top, enum field f)
{
    fuse(p);
    const int count = p->count;
    struct stage *old = p->stages;
    p->stages = NULL;
    p->count = 0;
    add_rhs_halo(p, top, f);
    for (int s = 0; s < count; s++) {
        if (old[s].kind == STAGE_PASS)
            schedule_pass(p, &old[s]);
        else
            *program_add(p, old[s].kind, old[s].level) = old[s];
        if (makes_rhs(p, &old[s]))
            add_rhs_halo(p, old[s].level + 1, FIELD_F);
    }
    memory_free(old);
}
