/* SPDX-License-Identifier: BSD-3-Clause */
/* The tail of the V-cycle: consecutive steps on levels so small that a launch takes longer than
 * what is done in it, all in one launch. A level is cut into bricks, one a block, which send each
 * other ghosts in packets; one more block has the smallest levels, alone. Where steps pass
 * something on between blocks it goes by way of the levels' fields, and all blocks wait for each
 * other. All must run at once, so the launch is a cooperative one. */
#include "cuda/kernels.cuh"
#include "cuda/coarse/block.cuh"
extern "C" {
#include "operators/traffic.h"
}

/* The list that is being made; levels[x] is of[x]. */
struct launch {
    struct tail tail;
    int nlevels, blocks;
    const struct level *of[MAX_TAIL_LEVELS];
    /* Solo levels: what fields the frames of u and f hold, and how much of the frames and of the
     * lists is taken. */
    const double *u[MAX_TAIL_LEVELS], *f[MAX_TAIL_LEVELS];
    int place, pairs;
    struct brick_ghosts solo, bricks; /* of solo levels (no halo), and of a block's bricks */
};

static bool is_solo(const struct tail &t, int step)
{
    return t.levels[t.steps[step].level].nbricks == 1;
}

/* Says of each step whether blocks must wait for each other before it: there is no need where the
 * solo levels' block alone goes on with what it has done. */
static void find_waits(struct tail *t)
{
    for (int s = 1; s < t->count; s++)
        t->steps[s].waits = !is_solo(*t, s) || !is_solo(*t, s - 1);
}

static int first_solo(const struct tail &t)
{
    int step = 0;
    while (step < t.count && !is_solo(t, step))
        step++;
    return step;
}

static struct sync_context *sync_context;

/* Allocated at the first launch, which is not a recorded one. */
static struct sync_context *open_sync_context()
{
    if (!sync_context) {
        sync_context = (struct sync_context *)cuda_allocate_bytes(sizeof *sync_context,
                                                                  "packets between blocks");
        CUDA_CALL(cudaMemsetAsync(sync_context, 0, sizeof *sync_context, cuda_stream()));
    }
    return sync_context;
}

void cuda_tail_close()
{
    cuda_release_bytes(sync_context);
    sync_context = NULL;
}

/* Launches the list and begins a new one. */
static void flush(struct launch *x)
{
    const bool solo = x->place > 0;
    find_waits(&x->tail);
    x->tail.first_solo = first_solo(x->tail);
    x->tail.solo_block = solo ? x->blocks : -1;
    x->tail.sync = open_sync_context();
    if (x->tail.count > 0)
        with_operator(x->of[0]->stencil->choice,
                      [&](auto op) { tail_launch<decltype(op)>(x->tail, x->blocks + solo); });
    *x = {};
}

static const double *field_of(const struct level *l, enum field field)
{
    return l->fields[field] ? l->fields[field] + l->patches[0].offset : NULL;
}

/* Not more bricks than can be worked on at once, beside the block that has the solo levels. */
static struct bricks cut_bricks(int n)
{
    return bricks_cut(n, min(cuda_multiprocessors() - 1, (int)TAIL_BLOCKS));
}

static struct tail_level describe(const struct level *l, const struct bricks &cut)
{
    const struct stencil *s = l->stencil;
    struct tail_level t = {};
    t.n = l->dim;
    t.nbricks = cut.count;
    t.depth = cut.depth;
    t.sj = (int)l->patches[0].sj;
    t.sk = (int)l->patches[0].sk;
    t.wall_rule = s->wall_rule;
    t.bricks = divider_of(l->dim / cut.side);
    t.side = divider_of(cut.side);
    t.half = divider_of((cut.side + 1) / 2);
    t.framed = divider_of(cut.side + 2 * s->radius);
    t.beta = divider_of(cut.side + (s->choice.order == 4 ? 2 : 1));
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

/* Gives a solo level its place in the frames, and in the lists. */
static void place_solo(struct launch *x, struct tail_level *t, int ghosts)
{
    const int n = t->n;
    t->place = x->place + solo_origin(n, ghosts);
    t->pairs = x->pairs;
    t->sides = x->solo.sides;
    t->edges = x->solo.edges;
    x->place += solo_frame(n, ghosts);
    x->pairs += t->half.n * n * n;
    x->solo.sides += 6 * n * n;
    x->solo.edges += 12 * n;
    CHECK(x->place <= solo_length(ghosts) && x->pairs <= ALL_SOLO_PAIRS &&
          x->solo.sides <= ALL_SOLO_SIDES && x->solo.edges <= ALL_SOLO_EDGES);
}

/* Gives a level in bricks its place in the lists of ghosts. */
static void place_bricks(struct launch *x, struct tail_level *t, const struct bricks *cut)
{
    const struct brick_ghosts most = bricks_ghosts(cut);
    t->sides = x->bricks.sides;
    t->edges = x->bricks.edges;
    t->halo = x->bricks.halo;
    t->room = most.halo;
    x->bricks.sides += most.sides;
    x->bricks.edges += most.edges;
    x->bricks.halo += most.halo;
    const int walls = few_cells(*t) ? WALL_PLACES<FEWEST_CELLS> : WALL_PLACES<MOST_CELLS>;
    CHECK(most.sides + most.edges <= walls * TAIL_THREADS && x->bricks.sides <= ALL_SIDES &&
          x->bricks.edges <= ALL_EDGES && x->bricks.halo <= ALL_HALO);
}

/* The index of a level in the list, MAX_TAIL_LEVELS if it is not there. */
static int index_of(const struct launch *x, const struct level *l)
{
    int index = 0;
    while (index < x->nlevels && x->of[index] != l)
        index++;
    return index < x->nlevels ? index : (int)MAX_TAIL_LEVELS;
}

/* The same of one that is put there if need be, as long as there is room. */
static int enter(struct launch *x, const struct level *l)
{
    const int index = index_of(x, l);
    if (index < MAX_TAIL_LEVELS || x->nlevels == MAX_TAIL_LEVELS)
        return index;
    struct tail_level *t = &x->tail.levels[x->nlevels];
    const struct bricks cut = cut_bricks(l->dim);
    *t = describe(l, cut);
    x->of[x->nlevels] = l;
    x->tail.coloured = l->stencil->coloured;
    if (t->nbricks == 1) {
        place_solo(x, t, l->stencil->radius);
    } else {
        place_bricks(x, t, &cut);
        x->blocks = max(x->blocks, t->nbricks);
    }
    return x->nlevels++;
}

/* True if the list has room for the step and the levels that it is about, which are there then. */
static bool make_room(struct launch *x, const struct step *step)
{
    const struct pass *p = &step->pass;
    const int index = enter(x, p->level);
    const bool solo = index < MAX_TAIL_LEVELS && x->tail.levels[index].nbricks == 1;
    return x->tail.count < MAX_TAIL_STEPS && index < MAX_TAIL_LEVELS &&
           (!solo || !p->coarse || enter(x, p->coarse) < MAX_TAIL_LEVELS);
}

static void add_coarse_side(struct launch *x, struct tail_level *level, struct tail_step *step,
                            const struct pass *p)
{
    const struct level *coarse = p->coarse;
    const int index = index_of(x, coarse);
    const long offset = coarse->patches[0].offset;
    level->coarse_sj = (int)coarse->patches[0].sj;
    level->coarse_sk = (int)coarse->patches[0].sk;
    if (index < MAX_TAIL_LEVELS)
        level->coarse_place = x->tail.levels[index].place;
    step->coarse_rule = stencil_wall_rule(p->prolongation, coarse->dim);
    step->coarse_framed = divider_of(level->half.n + p->prolongation / 2 * 2);
    step->coarse_u = coarse->fields[p->coarse_u] + offset;
    step->coarse_f = coarse->fields[p->coarse_f] + offset;
}

static void add_bottom(struct tail *tail, const struct step *step)
{
    const struct pass *p = &step->pass;
    const struct bottom_work w =
        bottom_open(p->level, p->u, p->f, step->reduction, step->max_iterations, step->singular);
    CHECK(!tail->bottom.u || (tail->bottom.u == w.u && tail->bottom.v.f == w.v.f));
    tail->bottom = w;
}

/* What the frames of solo levels hold before and after the step. */
static void track_frames(struct launch *x, struct tail_step *t, const struct step *step)
{
    const struct pass *p = &step->pass;
    const int level = t->level, coarse = p->coarse ? index_of(x, p->coarse) : MAX_TAIL_LEVELS;
    const bool solo = x->tail.levels[level].nbricks == 1,
               restricts = step->kind == STEP_RESTRICT || p->finish == FINISH_RESTRICT;
    t->fetches_u = x->u[level] != t->u;
    t->fetches_f = x->f[level] != t->f;
    t->fetches_coarse = solo && pass_prolongs(p) && x->u[coarse] != t->coarse_u;
    if (step->kind != STEP_RESTRICT)
        x->u[level] = t->u;
    if (step->kind != STEP_PASS || pass_operations(p) > 0)
        x->f[level] = t->f;
    if (coarse < MAX_TAIL_LEVELS && restricts)
        x->f[coarse] = solo ? t->coarse_f : NULL;
    if (t->fetches_coarse)
        x->u[coarse] = t->coarse_u;
}

/* True if the list's last step does nothing but set u of the pass to 0. */
static bool ends_with_zero(const struct launch *x, int level, const struct pass *p)
{
    const struct tail_step *last = &x->tail.steps[x->tail.count - 1];
    return x->tail.count > 0 && last->kind == STEP_PASS && last->level == level &&
           last->start == START_ZERO && last->operations == 0 &&
           last->u == p->level->fields[p->u] + p->level->patches[0].offset;
}

static void add(struct launch *x, const struct step *step)
{
    const struct pass *p = &step->pass;
    const long offset = p->level->patches[0].offset;
    if (!make_room(x, step)) {
        flush(x);
        CHECK(make_room(x, step));
    }
    const int level = index_of(x, p->level);
    const bool from_zero = step->kind == STEP_BOTTOM && ends_with_zero(x, level, p);
    if (from_zero)
        x->tail.count--;
    struct tail_step *t = &x->tail.steps[x->tail.count++];
    t->kind = step->kind;
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
    if (step->kind == STEP_BOTTOM)
        add_bottom(&x->tail, step);
    track_frames(x, t, step);
}

/* The list ends with a step that leaves a norm. */
static void flush_with_norm(struct launch *x, uint64_t *target)
{
    x->tail.norm = cuda_norm_word(target);
    flush(x);
    cuda_fetch_norm(target);
}

bool cuda_tail_level(const struct level *level)
{
    const size_t block =
        level->stencil->choice.order == 4 ? sizeof(tail_block<op_fv4>) : sizeof(tail_block<op_fv2>);
    return block + sizeof(unsigned long long) <= cuda_limits()->shared_per_block &&
           kernel_is_chosen(&kernel_tail) && !level->connected && level->npatches == 1 &&
           level->dim <= TAIL_DIM && cut_bricks(level->dim).count > 0;
}

bool cuda_step_fits(const struct step *step)
{
    const struct pass *p = &step->pass;
    if (!cuda_tail_level(p->level))
        return false;
    if (step->kind == STEP_BOTTOM)
        return p->level->dim <= SOLO_BOTTOM_DIM;
    return step->kind != STEP_PASS || pass_operations(p) == 0 ||
           (p->level->dim >= 2 && (p->nsweeps == 0 || p->first_sweep == 0) && p->nsweeps % 2 == 0 &&
            p->finish != FINISH_STORE);
}

void cuda_run_steps(const struct step *steps, int count)
{
    struct launch x = {};
    for (int s = 0; s < count; s++) {
        add(&x, &steps[s]);
        if (steps[s].kind == STEP_PASS && steps[s].pass.finish == FINISH_NORM)
            flush_with_norm(&x, steps[s].pass.norm);
    }
    flush(&x);
}

static struct step step_of(const struct part *part)
{
    struct step step = {};
    step.kind = STEP_PASS;
    step.pass = part->pass;
    return step;
}

static struct coverage tail_covers(const struct part *part, const struct device_limits *)
{
    const struct step step = step_of(part);
    return cuda_step_fits(&step) ? cover_all(part) : cover_nothing();
}

static void run_tail(const struct part *part)
{
    const struct step step = step_of(part);
    cuda_run_steps(&step, 1);
}

/* What the levels share stays on the chip. */
static double tail_bytes(const struct part *part)
{
    return pass_bytes_once(&part->pass);
}

extern const struct kernel kernel_tail = {
    .name = "tail",
    .summary = "every step on levels of at most 64^3 cells in one launch; one box with walls",
    .covers = tail_covers,
    .run = run_tail,
    .bytes = tail_bytes,
};
