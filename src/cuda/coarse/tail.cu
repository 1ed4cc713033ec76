/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's side of the tail: makes the list of levels and steps of one launch. Separate launches
 * would take longer than the work on levels so small. Blocks of subdomains come first; one more has
 * all single-block levels. Steps pass fields between blocks through global memory, after a barrier
 * of all blocks. All blocks must run at once, so the launch is cooperative. */
#include "cuda/backend.cuh"
#include "cuda/device.cuh"
#include "cuda/kernels.cuh"
#include "cuda/coarse/single_block.cuh"
#include "operators/traffic.h"

/* The list under construction; levels[x] describes of[x]. */
struct tail_list {
    struct tail tail;
    int nlevels, blocks;
    const struct level *of[MAX_TAIL_LEVELS];
    /* Single-block levels: the fields that the tiles of u and f hold. */
    const double *u[MAX_TAIL_LEVELS], *f[MAX_TAIL_LEVELS];
    /* The used parts of their tiles and of the lists of pairs and ghosts. */
    int narrow, wide, pairs;
    struct subdomain_ghosts single, subdomains;
};

/* All blocks wait for each other before each step, unless one block alone does this step and the
 * step before. Also finds the first step of that block. */
static void set_waits(struct tail *t)
{
    bool before = false;
    t->first_single_block = t->count;
    for (int s = 0; s < t->count; s++) {
        const bool single = t->levels[t->steps[s].level].nsubdomains == 1;
        t->steps[s].waits = s > 0 && !(single && before);
        if (single)
            t->first_single_block = min(t->first_single_block, s);
        before = single;
    }
}

static struct sync_context *sync_context; /* from the first launch on, which is never recorded */

/* A block's shared memory: what fits into it, and its bytes, which are 0 if nothing does. */
struct block_choice {
    struct subdomain_limits limits;
    size_t bytes;
};

template <class Op>
static struct block_choice block_for()
{
    enum { STATIC_BYTES = 16 }; /* of barriers_done(), aligned */
    static const int fits[][2] = {{SINGLE_BLOCK_DIM, SUBDOMAIN_SIDE},
                                  {SINGLE_BLOCK_DIM, SMALL_SIDE},
                                  {MIN_SINGLE_BLOCK_DIM, SMALL_SIDE}};
    /* As many subdomains as can run at once, beside the block with the single-block levels. */
    const int count = min(cuda_multiprocessors() - 1, (int)TAIL_BLOCKS);
    for (const int *dims : fits) {
        const struct subdomain_limits limits = {dims[0], dims[1], count};
        const size_t bytes = block_bytes<Op>(limits);
        if (bytes + STATIC_BYTES <= cuda_limits()->shared_per_block)
            return {limits, bytes};
    }
    return {};
}

static struct block_choice choose_block(const struct operator_choice &choice)
{
    struct block_choice block = {};
    with_operator(choice, [&](auto op) { block = block_for<decltype(op)>(); });
    return block;
}

static struct tail_walls walls_between(const struct sides *sides)
{
    struct tail_walls walls;
    for (const int rule : {WALL_LINEAR, WALL_QUADRATIC, WALL_QUARTIC})
        for (int side = 0; side < 6; side++)
            walls.of[rule / 2][side] =
                side_weights_of(wall_of(sides->of[side / 2][side % 2]), rule);
    return walls;
}

static void launch(const struct operator_choice &choice, const struct tail &tail, int blocks)
{
    const struct tail_walls walls = walls_between(&choice.sides);
    const size_t bytes = choose_block(choice).bytes;
    with_operator(choice, [&](auto op) {
        if (sides_are(&choice.sides, BOUNDARY_DIRICHLET))
            tail_launch<decltype(op)>(tail, walls, blocks, bytes);
        else
            tail_launch<any_sides<decltype(op)>>(tail, walls, blocks, bytes);
    });
}

/* Launches the list and begins an empty one. */
static void flush(struct tail_list *x)
{
    const bool single = x->pairs > 0;
    set_waits(&x->tail);
    x->tail.single_block = single ? x->blocks : -1;
    if (x->tail.count > 0) {
        x->tail.sync = (struct sync_context *)cuda_keep_bytes(
            (void **)&sync_context, sizeof *sync_context, "packets between blocks");
        launch(x->of[0]->stencil->choice, x->tail, x->blocks + single);
    }
    *x = {};
}

static const double *field_of(const struct level *l, enum field field)
{
    return l->fields[field] ? l->fields[field] + l->patches[0].offset : NULL;
}

/* As bits. */
static unsigned wrapped_sides_of(const struct sides *sides)
{
    unsigned bits = 0;
    for (int d = 0; d < 3; d++)
        bits |= (unsigned)(3 * sides_wrap(sides, d)) << (2 * d);
    return bits;
}

/* So many cells more in each direction. */
static struct cuboid grown(const struct cuboid &c, int more)
{
    return cuboid_of(c.i.n + more, c.j.n + more, c.planes + more);
}

static struct tail_level describe(const struct level *l, const struct subdomains &division)
{
    const struct stencil *s = l->stencil;
    struct tail_level t = {};
    for (int d = 0; d < 3; d++)
        t.n[d] = l->n[d];
    t.wrapped = wrapped_sides_of(&l->sides);
    t.nsubdomains = division.count;
    t.sj = (int)l->patches[0].sj;
    t.sk = (int)l->patches[0].sk;
    t.wall_rule = stencil_walls(s)->cells;
    const int *n = division.cells, *along = division.along;
    const struct cuboid size = cuboid_of(n[0], n[1], n[2]);
    t.subdomains = cuboid_of(along[0], along[1], along[2]);
    t.size = size;
    t.half = cuboid_of((n[0] + 1) / 2, (n[1] + 1) / 2, (n[2] + 1) / 2);
    t.beta = grown(size, division.count == 1 ? 2 * s->radius : s->radius);
    t.coarse_padded[0] = grown(t.half, 2);
    t.coarse_padded[1] = grown(t.half, 4);
    t.longest = extent_longest(l->n);
    t.scale = s->scale;
    t.dinv = field_of(l, FIELD_DINV);
    t.alpha = field_of(l, FIELD_ALPHA);
    t.beta_i = field_of(l, FIELD_BETA_I);
    t.beta_j = field_of(l, FIELD_BETA_J);
    t.beta_k = field_of(l, FIELD_BETA_K);
    for (int sweep = 0; sweep < SMOOTHER_SWEEPS; sweep++)
        t.relaxations[sweep] = stencil_relaxation(s, sweep);
    return t;
}

/* Reserves a single-block level's part of the tiles and of the lists. */
static void reserve_single_block(struct tail_list *x, struct tail_level *t, int ghosts)
{
    const int n = t->longest;
    const bool wide = n > single_block::NARROW;
    int *offset = wide ? &x->wide : &x->narrow;
    t->offset = *offset + single_block::tile_origin(n, ghosts);
    t->pairs = x->pairs;
    t->sides = x->single.sides;
    t->edges = x->single.edges;
    *offset += single_block::tile_length(n, ghosts);
    x->pairs += pairs_in(*t);
    x->single.sides += side_cells(t->n);
    x->single.edges += edge_cells(t->n);
    CHECK(*offset <= single_block::tiles_length(single_block::tile_dim(n), ghosts) &&
          x->pairs <= single_block::ALL_CELL_PAIRS &&
          x->single.sides <= single_block::ALL_WALL_SIDES &&
          x->single.edges <= single_block::ALL_WALL_EDGES);
}

/* True if the lists of ghosts have room for the subdomains. */
static bool has_room(const struct tail_list *x, const struct subdomains *division)
{
    const struct subdomain_ghosts most = subdomains_ghosts(division), &used = x->subdomains;
    return division->count == 1 ||
           (used.sides + most.sides <= ALL_SIDES && used.edges + most.edges <= ALL_EDGES &&
            used.halo + most.halo <= ALL_HALO);
}

/* Reserves the subdomains' part of the lists of ghosts. */
static void reserve_subdomain(struct tail_list *x, struct tail_level *t,
                              const struct subdomains *division)
{
    const struct subdomain_ghosts most = subdomains_ghosts(division);
    t->sides = x->subdomains.sides;
    t->edges = x->subdomains.edges;
    t->halo = x->subdomains.halo;
    t->halo_capacity = most.halo;
    x->subdomains.sides += most.sides;
    x->subdomains.edges += most.edges;
    x->subdomains.halo += most.halo;
    const int walls = has_small_subdomains(*t) ? OWN_WALLS<MIN_CELLS> : OWN_WALLS<MAX_CELLS>;
    CHECK(most.sides + most.edges <= walls * TAIL_THREADS);
}

/* The index of a level in the list; MAX_TAIL_LEVELS if it is not listed. */
static int index_of(const struct tail_list *x, const struct level *l)
{
    int index = 0;
    while (index < x->nlevels && x->of[index] != l)
        index++;
    return index < x->nlevels ? index : (int)MAX_TAIL_LEVELS;
}

/* The same; adds the level if it is not listed and there is room. */
static int add_level(struct tail_list *x, const struct level *l)
{
    const int index = index_of(x, l);
    if (index < MAX_TAIL_LEVELS || x->nlevels == MAX_TAIL_LEVELS)
        return index;
    const struct block_choice block = choose_block(l->stencil->choice);
    const struct subdomains division = subdomains_of(l->n, &block.limits);
    if (!has_room(x, &division))
        return MAX_TAIL_LEVELS;
    struct tail_level *t = &x->tail.levels[x->nlevels];
    *t = describe(l, division);
    x->of[x->nlevels] = l;
    x->tail.coloured = l->stencil->coloured;
    if (t->nsubdomains == 1) {
        reserve_single_block(x, t, l->stencil->radius);
    } else {
        reserve_subdomain(x, t, &division);
        x->blocks = max(x->blocks, t->nsubdomains);
    }
    return x->nlevels++;
}

/* True if the list has room for the step and its levels, which are then listed. */
static bool reserve(struct tail_list *x, const struct stage *stage)
{
    const struct pass *p = &stage->pass;
    const int index = add_level(x, p->level);
    const bool single = index < MAX_TAIL_LEVELS && x->tail.levels[index].nsubdomains == 1;
    return x->tail.count < MAX_TAIL_STEPS && index < MAX_TAIL_LEVELS &&
           (!single || !p->coarse || add_level(x, p->coarse) < MAX_TAIL_LEVELS);
}

static void add_coarse_side(struct tail_list *x, struct tail_level *level, struct tail_step *step,
                            const struct pass *p)
{
    const struct level *coarse = p->coarse;
    const int index = index_of(x, coarse);
    const long offset = coarse->patches[0].offset;
    level->coarse_sj = (int)coarse->patches[0].sj;
    level->coarse_sk = (int)coarse->patches[0].sk;
    if (index < MAX_TAIL_LEVELS) {
        level->coarse_offset = x->tail.levels[index].offset;
        level->coarse_pairs = x->tail.levels[index].pairs;
    }
    step->coarse_rule = wall_rule_of(p->prolongation, extent_shortest(coarse->n));
    step->coarse_u = coarse->fields[p->coarse_u] + offset;
    step->coarse_f = coarse->fields[p->coarse_f] + offset;
}

static void add_bottom(struct tail *tail, const struct stage *stage)
{
    const struct pass *p = &stage->pass;
    const struct bottom_work w =
        bottom_open(p->level, p->u, p->f, stage->reduction, stage->max_iterations);
    CHECK(!tail->bottom.u || (tail->bottom.u == w.u && tail->bottom.v.f == w.v.f));
    static_cast<struct bottom_work &>(tail->bottom) = w;
}

/* Tracks which fields the tiles of single-block levels hold, so that the step fetches only others.
 */
static void track_tiles(struct tail_list *x, struct tail_step *t, const struct stage *stage)
{
    const struct pass *p = &stage->pass;
    const int level = t->level, coarse = p->coarse ? index_of(x, p->coarse) : MAX_TAIL_LEVELS;
    const bool single = x->tail.levels[level].nsubdomains == 1,
               restricts = stage->kind == STAGE_RESTRICT || p->finish == FINISH_RESTRICT;
    t->fetches_u = x->u[level] != t->u;
    t->fetches_f = x->f[level] != t->f;
    t->fetches_coarse = single && pass_prolongs(p) && x->u[coarse] != t->coarse_u;
    if (stage->kind != STAGE_RESTRICT)
        x->u[level] = t->u;
    if (stage->kind != STAGE_PASS || pass_operations(p) > 0)
        x->f[level] = t->f;
    if (coarse < MAX_TAIL_LEVELS && restricts)
        x->f[coarse] = single ? t->coarse_f : NULL;
    if (t->fetches_coarse)
        x->u[coarse] = t->coarse_u;
}

/* True if the list's last step only sets u of the pass to 0. */
static bool ends_with_zero(const struct tail_list *x, int level, const struct pass *p)
{
    if (x->tail.count == 0)
        return false;
    const struct tail_step *last = &x->tail.steps[x->tail.count - 1];
    return last->kind == STAGE_PASS && last->level == level && last->start == START_ZERO &&
           last->operations == 0 && last->u == p->level->fields[p->u] + p->level->patches[0].offset;
}

static void add(struct tail_list *x, const struct stage *stage)
{
    const struct pass *p = &stage->pass;
    const long offset = p->level->patches[0].offset;
    if (!reserve(x, stage)) {
        flush(x);
        CHECK(reserve(x, stage));
    }
    const int level = index_of(x, p->level);
    const bool from_zero = stage->kind == STAGE_BOTTOM && ends_with_zero(x, level, p);
    if (from_zero)
        x->tail.count--;
    struct tail_step *t = &x->tail.steps[x->tail.count++];
    t->kind = stage->kind;
    t->level = level;
    t->start = from_zero ? START_ZERO : p->start;
    t->prolongation = p->prolongation;
    t->nsweeps = p->nsweeps;
    t->finish = p->finish;
    t->operations = pass_operations(p);
    t->relaxes_zero = t->start == START_ZERO && t->nsweeps > 0 && p->level->stencil->coloured;
    t->u = p->level->fields[p->u] + offset;
    t->f = p->level->fields[p->f] + offset;
    if (p->coarse)
        add_coarse_side(x, &x->tail.levels[level], t, p);
    if (stage->kind == STAGE_BOTTOM)
        add_bottom(&x->tail, stage);
    track_tiles(x, t, stage);
}

/* Launches a list whose last step computes a norm. */
static void flush_with_norm(struct tail_list *x, uint64_t *target)
{
    x->tail.norm = cuda_norm_word();
    flush(x);
    cuda_fetch_norm(target);
}

bool cuda_tail_level(const struct level *level)
{
    const struct block_choice block = choose_block(level->stencil->choice);
    return block.bytes > 0 && kernel_is_chosen(&kernel_tail) && !level->connected &&
           !level->correction && level->backend->real_bytes == sizeof(double) &&
           level->npatches == 1 && extent_cells(level->n) <= TAIL_CELLS &&
           subdomains_of(level->n, &block.limits).count > 0;
}

/* True if cells of one colour are neighbours, across the ends of a wrapped direction. */
static bool mixes_colours(const struct level *level)
{
    return level->stencil->coloured && level_has_odd_period(level);
}

/* True if the pass has no coarse side, or one that is coarsened in all directions. */
static bool halves(const struct pass *p)
{
    return !p->coarse || pass_halves(p);
}

static bool pass_fits(const struct pass *p)
{
    if (!halves(p))
        return false;
    return pass_operations(p) == 0 ||
           (extent_shortest(p->level->n) >= 2 && !mixes_colours(p->level) &&
            (p->nsweeps == 0 || p->first_sweep == 0) && p->nsweeps % 2 == 0 &&
            p->finish != FINISH_STORE);
}

/* True if the tail's bottom solver, one warp, takes the level: it has a narrow tile's cells. */
static bool warp_solves(const int n[3])
{
    return extent_cells(n) <= single_block::WARP_BOTTOM_CELLS &&
           extent_longest(n) <= single_block::NARROW;
}

static bool stage_fits(const struct stage *stage)
{
    switch (stage->kind) {
    case STAGE_PASS:
        return cuda_tail_level(stage->pass.level) && pass_fits(&stage->pass);
    case STAGE_RESTRICT:
        return cuda_tail_level(stage->pass.level) && halves(&stage->pass);
    case STAGE_BOTTOM:
        return cuda_tail_level(stage->pass.level) && stage->on_device &&
               warp_solves(stage->pass.level->n);
    default:
        return false;
    }
}

int cuda_run_stages(const struct stage *stages, int count)
{
    struct tail_list x = {};
    int n = 0;
    for (; n < count && stage_fits(&stages[n]) &&
           stages[n].pass.level->backend == stages[0].pass.level->backend;
         n++) {
        add(&x, &stages[n]);
        if (stages[n].kind == STAGE_PASS && stages[n].pass.finish == FINISH_NORM)
            flush_with_norm(&x, stages[n].pass.norm);
    }
    flush(&x);
    return n;
}

static int tail_covers(const struct pass *pass, const struct device_limits *)
{
    return cuda_tail_level(pass->level) && pass_fits(pass) ? pass_length(pass) : 0;
}

static void run_tail(const struct pass *pass)
{
    struct stage stage = {};
    stage.kind = STAGE_PASS;
    stage.pass = *pass;
    cuda_run_stages(&stage, 1);
}

extern const struct kernel kernel_tail = {
    .name = "tail",
    .summary = "every step on levels of at most 64^3 cells in one launch; one box",
    .covers = tail_covers,
    .run = run_tail,
    .bytes = pass_bytes_once, /* what steps of one launch share stays in shared memory */
};
