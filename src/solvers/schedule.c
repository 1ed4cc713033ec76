/* SPDX-License-Identifier: BSD-3-Clause */
/* Rewrites a program's list of stages: fuses passes, and adds the halo exchanges that they need. */
#include "base/check.h"
#include "base/memory.h"
#include "operators/halo.h"
#include "solvers/stages.h"

/* True if b, which directly follows a, can be the rest of the same pass: b has only sweeps and a
 * finish, and continues where a stopped. A pass without sweeps leaves its data in u, where sweep 0
 * finds them and an even number of sweeps leaves them. Passes of their own are a prolongation from
 * a level on which only some directions are coarsened, and a residual that is stored where sweeps
 * work. */
static bool continues(const struct pass *a, const struct pass *b)
{
    if (a->level != b->level || a->u != b->u || a->f != b->f || a->finish != FINISH_NONE ||
        b->start != START_KEEP || b->finish == FINISH_STORE ||
        (pass_prolongs(a) && !pass_halves(a)))
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

/* Adds the operations of a pass, each as a pass of its own. A restricted residual is stored first,
 * in FIELD_TMP: after the last sweep no sweep reads it. */
static void add_operations(struct program *p, int level, const struct pass *whole)
{
    const bool restricts = whole->finish == FINISH_RESTRICT;
    struct pass rest = *whole;
    if (restricts) {
        rest.finish = FINISH_STORE;
        rest.residual = FIELD_TMP;
    }
    while (pass_length(&rest) > 0)
        program_add(p, STAGE_PASS, level)->pass = pass_split_front(&rest, 1);
    if (!restricts)
        return;
    rest.f = FIELD_TMP;
    program_add(p, STAGE_RESTRICT, level)->pass = rest;
}

/* The opposite of fuse(). */
static void unfuse(struct program *p)
{
    const int count = p->count;
    struct stage *old = p->stages;
    p->stages = NULL;
    p->count = 0;
    for (int s = 0; s < count; s++)
        if (old[s].kind == STAGE_PASS)
            add_operations(p, old[s].level, &old[s].pass);
        else
            *program_add(p, old[s].kind, old[s].level) = old[s];
    memory_free(old);
}

/* Adds a scheduled pass. In a program that is not fused, the ghosts that the pass would fill itself
 * are filled by a stage before it. */
static void add_scheduled(struct program *p, int level, const struct pass *pass)
{
    const struct level *l = pass->level;
    const bool boundary = p->hierarchy->choice.unfused && pass_operations(pass) > 0 &&
                          (!sides_are(&l->sides, BOUNDARY_PERIODIC) || l->backend->wraps);
    if (boundary)
        program_add(p, STAGE_BOUNDARY, level)->pass = *pass;
    struct stage *s = program_add(p, STAGE_PASS, level);
    s->pass = *pass;
    s->pass.ghosts_filled = boundary;
}

static void add_halo(struct program *p, int level, enum field field, int layers)
{
    if (!p->hierarchy->levels[level]->connected)
        return;
    hierarchy_make_halo(p->hierarchy, level, layers);
    struct stage *s = program_add(p, STAGE_HALO, level);
    s->whole.field = field;
    s->whole.layers = layers;
}

/* The layers of ghosts that the first operations of the pass read, if its start can compute them
 * from a deeper halo of the coarse side, so that they need no exchange; else 0. A correction
 * cannot: it would be added to ghosts that are not valid. The halo must lie within a neighbour:
 * what is behind that neighbour's far wall is not exchanged. */
static int prolonged_ghosts(const struct pass *pass)
{
    const struct level *l = pass->level;
    const int most = sweeps_per_halo(l), sweeps = pass->nsweeps < most ? pass->nsweeps : most;
    const bool finishes =
        pass->finish != FINISH_NONE && sweeps == pass->nsweeps && sweeps < operations_per_halo(l);
    const int layers = even_layers(halo_layers(l, sweeps, finishes));
    return pass->start == START_PROLONG_SET && pass_operations(pass) > 0 && layers <= l->ghosts &&
                   pass->prolongation / 2 + layers / 2 <= pass->coarse->ghosts &&
                   pass->prolongation + layers <= decomposition_shortest_side(&l->decomposition)
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
    if ((pass_prolongs(whole) || whole->start == START_CORRECT) && !ghosts_valid) {
        const struct pass start = pass_split_front(&rest, 1);
        add_scheduled(p, level, &start);
    }
    while (pass_length(&rest) > 0) {
        const int sweeps = rest.nsweeps < most ? rest.nsweeps : most;
        const bool finishes =
            rest.finish != FINISH_NONE && sweeps == rest.nsweeps && sweeps + 1 <= depth;
        const struct pass group =
            pass_split_front(&rest, (rest.start != START_KEEP) + sweeps + finishes);
        if (!ghosts_valid)
            add_halo(p, level, pass_reads(&group), halo_layers(group.level, sweeps, finishes));
        add_scheduled(p, level, &group);
        ghosts_valid = false;
    }
}

/* The coarse side of a prolongation needs its halo, deeper if the prolongation computes ghosts too.
 * A separate coarse side gets its whole halo when u is moved there. */
static void schedule_pass(struct program *p, const struct stage *s)
{
    const struct pass *pass = &s->pass;
    const int layers = pass->level->connected ? prolonged_ghosts(pass) : 0;
    if (pass_prolongs(pass) && !p->hierarchy->transfers[s->level].separate)
        add_halo(p, hierarchy_next(p->hierarchy, s->level), FIELD_U,
                 pass->prolongation / 2 + layers / 2);
    if (pass->level->connected)
        schedule_connected(p, s->level, pass);
    else
        add_scheduled(p, s->level, pass);
}

/* Passes of several sweeps also update ghosts, and read f there. */
static void add_rhs_halo(struct program *p, int level, enum field f)
{
    const struct level *l = p->hierarchy->levels[level];
    if (!p->hierarchy->choice.unfused && level != p->hierarchy->nlevels - 1 && !l->correction &&
        rhs_halo_layers(l) > 0)
        add_halo(p, level, f, rhs_halo_layers(l));
}

/* The level on which the stage leaves a new right-hand side, or −1. */
static int level_of_rhs(const struct program *p, const struct stage *s)
{
    const bool restricts =
        s->kind == STAGE_RESTRICT || (s->kind == STAGE_PASS && s->pass.finish == FINISH_RESTRICT);
    if (s->kind == STAGE_WALLS && s->whole.field == FIELD_F)
        return s->level;
    if (s->kind == STAGE_PASS && s->pass.finish == FINISH_DEFECT)
        return hierarchy_correction(p->hierarchy, s->level);
    return s->kind == STAGE_REDISTRIBUTE_DOWN ||
                   (restricts && !p->hierarchy->transfers[s->level].separate)
               ? hierarchy_next(p->hierarchy, s->level)
               : -1;
}

void program_schedule(struct program *p, int top, enum field f)
{
    if (p->hierarchy->choice.unfused)
        unfuse(p);
    else
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
        const int level = level_of_rhs(p, &old[s]);
        const bool is_last = s + 1 == count || level_of_rhs(p, &old[s + 1]) != level;
        if (level >= 0 && is_last)
            add_rhs_halo(p, level, FIELD_F);
    }
    memory_free(old);
}
