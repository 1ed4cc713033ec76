/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/hierarchy.h"
#include <math.h>
#include <string.h>
#include "base/check.h"
#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm.h"
#include "level/build.h"
#include "operators/pass.h"
#include "operators/setup.h"
#include "operators/vectors.h"
#include "operators/problem.h"
#include "operators/wall_terms.h"
#include "operators/sum.h"
#include "solvers/reduce.h"

/* Sides of cells on a level, in a domain with these sides. */
static struct spacing level_spacing(const struct decomposition_spec *spec, const double lengths[3])
{
    int n[3];
    spec_extent(spec, n);
    return spacing_of(lengths, n);
}

/* Where cells of some level are no cubes, β is stored even where it is 1. */
static struct operator_choice settle_operator(const struct hierarchy_shape *shape,
                                              struct operator_choice op, const double lengths[3])
{
    for (int l = 0; l < shape->nlevels; l++) {
        const struct spacing spacing = level_spacing(&shape->specs[l], lengths);
        if (!spacing_is_cubic(&spacing)) {
            operator_set_lengths(&op, lengths);
            break;
        }
    }
    return op;
}

struct hierarchy_shape hierarchy_shape(const struct hierarchy_choice *choice, int ranks)
{
    const int side = 1 << choice->log2_box_dim;
    struct hierarchy_shape shape = {.nlevels = 0};
    struct decomposition_spec spec = {{0, 0, 0}, {side, side, side}, ranks};
    domain_shape(&choice->domain, choice->boxes_per_rank * ranks, spec.boxes);
    spec = spec_with_busy_ranks(spec);
    const struct spacing finest = level_spacing(&spec, choice->op.lengths);
    double lengths[3];
    for (int d = 0; d < 3; d++)
        lengths[d] = choice->op.lengths[d] > 0.0 ? choice->op.lengths[d]
                                                 : finest.side[d] * spec.boxes[d] * side;
    const int most = choice->max_levels > 0 ? choice->max_levels : MAX_LEVELS;
    while (!spec_is_end(&spec) && shape.nlevels < most) {
        if (shape.nlevels + 1 == choice->max_levels) /* the bottom solver works on one box */
            spec = spec_one_box(&spec);
        shape.specs[shape.nlevels++] = spec;
        const struct spacing spacing = level_spacing(&spec, lengths);
        spec = spec_coarsen(spec, stencil_min_cells(&choice->op), spacing.side);
        spec = spec_agglomerate(spec, choice->placement.agglomerate_below);
    }
    shape.op = settle_operator(&shape, choice->op, lengths);
    return shape;
}

const struct backend *hierarchy_level_backend(const struct hierarchy_choice *choice, double cells)
{
    const bool coarse = choice->placement.coarse_backend && cells < choice->placement.cpu_below;
    return coarse ? choice->placement.coarse_backend : choice->placement.backend;
}

/* How many of these levels are corrected in single precision; never the coarsest one. */
static int count_corrections(const struct hierarchy_choice *choice,
                             const struct decomposition *boxes, int nlevels)
{
    int count = 0;
    while (choice->single_above > 0.0 && count < nlevels - 1 &&
           extent_cells(boxes[count].n) > choice->single_above)
        count++;
    return count;
}

/* What a grid is for: passes of the smoother and all else, or, with mixed precision, one of both.
 */
enum duty { LEVEL_ALONE, LEVEL_CORRECTED, LEVEL_CORRECTION };

/* The fields that the grid at `depth` of `nlevels` levels holds. next: the cells of the next level.
 */
static int grid_fields(const struct hierarchy_choice *choice, const struct decomposition *boxes,
                       const struct backend *backend, enum duty duty, int depth, int nlevels,
                       const int *next, enum field fields[NUM_FIELDS])
{
    const struct stencil s = stencil_create(choice->op, (const int[3]){2, 2, 2});
    const bool smooths = duty != LEVEL_CORRECTED, is_level = duty != LEVEL_CORRECTION;
    const bool outer = is_level && choice->outer_fields && depth < SOLVED_LEVELS,
               bottom = depth == nlevels - 1;
    const bool stores_residual = choice->unfused || (!bottom && !extent_halved(boxes->n, next));
    int count = 0;
    fields[count++] = FIELD_U;
    fields[count++] = FIELD_F;
    if (smooths)
        fields[count++] = FIELD_DINV;
    if (smooths && (!s.in_place || backend->on_device || stores_residual)) /* fused: out of place */
        fields[count++] = FIELD_TMP;
    if (smooths && !s.reads_edges && s.needs_lambda_max && backend->on_device) { /* fv2/sweeps */
        fields[count++] = FIELD_NEXT_U;
        if (level_connects(backend, &choice->op.sides, boxes->nboxes)) /* two sweeps per halo */
            fields[count++] = FIELD_NEXT_TMP;
    }
    if (choice->op.variable)
        for (int d = 0; d < 3; d++)
            fields[count++] = FIELD_BETA_I + d;
    if (s.reads_alpha)
        fields[count++] = FIELD_ALPHA;
    if (is_level && depth < SOLVED_LEVELS && (depth > 0 || problems[choice->problem].exact))
        fields[count++] = FIELD_SAVE;
    for (int v = 0; bottom && v < NUM_KRYLOV_FIELDS; v++)
        fields[count++] = FIELD_KRYLOV + v;
    for (int v = 0; outer && v < NUM_OUTER_FIELDS; v++)
        fields[count++] = FIELD_OUTER + v;
    return count;
}

enum { BUFFER_FIELDS = 2 }; /* u and f */

static struct decomposition coarsen_boxes(const struct decomposition *fine,
                                          const struct decomposition_spec *coarse)
{
    int n[3];
    spec_extent(coarse, n);
    return decomposition_coarsen(fine, n);
}

/* Where only the sides of boxes are halved, boxes and owners follow in less time. */
void hierarchy_boxes(const struct hierarchy_shape *shape, int ranks,
                     struct decomposition boxes[MAX_LEVELS])
{
    const struct decomposition_spec *specs = shape->specs;
    for (int l = 0; l < shape->nlevels; l++)
        boxes[l] = l > 0 && spec_is_coarsened(&specs[l - 1], &specs[l])
                       ? coarsen_boxes(&boxes[l - 1], &specs[l])
                       : decomposition_create(specs[l], ranks);
}

static void destroy_boxes(const struct hierarchy_shape *shape, struct decomposition *boxes)
{
    for (int level = 0; level < shape->nlevels; level++)
        decomposition_destroy(&boxes[level]);
}

/* The backend of a level with these boxes. */
static const struct backend *backend_of(const struct hierarchy_choice *choice,
                                        const struct decomposition *d)
{
    return hierarchy_level_backend(choice, extent_cells(d->n));
}

/* Whether the transfer between two levels needs a redistribution buffer. */
static bool is_separate(const struct hierarchy_choice *choice, const struct decomposition *fine,
                        const struct decomposition *next)
{
    return !decomposition_is_coarsened(fine, next) ||
           backend_of(choice, fine) != backend_of(choice, next);
}

/* A corrected level has no sweeps that would make use of more layers than any level has. */
static int ghosts_of(const struct hierarchy_choice *choice, const struct backend *backend,
                     enum duty duty, const struct decomposition *d)
{
    if (duty == LEVEL_CORRECTED)
        return stencil_ghosts(choice->op.order);
    const bool whole = !choice->unfused && choice->sweeps[0] % SMOOTHER_SWEEPS == 0 &&
                       choice->sweeps[1] % SMOOTHER_SWEEPS == 0;
    return level_ghosts(&choice->op, backend, d, whole);
}

/* Adds the bytes of `fields` fields of a level with these boxes to bytes[rank]. */
static void add_fields(const struct hierarchy_choice *choice, const struct backend *backend,
                       enum duty duty, const struct decomposition *d, int fields, size_t *bytes)
{
    decomposition_add_field_bytes(d, ghosts_of(choice, backend, duty, d),
                                  level_row_align(&choice->op, backend, d), fields,
                                  backend->real_bytes, bytes);
}

/* The same of a redistribution buffer between a level with these boxes and the next. */
static void add_buffer(const struct hierarchy_choice *choice, const struct backend *backend,
                       const struct decomposition *fine, size_t *bytes)
{
    struct decomposition buffer = decomposition_coarsen(fine, fine[1].n);
    add_fields(choice, backend, LEVEL_ALONE, &buffer, BUFFER_FIELDS, bytes);
    decomposition_destroy(&buffer);
}

/* The same of a level, of its correction level, and of the redistribution buffers between these and
 * the next. */
static void add_level(const struct hierarchy_choice *choice, const struct decomposition *boxes,
                      int nlevels, int level, size_t *bytes)
{
    enum field fields[NUM_FIELDS];
    const struct decomposition *own = &boxes[level];
    const struct backend *backend = backend_of(choice, own);
    const int ncorrections = count_corrections(choice, boxes, nlevels);
    const enum duty duty = level < ncorrections ? LEVEL_CORRECTED : LEVEL_ALONE;
    const bool separate = level + 1 < nlevels && is_separate(choice, own, own + 1);
    add_fields(choice, backend, duty, own,
               grid_fields(choice, own, backend, duty, level, nlevels, own[1].n, fields), bytes);
    if (separate)
        add_buffer(choice, backend, own, bytes);
    if (duty == LEVEL_ALONE)
        return;
    add_fields(
        choice, backend->single, LEVEL_CORRECTION, own,
        grid_fields(choice, own, backend, LEVEL_CORRECTION, level, nlevels, own[1].n, fields),
        bytes);
    if (separate || level + 1 == ncorrections)
        add_buffer(choice, backend->single, own, bytes);
}

/* The choice with the operator of the shape. */
static struct hierarchy_choice settled(const struct hierarchy_choice *choice,
                                       const struct hierarchy_shape *shape)
{
    struct hierarchy_choice c = *choice;
    c.op = shape->op;
    return c;
}

void hierarchy_estimate(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                        int ranks, hierarchy_visit *visit, void *data)
{
    const struct hierarchy_choice own = settled(choice, shape);
    size_t *bytes = memory_alloc((size_t)ranks * sizeof *bytes, "memory estimate");
    struct decomposition boxes[MAX_LEVELS];
    hierarchy_boxes(shape, ranks, boxes);
    for (int level = 0; level < shape->nlevels; level++) {
        memset(bytes, 0, (size_t)ranks * sizeof *bytes);
        add_level(&own, boxes, shape->nlevels, level, bytes);
        visit(data, level, &boxes[level], bytes);
    }
    destroy_boxes(shape, boxes);
    memory_free(bytes);
}

size_t hierarchy_bytes(const struct hierarchy_choice *choice, const struct hierarchy_shape *shape,
                       int ranks, bool on_device)
{
    if (on_device && !choice->placement.backend->on_device)
        return 0;
    const struct hierarchy_choice own = settled(choice, shape);
    size_t *bytes = memory_alloc_zero((size_t)ranks * sizeof *bytes, "memory estimate"), most = 0;
    struct decomposition boxes[MAX_LEVELS];
    hierarchy_boxes(shape, ranks, boxes);
    for (int level = 0; level < shape->nlevels; level++)
        if (backend_of(choice, &boxes[level])->on_device == on_device)
            add_level(&own, boxes, shape->nlevels, level, bytes);
    for (int rank = 0; rank < ranks; rank++)
        most = bytes[rank] > most ? bytes[rank] : most;
    destroy_boxes(shape, boxes);
    memory_free(bytes);
    return most;
}

/* Ghosts are as deep as all ranks' devices make use of. */
static struct level *create_level(const struct hierarchy_choice *choice,
                                  const struct backend *backend, enum duty duty, int depth,
                                  struct decomposition d)
{
    const int ghosts = (int)comm_min_i64(comm_world(), ghosts_of(choice, backend, duty, &d));
    struct level *l = level_create(depth, d, choice->op.sides, ghosts, backend,
                                   level_row_align(&choice->op, backend, &d));
    l->stencil = memory_alloc(sizeof *l->stencil, "stencil");
    *l->stencil = stencil_create(choice->op, l->n);
    return l;
}

static void destroy_level(struct level *l)
{
    memory_free(l->stencil);
    level_destroy(l);
}

/* Chooses how messages travel, for plans that every cycle executes. */
static void connect_plan(const struct hierarchy *h, struct plan *plan)
{
    plan_connect(plan, h->choice.placement.transport, h->choice.placement.device_messages);
}

static void create_transfer(struct hierarchy *h, int grid)
{
    struct transfer *t = &h->transfers[grid];
    struct level *level = h->levels[grid], *next = h->levels[hierarchy_next(h, grid)];
    const struct decomposition *fine = &level->decomposition;
    if (level->backend->real_bytes == next->backend->real_bytes &&
        !is_separate(&h->choice, fine, &next->decomposition)) {
        *t = (struct transfer){.coarse = next};
        return;
    }
    t->separate = true;
    t->coarse = create_level(&h->choice, level->backend, LEVEL_ALONE, next->depth,
                             decomposition_coarsen(fine, next->n));
    t->down = plan_create(t->coarse, next, TARGET_GROWN, 0, CENTRE_CELL);
    t->up = plan_create(next, t->coarse, TARGET_GROWN, t->coarse->ghosts, CENTRE_CELL);
}

struct hierarchy *hierarchy_lay_out(const struct hierarchy_choice *choice, int nlevels,
                                    const struct decomposition boxes[MAX_LEVELS])
{
    struct hierarchy *h = memory_alloc_zero(sizeof *h, "hierarchy");
    h->choice = *choice;
    h->nlevels = nlevels;
    h->singular = operator_is_singular(&choice->op);
    h->ncorrections = count_corrections(choice, boxes, nlevels);
    for (int l = 0; l < nlevels; l++)
        h->levels[l] =
            create_level(choice, backend_of(choice, &boxes[l]),
                         l < h->ncorrections ? LEVEL_CORRECTED : LEVEL_ALONE, l, boxes[l]);
    for (int l = 0; l < h->ncorrections; l++) {
        struct level *corrected = h->levels[l];
        corrected->correction = h->levels[hierarchy_correction(h, l)] =
            create_level(choice, corrected->backend->single, LEVEL_CORRECTION, l,
                         decomposition_share(&boxes[l]));
    }
    for (int grid = 0; grid < hierarchy_grids(h); grid++)
        if (grid != nlevels - 1)
            create_transfer(h, grid);
    return h;
}

/* Of the level below a grid; of the coarsest its own. */
static const int *cells_below(const struct hierarchy *h, const struct level *level)
{
    return h->levels[level->depth + 1 < h->nlevels ? level->depth + 1 : level->depth]->n;
}

/* Fields of all levels and redistribution buffers, and how the messages of their plans travel. */
static void allocate_fields(struct hierarchy *h)
{
    for (int grid = 0; grid < hierarchy_grids(h); grid++) {
        enum field fields[NUM_FIELDS];
        struct level *level = h->levels[grid];
        const enum duty duty = grid >= h->nlevels  ? LEVEL_CORRECTION
                               : level->correction ? LEVEL_CORRECTED
                                                   : LEVEL_ALONE;
        const int count = grid_fields(&h->choice, &level->decomposition, level->backend, duty,
                                      level->depth, h->nlevels, cells_below(h, level), fields);
        for (int f = 0; f < count; f++)
            level_allocate(level, fields[f]);
        if (level->connected)
            connect_plan(h, level->halo);
    }
    for (int grid = 0; grid < hierarchy_grids(h); grid++) {
        struct transfer *t = &h->transfers[grid];
        if (!t->separate)
            continue;
        level_allocate(t->coarse, FIELD_U);
        level_allocate(t->coarse, FIELD_F);
        connect_plan(h, t->down);
        connect_plan(h, t->up);
    }
}

int hierarchy_solved_levels(const struct hierarchy *h)
{
    int count = 1;
    while (count < SOLVED_LEVELS && count < h->nlevels &&
           extent_halved(h->levels[count - 1]->n, h->levels[count]->n))
        count++;
    return count;
}

/* Executes a plan that is needed once, for a coefficient. */
static void move_once(struct plan *plan, const struct level *from, const struct level *to,
                      enum field field)
{
    plan_move(plan, from, field, to, field, NULL);
    plan_destroy(plan);
}

/* Moves a coefficient from the redistribution buffer to the next level. */
static struct plan *coefficient_plan(const struct transfer *t, const struct level *next, int centre)
{
    return plan_create(t->coarse, next, TARGET_GROWN, 0, centre);
}

static void move_coefficient(struct transfer *t, struct level *next, enum field field, int centre)
{
    if (!t->separate)
        return;
    move_once(coefficient_plan(t, next, centre), t->coarse, next, field);
    level_release(t->coarse, field);
}

/* α and β of level depth + 1 from those of level depth. */
static void restrict_coefficients(struct hierarchy *h, int depth)
{
    struct level *fine = h->levels[depth], *next = h->levels[depth + 1];
    struct transfer *t = &h->transfers[depth];
    for (int d = 0; d < 3 && fine->fields[FIELD_BETA_I]; d++) {
        level_allocate(t->coarse, FIELD_BETA_I + d);
        setup_restrict_faces(fine, t->coarse, d);
        move_coefficient(t, next, FIELD_BETA_I + d, d);
    }
    if (fine->fields[FIELD_ALPHA]) {
        level_allocate(t->coarse, FIELD_ALPHA);
        vector_restrict(fine, FIELD_ALPHA, t->coarse, FIELD_ALPHA);
        move_coefficient(t, next, FIELD_ALPHA, CENTRE_CELL);
    }
}

/* Fills the ghosts of a coefficient on all sides but walls, also where passes wrap. NULL if there
 * are none. */
static struct plan *coefficient_ghosts_plan(const struct level *l, int centre)
{
    const bool has_ghosts = l->connected || sides_have(&l->sides, BOUNDARY_PERIODIC);
    return has_ghosts ? plan_create(l, l, TARGET_GHOSTS, l->ghosts, centre) : NULL;
}

static void fill_coefficient_ghosts(struct level *l, enum field field, int centre)
{
    struct plan *plan = coefficient_ghosts_plan(l, centre);
    if (plan)
        move_once(plan, l, l, field);
}

/* The plans of one coefficient, made and dropped. */
static void rehearse_coefficient(const struct hierarchy *h, int centre)
{
    for (int l = 0; l < h->nlevels; l++) {
        struct plan *ghosts = coefficient_ghosts_plan(h->levels[l], centre);
        if (ghosts)
            plan_destroy(ghosts);
        if (l + 1 < h->nlevels && h->transfers[l].separate)
            plan_destroy(coefficient_plan(&h->transfers[l], h->levels[l + 1], centre));
    }
}

void hierarchy_dry_run_coefficients(const struct hierarchy *h)
{
    for (int d = 0; d < 3 && h->choice.op.variable; d++)
        rehearse_coefficient(h, d);
    rehearse_coefficient(h, CENTRE_CELL); /* D⁻¹ and α */
}

/* Derives the rest of the operator from the coefficients inside the boxes. */
static void finish_operator(struct level *l)
{
    const struct passes *passes = l->backend->passes;
    uint64_t lambda_max = 0;
    if (l->fields[FIELD_BETA_I]) {
        for (int d = 0; d < 3; d++)
            fill_coefficient_ghosts(l, FIELD_BETA_I + d, d);
        if (l->stencil->reads_edges)
            setup_extrapolate_beta(l);
    }
    if (l->fields[FIELD_ALPHA])
        fill_coefficient_ghosts(l, FIELD_ALPHA, CENTRE_CELL);
    if (l->correction) /* no pass smooths on the level itself */
        return;
    setup_diagonal(l, &lambda_max);
    fill_coefficient_ghosts(l, FIELD_DINV, CENTRE_CELL);
    if (l->stencil->needs_lambda_max)
        stencil_set_lambda_max(l->stencil, bits_to_double(comm_max_u64(comm_world(), lambda_max)));
    if (passes->prepare)
        passes->prepare(l);
}

struct hierarchy *hierarchy_allocate(const struct hierarchy_choice *choice)
{
    const struct hierarchy_shape shape = hierarchy_shape(choice, comm_size());
    const struct hierarchy_choice own = settled(choice, &shape);
    struct decomposition boxes[MAX_LEVELS];
    hierarchy_boxes(&shape, comm_size(), boxes);
    struct hierarchy *h = hierarchy_lay_out(&own, shape.nlevels, boxes);
    allocate_fields(h);
    struct level *coarsest = h->levels[h->nlevels - 1];
    coarsest->stencil->hpgmg_diagonal =
        choice->bottom == BOTTOM_METHOD_BICGSTAB && choice->op.order == 2 &&
        sides_are(&choice->op.sides, BOUNDARY_PERIODIC) && level_has_odd_period(coarsest);
    return h;
}

/* The largest magnitude of β is below 2^exponent; 0 where β = 1. */
static int beta_exponent(struct level *finest)
{
    double largest = 0.0;
    int exponent = 0;
    for (int d = 0; d < 3 && finest->fields[FIELD_BETA_I]; d++)
        largest = fmax(largest, reduce_norm(finest, FIELD_BETA_I + d));
    if (isfinite(largest) && largest > 0.0)
        frexp(largest, &exponent);
    return exponent;
}

/* A coefficient of the level in single precision, scaled. */
static void narrow_coefficient(const struct hierarchy *h, const struct level *l, enum field field,
                               int centre)
{
    if (!l->fields[field])
        return;
    struct plan *plan = plan_create(l, l->correction, TARGET_GROWN, 0, centre);
    plan_scale(plan, ldexp(1.0, -h->beta_exponent));
    move_once(plan, l, l->correction, field);
}

static void set_correction_operator(struct hierarchy *h, struct level *l)
{
    for (int d = 0; d < 3; d++)
        narrow_coefficient(h, l, FIELD_BETA_I + d, d);
    narrow_coefficient(h, l, FIELD_ALPHA, CENTRE_CELL);
    finish_operator(l->correction);
}

void hierarchy_scale(struct hierarchy *h, int exponent)
{
    for (int l = 0; l < h->ncorrections; l++) {
        h->levels[l]->correction->rhs_exponent = exponent;
        h->levels[l]->correction->u_exponent = exponent - h->beta_exponent;
    }
}

void hierarchy_set_operator(struct hierarchy *h)
{
    if (h->levels[0]->fields[FIELD_BETA_I]) /* coarser levels have the means of these faces */
        setup_close_neumann_walls(h->levels[0]);
    for (int l = 0; l < h->nlevels; l++) {
        finish_operator(h->levels[l]);
        if (l == 0)
            h->beta_exponent = beta_exponent(h->levels[0]);
        if (h->levels[l]->correction)
            set_correction_operator(h, h->levels[l]);
        if (l + 1 < h->nlevels)
            restrict_coefficients(h, l);
    }
    if (h->ncorrections > 0) /* A e of the next level is not scaled */
        plan_scale(h->transfers[hierarchy_grids(h) - 1].down, ldexp(1.0, h->beta_exponent));
    if (h->bottom)
        bottom_destroy(h->bottom);
    h->bottom = bottom_create(h->levels[h->nlevels - 1], h->choice.bottom);
}

void hierarchy_set_rhs(struct hierarchy *h)
{
    if (!h->singular)
        return;
    struct level *l = h->levels[0];
    h->rhs_mean = reduce_mean(l, FIELD_F);
    vector_add_constant(l, FIELD_F, -h->rhs_mean);
    if (fabs(h->rhs_mean) > reduce_norm(l, FIELD_F)) { /* whose last digit may be much of f now */
        const double rest = reduce_mean(l, FIELD_F);
        vector_add_constant(l, FIELD_F, -rest);
        h->rhs_mean += rest;
    }
}

struct hierarchy *hierarchy_create(const struct hierarchy_choice *choice)
{
    const double start = timer_seconds();
    struct hierarchy *h = hierarchy_allocate(choice);
    problem_fill(h->levels[0], choice->problem);
    hierarchy_set_rhs(h);
    hierarchy_set_operator(h);
    h->levels[0]->backend->memory->synchronise();
    comm_barrier(comm_world());
    h->build_seconds = timer_seconds() - start;
    return h;
}

void hierarchy_make_halo(struct hierarchy *h, int level, int layers)
{
    struct level *l = h->levels[level];
    if (!l->halos[layers])
        connect_plan(h, level_make_halo(l, layers));
}

void hierarchy_destroy(struct hierarchy *h)
{
    if (h->bottom)
        bottom_destroy(h->bottom);
    for (int grid = 0; grid < hierarchy_grids(h); grid++) {
        struct transfer *t = &h->transfers[grid];
        if (!t->separate)
            continue;
        plan_destroy(t->down);
        plan_destroy(t->up);
        destroy_level(t->coarse);
    }
    for (int l = 0; l < h->nlevels; l++) {
        wall_terms_destroy(h->walls[l].rhs);
        wall_terms_destroy(h->walls[l].interpolated);
    }
    for (int grid = 0; grid < hierarchy_grids(h); grid++)
        destroy_level(h->levels[grid]);
    memory_free(h);
}
